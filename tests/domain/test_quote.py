"""What buying costs: breaks, packs, minima and currencies, row by row of what went wrong in other purchasing systems,
and against a search that tries every number of packs."""

from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replenisher.domain.money import Rates, total
from replenisher.domain.quote import Break, Purchase, Quote, packs_up, purchase
from support import bruteforce

D = Decimal
USD = Rates("USD")
LATER = datetime(2027, 1, 1, tzinfo=UTC)


def quote(*breaks: tuple[str, str], pack: str = "1", **terms: Decimal) -> Quote:
    return Quote("A", "A-1", "USD", tuple(Break(D(q), D(p)) for q, p in breaks), D(pack), 7, LATER, **terms)


def bought(offer: Quote, need: str, rates: Rates = USD) -> tuple[str, str, str] | None:
    p = purchase(offer, D(need), rates)
    return None if p is None else (f"{p.quantity.normalize():f}", f"{p.unit_price.normalize():f}", f"{p.landed:.2f}")


# --- breaks (odoo#15616) ---------------------------------------------------------------------------------------------

TWO = (("1", "10"), ("1000", "9"))


@pytest.mark.parametrize(
    ("quantity", "price"),
    [("0.5", None), ("1", "10"), ("999", "10"), ("999.99", "10"), ("1000", "9"), ("2000", "9")],
)
def test_the_price_is_that_of_the_highest_break_reached(quantity: str, price: str | None) -> None:
    assert quote(*TWO).unit_price(D(quantity)) == (None if price is None else D(price))


@pytest.mark.parametrize(
    ("need", "expected"),
    [
        ("2000", ("2000", "9", "18000.00")),
        ("999", ("1000", "9", "9000.00")),
        ("901", ("1000", "9", "9000.00")),
        ("900", ("900", "10", "9000.00")),  # as dear either way: the smaller quantity
        ("100", ("100", "10", "1000.00")),
    ],
)
def test_buying_up_to_a_break_when_the_total_falls(need: str, expected: tuple[str, str, str]) -> None:
    assert bought(quote(*TWO), need) == expected


@pytest.mark.parametrize(
    ("need", "expected"),
    [("94", ("100", "0.25", "25.00")), ("100", ("100", "0.25", "25.00")), ("101", ("101", "0.25", "25.25"))],
)
def test_below_the_lowest_break_there_is_no_price(need: str, expected: tuple[str, str, str]) -> None:
    assert bought(quote(("100", "0.25")), need) == expected


def test_breaks_in_any_order_and_breaks_that_rise() -> None:
    assert bought(quote(("1000", "9"), ("1", "10")), "999") == ("1000", "9", "9000.00")
    assert bought(quote(("1", "9"), ("1000", "10")), "999") == ("999", "9", "8991.00")
    assert bought(quote(("1", "9"), ("1000", "10")), "1000") == ("1000", "10", "10000.00")
    unsorted = quote(("1", "4"), ("4", "5"), ("2", "4"), minimum_order_value=D(40))
    assert bought(unsorted, "4") == ("8", "5", "40.00")


# --- packs (InvenTree#10946) -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("need", "pack", "quantity"),
    [
        ("40", "10", "40"),
        ("41", "10", "50"),
        ("1", "10", "10"),
        ("440", "50", "450"),
        ("0.3", "0.25", "0.5"),
        ("152.4", "152.4", "152.4"),
        ("152.5", "152.4", "304.8"),
        ("0.9", "0.3", "0.9"),  # 0.9 is three packs, whatever binary fractions make of it
        ("3", "1", "3"),
        ("2.0001", "1", "3"),
    ],
)
def test_whole_packs_in_pieces(need: str, pack: str, quantity: str) -> None:
    assert packs_up(D(need), D(pack)) == D(quantity)
    assert bought(quote(("0", "1"), pack=pack), need, USD) == (quantity, "1", f"{total(D(1), D(quantity)):.2f}")


def test_a_pack_larger_than_the_lowest_break_and_one_that_steps_over_it() -> None:
    assert bought(quote(("100", "2"), pack="300"), "94") == ("300", "2", "600.00")
    assert bought(quote(("100", "2"), pack="30"), "94") == ("120", "2", "240.00")


# --- the supplier's minimum (Dolibarr PR 9904) and minimum order value -----------------------------------------------


@pytest.mark.parametrize(
    ("need", "minimum", "pack", "quantity"),
    [
        ("30", "100", "1", "100"),
        ("100", "100", "1", "100"),
        ("101", "100", "1", "101"),
        ("30", "100", "30", "120"),
        ("30", "0", "1", "30"),
    ],
)
def test_the_minimum_is_ordered(need: str, minimum: str, pack: str, quantity: str) -> None:
    found = bought(quote(("1", "1"), pack=pack, minimum=D(minimum)), need)
    assert found is not None
    assert found[0] == quantity


def test_the_minimum_order_value_is_reached_by_quantity() -> None:
    assert bought(quote(("1", "4"), minimum_order_value=D(100)), "10") == ("25", "4", "100.00")
    assert bought(quote(("1", "4"), ("50", "3"), minimum_order_value=D(190)), "10") == ("48", "4", "192.00")
    assert bought(quote(("1", "4"), ("50", "3"), minimum_order_value=D(200)), "10") == ("67", "3", "201.00")


def test_the_value_counts_as_it_is_invoiced() -> None:
    """3 x 0.333 is invoiced as 1.00, which reaches a minimum of 1.00."""
    assert bought(quote(("1", "0.333"), minimum_order_value=D(1)), "1") == ("3", "0.333", "1.00")


def test_freight_does_not_count_towards_the_value_but_into_the_total() -> None:
    offer = quote(("1", "4"), minimum_order_value=D(100), freight=D(30))
    assert bought(offer, "10") == ("25", "4", "130.00")


# --- more than ten times the need ------------------------------------------------------------------------------------


def test_excess_is_only_what_cannot_be_bought_smaller() -> None:
    forced = purchase(quote(("101", "1")), D(10), USD)
    assert forced is not None
    assert (forced.quantity, forced.excessive) == (D(101), True)
    exactly_ten = purchase(quote(("100", "1")), D(10), USD)
    assert exactly_ten is not None
    assert not exactly_ten.excessive
    cheap_heap = purchase(quote(("1", "100"), ("1000", "0.5")), D(10), USD)
    assert cheap_heap is not None
    assert (cheap_heap.quantity, cheap_heap.landed, cheap_heap.excessive) == (D(10), D(1000), False)


# --- nothing to buy --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("offer", "need"),
    [
        (quote(("1", "1")), "0"),
        (quote(("1", "1")), "-5"),
        (quote(), "5"),
        (quote(("1", "0"), minimum_order_value=D(10)), "5"),
    ],
)
def test_no_price_or_no_need(offer: Quote, need: str) -> None:
    assert purchase(offer, D(need), USD) is None


# --- currency (odoo PR 135037, 202011) -------------------------------------------------------------------------------


def test_another_currency_is_compared_through_its_rate_only() -> None:
    euro = Rates("USD", {"EUR": 1 / D("0.65")})
    in_euro = Quote("B", "B-1", "EUR", (Break(D(1), D(80)),), D(1), 7, LATER)
    p = purchase(in_euro, D(1), euro)
    assert p is not None
    assert p.landed == D(80)
    assert p.comparable is not None
    assert round(p.comparable, 2) == D("123.08")
    unknown = purchase(in_euro, D(1), USD)
    assert unknown is not None
    assert unknown.comparable is None


def test_amounts_round_half_up_once() -> None:
    assert total(D("0.0387"), D(100)) == D("3.87")
    assert total(D("0.005"), D(1)) == D("0.01")
    assert total(D("0.0049"), D(1)) == D("0.00")
    assert total(D("0.0049"), D(3)) == D("0.01")
    assert total(D(10) / 3, D(3)) == D("10.00")


# --- against a search that tries every number of packs ---------------------------------------------------------------

PRICES = st.decimals(min_value=D("0.5"), max_value=D(9), places=3)
PACKS = st.sampled_from([D(1), D(3), D(10), D(50), D("0.25"), D("152.4"), D("0.3048")])


@st.composite
def quotes(draw: st.DrawFn) -> Quote:
    pack = draw(PACKS)
    floors = draw(st.lists(st.integers(0, 60), min_size=1, max_size=4, unique=True))
    lone = st.just(D(0))
    return Quote(
        draw(st.sampled_from("ABC")),
        draw(st.sampled_from(["1", "2"])),
        draw(st.sampled_from(["USD", "EUR", "XXX"])),
        tuple(Break(floor * draw(st.sampled_from([pack, D(1)])), draw(PRICES)) for floor in sorted(floors)),
        pack,
        draw(st.integers(1, 3)),
        LATER,
        minimum=draw(lone | st.integers(0, 300).map(Decimal)),
        minimum_order_value=draw(lone | st.decimals(min_value=0, max_value=400, places=2)),
        freight=draw(lone | st.decimals(min_value=0, max_value=50, places=2)),
    )


def brute(q: Quote) -> bruteforce.Offer:
    return bruteforce.Offer(
        q.supplier,
        q.item,
        q.currency,
        Fraction(q.pack),
        tuple((Fraction(b.min_quantity), Fraction(b.unit_price)) for b in q.breaks),
        q.lead_time_days,
        Fraction(q.minimum),
        Fraction(q.minimum_order_value),
        Fraction(q.freight),
    )


NEEDS = st.integers(1, 400).map(Decimal) | st.decimals(min_value=D("0.01"), max_value=400, places=2)


@settings(max_examples=120, deadline=None)
@given(offer=quotes(), need=NEEDS)
def test_no_number_of_packs_is_cheaper(offer: Quote, need: Decimal) -> None:
    floors = [b.min_quantity for b in offer.breaks]
    if len(set(floors)) < len(floors):
        return
    found: Purchase | None = purchase(offer, need, USD)
    best = bruteforce.cheapest_of(brute(offer), Fraction(need))
    assert (found is None) == (best is None)
    if found is not None and best is not None:
        assert (Fraction(found.landed), Fraction(found.quantity), Fraction(found.unit_price)) == (
            best.landed,
            best.quantity,
            best.unit_price,
        )
        assert found.quantity % offer.pack == 0
        assert found.quantity >= need
        assert found.excessive == (best.quantity > bruteforce.EXCESS * Fraction(need))
