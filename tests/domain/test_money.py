"""Amounts, prices as people write them, and rates: exact, rounded once, never guessed."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replenisher.domain.money import Rates, plain, price_text, total
from replenisher.domain.requesting import ceiling

D = Decimal
RATES = Rates("USD", {"EUR": D(1) / D("0.65"), "JPY": D("0.0064")})


@pytest.mark.parametrize(
    ("price", "quantity", "amount"),
    [
        ("4.20", "450", "1890.00"),
        ("4.41", "450", "1984.50"),
        ("9", "1000", "9000.00"),
        ("10", "999", "9990.00"),
        ("0.0387", "1000", "38.70"),
        ("0.005", "1", "0.01"),
        ("0.0049", "1", "0.00"),
        ("1.115", "1", "1.12"),
        ("1.125", "1", "1.13"),
        ("0.333", "3", "1.00"),
        ("0.1", "0.2", "0.02"),
        ("0", "450", "0.00"),
    ],
)
def test_a_line_is_rounded_half_up_once(price: str, quantity: str, amount: str) -> None:
    assert total(D(price), D(quantity)) == D(amount)
    assert str(total(D(price), D(quantity))) == amount


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("450", "450"),
        ("450.00", "450"),
        ("4.20", "4.2"),
        ("0.0387", "0.0387"),
        ("4.5E+2", "450"),
        ("1E-7", "0.0000001"),
        ("100", "100"),
        ("0", "0"),
        ("0.00", "0"),
        ("-12.50", "-12.5"),
        ("1E+6", "1000000"),
    ],
)
def test_plain_is_the_shortest_exact_spelling(value: str, text: str) -> None:
    assert plain(D(value)) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("4.2", "4.20"),
        ("4.20", "4.20"),
        ("4", "4.00"),
        ("4.41", "4.41"),
        ("0.0387", "0.0387"),
        ("4.200", "4.20"),
        ("4.205", "4.205"),
        ("1E+3", "1000.00"),
        ("0", "0.00"),
    ],
)
def test_a_price_has_two_places_and_loses_none(value: str, text: str) -> None:
    assert price_text(D(value)) == text


@given(st.decimals(min_value="-1e9", max_value="1e9", places=6))
def test_nothing_is_lost_in_writing(value: Decimal) -> None:
    assert D(plain(value)) == value == D(price_text(value))
    assert "E" not in plain(value) + price_text(value)


# --- rates ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("amount", "currency", "dollars"),
    [
        ("100", "USD", "100"),
        ("80", "EUR", "123.08"),
        ("0", "EUR", "0.00"),
        ("10000", "JPY", "64.00"),
        ("80", "GBP", None),
        ("80", "usd", None),
        ("80", "", None),
    ],
)
def test_an_amount_in_the_companys_currency_or_not_at_all(amount: str, currency: str, dollars: str | None) -> None:
    worth = RATES.in_base(D(amount), currency)
    if dollars is None:
        assert worth is None
    else:
        assert worth is not None
        assert round(worth, 2) == D(dollars)


def test_80_euro_are_dearer_than_100_dollars() -> None:
    """odoo PR 135037: 80 EUR at 0.65 EUR per USD is 123.08 USD."""
    euro, dollar = RATES.in_base(D(80), "EUR"), RATES.in_base(D(100), "USD")
    assert euro is not None
    assert dollar is not None
    assert euro > dollar


def test_the_own_currency_needs_no_rate_and_cannot_be_given_another() -> None:
    assert Rates("USD", {"USD": D(2)}).in_base(D(5), "USD") == 5


# --- ceilings ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("price", "up_to"),
    [
        ("4.20", "4.41"),
        ("4.35", "4.5675"),
        ("4.50", "4.725"),
        ("0.01", "0.0105"),
        ("100", "105"),
        ("0.0387", "0.040635"),
        ("1000", "1050"),
    ],
)
def test_a_ceiling_is_five_per_cent_above_exactly(price: str, up_to: str) -> None:
    assert str(ceiling(D(price))) == up_to
