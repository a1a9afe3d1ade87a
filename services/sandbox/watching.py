"""Looking at the world: the ledger, what happened, waiting for it, the time. Nothing here changes anything."""

from aiohttp import web

from sandbox.serving import answer, wanted, world
from sandbox.wire import Problem

routes = web.RouteTableDef()
LONGEST = 600.0
KINDS = (
    "quotes, order_attempt, order, find, status, message, accept, cancel, cancel_refused, approval, decision, "
    "reminder, question, answer, notice, mail, goods, told, fault, not_done"
)
ALSO = {"order_attempts": "order_attempt", "approval_requests": "approval"}
OWN = ("what", "n", "timeout", "after")


@routes.get("/health")
async def health(request: web.Request) -> web.StreamResponse:
    return answer(200, {"status": "ok"})


@routes.get("/control/time")
async def time(request: web.Request) -> web.StreamResponse:
    here = world(request)
    return answer(200, {"now": here.now().isoformat(), "day": round(here.day, 6), "seconds_per_day": here.clock.day})


@routes.get("/control/ledger")
async def ledger(request: web.Request) -> web.StreamResponse:
    return answer(200, world(request).ledger.shown(request.query.get("sku")))


@routes.get("/control/events")
async def events(request: web.Request) -> web.StreamResponse:
    """Those numbered above `after`, as soon as there are `n` (1); an empty list when the time is over."""
    here = world(request)
    after, n, within, what, about = _asked(request, 20)
    found = await here.events.wait(after, n, within, what, about)
    return answer(200, {"events": found, "last": found[-1]["n"] if found else max(after, 0)})


@routes.get("/control/wait")
async def wait(request: web.Request) -> web.StreamResponse:
    """The first n matching events, when they are there; 408 when they do not come in time."""
    here = world(request)
    after, n, within, what, about = _asked(request, 30)
    if what is None or what not in KINDS.split(", "):
        raise Problem(400, f"wait for what? ?what= is one of {KINDS}")
    found = await here.events.wait(after, n, within, what, about)
    if len(found) < n:
        facts = "".join(f", {k} {v}" for k, v in about.items())
        raise Problem(408, f"{len(found)} of {n} events {what}{facts} within {within:g} s: look at /control/events")
    return answer(200, found)


@routes.get("/warehouse/deliveries")
async def deliveries(request: web.Request) -> web.StreamResponse:
    return answer(200, {"deliveries": world(request).warehouse.shown(request.query.get("sku"))})


def _asked(request: web.Request, patience: float) -> tuple[int, int, float, str | None, dict[str, str]]:
    query = request.query
    after = int(wanted(query, "after", 0, 1e12))
    n = int(wanted(query, "n", 1, 1e6))
    within = wanted(query, "timeout", patience, LONGEST)
    about = {k: v for k, v in query.items() if k not in OWN}
    what = query.get("what")
    return after, max(1, n), within, None if what is None else ALSO.get(what, what), about
