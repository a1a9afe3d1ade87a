"""When something is bought, how much and from whom: position, at the level, drafts, two triggers, which supplier,
row by row of what went wrong in other purchasing systems, and against a search over everything that could be bought."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replenisher.domain import limits
from replenisher.domain.conditions import (
    enough_quotes,
    excessive_only,
    need,
    need_uncovered,
    position,
    purchases,
    short,
)
from replenisher.domain.hearing import begin
from replenisher.domain.money import Rates
from replenisher.domain.order import LIVE, Order, OrderStatus, Unwanted
from replenisher.domain.part import Part
from replenisher.domain.ports import Draft
from replenisher.domain.quote import Break, NoQuote, Quote
from replenisher.domain.state import Assignment, State
from support import bruteforce
from support.inmemory import START, MemoryRecords

D = Decimal
RUN = "replenish-P-1"
S = OrderStatus


def part(level: str, target: str) -> Part:
    return Part("P", "Part", "pcs", D(level), D(level), D(target))


def order(
    po: str, quantity: str, status: OrderStatus = S.SENT, *, run: str = "replenish-P-0", received: str = "0"
) -> Order:
    return Order(po, "P", "A", "A-1", D(quantity), D(1), "USD", 7, run, status=status, received=D(received))


def begun(of: Part, on_hand: str, *orders: Order, rates: Rates | None = None) -> State:
    return begin(Assignment(RUN, "P", 1, START, of, D(on_hand), rates or Rates("USD"), orders=list(orders)))


def quote(
    supplier: str,
    price: str,
    currency: str = "USD",
    *,
    lead: int = 7,
    item: str = "1",
    floor: str = "1",
    **terms: Decimal,
) -> Quote:
    until = START + timedelta(days=14)
    return Quote(supplier, item, currency, (Break(D(floor), D(price)),), D(1), lead, until, **terms)


# --- at the level is not below it (erpnext#53085) ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("on_hand", "on_order", "ordered"),
    [
        ("120", "0", False),
        ("119", "0", True),
        ("119.99", "0", True),
        ("120.01", "0", False),
        ("0", "120", False),
        ("0", "119", True),
        ("60", "60", False),
        ("60", "59", True),
        ("-5", "125", False),
    ],
)
def test_only_below_the_level(on_hand: str, on_order: str, ordered: bool) -> None:
    state = begun(part("120", "240"), on_hand, *([order("PO-1", on_order)] if on_order != "0" else []))
    assert short(state) is ordered
    assert need_uncovered(state) is ordered


# --- what is on order is not ordered again (odoo#30541, InvenTree#4904) -----------------------------------------------


@pytest.mark.parametrize(
    ("level", "target", "on_hand", "open_orders", "needed"),
    [
        ("3", "3", "0", ["3"], "0"),
        ("18", "18", "0", ["15"], "3"),
        ("18", "18", "0", ["10", "5"], "3"),
        ("18", "18", "2", ["10", "5"], "1"),
        ("18", "18", "0", [], "18"),
        ("18", "18", "0", ["30"], "0"),
        ("100", "500", "60", [], "440"),
        ("100", "500", "60", ["39"], "401"),
    ],
)
def test_the_need_is_what_is_missing_to_the_target(
    level: str, target: str, on_hand: str, open_orders: list[str], needed: str
) -> None:
    state = begun(part(level, target), on_hand, *(order(f"PO-{n}", q) for n, q in enumerate(open_orders)))
    assert need(state) == D(needed)
    assert need_uncovered(state) is (position(state) < D(level))


# --- drafts count (odoo PR 277641) ------------------------------------------------------------------------------------


def test_an_own_draft_counts() -> None:
    state = begun(part("10", "10"), "0", order("PO-1", "10", S.DRAFT, run=RUN))
    assert (position(state), need(state)) == (D(10), D(0))
    assert not need_uncovered(state)
    assert position(state, drafts=False) == 0


def test_a_draft_too_small_is_not_joined_by_another() -> None:
    """One run has one draft; what it does not cover is the next replenishment's."""
    state = begun(part("10", "20"), "0", order("PO-1", "4", S.DRAFT, run=RUN))
    assert short(state)
    assert not need_uncovered(state)


def test_a_draft_left_over_from_an_ended_run_does_not_count() -> None:
    state = begun(part("10", "10"), "0", order("PO-1", "10", S.DRAFT))
    assert position(state) == 0
    assert need_uncovered(state)


@pytest.mark.parametrize("status", list(OrderStatus))
@pytest.mark.parametrize("unwanted", [None, Unwanted.DUPLICATE])
def test_which_orders_count(status: OrderStatus, unwanted: Unwanted | None) -> None:
    """Taken or accepted, and wanted. Unknown outcomes are shown apart and do not count."""
    one = replace(order("PO-1", "10", status, run=RUN), unwanted=unwanted)
    counts = unwanted is None and (status in LIVE or status is S.DRAFT)
    assert position(begun(part("10", "10"), "1", one)) == (11 if counts else 1)


@pytest.mark.parametrize(
    ("quantity", "received", "status", "counted"),
    [
        ("450", "200", S.ACCEPTED, "250"),
        ("450", "450", S.ACCEPTED, "0"),
        ("450", "460", S.ACCEPTED, "0"),  # over-delivered: never less than nothing
        ("100", "70", S.ACCEPTED, "30"),
        ("2", "1", S.CANCELLED, "0"),  # odoo PR 268488: the rest was cancelled
        ("2", "2", S.RECEIVED, "0"),
    ],
)
def test_only_what_is_still_to_come_counts(quantity: str, received: str, status: OrderStatus, counted: str) -> None:
    one = order("PO-1", quantity, status, received=received)
    assert one.outstanding == D(counted)
    assert position(begun(part("10", "20"), "0", one)) == D(counted)
    assert not replace(one, written_off=True).outstanding


# --- two triggers, one order (odoo#17320) -----------------------------------------------------------------------------


@pytest.mark.anyio
async def test_two_triggers_at_once_make_one_order_of_440() -> None:
    records = MemoryRecords()
    first = begin(Assignment("replenish-SKU-123-1", "SKU-123", 1, START, records.part, D(60), Rates("USD")))
    second = begin(Assignment("replenish-SKU-123-1", "SKU-123", 1, START, records.part, D(60), Rates("USD")))
    numbers: list[str] = []
    for state in (first, second):
        assert need(state) == 440
        key = f"{state.run}/{state.drafts + 1}"
        draft = Draft(key, state.run, state.sku, "A", "A-123", need(state), D("4.20"), "USD", D(0), 7)
        numbers.append(await records.ensure_draft(draft))
    assert numbers[0] == numbers[1]
    assert [o.quantity for o in records.pos.values()] == [D(440)]
    stock = await records.stock("SKU-123")
    assert stock is not None
    third = begin(
        Assignment(first.run, "SKU-123", 1, START, stock.part, stock.on_hand, Rates("USD"), orders=list(stock.orders))
    )
    assert position(third) == 500
    assert not need_uncovered(third)


@pytest.mark.parametrize("status", [S.SENT, S.ACCEPTED, S.UNKNOWN, S.DRAFT])
def test_nothing_is_bought_while_this_run_has_something_under_way(status: OrderStatus) -> None:
    assert not need_uncovered(begun(part("100", "500"), "60", order("PO-1", "440", status, run=RUN)))


def test_an_unknown_order_of_an_earlier_run_does_not_hold_the_need_back() -> None:
    state = begun(part("100", "500"), "60", order("PO-1", "440", S.UNKNOWN))
    assert need_uncovered(state)
    assert need(state) == 440


# --- which supplier (Dolibarr PR 9904, odoo PR 202011 and 135037) -----------------------------------------------------


def chosen(state: State, *quotes: Quote) -> list[tuple[str, str]]:
    return [(p.quote.supplier, f"{p.quantity.normalize():f}") for p in purchases(replace(state, quotes=quotes))]


def test_a_minimum_is_ordered_there_or_another_supplier_is_cheaper() -> None:
    state = begun(part("40", "40"), "10")
    bulk, retail = quote("A", "1", minimum=D(100)), quote("B", "4")
    assert chosen(state, bulk, retail) == [("A", "100"), ("B", "30")]
    assert chosen(state, quote("A", "2", minimum=D(100)), retail) == [("B", "30"), ("A", "100")]
    assert chosen(state, bulk) == [("A", "100")]


def test_freight_and_lead_time_decide() -> None:
    state = begun(part("10", "10"), "0")
    assert chosen(state, quote("A", "4.20", freight=D(5)), quote("B", "4.35"))[0][0] == "B"
    assert chosen(state, quote("A", "4", lead=9), quote("B", "4", lead=5))[0][0] == "B"
    assert chosen(state, quote("B", "4"), quote("A", "4"))[0][0] == "A"


def test_80_euro_are_123_dollars() -> None:
    state = begun(part("1", "1"), "0", rates=Rates("USD", {"EUR": 1 / D("0.65")}))
    assert chosen(state, quote("E", "80", "EUR"), quote("U", "100"))[0][0] == "U"
    assert chosen(state, quote("E", "80", "EUR"), quote("U", "124"))[0][0] == "E"


def test_without_a_rate_it_is_never_chosen_silently() -> None:
    state = begun(part("1", "1"), "0")
    assert chosen(state, quote("E", "1", "EUR"), quote("U", "100")) == [("U", "1")]
    only = replace(state, quotes=(quote("E", "1", "EUR"),))
    assert not purchases(only)
    assert not enough_quotes(only)
    assert not excessive_only(only)


def test_no_valid_quote_no_order() -> None:
    """Neither a lapsed quote, nor one of a supplier that declined, nor no answer is a price."""
    state = begun(part("10", "10"), "0")
    lapsed = replace(quote("A", "1"), valid_until=START)
    none = NoQuote("C", "C-1", "no price", failed=False)
    state = replace(state, quotes=(lapsed, quote("B", "1")), dropped=("B",), unquoted=(none,), quote_rounds=3)
    assert not purchases(state)
    assert not enough_quotes(state)
    assert need_uncovered(state)


def test_more_than_ten_times_the_need_is_asked() -> None:
    state = begun(part("10", "10"), "0")
    heap = quote("A", "0.01", floor="101")
    assert not chosen(state, heap)
    assert excessive_only(replace(state, quotes=(heap,)))
    assert excessive_only(replace(state, quotes=(heap, quote("E", "1", "EUR"))))
    assert chosen(replace(state, excess_agreed=True), heap) == [("A", "101")]
    assert chosen(state, heap, quote("B", "9")) == [("B", "10")]
    assert not excessive_only(replace(state, quotes=(heap, quote("B", "9"))))
    assert limits.EXCESS == 10


# --- against a search over everything ---------------------------------------------------------------------------------

RATES = {"USD": D(1), "EUR": D("1.1"), "CNY": D("0.14")}


@st.composite
def offered(draw: st.DrawFn) -> Quote:
    pack = draw(st.sampled_from([D(1), D(10), D("0.5"), D(25)]))
    floors = sorted(draw(st.sets(st.integers(1, 40), min_size=1, max_size=3)))
    price = st.decimals(min_value=D("0.2"), max_value=3, places=2)
    return Quote(
        draw(st.sampled_from("ABCD")),
        draw(st.sampled_from("12")),
        draw(st.sampled_from(["USD", "EUR", "CNY", "XXX"])),
        tuple(Break(floor * pack, draw(price)) for floor in floors),
        pack,
        draw(st.integers(1, 3)),
        START + timedelta(days=14),
        minimum=draw(st.sampled_from([D(0), D(0), D(70)])),
        freight=draw(st.sampled_from([D(0), D(0), D("12.50")])),
    )


@settings(max_examples=60, deadline=None)
@given(
    quotes=st.lists(offered(), max_size=5, unique_by=lambda q: q.id),
    target=st.integers(2, 120),
    on_hand=st.integers(0, 120),
    on_order=st.integers(0, 60),
)
def test_nothing_that_could_be_bought_is_cheaper(quotes: list[Quote], target: int, on_hand: int, on_order: int) -> None:
    rates = Rates("USD", {c: r for c, r in RATES.items() if c != "USD"})
    state = begun(part(str(target), str(target)), str(on_hand), order("PO-1", str(on_order)), rates=rates)
    state = replace(state, quotes=tuple(quotes))
    missing = max(0, target - on_hand - on_order)
    assert need(state) == missing
    found = purchases(state)
    best = bruteforce.cheapest(
        [
            bruteforce.Offer(
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
            for q in quotes
        ],
        Fraction(missing),
        {c: Fraction(r) for c, r in RATES.items()},
    )
    if best is None:
        assert not found
        return
    first = found[0]
    assert (first.quote.supplier, first.quote.item) == (best.offer.supplier, best.offer.item)
    assert (Fraction(first.quantity), Fraction(first.unit_price)) == (best.quantity, best.unit_price)
    assert Fraction(first.landed) == best.landed
