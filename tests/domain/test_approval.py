"""A decision is a range of prices for one PO, quantity and currency, for a time: what
it covers, and what it does not."""

from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from replenisher.domain.approval import ApprovalStatus, Verdict, decided, objection
from support.making import START, approval, days

D = Decimal
A = ApprovalStatus
TERMS: dict[str, Any] = {
    "po": "PO-4471",
    "quantity": D(450),
    "unit_price": D("4.20"),
    "currency": "USD",
    "freight": D(0),
    "at": START,
}


@pytest.mark.parametrize(
    ("terms", "covered"),
    [
        ({}, True),
        ({"unit_price": D("4.41")}, True),
        ({"unit_price": D("4.4100")}, True),
        ({"unit_price": D("4.41001")}, False),
        ({"unit_price": D("4.42")}, False),
        ({"unit_price": D("0.01")}, True),
        ({"currency": "EUR"}, False),
        ({"currency": "EUR", "unit_price": D("0.01")}, False),
        ({"currency": "usd"}, False),
        ({"quantity": D(449)}, False),
        ({"quantity": D(451)}, False),
        ({"quantity": D("450.0")}, True),
        ({"po": "PO-4472"}, False),
        ({"po": "PO-447"}, False),
        ({"freight": D("0.01")}, False),
        ({"at": days(4.999)}, True),
        ({"at": days(5)}, False),
        ({"at": days(6)}, False),
    ],
)
def test_what_a_decision_covers(terms: dict[str, Any], covered: bool) -> None:
    assert approval(A.APPROVED).covers(**{**TERMS, **terms}) is covered


@pytest.mark.parametrize("status", [s for s in A if s is not A.APPROVED])
def test_only_a_yes_covers(status: ApprovalStatus) -> None:
    one = replace(approval(A.APPROVED), status=status)
    assert not one.live(START)
    assert not one.covers(**TERMS)


@pytest.mark.parametrize(("freight", "covered"), [("0", True), ("25", True), ("25.01", False)])
def test_freight_up_to_what_was_asked_for(freight: str, covered: bool) -> None:
    assert approval(A.APPROVED, freight=D(25)).covers(**{**TERMS, "freight": D(freight)}) is covered


@pytest.mark.parametrize(("price", "covered"), [("4.20", True), ("4.30", True), ("4.31", False), ("4.41", False)])
def test_a_lowered_ceiling_holds(price: str, covered: bool) -> None:
    one = decided(approval(), Verdict(True, "boss", D("4.30")), START)
    assert one.approved_up_to == D("4.30")
    assert one.covers(**{**TERMS, "unit_price": D(price)}) is covered


def test_a_yes_holds_five_days_from_when_it_was_said() -> None:
    one = decided(approval(), Verdict(True, "boss"), days(2))
    assert one.holds_until == days(7)
    assert one.live(days(7) - timedelta(microseconds=1))
    assert not one.live(days(7))


# --- objections -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ceiling", "says"),
    [
        (None, None),
        ("4.41", None),
        ("4.30", None),
        ("4.20", None),
        ("4.42", "the ceiling can be lowered, not raised: 4.42 is above 4.41"),
        ("6", "the ceiling can be lowered, not raised: 6 is above 4.41"),
        ("4.19", "a ceiling of 4.19 is below the price 4.20: reject the request instead"),
        ("0", "a ceiling of 0 is below the price 4.20: reject the request instead"),
    ],
)
def test_a_ceiling_may_be_lowered_to_the_price_and_never_raised(ceiling: str | None, says: str | None) -> None:
    verdict = Verdict(True, "boss", None if ceiling is None else D(ceiling))
    assert objection(approval(), verdict) == says


@pytest.mark.parametrize("ceiling", [None, "1", "4.30", "9"])
def test_a_no_needs_no_ceiling(ceiling: str | None) -> None:
    assert objection(approval(), Verdict(False, "boss", None if ceiling is None else D(ceiling))) is None


@pytest.mark.parametrize("ceiling", ["4.42", "4.19", "0", "1000000"])
def test_money_is_never_approved_by_mistake(ceiling: str) -> None:
    one = decided(approval(), Verdict(True, "boss", D(ceiling)), START)
    assert one.status is A.REJECTED
    assert (one.approved_up_to, one.holds_until) == (None, None)
    assert not one.covers(**TERMS)


# --- the decision -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("approved", [True, False])
def test_a_decision_says_who_when_and_why(approved: bool) -> None:
    one = decided(approval(overdue=True), Verdict(approved, "boss", reason="as usual"), days(1))
    assert one.status is (A.APPROVED if approved else A.REJECTED)
    assert (one.by, one.why, one.decided_at, one.overdue, one.open) == ("boss", "as usual", days(1), False, False)


def test_a_no_may_ask_for_another_quote() -> None:
    assert decided(approval(), Verdict(False, "boss", another="C/C-123"), START).another == "C/C-123"


def test_a_counter_offer_is_approved_at_its_own_price() -> None:
    asked = approval(reason="terms", unit_price=D("4.54"), ceiling=D("4.54"))
    one = decided(asked, Verdict(True, "boss"), START)
    at: datetime = START
    assert one.covers("PO-4471", D(450), D("4.54"), "USD", D(0), at)
    assert not one.covers("PO-4471", D(450), D("4.55"), "USD", D(0), at)
