"""What an import changes in the records: only what is new, nothing twice, nothing half; and what real files come to."""

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import pytest

from replenisher.domain.conditions import need, purchases, short
from replenisher.domain.hearing import begin
from replenisher.domain.ports import Draft, Refused
from replenisher.domain.state import Assignment
from replenisher.systems.records.csv_files import StructuralError
from replenisher.systems.records.importer import apply, read_files
from replenisher.systems.records.master import MasterData
from replenisher.systems.records.report import ImportReport
from replenisher.systems.records.sqlite import SqliteRecords
from support import bruteforce

D = Decimal
REAL = Path(__file__).parents[1] / "data" / "inventree-demo"
NAMES = ("parts", "supplier_parts", "rates", "stock_count")
PARTS = "sku,name,unit,on_hand,safety_stock\n"
ITEMS = "sku,supplier,supplier_sku,pack_quantity,min_quantity,unit_price,currency\n"
ONE = PARTS + "P1,One,pcs,50,100\n"
SOLD = ITEMS + "P1,A,A-1,10,1,20,USD\nP1,A,A-1,10,5,18,USD\n"
KEY = ("P1", "A", "A-1")
Importing = Callable[..., ImportReport]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "records.sqlite"


@pytest.fixture
def master(file: Path) -> Iterator[MasterData]:
    data = MasterData(file)
    yield data
    data.close()


@pytest.fixture
def importing(tmp_path: Path, master: MasterData) -> Importing:
    """Imports files of these contents, by name."""

    def run(**contents: str) -> ImportReport:
        paths: list[Path] = []
        for name, content in contents.items():
            path = tmp_path / f"{name}.csv"
            path.write_text(content)
            paths.append(path)
        return apply(read_files(paths), master)

    return run


def real(folder: Path = REAL) -> list[Path]:
    return [folder / f"{name}.csv" for name in NAMES]


def dump(file: Path) -> list[str]:
    """Everything in the records."""
    with sqlite3.connect(file) as db:
        return list(db.iterdump())


def on_hand(master: MasterData, sku: str = "P1") -> Decimal:
    return master.figures()[sku].on_hand


def prices(master: MasterData, key: tuple[str, str, str] = KEY) -> dict[Decimal, Decimal]:
    return {line.min_packs: line.pack_price for line in master.price_lines().get(key, [])}


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MasterData]:
    data = MasterData(tmp_path_factory.mktemp("real") / "records.sqlite")
    apply(read_files(real()), data)
    yield data
    data.close()


# --- the real files --------------------------------------------------------------------------------------------------


def test_the_real_files(master: MasterData) -> None:
    report = apply(read_files(real()), master)
    assert (report.parts.new, report.items.new, report.prices.new, report.counts.new, report.rates.new) == (
        214, 492, 603, 39, 3,
    )  # fmt: skip
    assert (report.priced, report.unpriced) == (39, 175)
    assert not report.left_out
    [odd] = report.oddities
    assert odd.place == "supplier_parts.csv:787"
    assert "WIRE.WHT.10AWG.100M says by its name that it holds 100 M, and by pack_quantity 300 m." in odd.reason
    parts, figures = master.parts(), master.figures()
    below = {sku for sku, part in parts.items() if figures[sku].on_hand < part.reorder_point}
    counted = {sku for sku, f in figures.items() if f.counted is not None}
    assert counted <= below
    assert (len(counted), len(below - counted), len(parts.keys() - below)) == (39, 167, 8)
    assert all(p.reorder_point == p.safety_stock and p.target == 2 * p.safety_stock for p in parts.values())
    assert not [t for t in master.items().values() if (t.lead_time_days, t.freight, t.minimum) != (7, 0, 0)]


@pytest.mark.parametrize("order", list(permutations(NAMES))[1::5])
def test_files_in_any_order_come_to_the_same(imported: MasterData, master: MasterData, order: tuple[str, ...]) -> None:
    apply(read_files([REAL / f"{name}.csv" for name in order]), master)
    assert master.parts() == imported.parts()
    assert master.figures() == imported.figures()
    assert master.items() == imported.items()
    assert master.price_lines() == imported.price_lines()
    assert master.rates() == imported.rates()


@pytest.mark.parametrize("again", [NAMES, *[(name,) for name in NAMES], ("parts", "supplier_parts")])
def test_a_second_import_changes_nothing(master: MasterData, file: Path, again: tuple[str, ...]) -> None:
    apply(read_files(real()), master)
    before = dump(file)
    report = apply(read_files([REAL / f"{name}.csv" for name in again]), master)
    assert report.changes == 0
    assert (report.priced, report.unpriced) == (39, 175)
    assert dump(file) == before
    assert "nothing changed" in report.text()


def test_a_changed_price_changes_only_that(master: MasterData, file: Path, tmp_path: Path) -> None:
    apply(read_files(real()), master)
    before = dump(file)
    folder = tmp_path / "later"
    shutil.copytree(REAL, folder)
    text = (folder / "supplier_parts.csv").read_text()
    (folder / "supplier_parts.csv").write_text(text.replace("DIG-31286-FXE,,100,0.2343", "DIG-31286-FXE,,100,0.2499"))
    report = apply(read_files(real(folder)), master)
    assert (report.changes, report.prices.changed) == (1, 1)
    after = dump(file)
    assert len(set(before) ^ set(after)) == 2
    assert prices(master, ("R_10R_0402_1%", "DigiKey", "DIG-31286-FXE")) == {D(100): D("0.2499"), D(1000): D("0.1626")}


@pytest.mark.parametrize("sku", sorted(bruteforce.real_needs(REAL)))
def test_no_purchase_for_a_real_part_is_cheaper(imported: MasterData, sku: str) -> None:
    """Every supplier, every number of packs, every break, read and reckoned apart from the product."""
    at = datetime(2026, 12, 1, tzinfo=UTC)
    part = imported.parts()[sku]
    state = begin(Assignment("run", sku, 1, at, part, on_hand(imported, sku), imported.rates()))
    state = replace(state, quotes=tuple(imported.price_list(sku, at)))
    best = bruteforce.cheapest(
        bruteforce.real_offers(REAL)[sku], bruteforce.real_needs(REAL)[sku], bruteforce.real_rates(REAL)
    )
    assert best is not None
    assert short(state)
    assert Fraction(need(state)) == bruteforce.real_needs(REAL)[sku]
    found = purchases(state)[0]
    assert (found.quote.supplier, found.quote.item, found.quote.currency) == (
        best.offer.supplier,
        best.offer.item,
        best.offer.currency,
    )
    assert (Fraction(found.quantity), Fraction(found.unit_price), Fraction(found.landed)) == (
        best.quantity,
        best.unit_price,
        best.landed,
    )


def test_red_wire_is_bought_in_packs_of_500(imported: MasterData) -> None:
    quotes = {q.item: q for q in imported.price_list("Silicon Wire 10AWG Red")}
    by_the_half_metre = quotes["WIRE.RED.10AWG"]
    assert (by_the_half_metre.pack, by_the_half_metre.unit_price(D("0.5"))) == (D("0.5"), D(7))
    assert quotes["WIRE.RED.10AWG.100M"].cost(D(100)) == 275
    assert quotes["WIRE.RED.10AWG.500M"].cost(D(1500)) == 2955


def test_the_report_is_json(master: MasterData) -> None:
    report = json.loads(json.dumps(apply(read_files(real()), master).as_json()))
    assert report["parts"] == {"new": 214, "changed": 0, "unchanged": 0, "removed": 0}
    assert report["parts_without_usable_price"] == 175
    assert report["oddities"][0]["place"] == "supplier_parts.csv:787"
    assert report["left_out"] == []


# --- stock: which file is news ---------------------------------------------------------------------------------------


def test_the_same_files_throw_back_neither_a_count_nor_goods_received(master: MasterData, importing: Importing) -> None:
    files = {"parts": ONE, "count": "sku,on_hand\nP1,30\n"}
    importing(**files)
    assert on_hand(master) == 30
    master.set_on_hand("P1", D(230))  # 200 received
    for again in (files, {"parts": ONE}, {"count": files["count"]}):
        assert importing(**again).changes == 0
        assert on_hand(master) == 230


def test_moved_stock_is_named_when_an_old_count_comes_again(master: MasterData, importing: Importing) -> None:
    files = {"parts": PARTS + "P1,One,pcs,50,100\nP2,Two,pcs,50,100\n", "count": "sku,on_hand\nP1,30\nP2,40\n"}
    importing(**files)
    master.set_on_hand("P1", D(230))
    [odd] = importing(**files).oddities
    assert odd.place == "count.csv:2"
    assert "P1 was counted 30 and has 230 now." in odd.reason


@pytest.mark.parametrize(
    ("steps", "ends"),
    [
        # parts.csv and the count after one another, in each order
        ([("parts", 50), ("count", 30)], 30),
        ([("parts", 50), ("count", 30), ("parts", 50)], 30),
        ([("parts", 50), ("count", 30), ("parts", 60)], 60),
        ([("parts", 50), ("count", 30), ("parts", 60), ("count", 30)], 60),
        ([("parts", 50), ("count", 30), ("count", 35), ("parts", 50)], 35),
        ([("parts", 50), ("both", 30), ("both", 30)], 30),
        # a count given with parts.csv is the later one, also when parts.csv has news and the count none
        ([("both", 30), ("goods", 90), ("both60", 30)], 90),
        ([("both", 30), ("goods", 90), ("both60", 35)], 35),
    ],
)
def test_which_figure_holds(master: MasterData, importing: Importing, steps: list[tuple[str, int]], ends: int) -> None:
    for kind, figure in steps:
        parts, count = PARTS + f"P1,One,pcs,{figure},100\n", f"sku,on_hand\nP1,{figure}\n"
        match kind:
            case "parts":
                importing(parts=parts)
            case "count":
                importing(count=count)
            case "both":
                importing(parts=ONE, count=count)
            case "both60":
                importing(parts=PARTS + "P1,One,pcs,60,100\n", count=count)
            case _:
                master.set_on_hand("P1", D(figure))
    assert on_hand(master) == ends


def test_a_dated_recount_of_the_same_figure_is_news(master: MasterData, importing: Importing) -> None:
    counted = "sku,on_hand,counted_on\nP1,30,2026-11-{}\n"
    importing(parts=ONE, count=counted.format("20"))
    master.set_on_hand("P1", D(230))
    assert importing(count=counted.format("20")).changes == 0
    older = importing(count=counted.format("10"))
    assert older.changes == 0
    assert "an older count is not taken" in older.oddities[0].reason
    assert on_hand(master) == 230
    assert importing(count=counted.format("30")).counts.changed == 1
    assert on_hand(master) == 30


def test_an_older_rate_is_not_taken(master: MasterData, importing: Importing) -> None:
    rate = "currency,usd,as_of\nEUR,{},2026-{}-01\n"
    importing(rates=rate.format("1.1", "11"))
    assert importing(rates=rate.format("1.3", "10")).changes == 0
    assert importing(rates="currency,usd\nEUR,1.1\n").changes == 0
    assert importing(rates=rate.format("1.2", "12")).rates.changed == 1
    assert master.rates().values == {"EUR": D("1.2")}


def test_counts_of_what_nobody_knows_and_of_fractions(master: MasterData, importing: Importing) -> None:
    report = importing(parts=ONE + "P2,Two,m,5,10\n", count="sku,on_hand\nNEW,5\nP1,1.5\nP2,1.5\n")
    assert [p.place for p in report.left_out] == ["count.csv:2", "count.csv:3"]
    assert (on_hand(master), on_hand(master, "P2")) == (50, D("1.5"))


# --- parts -----------------------------------------------------------------------------------------------------------


def test_a_part_changes_in_what_the_file_says(master: MasterData, importing: Importing) -> None:
    importing(parts=ONE + "P2,Two,pcs,5,10\n")
    report = importing(parts=ONE.replace("100", "150") + "P2,Two,pcs,5,10\n")
    assert (report.parts.changed, report.parts.unchanged, report.changes) == (1, 1, 1)
    part = master.parts()["P1"]
    assert (part.safety_stock, part.reorder_point, part.target) == (150, 150, 300)
    assert on_hand(master) == 50


def test_parts_and_items_that_no_file_names_stay(master: MasterData, importing: Importing) -> None:
    importing(parts=ONE, items=SOLD)
    assert importing(parts=PARTS + "P2,Two,pcs,5,10\n", items=ITEMS + "P2,B,B-1,,1,2,USD\n").left_out == []
    assert set(master.parts()) == {"P1", "P2"}
    assert len(master.items()) == 2


def test_the_unit_of_a_known_part_stays(master: MasterData, importing: Importing) -> None:
    importing(parts=PARTS + "P1,One,m,50,100\n")
    report = importing(parts=PARTS + "P1,One,km,50,100\n", items=ITEMS + "P1,A,A-1,500 m,1,2,USD\n")
    assert "P1 is kept in m" in report.left_out[0].reason
    assert master.parts()["P1"].unit == "m"
    assert master.items()["P1", "A", "A-1"].pack == 500
    assert importing(parts=PARTS + "P1,One,metres,50,100\n").changes == 0


async def test_goods_received_between_imports_stay(master: MasterData, importing: Importing, file: Path) -> None:
    importing(parts=ONE, items=SOLD)
    records = SqliteRecords(file)
    draft = Draft("run/1", "run", "P1", "A", "A-1", D(150), D("1.8"), "USD", D(0), 7)
    po = await records.ensure_draft(draft)
    await records.begin_sending(po, D("1.8"), D("1.89"))
    await records.mark_sent(po, datetime(2026, 12, 1, tzinfo=UTC))
    await records.receive(po, "P1", "DN-1", D(150))
    await records.aclose()
    assert importing(parts=ONE, items=SOLD).changes == 0
    assert on_hand(master) == 200
    assert importing(parts=ONE.replace("pcs", "pair")).left_out


# --- items and prices ------------------------------------------------------------------------------------------------


def test_prices_by_the_pack_are_kept_as_they_are_and_come_to_ours(master: MasterData, importing: Importing) -> None:
    importing(parts=ONE, items=ITEMS + "P1,A,A-1,3,1,10,USD\nP1,B,B-1,10,2,25,USD\n")
    assert prices(master) == {D(1): D(10)}
    a, b = sorted(master.price_list("P1"), key=lambda q: q.supplier)
    assert a.cost(D(3)) == 10
    assert a.cost(D(6)) == 20
    assert (b.breaks[0].min_quantity, b.breaks[0].unit_price, b.unit_price(D(10))) == (20, D("2.5"), None)


def test_an_items_lines_are_its_whole_price_list(master: MasterData, importing: Importing) -> None:
    importing(parts=ONE, items=SOLD)
    assert prices(master) == {D(1): D(20), D(5): D(18)}
    report = importing(items=ITEMS + "P1,A,A-1,10,1,20,USD\n")
    assert (report.prices.removed, report.changes) == (1, 1)
    assert prices(master) == {D(1): D(20)}
    report = importing(items=ITEMS + "P1,A,A-1,10,,,\n")
    assert (report.prices.removed, report.priced, report.unpriced) == (1, 0, 1)
    assert KEY in master.items()


@pytest.mark.parametrize(
    "bad",
    ["P1,A,A-1,10,5,x,USD", "P1,A,A-1,10,5", "P1,A,,10,5,18,USD", "P1,A,A-1,10 l,5,18,USD"],
)
def test_a_line_left_out_removes_nothing(master: MasterData, importing: Importing, bad: str) -> None:
    importing(parts=ONE, items=SOLD)
    report = importing(items=ITEMS + f"P1,A,A-1,10,1,21,USD\n{bad}\n")
    assert len(report.left_out) == 1
    assert prices(master) == {D(1): D(21), D(5): D(18)}


def test_contradictory_lines_leave_what_was_known(master: MasterData, importing: Importing) -> None:
    importing(parts=ONE, items=SOLD)
    importing(items=SOLD + "P1,A,A-1,10,5,17,USD\n")
    assert prices(master) == {D(1): D(20), D(5): D(18)}


@pytest.mark.parametrize(
    ("line", "left"),
    [("P1,A,A-1,50,1,90,USD", {D(1): D(90)}), ("P1,A,A-1,10,1,19,EUR", {D(1): D(19)})],
)
def test_another_pack_or_currency_takes_the_old_prices_along(
    master: MasterData, importing: Importing, line: str, left: dict[Decimal, Decimal]
) -> None:
    """Also when a line was left out: a price for five packs of 10 is none for five packs of 50."""
    importing(parts=ONE, items=SOLD)
    importing(items=ITEMS + line + "\nP1,A,A-1,50,5,x,USD\n")
    assert prices(master) == left


def test_a_currency_without_a_rate_is_kept_and_told(master: MasterData, importing: Importing) -> None:
    items = ITEMS + "P1,A,A-1,,1,2,EUR\nP1,A,A-1,,5,1,EUR\n"
    report = importing(parts=ONE, items=items)
    assert (report.priced, report.unpriced) == (0, 1)
    assert [p.place for p in report.oddities] == ["items.csv:2"]
    report = importing(rates="currency,usd\nEUR,1.1\n")
    assert (report.priced, report.unpriced, report.oddities) == (1, 0, [])


# --- all or nothing --------------------------------------------------------------------------------------------------


def test_a_file_that_is_none_changes_nothing(importing: Importing, file: Path, master: MasterData) -> None:
    importing(parts=ONE)
    before = dump(file)
    with pytest.raises(StructuralError):
        importing(parts=ONE.replace("50", "60"), items="sku,supplier\nP1,A\n")
    with pytest.raises(StructuralError, match="rates are in EUR, but the company's currency is USD"):
        importing(parts=ONE.replace("50", "60"), rates="currency,eur\nUSD,0.9\n")
    assert dump(file) == before


def test_records_that_fail_half_way_keep_nothing(
    importing: Importing, file: Path, master: MasterData, monkeypatch: pytest.MonkeyPatch
) -> None:
    importing(parts=ONE)
    before = dump(file)

    def fail(*_: object) -> None:
        raise Refused("the disk is full")

    monkeypatch.setattr(master, "put_price", fail)
    with pytest.raises(Refused):
        importing(parts=ONE.replace("50", "60"), items=SOLD)
    assert dump(file) == before


def test_lines_left_out_keep_the_others(master: MasterData, importing: Importing) -> None:
    report = importing(
        parts=ONE + "P2,Two,reels,1,1\nP3,Three,pcs,-1,1\n", items=SOLD + "P2,A,A-2,,1,1,USD\nP9,A,A-9,,1,1,USD\n"
    )
    assert set(master.parts()) == {"P1"}
    assert [p.place for p in report.left_out] == ["parts.csv:3", "parts.csv:4", "items.csv:4", "items.csv:5"]
    assert all(p.reason.endswith(".") for p in report.left_out)
    assert "left out: 4" in report.text()


def test_skus_as_people_write_them(master: MasterData, importing: Importing) -> None:
    skus = ["R_10R 1%", "A/B", "Ж-1", 'with "quotes"', "a,b", "=1+1", "'; DROP TABLE part; --"]
    lines = "".join('"{}",x,pcs,1,2\n'.format(sku.replace('"', '""')) for sku in skus)
    importing(parts=PARTS + lines)
    assert set(master.parts()) == set(skus)
