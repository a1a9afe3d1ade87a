"""How a replenishment ends: received, cancelled, rejected, given up or failed, with
the reason, the POs and the money."""

from dataclasses import replace
from decimal import Decimal

import pytest

from replenisher.domain.approval import ApprovalStatus
from replenisher.domain.concluding import conclude, handed_over
from replenisher.domain.order import OrderStatus, Unwanted
from replenisher.domain.outcome import HELD, OutcomeStatus
from replenisher.domain.state import State
from support.making import EARLIER, approval, counter, days, no_quote, order, quote, state

D = Decimal
S = OrderStatus
A = ApprovalStatus
O = OutcomeStatus  # noqa: E741
ENOUGH = D(510)

REJECTED = approval(A.REJECTED, by="boss", why="too dear")
RAISE_REJECTED = approval(A.REJECTED, id="PO-4471/2", reason="terms", unit_price=D("4.54"), by="boss", why="no")
OLD = "PO-4400"


@pytest.mark.parametrize(
    ("last", "status", "says"),
    [
        # received
        (state(order(S.RECEIVED), on_hand=ENOUGH), O.RECEIVED, "PO-4471 is in"),
        (state(order(S.RECEIVED, run=EARLIER), on_hand=ENOUGH), O.RECEIVED, "PO-4471"),
        (
            state(order(S.RECEIVED), order(S.CANCELLED, po="PO-4472", unwanted=Unwanted.DUPLICATE), on_hand=ENOUGH),
            O.RECEIVED,
            "PO-4471",
        ),
        (state(order(S.RECEIVED, po="PO-4472"), order(S.UNKNOWN, run=EARLIER), on_hand=ENOUGH), O.RECEIVED, "PO-4472"),
        # the goods are in at the price agreed: the manager's no was to a raise afterwards
        (state(order(S.RECEIVED), on_hand=ENOUGH, approvals=[RAISE_REJECTED]), O.RECEIVED, "PO-4471"),
        (
            state(
                order(S.RECEIVED),
                on_hand=ENOUGH,
                approvals=[approval(A.UNANSWERED, reason="terms", unit_price=D("4.54"))],
            ),
            O.RECEIVED,
            "PO-4471",
        ),
        # part of it came and a person wrote off the rest
        (state(order(S.ACCEPTED, received=D(200), written_off=True), on_hand=D(260)), O.RECEIVED, "PO-4471"),
        # cancelled
        (state(order(S.CANCELLED, unwanted=Unwanted.OPERATOR), cancel_requested="stop"), O.CANCELLED, "operator: stop"),
        (state(on_hand=ENOUGH), O.CANCELLED, "nothing is needed"),
        (
            state(
                order(S.CANCELLED, run=EARLIER, unwanted=Unwanted.DUPLICATE, unwanted_why="the need is covered"),
                on_hand=D(400),
            ),
            O.CANCELLED,
            "PO-4471 (the need is covered)",
        ),
        # rejected
        (state(order(S.CANCELLED), approvals=[REJECTED]), O.REJECTED, "PO-4471/1 was rejected by boss: too dear"),
        (state(order(S.CANCELLED), approvals=[RAISE_REJECTED]), O.REJECTED, "PO-4471/2 was rejected by boss: no"),
        (
            state(order(S.CANCELLED), approvals=[approval(A.REJECTED, by="boss")]),
            O.REJECTED,
            "rejected by boss: no reason given",
        ),
        # gave up
        (state(order(S.CANCELLED), approvals=[approval(A.UNANSWERED)]), O.GAVE_UP, "nobody decided"),
        (state(order(S.ACCEPTED, overdue="goods")), O.GAVE_UP, "PO-4471 is still open"),
        (state(order(S.SENT, overdue="reply")), O.GAVE_UP, "PO-4471 is still open"),
        (state(unquoted=(no_quote("A", failed=False),)), O.GAVE_UP, "A A-123: has no price"),
        (state(quotes=(quote(currency="GBP"),)), O.GAVE_UP, "no rate known for GBP"),
        (state(gave_up="the buyer gave up: no price"), O.GAVE_UP, "the buyer gave up: no price"),
        (state(winding_down=True), O.GAVE_UP, "the turns ran out"),
        (
            state(order(S.CANCELLED), approvals=[approval(A.REJECTED, another="C/C-123")]),
            O.GAVE_UP,
            "no approved supplier",
        ),
        # an order of an earlier run that nobody answers about
        (state(order(S.ACCEPTED, run=EARLIER, overdue="goods")), O.GAVE_UP, "PO-4471 is still open"),
        # an old order came in, but this run's own need was not covered: the question must not come back every day
        (
            state(order(S.RECEIVED, po=OLD, run=EARLIER), order(S.CANCELLED), approvals=[approval(A.UNANSWERED)]),
            O.GAVE_UP,
            "nobody decided",
        ),
        (
            state(order(S.RECEIVED, po=OLD, run=EARLIER), unquoted=(no_quote("A", failed=False),)),
            O.GAVE_UP,
            "has no price",
        ),
        # still short and nothing to buy from, whatever became of an older order
        (state(order(S.UNKNOWN, run=EARLIER), unquoted=(no_quote("A", failed=False),)), O.GAVE_UP, "has no price"),
        # failed
        (state(order(S.UNKNOWN, checks=3)), O.FAILED, "nobody knows what became of PO-4471"),
        (state(order(S.UNKNOWN, run=EARLIER, checks=3), on_hand=ENOUGH), O.FAILED, "nobody knows"),
        (state(order(S.UNKNOWN, checks=3), cancel_requested="stop"), O.FAILED, "nobody knows"),
        (state(order(S.UNKNOWN, checks=3), winding_down=True), O.FAILED, "nobody knows"),
    ],
)
def test_the_outcome_and_its_reason(last: State, status: OutcomeStatus, says: str) -> None:
    outcome = conclude(last)
    assert (outcome.status, outcome.run, outcome.at) == (status, last.run, last.now)
    assert says in outcome.reason


def test_a_reason_is_bounded() -> None:
    many = tuple(no_quote(f"Supplier {n}", failed=True) for n in range(500))
    assert len(conclude(state(unquoted=many)).reason) <= 500


def test_the_money_of_every_order_is_told() -> None:
    one = order(S.RECEIVED, received=D(450), unit_price=D("4.35"), freight=D(20))
    [told] = conclude(state(one, on_hand=ENOUGH)).orders
    assert (told.po, told.supplier, told.quantity, told.received) == ("PO-4471", "A", D(450), D(450))
    assert (told.unit_price, told.currency, told.net, told.status) == (D("4.35"), "USD", D("1977.50"), "received")


def test_after_a_no_or_silence_nothing_starts_for_a_while() -> None:
    assert {O.REJECTED, O.GAVE_UP} == HELD


@pytest.mark.parametrize("status", list(S))
@pytest.mark.parametrize("closed", [False, True])
def test_what_the_entity_keeps(status: OrderStatus, closed: bool) -> None:
    kept = not closed and status in (S.UNKNOWN, S.SENT, S.ACCEPTED, S.DECLINED)
    one = order(status, closed=closed)
    assert handed_over(state(one)) == ([one] if kept else [])


def test_an_unanswered_counter_offer_stays_open() -> None:
    last = state(
        order(S.SENT, counter=counter()),
        approvals=[approval(A.UNANSWERED, reason="terms", unit_price=D("4.54"))],
        now=days(20),
    )
    assert conclude(last).status is O.GAVE_UP
    assert [o.po for o in handed_over(last)] == ["PO-4471"]


@pytest.mark.parametrize(
    ("last", "status", "says"),
    [
        (state(), O.CANCELLED, "nothing is needed"),
        (state(order(S.RECEIVED, run=EARLIER)), O.RECEIVED, "PO-4471"),
        (state(order(S.CANCELLED, run=EARLIER, unwanted=Unwanted.DUPLICATE)), O.CANCELLED, "cancelled PO-4471"),
        (state(order(S.SENT, run=EARLIER)), O.GAVE_UP, "still open"),
    ],
)
def test_a_part_that_is_not_watched_is_not_given_up_for_being_short(
    last: State, status: OutcomeStatus, says: str
) -> None:
    """The run settled what was open; that there is too little in stock is not its business."""
    outcome = conclude(replace(last, buys=False))
    assert (outcome.status, says in outcome.reason) == (status, True), outcome.reason
