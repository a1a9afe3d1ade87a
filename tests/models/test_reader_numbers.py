"""Numbers as many countries write them: the usual reading, others that a writing allows, and what is no number."""

from decimal import Decimal

import pytest

from replenisher.models.reader import numbers
from replenisher.models.reader.folding import fold

PLAIN = {
    "1.000": "1000",
    "420.000": "420000",
    "0": "0",
    "7": "7",
    "42": "42",
    "500": "500",
    "10000": "10000",
    "4.20": "4.20",
    "4,20": "4.20",
    "0.85": "0.85",
    "0,85": "0.85",
    "12.5": "12.5",
    "12,5": "12.5",
    "1.234,56": "1234.56",
    "1,234.56": "1234.56",
    "1 234,56": "1234.56",
    "1 234.56": "1234.56",
    "1'234.56": "1234.56",
    "1\u2019234.50": "1234.50",
    "1\u00a0234,56": "1234.56",
    "1\u202f234,56": "1234.56",
    "12 345": "12345",
    "1.234.567": "1234567",
    "1,234,567": "1234567",
    "1.234.567,89": "1234567.89",
    "1,234,567.89": "1234567.89",
    "1'234'567": "1234567",
    "0.865": "0.865",
    "0,865": "0.865",
    "0.0425": "0.0425",
    "4.2000": "4.2000",
    "4,2000": "4.2000",
    "2 100,00": "2100.00",
    "2.100,00": "2100.00",
    "2,100.00": "2100.00",
    "2'100.00": "2100.00",
    "\uff14.\uff12\uff10": "4.20",
    "\uff11\uff10\uff10\uff10\uff10": "10000",
    "18,50": "18.50",
    "3.5": "3.5",
    "3,05": "3.05",
    "100,00": "100.00",
    "99.99": "99.99",
    "128,50": "128.50",
    "007": "7",
}

EITHER = {
    "4,350": ("4350", "4.35"),
    "4.350": ("4350", "4.35"),
    "12,500": ("12500", "12.5"),
}


@pytest.mark.parametrize(("written", "value"), PLAIN.items())
def test_a_writing_with_one_reading(written: str, value: str) -> None:
    assert numbers.parse(fold(written).replace("\u00a0", " ").replace("\u202f", " ")) == (Decimal(value), ())


@pytest.mark.parametrize(("written", "values"), EITHER.items())
def test_a_writing_with_two_readings_is_decided_by_the_books(written: str, values: tuple[str, str]) -> None:
    value, others = numbers.parse(written)
    assert (value, *others) == tuple(map(Decimal, values))
    number = numbers.Number(0, len(written), value, others)
    for expected in map(Decimal, values):
        assert number.near(expected * Decimal("1.04")) == expected


@pytest.mark.parametrize("written", ["", "abc", ",5x", "-", "1" * 40])
def test_no_number(written: str) -> None:
    with pytest.raises(ValueError):
        numbers.parse(written)


@pytest.mark.parametrize("mark", [",-", ".-", ",--", ".--"])
def test_a_dash_for_no_cents(mark: str) -> None:
    assert numbers.parse(f"5.160{mark}")[0] in (Decimal(5160), Decimal("5.160"))
    assert numbers.parse(f"45{mark}")[0] == 45


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("500 pcs at $4.20", ["500", "4.20"]),
        ("500 pcs at $4.20.", ["500", "4.20"]),
        ("usd 2,100.00, net", ["2100.00"]),
        ("preis 420,00 € / 100 stk.", ["420.00", "100"]),
        ("sku-123 and po-4471", []),
        ("10 x 50", ["10", "50"]),
        ("1 200 pieces", ["1200"]),
        ("at 4.35each", ["4.35"]),
        ("单价 0.62 元", ["0.62"]),
        ("单价0.62元", ["0.62"]),
        ("価格は100個につき18,500円", ["100", "18500"]),
    ],
)
def test_the_numbers_of_a_line(text: str, values: list[str]) -> None:
    found = [n.value for n in numbers.find(fold(text))]
    assert [v for v in found if v != 123 and v != 4471] == list(map(Decimal, values))


def test_a_number_knows_its_place() -> None:
    text = "we charge 4.35 for these"
    (number,) = numbers.find(text)
    assert text[number.start : number.end] == "4.35"
