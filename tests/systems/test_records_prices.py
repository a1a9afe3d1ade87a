"""What suppliers ask, in the embedded records: items, approval, dated price lines, and what the world is told."""

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from replenisher.domain.ports import Refused
from replenisher.domain.quote import Break
from replenisher.systems.records.master import MasterData
from replenisher.systems.records.prices import ItemTerms, PriceLine
from replenisher.systems.records.sqlite import SqliteRecords
from support.recordkeeping import SKU

D = Decimal
AT = datetime(2026, 12, 1, 9, tzinfo=UTC)
KEY = (SKU, "A", "A-123")


@pytest.fixture
def seeded(tmp_path: Path) -> MasterData:
    master = MasterData(tmp_path / "records.sqlite")
    master.seed_demo()
    return master


@pytest.fixture
def records(seeded: MasterData, tmp_path: Path) -> SqliteRecords:
    return SqliteRecords(tmp_path / "records.sqlite")


async def test_only_items_of_approved_suppliers_are_asked_for(seeded: MasterData, records: SqliteRecords) -> None:
    assert [seeded.put_item(KEY, ItemTerms(D(50), 7, approved=False)) for _ in range(2)] == ["changed", "unchanged"]
    assert [i.supplier for i in await records.items(SKU)] == ["B", "C"]
    assert [i["supplier"] for i in seeded.catalogue_for_world()] == ["B", "C"]
    seeded.remove_item((SKU, "B", "B-123"))
    assert [i.supplier for i in await records.items(SKU)] == ["C"]
    assert sorted(seeded.price_lines()) == [KEY, (SKU, "C", "C-123")]


@pytest.mark.parametrize("wrong", [ItemTerms(D(0)), ItemTerms(D(1), freight=D(-1)), ItemTerms(D(1), -1)], ids=str)
def test_terms_that_are_none_are_refused(seeded: MasterData, wrong: ItemTerms) -> None:
    before = seeded.items()
    for key in (KEY, (SKU, "D", "D-1")):
        with pytest.raises(Refused):
            seeded.put_item(key, wrong)
    with pytest.raises(Refused, match="SKU-nobody"):
        seeded.put_item(("SKU-nobody", "A", "A-1"), ItemTerms(D(1)))
    with pytest.raises(Refused, match="put the item first"):
        seeded.put_price((SKU, "D", "D-1"), PriceLine(D(1), D(1), "USD"))
    with pytest.raises(Refused):
        seeded.put_price(KEY, PriceLine(D(1), D(1), "dollar"))
    assert seeded.items() == before


def test_a_changed_price_changes_only_that(seeded: MasterData) -> None:
    before = seeded.price_lines()
    line = PriceLine(D(1), D("205.00"), "USD")
    assert [seeded.put_price(KEY, line) for _ in range(2)] == ["changed", "unchanged"]
    assert seeded.put_price(KEY, PriceLine(D(20), D(200), "USD")) == "new"
    assert seeded.price_lines() == before | {KEY: [line, PriceLine(D(20), D(200), "USD")]}
    seeded.remove_price(KEY, D("20.0"))
    assert seeded.price_lines() == before | {KEY: [line]}


def test_a_price_counts_from_its_day_on(seeded: MasterData) -> None:
    seeded.put_price(KEY, PriceLine(D(1), D(215), "USD", date(2026, 12, 10)))
    seeded.put_price(KEY, PriceLine(D(10), D(200), "USD", date(2026, 12, 20)))

    def ladder(day: int) -> tuple[Break, ...]:
        return next(q for q in seeded.price_list(SKU, AT.replace(day=day)) if q.supplier == "A").breaks

    assert ladder(9) == (Break(D(50), D("4.20")),)
    assert ladder(10) == (Break(D(50), D("4.30")),)
    assert ladder(20) == (Break(D(50), D("4.30")), Break(D(500), D(4)))


def test_a_price_list_is_quotes_for_one_of_our_units(seeded: MasterData) -> None:
    key = (SKU, "D", "REEL.100M")
    seeded.put_item(key, ItemTerms(D("152.4"), 9, D(5), D("304.8"), D(20)))
    seeded.put_price(key, PriceLine(D(2), D("38.10"), "EUR"))
    quote = seeded.price_list(SKU, AT)[-1]
    assert (quote.id, quote.currency, quote.breaks) == ("D/REEL.100M", "EUR", (Break(D("304.8"), D("0.25")),))
    assert (quote.pack, quote.lead_time_days, quote.freight) == (D("152.4"), 9, D(5))
    assert (quote.minimum, quote.minimum_order_value, quote.valid_until) == (D("304.8"), D(20), AT.replace(day=15))


def test_the_catalogue_for_the_world(seeded: MasterData) -> None:
    item = seeded.catalogue_for_world()[0]
    assert item == {
        "supplier": "A",
        "sku": SKU,
        "item": "A-123",
        "unit_price": "4.2",
        "price_unit": "1",
        "currency": "USD",
        "pack": "50",
        "breaks": [{"min_quantity": "50", "unit_price": "4.2"}],
        "minimum": "0",
        "minimum_order_value": "0",
        "freight": "0",
        "lead_time_days": 7,
    }


def test_the_world_is_told_a_third_exactly(seeded: MasterData) -> None:
    seeded.put_item(KEY, ItemTerms(D(3), 7))
    assert seeded.catalogue_for_world()[0]["breaks"] == [{"min_quantity": "3", "unit_price": "70"}]
    seeded.put_price(KEY, PriceLine(D(1), D(200), "USD"))
    item = seeded.catalogue_for_world()[0]
    assert (item["breaks"], item["price_unit"]) == ([{"min_quantity": "3", "unit_price": "200"}], "3")
    seeded.put_item(KEY, ItemTerms(D(2) ** 16))
    assert seeded.catalogue_for_world()[0]["price_unit"] == "65536"  # exact in 13 decimals, which not everybody takes
    seeded.put_item(KEY, ItemTerms(D(3)))
    seeded.put_price(KEY, PriceLine(D(10), D(190), "USD"))
    assert seeded.catalogue_for_world()[0]["breaks"][1] == {"min_quantity": "30", "unit_price": "190"}
