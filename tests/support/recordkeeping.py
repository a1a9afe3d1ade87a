"""Systems of record for the contract tests: the adapters, a draft, and the stages an order can be brought to."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

from replenisher.domain.order import Order
from replenisher.domain.ports import Draft, Records, Stock
from replenisher.systems.records.master import MasterData
from replenisher.systems.records.sqlite import SqliteRecords

D = Decimal
SKU = "SKU-123"
AT = datetime(2026, 12, 1, 9, 30, tzinfo=UTC)
LATER = datetime(2026, 12, 3, 9, 30, tzinfo=UTC)
DUE = date(2026, 12, 8)
DRAFT = Draft("replenish-SKU-123-1/1", "replenish-SKU-123-1", SKU, "A", "A-123", D(450), D("4.20"), "USD", D(0), 7)


@dataclass(frozen=True)
class System:
    """A system of record with SKU-123 and SKU-124 in it: 60 on hand, target 500, suppliers A, B and C, pack 50."""

    opened: Callable[[], Records]
    """Another client of the same books, as after a crash."""
    elsewhere: str
    """Python that makes such a client, `records`, in another process."""


def sqlite_system(folder: Path) -> System:
    file = folder / "records.sqlite"
    master = MasterData(file)
    for sku in (SKU, "SKU-124"):
        master.seed_demo(sku)
    module = "replenisher.systems.records.sqlite"
    elsewhere = f"import pathlib, {module}\nrecords = {module}.SqliteRecords(pathlib.Path({str(file)!r}))"
    return System(lambda: SqliteRecords(file), elsewhere)


SYSTEMS: dict[str, Callable[[Path], System]] = {"sqlite": sqlite_system}


async def look(records: Records) -> Stock:
    stock = await records.stock(SKU)
    assert stock is not None
    return stock


async def order(records: Records, po: str) -> Order:
    return next(o for o in (await look(records)).orders if o.po == po)


async def drafted(records: Records, n: int = 1) -> str:
    return await records.ensure_draft(replace(DRAFT, key=f"{DRAFT.run}/{n}"))


async def unknown(records: Records, n: int = 1) -> str:
    po = await drafted(records, n)
    await records.begin_sending(po, D("4.20"), D("4.41"))
    return po


async def sent(records: Records, n: int = 1) -> str:
    po = await unknown(records, n)
    await records.mark_sent(po, AT)
    return po


async def accepted(records: Records, n: int = 1) -> str:
    po = await sent(records, n)
    await records.confirm(po, D(450), D("4.20"), "USD", DUE, AT)
    return po


async def received(records: Records, n: int = 1) -> str:
    po = await accepted(records, n)
    await records.receive(po, SKU, f"DN-{n}", D(450))
    return po


async def cancelled(records: Records, n: int = 1) -> str:
    po = await accepted(records, n)
    await records.cancel(po, "no longer needed")
    return po


async def given_up(records: Records, n: int = 1) -> str:
    po = await drafted(records, n)
    await records.cancel(po, "rejected")
    return po


async def closed(records: Records, n: int = 1) -> str:
    po = await received(records, n)
    await records.close(po)
    return po


Stage = Callable[[Records], Awaitable[str]]
STAGES: tuple[Stage, ...] = (drafted, unknown, sent, accepted, received, cancelled, given_up, closed)
"""Each brings a new order, the n-th of the run, as far as its name says."""
