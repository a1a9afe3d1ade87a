"""What the manager is asked: for which orders, under which id, up to which price, and never twice for nothing."""

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from replenisher.domain.approval import Approval, ApprovalStatus, Verdict, decided
from replenisher.domain.order import Order, OrderStatus, Unwanted
from replenisher.domain.requesting import approvable, request
from support.making import EARLIER, approval, counter, days, order, reply, state

D = Decimal
S = OrderStatus
A = ApprovalStatus
TERMS = {"reason": "terms", "unit_price": D("4.54"), "ceiling": D("4.54")}


@pytest.mark.parametrize(
    ("one", "asked"),
    [
        (order(), True),
        (order(run=EARLIER), False),
        (order(unwanted=Unwanted.SUPERSEDED), False),
        (order(S.SENT), False),
        (order(S.UNKNOWN), False),
        (order(S.ACCEPTED), False),
        (order(S.SENT, counter=counter("4.54")), True),
        (order(S.ACCEPTED, counter=counter("4.54", after_acceptance=True)), True),
        (order(S.SENT, run=EARLIER, counter=counter("4.54")), True),
        (order(S.SENT, counter=counter("4.20", "EUR")), True),
        # costs no more than what was sent: no decision needed
        (order(S.SENT, counter=counter("4.20", promised=date(2026, 12, 10))), False),
        (order(S.SENT, counter=counter("4.10")), False),
        # the buyer is asked first
        (order(S.SENT, counter=counter("4.54", quantity="400")), False),
        (order(S.SENT, counter=counter("4.54", promised=date(2027, 1, 8))), False),
        (order(S.SENT, counter=counter("4.54", quantity="400", quantity_agreed=True)), True),
        (order(S.SENT, counter=counter("4.54", promised=date(2027, 1, 8), date_agreed=True)), True),
        (order(S.SENT, counter=counter("4.20", quantity="4500", quantity_agreed=True)), True),
    ],
)
def test_which_terms_need_a_decision(one: Order, asked: bool) -> None:
    assert approvable(state(one)) == ([one] if asked else [])


@pytest.mark.parametrize(
    ("one", "known", "asked"),
    [
        (order(), approval(A.OPEN), False),
        (order(), approval(A.APPROVED), False),
        (order(), approval(A.APPROVED, holds_until=days(0)), True),
        (order(), approval(A.UNANSWERED), False),
        (order(), approval(A.SUPERSEDED), True),
        (order(unit_price=D("4.50")), approval(A.APPROVED), True),
        (order(unit_price=D("4.50")), approval(A.UNANSWERED), True),
        (order(S.SENT, counter=counter("4.35")), approval(A.APPROVED), False),
        (order(S.SENT, counter=counter("4.35")), approval(A.APPROVED, holds_until=days(0)), True),
        (order(S.SENT, counter=counter("4.54")), approval(A.APPROVED), True),
        (order(S.SENT, counter=counter("4.54")), approval(A.OPEN, **TERMS), False),
        (order(S.SENT, counter=counter("4.54")), approval(A.UNANSWERED, **TERMS), False),
        (order(S.ACCEPTED, counter=counter("4.35", after_acceptance=True)), approval(A.APPROVED), True),
    ],
)
def test_what_was_asked_before(one: Order, known: Approval, asked: bool) -> None:
    assert approvable(state(one, approvals=[known])) == ([one] if asked else [])


@pytest.mark.parametrize(("delivered", "now", "asked"), [(True, 2, False), (False, 0.9, False), (False, 1, True)])
def test_a_request_that_reached_nobody_is_made_again_after_a_day(delivered: bool, now: float, asked: bool) -> None:
    waiting = state(order(), approvals=[approval(delivered=delivered)], now=days(now))
    assert bool(approvable(waiting)) is asked
    if asked:
        again = request(waiting, "PO-4471")
        assert (again.id, again.requested_at, again.expires_at) == ("PO-4471/1", days(1), days(12))


@pytest.mark.parametrize("change", [{"gave_up": "enough"}, {"winding_down": True}, {"unread": (reply(),)}])
def test_nobody_is_asked_while_it_ends_or_a_message_is_unread(change: dict[str, Any]) -> None:
    assert approvable(state(order(), **change)) == []


# --- the request ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("price", "ceiling"), [("4.20", "4.41"), ("4.35", "4.5675"), ("4.50", "4.725"), ("0.01", "0.0105"), ("20", "21")]
)
def test_a_draft_is_asked_up_to_five_per_cent_more(price: str, ceiling: str) -> None:
    asked = request(state(order(unit_price=D(price), freight=D(12))), "PO-4471")
    assert (asked.id, asked.reason, asked.quantity, asked.currency) == ("PO-4471/1", "order", D(450), "USD")
    assert (asked.unit_price, asked.ceiling, asked.freight) == (D(price), D(ceiling), D(12))
    assert (asked.requested_at, asked.expires_at) == (days(0), days(12))


@pytest.mark.parametrize(("price", "currency"), [("4.54", "USD"), ("4.20", "EUR"), ("6.00", "USD")])
def test_a_counter_offer_has_its_own_price_as_ceiling(price: str, currency: str) -> None:
    asked = request(state(order(S.SENT, counter=counter(price, currency))), "PO-4471")
    assert (asked.reason, asked.unit_price, asked.ceiling, asked.currency) == ("terms", D(price), D(price), currency)


def test_ids_count_up_by_po() -> None:
    first, second = order(), order(po="PO-4472")
    known = [approval(A.SUPERSEDED), approval(A.SUPERSEDED, id="PO-4471/2")]
    waiting = state(first, second, approvals=known)
    assert request(waiting, "PO-4471").id == "PO-4471/3"
    assert request(waiting, "PO-4472").id == "PO-4472/1"


def test_a_yes_to_what_is_asked_covers_what_is_asked() -> None:
    """Asked and approved, nothing more has to be asked: for a draft, for a counter-offer and for a raise afterwards."""
    for one in (
        order(),
        order(S.SENT, counter=counter("4.54")),
        order(S.ACCEPTED, counter=counter("4.54", after_acceptance=True)),
    ):
        waiting = state(one, now=days(1))
        asked = request(waiting, "PO-4471")
        told = replace(waiting, approvals={asked.id: decided(asked, Verdict(True, "boss"), days(1))})
        assert approvable(told) == []


# --- ids --------------------------------------------------------------------------------------------------------------


def test_a_later_replenishment_never_uses_an_id_of_an_earlier_one() -> None:
    """It may not know what was asked before: that run may have been killed. The manager's inbox knows."""
    carried = order(S.SENT, run=EARLIER, counter=counter("4.54"))
    first = request(state(carried, n=2), carried.po)
    assert first.id == "PO-4471/2-1"
    superseded = replace(first, status=A.SUPERSEDED)
    assert request(state(carried, n=2, approvals=[superseded]), carried.po).id == "PO-4471/2-2"
    assert request(state(carried, n=3), carried.po).id == "PO-4471/3-1"
    assert first.id.rpartition("/")[0] == carried.po
