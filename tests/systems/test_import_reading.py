"""What the import makes of files as people have them: every oddity told by line, and nothing guessed."""

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from replenisher.systems.records.csv_files import Catalogue, StructuralError, read_files
from replenisher.systems.records.csv_rows import Mark, NotANumber, number
from replenisher.systems.records.offers import Offer, offers

D = Decimal
PARTS = "sku,name,unit,on_hand,safety_stock\n"
ITEMS = "sku,supplier,supplier_sku,pack_quantity,min_quantity,unit_price,currency\n"
Files = Callable[..., Catalogue]


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """Writes files of these contents and reads them."""

    def read(**contents: str | bytes) -> Catalogue:
        paths: list[Path] = []
        for name, content in contents.items():
            path = tmp_path / f"{name}.csv"
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
            paths.append(path)
        return read_files(paths)

    return read


def offered(catalogue: Catalogue) -> dict[str, Offer]:
    """By the supplier's number."""
    unit_of = {p.sku: p.unit for p in catalogue.parts.values()}
    return {o.item: o for o in offers(catalogue, unit_of.get).values()}


def told(catalogue: Catalogue, *, taken: bool = False) -> list[str]:
    return [str(p) for p in catalogue.problems if p.taken is taken]


# --- files -----------------------------------------------------------------------------------------------------------


def test_names_order_and_number_of_files_do_not_matter(files: Files) -> None:
    one = "P1,One,pcs,1,10\n"
    c = files(z=ITEMS + "P1,A,A-1,,,2,USD\n", a=PARTS + one, b=PARTS + "P2,Two,m,2,20\n", c="sku,on_hand\nP2,7\n")
    assert [kind for _, kind, _ in c.files] == ["supplier_parts", "parts", "parts", "stock_count"]
    assert {p.sku for p in c.parts.values()} == {"P1", "P2"}
    assert not c.problems


def test_the_same_file_given_twice_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "parts.csv"
    path.write_text(PARTS + "P1,One,pcs,1,10\n")
    c = read_files([path, path])
    assert len(c.files) == 1
    assert not c.problems


def test_columns_may_stand_in_any_order_and_others_beside_them(files: Files) -> None:
    c = files(parts="Shelf;Safety Stock;On Hand;UNIT;Name;SKU\nx;10;1;pcs;One;P1\n")
    assert next(iter(c.parts.values())).safety_stock == 10
    assert told(c, taken=True) == ["parts.csv:1: nothing is read from the columns shelf."]


def test_other_column_names_are_mapped(tmp_path: Path) -> None:
    path = tmp_path / "teile.csv"
    path.write_text("Artikel;Bezeichnung;Einheit;Bestand;Mindestbestand\nP1;Lager;pcs;1;10\n")
    names = {"Artikel": "sku", "Bezeichnung": "name", "Einheit": "unit", "Bestand": "on_hand"}
    c = read_files([path], {**names, "Mindestbestand": "safety_stock"})
    assert [p.sku for p in c.parts.values()] == ["P1"]


@pytest.mark.parametrize("head", ["", "\ufeff"])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", [True, False])
def test_marks_and_line_endings(files: Files, head: str, ending: str, last: bool) -> None:
    text = head + PARTS + '\n"P1","One, with ""quotes""",pcs,1,10\nP2,Two,pcs,x,20' + ("\n" if last else "")
    c = files(parts=text.replace("\n", ending))
    assert [(p.sku, p.name) for p in c.parts.values()] == [("P1", 'One, with "quotes"')]
    assert told(c) == ["parts.csv:4: on_hand 'x' is not a number."]


def test_a_quoted_line_break_stays_one_line_and_counts(files: Files) -> None:
    c = files(parts=PARTS + 'P1,"One\nof two lines",pcs,1,10\nP2,Two,pcs,-1,20\n')
    assert next(iter(c.parts.values())).name == "One of two lines"
    assert told(c) == ["parts.csv:4: on_hand -1 is negative."]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "bad.csv: the file is empty."),
        (b"\n \n", "bad.csv: the file is empty."),
        (b"hello\n", "bad.csv: its columns are those of no known file."),
        (b"sku,name,unit,on_hand\n", "read as parts.csv, it lacks the column safety_stock"),
        (b"unit,safety_stock\n", "lacks the columns sku, name, on_hand"),
        (b"sku,supplier,unit_price\n", "read as supplier_parts.csv, it lacks the columns supplier_sku, pack"),
        (b"on_hand\n5\n", "read as stock_count.csv, it lacks the column sku"),
        (b"currency,as_of\n", "exactly one column with the values"),
        (b"currency,usd,eur\n", "exactly one column with the values"),
        (b"sku,on_hand,sku\n", "the column sku is there twice"),
        (PARTS.encode() + b"P1,One,pcs,1,10\nP2,Gr\xf6\xdfe,pcs,1,10\n", "bad.csv:3: the file is not UTF-8."),
        (PARTS.encode("utf-16"), "the file is UTF-16."),
        (PARTS.encode() + b'P1,"One,pcs,1,10\nP2,Two,pcs,1,10\n', "bad.csv:2: the file is not CSV"),
        (PARTS.encode() + b'P1,"One" more,pcs,1,10\n', "bad.csv:2: the file is not CSV"),
        (PARTS.encode() + b"P1," + b"x" * 200_000 + b",pcs,1,10\n", "bad.csv:2: the file is not CSV"),
        (b"\x00\x01\x02\x03", "its columns are those of no known file"),
    ],
)
def test_a_file_that_is_none_stops_everything(files: Files, content: bytes, says: str) -> None:
    with pytest.raises(StructuralError) as stopped:
        files(parts=PARTS + "P1,One,pcs,1,10\n", bad=content)
    assert says in str(stopped.value)


def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere.csv", tmp_path):
        with pytest.raises(StructuralError, match="cannot be read"):
            read_files([path])


def test_header_only_is_a_file_without_lines(files: Files) -> None:
    c = files(parts=PARTS, items=ITEMS, counts="sku,on_hand\n", rates="currency,usd\n")
    assert (len(c.parts), len(c.items), c.problems) == (0, 0, [])


def test_rates_in_two_currencies_stop_everything(files: Files) -> None:
    with pytest.raises(StructuralError, match="rates in EUR beside rates in USD"):
        files(a="currency,usd\nEUR,1.1\n", b="currency,eur\nUSD,0.9\n")


# --- numbers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "mark", "whole", "value"),
    [
        ("12", ".", False, "12"),
        ("12.5", ".", False, "12.5"),
        (".5", ".", False, "0.5"),
        ("+3", ".", False, "3"),
        ("-3", ".", False, "-3"),
        ("0012", ".", False, "12"),
        ("12,5", ",", False, "12.5"),
        ("1,234", ",", False, "1.234"),
        ("12,50", "mixed", False, "12.50"),
        ("12.50", "mixed", False, "12.50"),
        ("1.234", ".", True, "1.234"),
        ("12,5", ".", False, None),
        ("1,234", ".", False, None),
        ("1,234", ",", True, None),
        ("1,234", "mixed", False, None),
        ("1.234", "mixed", False, None),
        ("1,234.50", ".", False, None),
        ("1.234,50", ",", False, None),
        ("1'234", ".", False, None),
        ("1 234", ".", False, None),
        ("", ".", False, None),
        ("abc", ".", False, None),
        ("1e3", ".", False, None),
        ("1_000", ".", False, None),
        ("NaN", ".", False, None),
        ("-Infinity", ".", False, None),
        ("0x10", ".", False, None),
        ("١٢", ".", False, None),
        ("$5", ".", False, None),
        ("5 USD", ".", False, None),
        ("9" * 40, ".", False, None),
        ("--1", ".", False, None),
        (".", ".", False, None),
    ],
)
def test_numbers(text: str, mark: Mark, whole: bool, value: str | None) -> None:
    if value is None:
        with pytest.raises(NotANumber):
            number(text, mark, whole=whole)
    else:
        assert str(number(text, mark, whole=whole)) == value


def test_semicolons_and_decimal_commas(files: Files) -> None:
    c = files(
        parts="sku;name;unit;on_hand;safety_stock\nP1;One;m;2,5;10\nP2;Two;pcs;1,234;10\nP3;Three;m;1.234,5;10\n",
        items="sku;supplier;supplier_sku;pack_quantity;min_quantity;unit_price;currency\nP1;A;A-1;0,5 m;1;3,1250;EUR\n",
    )
    assert [(p.sku, p.on_hand) for p in c.parts.values()] == [("P1", D("2.5"))]
    assert [t.split(":")[1] for t in told(c)] == ["3", "4"]
    one = offered(c)["A-1"]
    assert (one.pack, one.breaks[0].pack_price, one.currency) == (D("0.5"), D("3.1250"), "EUR")


def test_a_pack_with_a_comma_before_three_digits_is_not_guessed(files: Files) -> None:
    head = "sku;supplier;supplier_sku;pack_quantity;min_quantity;unit_price;currency\n"
    c = files(parts=PARTS + "P1,One,m,1,10\n", items=head + "P1;A;A-1;1,000 feet;1;3,5;USD\n")
    assert not offered(c)
    assert "'1,000 feet' is not a quantity" in told(c)[0]


# --- lines -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("P1,One,pcs,1", "it has 4 cells, the header 5"),
        ("P1,One,pcs,1,10,more", "it has 6 cells, the header 5"),
        (",One,pcs,1,10", "sku is empty"),
        ("P1,One,,1,10", "'' is not a unit known here"),
        ("P1,One,reels,1,10", "'reels' is not a unit known here"),
        ("P1,One,pcs,,10", "on_hand is empty"),
        ("P1,One,pcs,1,", "safety_stock is empty"),
        ("P1,One,pcs,-1,10", "on_hand -1 is negative"),
        ("P1,One,pcs,1,-10", "safety_stock -10 is negative"),
        ("P1,One,pcs,NaN,10", "on_hand 'NaN' is not a number"),
        ("P1,One,pcs,1,Infinity", "safety_stock 'Infinity' is not a number"),
        ('P1,One,pcs,"1,000",10', "may be read in two ways"),
        ("P1,One,pcs,1000000000000,10", "is beyond what is kept"),
        ("P1,One,m,0.0000000001,10", "is beyond what is kept"),
        ("P\x001,One,pcs,1,10", "sku holds the control character '\\x00'"),
        ('"P\n1",One,pcs,1,10', "sku holds the control character"),
        ("P1,One\x00,pcs,1,10", "name holds the control character"),
        ("P1," + "x" * 301 + ",pcs,1,10", "name is 301 characters long"),
    ],
)
def test_a_part_that_is_not_understood_is_left_out_whole(files: Files, line: str, says: str) -> None:
    c = files(parts=PARTS + f"GOOD,Good,pcs,1,10\n{line}\nLAST,Last,pcs,1,10\n")
    assert [p.sku for p in c.parts.values()] == ["GOOD", "LAST"]
    [problem] = told(c)
    assert problem.startswith("parts.csv:3: ")
    assert says in problem


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("P1,,A-1,,1,2,USD", "supplier is empty"),
        ("P1,A,,,1,2,USD", "supplier_sku is empty"),
        (",A,A-1,,1,2,USD", "sku is empty"),
        ("NEW,A,A-1,,1,2,USD", "there is no part NEW"),
        ("P1,A/B,A-1,,1,2,USD", "holds a slash"),
        ("P1,A,A-1,250 ml,1,2,USD", "'250 ml' is a volume, but the part is kept in pcs"),
        ("P1,A,A-1,2 reels,1,2,USD", "not a unit known here"),
        ("P1,A,A-1,0,1,2,USD", "a pack holds something"),
        ("P1,A,A-1,-3,1,2,USD", "a pack holds something"),
        ("P1,A,A-1,9999999999999,1,2,USD", "more than is kept"),
        ("P1,A,A-1,,1,-2,USD", "unit_price -2 is negative"),
        ("P1,A,A-1,,1,0,USD", "would beat every other"),
        ("P1,A,A-1,,1,0.00,USD", "would beat every other"),
        ("P1,A,A-1,,1,NaN,USD", "'NaN' is not a number"),
        ("P1,A,A-1,,1,1e-3,USD", "'1e-3' is not a number"),
        ("P1,A,A-1,,-1,2,USD", "min_quantity -1 is negative"),
        ("P1,A,A-1,,many,2,USD", "min_quantity 'many' is not a number"),
        ("P1,A,A-1,,1,2,", "the price has no currency"),
        ("P1,A,A-1,,1,2,dollars", "'dollars' is no currency code"),
        ("P1,A,A-1,,100,,USD", "a threshold of 100 but no price"),
    ],
)
def test_an_item_that_is_not_understood_is_left_out_whole(files: Files, line: str, says: str) -> None:
    c = files(parts=PARTS + "P1,One,pcs,1,10\n", items=ITEMS + f"P1,G,G-1,,1,5,USD\n{line}\nP1,G,G-2,,1,5,USD\n")
    assert sorted(offered(c)) == ["G-1", "G-2"]
    [problem] = told(c)
    assert problem.startswith("items.csv:3: ")
    assert says in problem


def test_items_of_a_part_that_was_left_out_say_so(files: Files) -> None:
    c = files(parts=PARTS + "P1,One,reels,1,10\n", items=ITEMS + "P1,A,A-1,,1,2,USD\n")
    assert not offered(c)
    assert told(c)[1] == "items.csv:2: its part P1 was left out at parts.csv:2. Put that line right first."


def test_where_a_line_says_nothing(files: Files) -> None:
    c = files(parts=PARTS + "P1,,pcs,1,10\n", items=ITEMS + "P1,A,A-1,,,2.50,usd\nP1,A,A-2,,0,2,USD\nP1,A,A-3,,,,\n")
    [part] = c.parts.values()
    assert (part.name, part.reorder_point, part.target) == ("P1", D(10), D(20))
    found = offered(c)
    one = found["A-1"]
    assert (one.pack, one.currency, one.lead_time_days, one.freight, one.minimum) == (1, "USD", 7, 0, 0)
    assert [(b.min_packs, b.pack_price) for b in one.breaks] == [(D(1), D("2.50"))]
    assert found["A-2"].breaks[0].min_packs == 1
    assert found["A-3"].breaks == ()


def test_terms_that_a_file_may_say(files: Files) -> None:
    c = files(
        parts=PARTS[:-1] + ",reorder_point,target\nP1,One,pcs,1,10,15,40\nP2,Two,pcs,1,10,20,\nP3,Tre,pcs,1,10,20,15\n",
        items=ITEMS[:-1] + ",lead_time_days,freight,minimum,minimum_order_value\nP1,A,A-1,10,1,2,USD,12,9.50,3,100\n",
    )
    assert [(p.reorder_point, p.target) for p in c.parts.values()] == [(15, 40), (20, 40)]
    assert "the target 15 is below the reorder point 20" in told(c)[0]
    one = offered(c)["A-1"]
    assert (one.lead_time_days, one.freight, one.minimum, one.minimum_order_value) == (12, D("9.50"), 30, 100)


def test_rates_and_counts_that_are_not_understood(files: Files) -> None:
    c = files(
        rates="currency,usd,as_of\nEUR,1.1,2026-11-27\nEURO,1.1,\nCHF,0,\nUSD,1,\nGBP,1.3,27.11.2026\nJPY,-1,\n",
        counts="sku,on_hand,counted_on\nP1,5,\nP2,-1,\nP3,5,yesterday\n,3,\n",
    )
    assert {(r.currency, r.value) for r in c.rates.values()} == {("EUR", D("1.1")), ("USD", D(1))}
    assert [p.sku for p in c.counts.values()] == ["P1"]
    assert len(told(c)) == 7


# --- lines together --------------------------------------------------------------------------------------------------


def test_a_line_said_twice_counts_once(files: Files) -> None:
    twice = "P1,A,A-1,,1,2,USD\n"
    c = files(parts=PARTS + "P1,One,pcs,1,10\nP1,One,pcs,1.0,10\n", items=ITEMS + twice + twice)
    assert len(offered(c)["A-1"].breaks) == 1
    assert len(c.parts) == 1
    assert not told(c)
    assert told(c, taken=True) == [
        "parts.csv:3: P1 is said in parts.csv:2 already.",
        "items.csv:3: it is the same line as items.csv:2.",
    ]


def test_lines_that_contradict_each_other_are_both_left_out(files: Files) -> None:
    c = files(
        a=PARTS + "P1,One,pcs,1,10\nP2,Two,pcs,1,10\n",
        b=PARTS + "P2,Two,pcs,1,99\n",
        items=ITEMS
        + "P1,A,A-1,,1,2,USD\nP1,A,A-1,,1,3,USD\nP1,A,A-1,,100,1,USD\nP1,B,B-1,,1,2,USD\nP1,B,B-1,,1,3,USD\n",
        counts="sku,on_hand\nP1,5\nP1,6\n",
        rates="currency,usd\nEUR,1.1\nEUR,1.2\n",
    )
    found = offered(c)
    assert [p.sku for p in c.parts.values()] == ["P1"]
    assert [b.min_packs for b in found["A-1"].breaks] == [100]
    assert not found["A-1"].complete
    assert "B-1" not in found
    assert not c.counts
    assert not c.rates
    assert [t.split(": ")[0] for t in told(c)] == [
        "a.csv:3", "b.csv:2", "counts.csv:2", "counts.csv:3", "rates.csv:2", "rates.csv:3",
        "items.csv:2", "items.csv:3", "items.csv:5", "items.csv:6",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "clash"),
    [
        (["P1,A,A-1,10,1,2,USD", "P1,A,A-1,20,5,1,USD"], "pack"),
        (["P1,A,A-1,10,1,2,USD", "P1,A,A-1,,5,1,USD"], "pack"),
        (["P1,A,A-1,10,1,2,USD", "P1,A,A-1,10,5,1,EUR"], "currency"),
    ],
)
def test_an_item_has_one_pack_and_one_currency(files: Files, lines: list[str], clash: str) -> None:
    c = files(parts=PARTS + "P1,One,m,1,10\n", items=ITEMS + "\n".join(lines) + "\n")
    assert not offered(c)
    assert [f"differ in {clash}" in t for t in told(c)] == [True, True]


def test_one_pack_written_in_two_ways_is_one(files: Files) -> None:
    c = files(parts=PARTS + "P1,One,m,1,10\n", items=ITEMS + "P1,A,A-1,100m,1,2,USD\nP1,A,A-1,10000 cm,5,1,USD\n")
    assert offered(c)["A-1"].pack == 100
    assert len(offered(c)["A-1"].breaks) == 2
    assert not c.problems


def test_of_dated_lines_the_newest_counts(files: Files) -> None:
    c = files(
        counts="sku,on_hand,counted_on\nP1,5,2026-11-01\nP1,9,2026-11-20\n",
        rates="currency,usd,as_of\nEUR,1.2,2026-11-20\nEUR,1.1,2026-10-01\n",
    )
    assert [x.on_hand for x in c.counts.values()] == [9]
    assert [x.value for x in c.rates.values()] == [D("1.2")]
    assert told(c, taken=True) == [
        "counts.csv:2: P1 is older than in counts.csv:3: not taken.",
        "rates.csv:3: EUR is older than in rates.csv:2: not taken.",
    ]


def test_a_number_that_denies_its_pack_is_taken_and_reported(files: Files) -> None:
    items = "P1,A,W.100M,300,1,2,USD\nP1,A,W.500M,500m,1,2,USD\nP1,A,W-12AWG,7,1,2,USD\nP1,A,W.10FT,foot,1,2,USD\n"
    c = files(parts=PARTS + "P1,One,m,1,10\n", items=ITEMS + items)
    assert offered(c)["W.100M"].pack == 300
    assert [t.split(" ")[1] for t in told(c, taken=True)] == ["W.100M", "W.10FT"]
