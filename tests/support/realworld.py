"""The whole product as a company starts it: the four real files imported by the command line, `replenisher run --auto`
beside it, and parts watched through the ingress. What must come out is judged from bruteforce.py, not here."""

import asyncio
import csv
import subprocess
import sys
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx

from replenisher.engine.ports import free_ports
from replenisher.engine.process import ManagedProcess
from replenisher.engine.running import Running
from support import bruteforce
from support.engine import eventually

REAL = Path(__file__).parent.parent / "data" / "inventree-demo"
FILES = ("parts.csv", "supplier_parts.csv", "rates.csv", "stock_count.csv")
COMMAND = str(Path(sys.executable).with_name("replenisher"))
AT_ONCE = 16
UP_SECONDS = 60.0


@dataclass(frozen=True)
class Parts:
    """What the files say, read without the product: SKUs by what has to become of them."""

    priced: dict[str, bruteforce.Best]
    """The one order that each needs."""
    unpriced: dict[str, set[str]]
    """Short, without a usable price: the suppliers' numbers of their items."""
    stocked: set[str]

    @property
    def all(self) -> list[str]:
        return [*self.priced, *self.unpriced, *self.stocked]

    def only(self, skus: Iterable[str]) -> "Parts":
        chosen = set(skus)
        return Parts(
            {s: b for s, b in self.priced.items() if s in chosen},
            {s: i for s, i in self.unpriced.items() if s in chosen},
            self.stocked & chosen,
        )


def real_parts() -> Parts:
    needs, offers, rates = bruteforce.real_needs(REAL), bruteforce.real_offers(REAL), bruteforce.real_rates(REAL)
    found = {sku: bruteforce.cheapest(offers.get(sku, []), need, rates) for sku, need in needs.items()}
    priced = {sku: best for sku, best in found.items() if best is not None}
    items: dict[str, set[str]] = {}
    with (REAL / "supplier_parts.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            items.setdefault(row["sku"], set()).add(row["supplier_sku"])
    with (REAL / "parts.csv").open(newline="") as file:
        rest = [row for row in csv.DictReader(file) if row["sku"] not in priced]
    short = {r["sku"] for r in rest if Fraction(r["on_hand"]) < Fraction(r["safety_stock"])}
    return Parts(priced, {sku: items.get(sku, set()) for sku in short}, {r["sku"] for r in rest} - short)


@dataclass(frozen=True)
class RealWorld:
    ingress: httpx.AsyncClient
    sandbox: httpx.AsyncClient

    async def ask(self, sku: str, handler: str) -> Any:
        answer = await self.ingress.post(f"/SkuAgent/{quote(sku, safe='')}/{handler}")
        assert answer.is_success, f"{handler} of {sku}: {answer.status_code} {answer.text}"
        return answer.json()

    async def ask_all(self, skus: Iterable[str], handler: str) -> dict[str, Any]:
        """The answer of each part, a few at a time."""
        room = asyncio.Semaphore(AT_ONCE)

        async def one(sku: str) -> tuple[str, Any]:
            async with room:
                return sku, await self.ask(sku, handler)

        return dict(await asyncio.gather(*(one(sku) for sku in skus)))

    async def happens(self, what: str, n: int, within: float, **about: str) -> None:
        """Until the sandbox has seen n such events."""
        params = {"what": what, "n": str(n), "timeout": str(within), **about}
        answer = await self.sandbox.get("/control/wait", params=params, timeout=within + 30)
        assert answer.is_success, answer.text

    async def outcomes(self, skus: Iterable[str], within: float) -> dict[str, list[Any]]:
        """Those of each part, when it has one."""

        async def one(sku: str) -> tuple[str, list[Any]]:
            return sku, await eventually(lambda: self.ask(sku, "outcomes"), f"an outcome of {sku}", within)

        return dict([await one(sku) for sku in skus])

    async def ledger(self) -> Any:
        return (await self.sandbox.get("/control/ledger")).raise_for_status().json()


@asynccontextmanager
async def real_world(data: Path, day: float) -> AsyncGenerator[RealWorld]:
    """Everything up with the real files in the records; everything ended afterwards."""
    files = [str(REAL / name) for name in FILES]
    importing = [COMMAND, "import", *files, "--data", str(data)]
    await asyncio.to_thread(subprocess.run, importing, check=True, capture_output=True, timeout=60)
    ingress, admin = (str(port) for port in free_ports(2))
    argv = [COMMAND, "run", "--auto", "--day", str(day), "--data", str(data)]
    argv += ["--ingress-port", ingress, "--admin-port", admin]
    process = ManagedProcess("replenisher run", argv, data / "run.log")
    process.start()
    try:

        async def up() -> Running | None:
            assert process.running, process.tail(40)
            return Running.find(data) if "up. Ctrl-C" in process.log.read_text() else None

        running = await eventually(up, f"replenisher run is up\n{process.tail(40)}", UP_SECONDS)
        assert running is not None
        async with (
            httpx.AsyncClient(base_url=running.ingress, timeout=60, trust_env=False) as client,
            httpx.AsyncClient(base_url=str(running.sandbox), timeout=60, trust_env=False) as sandbox,
        ):
            yield RealWorld(client, sandbox)
    finally:
        await process.stop(30)


async def watched_to_the_end(world: RealWorld, parts: Parts, within: float) -> tuple[Any, dict[str, list[Any]]]:
    """Watches the parts and waits until each short one has its outcome. The ledger and the outcomes."""
    said = await world.ask_all(parts.all, "watch")
    assert {a["status"] for a in said.values()} == {"watched"}
    await world.happens("told", len(parts.priced), within, sender="warehouse", state="taken")
    await world.happens("told", len(parts.unpriced), within, sender="buyer", state="taken")
    outcomes = await world.outcomes([*parts.priced, *parts.unpriced], 60)
    return await world.ledger(), outcomes


async def all_is_well(world: RealWorld, parts: Parts, ledger: Any, outcomes: dict[str, list[Any]]) -> None:
    """One right order for each part with a price, none twice; a named reason for each without; nothing timed out."""
    orders: dict[str, list[Any]] = {}
    for order in ledger["orders"]:
        terms = (order["supplier"], order["item"], Fraction(order["quantity"]), Fraction(order["unit_price"]))
        seen = (*terms, order["currency"], order["status"], len(order["idempotency_keys"]), len(order["bodies"]))
        orders.setdefault(order["sku"], []).append(seen)
    due = {
        sku: [(b.offer.supplier, b.offer.item, b.quantity, b.unit_price, b.offer.currency, "received", 1, 1)]
        for sku, b in parts.priced.items()
    }
    assert orders == due
    ends = {sku: [o["status"] for o in outcomes[sku]] for sku in parts.priced}
    assert ends == {sku: ["received"] for sku in parts.priced}

    for sku, items in parts.unpriced.items():
        for outcome in outcomes[sku]:
            assert outcome["status"] == "gave_up", (sku, outcome)
            named = "has no price" in outcome["reason"] and any(item in outcome["reason"] for item in items)
            assert named or (not items and "no approved supplier" in outcome["reason"]), (sku, outcome["reason"])

    status = await world.ask_all(parts.all, "status")
    levels = {s: (Fraction(said["on_hand"]), Fraction(said["reorder_point"])) for s, said in status.items()}
    assert [s for s in parts.priced if levels[s][0] <= levels[s][1]] == []
    assert {status[s]["status"] for s in parts.priced} <= {"stocked"}
    assert [s for s in parts.stocked if status[s]["status"] != "stocked" or status[s]["last_outcome"]] == []
    # a hold of 7 days after giving up may be over: they are looked at again, to the same end
    assert {status[s]["status"] for s in parts.unpriced} <= {"short", "replenishing"}
    assert [s for s in parts.unpriced if levels[s][0] >= levels[s][1]] == []

    # the day was not too short: nobody was chased, reminded or asked for anything but missing prices
    assert ledger["requests"]["messages"] == 0
    assert ledger["reminders"] == []
    assert {q["subject"] for q in ledger["questions"]} <= {"no-quote"}
