"""What a script can do: set the world, speak to the agent as anybody would, wait for events, and check the sandbox's
ledger."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Protocol
from urllib.parse import quote

import httpx

Json = Any

QUOTES = {"A": ("4.20", 7), "B": ("4.35", 5), "C": ("4.50", 10)}
D_QUOTE = "4.60"
"""Unit price in USD and lead time in days of SKU-123 and its like."""
WITHIN = 300.0
"""Real seconds after which a script that waits gives up; a broken script ends, a right one never gets near."""


ANSWERED = {"wait": "120"}
"""Commands of the sandbox return what the ingress answered, within so many real seconds."""


class House(Protocol):
    """The processes around a script, for those that end them."""

    async def kill_agent(self) -> None: ...

    async def start_agent(self) -> None: ...

    async def kill_engine(self) -> None: ...

    async def start_engine(self) -> None: ...

    async def deploy_beside(self, rules_version: int) -> None: ...

    async def deploy_in_place(self, rules_version: int) -> None: ...

    async def rename_a_step(self) -> None: ...

    async def restore_the_code(self) -> None: ...

    async def paused_by_mismatch(self) -> list[str]: ...


@dataclass
class Check:
    what: str
    held: bool
    seen: Json


class Unheld(Exception):
    """Something a script waited for did not come."""


@dataclass
class Stage:
    """One script's world. Times are business days."""

    sku: str
    sandbox: httpx.AsyncClient
    ingress: httpx.AsyncClient
    house: House
    day: float
    """Real seconds of one business day."""
    say: Callable[[str], None] = lambda line: None
    checks: list[Check] = field(default_factory=list[Check])

    def check(self, what: str, held: bool, seen: Json) -> None:
        """One expectation with what was seen; a script goes on after one that does not hold."""
        self.checks.append(Check(what, held, seen))

    def equal(self, what: str, seen: Json, expected: Json) -> None:
        self.check(f"{what}: {expected}", seen == expected, seen)

    # --- the world ----------------------------------------------------------------------------------------------------

    async def control(self, method: str, path: str, body: Json = None, params: Mapping[str, str] | None = None) -> Json:
        answer = await self.sandbox.request(method, f"/control{path}", json=body, params=params, timeout=WITHIN)
        if answer.status_code == 408:
            raise Unheld(f"waited in vain: {path} {dict(params or {})}")
        if not answer.is_success:
            raise Unheld(f"the sandbox refused {method} {path}: {answer.status_code} {answer.text[:300]}")
        return answer.json() if answer.content else None

    async def quotes(self, *suppliers: str) -> None:
        """The usual quotes of these suppliers; the others of A, B, C do not quote."""
        for supplier in QUOTES:
            await self.quote(supplier, QUOTES[supplier][0] if supplier in suppliers else None)

    async def quote(self, supplier: str, price: str | None, currency: str = "USD", at: datetime | None = None) -> None:
        body: dict[str, Json] = {"items": [] if price is None else [quoted(supplier, self.sku, price, currency)]}
        if at is not None:
            body["at"] = at.isoformat()
        await self.control("PUT", f"/suppliers/{supplier}/quotes/{quote(self.sku, safe='')}", body)

    async def script(self, supplier: str = "A", **on: Json) -> None:
        """What a supplier does with orders of this part, e.g. on_order=[{"after_days": 1, "send": "confirm"}]."""
        await self.control("PUT", f"/suppliers/{supplier}/script", {"sku": self.sku, **on})

    async def fault(self, supplier: str, operation: str, kind: str, times: int | None, **more: Json) -> None:
        body = {"operation": operation, "sku": self.sku, "kind": kind, "times": times, **more}
        await self.control("POST", f"/suppliers/{supplier}/faults", body)

    async def heal(self, supplier: str) -> None:
        await self.control("DELETE", f"/suppliers/{supplier}/faults", params={"sku": self.sku})

    async def manager(self, *answers: Mapping[str, Json]) -> None:
        """The manager's answers in order, the last repeated, e.g. approve(), reject("too dear")."""
        await self.control("PUT", "/people/manager", {"sku": self.sku, "answers": list(answers)})

    async def buyer(self, *answers: Mapping[str, Json]) -> None:
        await self.control("PUT", "/people/buyer", {"sku": self.sku, "answers": list(answers)})

    async def decide(self, approval: str, approved: bool, **more: Json) -> Json:
        """The manager decides now; what the ingress answered."""
        body = {"sku": self.sku, "approval": approval, "approved": approved, **more}
        return await self.control("POST", "/people/manager/decide", body)

    async def mail(self, supplier: str, po: str, **send: Json) -> Json:
        body = {"sku": self.sku, "po": po, **send}
        return await self.control("POST", f"/suppliers/{supplier}/mail", body, ANSWERED)

    async def deliver(self, po: str, quantity: str, note: str, **more: Json) -> Json:
        body = {"sku": self.sku, "po": po, "quantity": quantity, "note": note, **more}
        return await self.control("POST", "/warehouse/deliver", body, ANSWERED)

    @staticmethod
    def time_of(text: str) -> datetime:
        return datetime.fromisoformat(text)

    async def now(self) -> datetime:
        return datetime.fromisoformat((await self.control("GET", "/time"))["now"])

    async def days(self, days: float) -> None:
        """Business time goes by: the script has nothing to wait for but the calendar."""
        until = await self.now() + timedelta(days=days)
        while (left := (until - await self.now()).total_seconds()) > 0:  # noqa: ASYNC110 - only the calendar moves
            await asyncio.sleep(min(left * self.day / 86400, 1.0))

    # --- waiting for events -------------------------------------------------------------------------------------------

    async def wait(self, what: str, n: int = 1, **more: str) -> Json:
        """Until the ledger shows n of: approval, order, order_attempts, message, question, reminder, notice, cancel,
        status."""
        params = {"what": what, "sku": self.sku, "n": str(n), "timeout": str(WITHIN), **more}
        return await self.control("GET", "/wait", params=params)

    async def until(self, what: str, look: Callable[[], Awaitable[Json]]) -> Json:
        """Until a look at the agent gives something true. Raises Unheld when it never does."""
        deadline = asyncio.get_running_loop().time() + WITHIN
        while not (seen := await look()):
            if asyncio.get_running_loop().time() > deadline:
                raise Unheld(f"waited in vain: {what}")
            await asyncio.sleep(0.1)
        return seen

    async def waits(self, tool: str) -> Json:
        """Until the agent of this part waits with this tool."""

        async def look() -> Json:
            said = await self.ask("status")
            return said if said and said["waiting"] and said["waiting"]["tool"] == tool else None

        return await self.until(tool, look)

    async def outcome(self, n: int = 1) -> Json:
        """The n-th outcome, when it is there."""

        async def look() -> Json:
            said = await self.ask("outcomes")
            return said[n - 1] if said and len(said) >= n else None

        return await self.until(f"outcome {n}", look)

    # --- the agent, as anybody reaches it -----------------------------------------------------------------------------

    async def post(self, handler: str, body: Json = None) -> httpx.Response:
        path = f"/SkuAgent/{quote(self.sku, safe='')}/{handler}"
        return await self.ingress.post(path, json=body) if body is not None else await self.ingress.post(path)

    async def ask(self, handler: str) -> Json:
        """A look that may fail while something is down: None then."""
        try:
            answer = await self.post(handler)
        except httpx.HTTPError:
            return None
        return answer.json() if answer.is_success else None

    async def watch(self) -> None:
        (await self.post("watch")).raise_for_status()

    async def run_state(self, n: int = 1) -> Json:
        """The state of the part's n-th replenishment, as published."""
        run = quote(f"replenish-{self.sku}-{n}", safe="")
        answer = await self.ingress.post(f"/Replenish/{run}/status")
        return answer.json()["state"] if answer.is_success else None

    async def begin(self, *suppliers: str) -> None:
        """The usual quotes, and the part watched."""
        await self.quotes(*(suppliers or tuple(QUOTES)))
        await self.watch()

    # --- the ledger ---------------------------------------------------------------------------------------------------

    async def ledger(self) -> Json:
        return await self.control("GET", "/ledger", params={"sku": self.sku})

    async def orders(self, supplier: str | None = None) -> list[Json]:
        return [o for o in (await self.ledger())["orders"] if supplier in (None, o["supplier"])]


def quoted(supplier: str, sku: str, price: str, currency: str = "USD") -> Json:
    """The item of SKU-123 and its like, as a supplier quotes it: packs of 50, no freight, no minimum."""
    lead = QUOTES[supplier][1] if supplier in QUOTES else 7
    item = f"{supplier}-{sku.removeprefix('SKU-')}"
    return {"item": item, "unit_price": price, "currency": currency, "pack": "50", "lead_time_days": lead}


def approve(after_days: float = 0.2, ceiling: str | None = None) -> Json:
    return {"decision": "approve", "after_days": after_days, "ceiling": ceiling}


def reject(reason: str = "too dear", after_days: float = 0.2) -> Json:
    return {"decision": "reject", "after_days": after_days, "reason": reason}


def confirm(after_days: float = 0.5, **terms: Json) -> Json:
    return {"after_days": after_days, "send": "confirm", **terms}


def goods(after_days: float = 1.0, quantity: str | None = None, note: str = "DN-1") -> Json:
    return {"after_days": after_days, "note": note, **({} if quantity is None else {"deliver": quantity})}
