"""Master data of the embedded records: policy, counts, rates, many changes as one."""

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from replenisher.domain.ports import Refused
from replenisher.systems.records.master import Figures, MasterData, seed_demo
from replenisher.systems.records.sqlite import SqliteRecords
from support.recordkeeping import SKU, accepted, cancelled, look

D = Decimal
KEY = (SKU, "A", "A-123")


@pytest.fixture
def master(tmp_path: Path) -> MasterData:
    return MasterData(tmp_path / "records.sqlite")


@pytest.fixture
def seeded(master: MasterData) -> MasterData:
    master.seed_demo()
    return master


@pytest.fixture
def records(master: MasterData, tmp_path: Path) -> SqliteRecords:
    return SqliteRecords(tmp_path / "records.sqlite")


# --- parts -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "reorder", "target"),
    [((None, None), 100, 200), ((D(120), None), 120, 240), ((None, D(500)), 100, 500), ((D(0), D(0)), 0, 0)],
)
def test_policy_that_is_not_said_follows_from_the_safety_stock(
    master: MasterData, said: tuple[Decimal | None, Decimal | None], reorder: int, target: int
) -> None:
    assert master.put_part("X", "x", "pcs", D(100), *said) == "new"
    part = master.parts()["X"]
    assert (part.safety_stock, part.reorder_point, part.target) == (D(100), D(reorder), D(target))


def test_a_part_put_again_is_unchanged_or_changed_in_what_was_said(master: MasterData) -> None:
    said = [master.put_part("X", *rest) for rest in (("x", "m", D("0.5")), ("x", "m", D("0.50")), ("y", "m", D("0.5")))]
    assert said == ["new", "unchanged", "changed"]
    assert master.parts()["X"].name == "y"


@pytest.mark.parametrize("policy", [(D(-1),), (D("NaN"),), (D(10), D(-1)), (D(10), D(10), D(9))])
def test_a_policy_that_is_none_is_refused(master: MasterData, policy: tuple[Decimal, ...]) -> None:
    with pytest.raises(Refused):
        master.put_part("X", "x", "pcs", *policy)
    assert master.parts() == {}


async def test_the_unit_stays_once_something_was_ordered(seeded: MasterData, records: SqliteRecords) -> None:
    assert seeded.put_part(SKU, "Bearing", "pair", D(100)) == "changed"
    await accepted(records)
    with pytest.raises(Refused, match="pair"):
        seeded.put_part(SKU, "Bearing", "pcs", D(100))
    assert seeded.put_part(SKU, "Ball bearing", "pair", D(100)) == "changed"


def test_skus_come_in_pages(master: MasterData) -> None:
    assert master.skus() == []
    for n in range(5):
        master.put_part(f"SKU-{n}", "", "pcs", D(1))
    assert master.skus() == [f"SKU-{n}" for n in range(5)]
    assert master.skus(limit=2) == ["SKU-0", "SKU-1"]
    assert master.skus("SKU-1", 2) == ["SKU-2", "SKU-3"]
    assert master.skus("SKU-4", 2) == []


async def test_a_part_never_ordered_is_forgotten(seeded: MasterData, records: SqliteRecords) -> None:
    seeded.remove_part(SKU)
    assert (seeded.skus(), await records.stock(SKU), seeded.items(), seeded.price_lines()) == ([], None, {}, {})


async def test_a_part_once_ordered_is_followed_to_its_end_and_never_short(
    seeded: MasterData, records: SqliteRecords
) -> None:
    po = await accepted(records)
    seeded.remove_part(SKU)
    stock = await look(records)
    assert (seeded.skus(), stock.part.reorder_point, stock.part.target) == ([], D(0), D(0))
    assert (await records.receive(po, SKU, "DN-1", D(450))).on_hand == D(510)
    assert (seeded.catalogue_for_world(), seeded.price_list(SKU)) == ([], [])
    assert seeded.put_part(SKU, "Bearing 6204", "pcs", D(100), target=D(500)) == "changed"
    assert (await look(records)).part.reorder_point == D(100)


def test_counts_and_what_files_said_of_them(seeded: MasterData) -> None:
    assert seeded.figures() == {SKU: Figures(D(60))}
    known = Figures(D(58), D(60), D(58), date(2026, 11, 27))
    assert [seeded.set_figures(SKU, known) for _ in range(2)] == ["changed", "unchanged"]
    assert seeded.set_on_hand(SKU, D(57)) == "changed"
    assert seeded.figures() == {SKU: Figures(D(57), D(60), D(58), date(2026, 11, 27))}
    for wrong in (("SKU-nobody", D(1)), (SKU, D(-1)), (SKU, D("NaN"))):
        with pytest.raises(Refused):
            seeded.set_on_hand(*wrong)


# --- rates -----------------------------------------------------------------------------------------------------------


async def test_rates_are_in_the_companys_currency(master: MasterData, records: SqliteRecords) -> None:
    assert [master.put_rate("EUR", D(v), date(2026, 12, 1)) for v in ("1.10", "1.1", "1.2")] == [
        "new",
        "unchanged",
        "changed",
    ]
    assert master.rates() == await records.rates()
    assert master.rates().in_base(D(10), "EUR") == D(12)
    assert master.rate_dates() == {"EUR": date(2026, 12, 1)}
    assert [master.set_currency("EUR") for _ in range(2)] == ["changed", "unchanged"]
    assert (master.rates().base, master.rates().in_base(D(10), "EUR")) == ("EUR", D(10))
    for wrong in (D(0), D(-1), D("Infinity")):
        with pytest.raises(Refused):
            master.put_rate("CHF", wrong)


# --- the whole -------------------------------------------------------------------------------------------------------


def test_a_transaction_is_all_or_nothing(seeded: MasterData) -> None:
    def everything() -> tuple[object, ...]:
        return seeded.parts(), seeded.figures(), seeded.items(), seeded.price_lines(), seeded.rates()

    before = everything()

    def half_an_import() -> None:
        with seeded.transaction():
            seeded.put_part("SKU-9", "", "pcs", D(1))
            seeded.set_on_hand(SKU, D(1))
            seeded.remove_item(KEY)
            seeded.put_rate("EUR", D("1.1"))
            assert everything() != before
            seeded.put_rate("CHF", D(0))

    with pytest.raises(Refused):
        half_an_import()
    assert everything() == before
    with seeded.transaction():
        seeded.put_part("SKU-9", "", "pcs", D(1))
    assert seeded.skus() == [SKU, "SKU-9"]


async def test_the_books_hold_what_is_closed_too(seeded: MasterData, records: SqliteRecords) -> None:
    first = await accepted(records, 1)
    await records.receive(first, SKU, "DN-1", D(200))
    await records.receive(first, SKU, "DN-2", D(300))
    second = await cancelled(records, 2)
    await records.close(second)
    books = seeded.books()
    assert [(o.po, o.status.value, o.received, o.closed) for o in books.orders] == [
        (first, "received", D(450), False),
        (second, "cancelled", D(0), True),
    ]
    assert [(r.note, r.quantity, r.booked, r.held) for r in books.receipts] == [
        ("DN-1", D(200), D(200), D(0)),
        ("DN-2", D(300), D(250), D(50)),
    ]
    assert books.on_hand == {SKU: D(510)}
    await records.receive(first, SKU, "DN-2", D(50), excess=True)
    assert (seeded.books().receipts[1].booked, seeded.books().receipts[1].held) == (D(300), D(0))


def test_the_demonstration_is_the_part_of_the_stories(tmp_path: Path) -> None:
    file = tmp_path / "records.sqlite"
    for _ in range(2):
        seed_demo(file)
        seed_demo(file, "SKU-101")
    master = MasterData(file)
    assert master.skus() == ["SKU-101", SKU]
    part = master.parts()[SKU]
    assert (part.safety_stock, part.reorder_point, part.target) == (D(100), D(100), D(500))
    assert master.figures()["SKU-101"].on_hand == D(60)
    told = [(q.id, q.breaks[0].unit_price, q.pack, q.lead_time_days) for q in master.price_list(SKU)]
    assert told == [
        ("A/A-123", D("4.20"), D(50), 7),
        ("B/B-123", D("4.35"), D(50), 5),
        ("C/C-123", D("4.50"), D(50), 10),
    ]
