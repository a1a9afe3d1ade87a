"""Quantities as people write them, in the part's unit, exactly."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replenisher.domain.units import UNITS, NotAQuantity, quantity, same, unit

D = Decimal


@pytest.mark.parametrize(
    ("written", "part_unit", "held"),
    [
        ("250 ml", "litres", "0.25"),
        ("10 l", "litres", "10"),
        ("10 litres", "litres", "10"),
        ("25 LITRES", "l", "25"),
        ("100m", "m", "100"),
        ("100", "m", "100"),
        ("1 metre", "m", "1"),
        ("0.5m", "m", "0.5"),
        (".5 m", "m", "0.5"),
        ("foot", "m", "0.3048"),
        ("feet", "m", "0.3048"),
        ("500 feet", "m", "152.4"),
        ("1000 feet", "m", "304.8"),
        ("2.54 cm", "in", "1"),
        ("12 in", "ft", "1"),
        ("3 m", "mm", "3000"),
        ("500 g", "kg", "0.5"),
        ("1 lb", "kg", "0.45359237"),
        ("2 dozen", "pcs", "24"),
        ("100", "pcs", "100"),
        ("50 pcs.", "pcs", "50"),
        ("", "pcs", "1"),
        ("   ", "litres", "1"),
        ("1 m³", "l", "1000"),
        ("+7", "pcs", "7"),
        ("007", "pcs", "7"),
        ("100.0", "pcs", "100"),
    ],
)
def test_what_people_write(written: str, part_unit: str, held: str) -> None:
    assert str(quantity(written, part_unit)) == held


@pytest.mark.parametrize(
    ("written", "part_unit", "says"),
    [
        ("250 ml", "pcs", "is a volume, but the part is kept in pcs, a count"),
        ("foot", "kg", "is a length"),
        ("10 pcs", "m", "is a count"),
        ("0", "pcs", "not more than nothing"),
        ("0 m", "m", "not more than nothing"),
        ("-5", "pcs", "not more than nothing"),
        ("NaN", "pcs", "not a unit known here"),
        ("Infinity", "pcs", "not a unit known here"),
        ("1e3", "pcs", "not a unit known here"),
        ("1,000 feet", "m", "not a quantity"),
        ("1/2 m", "m", "not a quantity"),
        ("1_000", "pcs", "not a quantity"),
        ("٣", "pcs", "not a quantity"),
        ("reel of 500", "pcs", "not a quantity"),
        ("2 reels", "pcs", "not a unit known here"),
        ("1 gallon", "l", "US or an imperial"),
        ("8 oz", "l", "of weight or of fluid"),
        ("1 inch", "ft", "cannot be written exactly in ft"),
        ("100 m", "feet", "cannot be written exactly"),
        ("9" * 50, "pcs", "not a quantity"),
        ("m" * 500, "m", "not a quantity"),
        ("1 m\n2 m", "m", "not a quantity"),
        ("5", "widgets", "not a unit known here"),
    ],
)
def test_what_is_no_quantity_says_why(written: str, part_unit: str, says: str) -> None:
    with pytest.raises(NotAQuantity, match=says) as told:
        quantity(written, part_unit)
    assert len(str(told.value)) < 300
    assert str(told.value).endswith(".")


def test_spellings_of_one_unit() -> None:
    assert same("litres", "l")
    assert same("unit", "pcs")
    assert not same("ml", "l")
    assert not same("kg", "l")


@settings(max_examples=60, deadline=None)
@given(
    number=st.decimals(min_value=D("0.0001"), max_value=D("100000"), places=4),
    spelling=st.sampled_from(sorted(UNITS)),
    own=st.sampled_from(sorted(UNITS)),
)
def test_exact_or_refused(number: Decimal, spelling: str, own: str) -> None:
    """What comes out times the part's unit is what went in, to the last digit; there is no third way."""
    try:
        held = quantity(f"{number:f} {spelling}", own)
    except NotAQuantity:
        value = Fraction(number) * unit(spelling).factor / unit(own).factor
        below = value.denominator
        for prime in (2, 5):
            while below % prime == 0:
                below //= prime
        assert unit(spelling).kind != unit(own).kind or below != 1 or value.denominator > 10**20
    else:
        assert unit(spelling).kind == unit(own).kind
        assert Fraction(held) * unit(own).factor == Fraction(number) * unit(spelling).factor
