"""The people's own addresses: /people/{role}/requests, /reminders, /questions and /notices, as the agent uses them."""

from collections.abc import Callable
from typing import TypeVar, cast

from aiohttp import web
from pydantic import BaseModel

from sandbox.faults import PEOPLE
from sandbox.people import Asked, Notice, Question, Reminder
from sandbox.serving import met, world, written_key
from sandbox.wire import Json, Problem, checked, loads, members

M = TypeVar("M", bound=BaseModel)
ROLES = ("manager", "escalation", "buyer")
routes = web.RouteTableDef()


@routes.post("/people/{role}/requests")
async def requests(request: web.Request) -> web.StreamResponse:
    here = world(request)
    return await _told(request, "requests", Asked, lambda _, body, raw: here.people.request(body, raw, here.now()))


@routes.post("/people/{role}/reminders")
async def reminders(request: web.Request) -> web.StreamResponse:
    here = world(request)
    return await _told(
        request, "reminders", Reminder, lambda role, body, raw: here.people.remind(role, body, raw, here.now())
    )


@routes.post("/people/{role}/questions")
async def questions(request: web.Request) -> web.StreamResponse:
    here = world(request)
    return await _told(
        request, "questions", Question, lambda role, body, raw: here.people.ask(role, body, raw, here.now())
    )


@routes.post("/people/{role}/notices")
async def notices(request: web.Request) -> web.StreamResponse:
    here = world(request)
    return await _told(
        request, "notices", Notice, lambda role, body, raw: here.people.notify(role, body, raw, here.now())
    )


async def _told(
    request: web.Request, operation: str, model: type[M], do: Callable[[str, M, dict[str, Json]], None]
) -> web.StreamResponse:
    here, role = world(request), request.match_info["role"]
    content = await request.read()
    sku = _sku(request, content)
    here.counts.count(PEOPLE, operation, sku)

    def work() -> tuple[int, Json]:
        if role not in ROLES:
            raise Problem(404, f"nobody here is {role!r}: write to {', '.join(ROLES)}")
        written_key(request)
        # kept and shown in the words it came in, numbers as they were written
        raw = _object(content)
        do(role, checked(model, raw), _plain(raw))
        return 202, {"status": "taken"}

    return await met(request, PEOPLE, operation, sku, work)


def _object(content: bytes) -> dict[str, Json]:
    try:
        body = loads(content)
    except ValueError as error:
        raise Problem(422, f"the body is not JSON ({error}): send one JSON object") from error
    if not isinstance(body, dict):
        raise Problem(422, "the body is not an object: send one JSON object")
    return members(body)


def _plain(value: Json) -> Json:
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in members(value).items()}
    if isinstance(value, list):
        return [_plain(v) for v in cast("list[Json]", value)]
    return value if value is None or isinstance(value, str | bool | int) else format(value, "f")


def _sku(request: web.Request, content: bytes) -> str | None:
    """The part a message is about; a reminder names only the request."""
    try:
        body = members(loads(content))
    except ValueError:
        return None
    asked = world(request).people.approvals.get(str(body.get("id")))
    said = body.get("sku") or (asked.sku if asked else None)
    return said if isinstance(said, str) else None
