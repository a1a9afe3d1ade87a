"""Deadlines: 3 days for a decision within 12, 7 for a reply, two after the promised date for goods, 3 for the buyer."""

from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from replenisher.domain.approval import Approval, ApprovalStatus
from replenisher.domain.clockwork import (
    decision_due,
    end_of,
    goods_due,
    next_deadline,
    reply_due,
    retries,
    time_passes,
)
from replenisher.domain.order import OrderStatus, Unwanted
from replenisher.domain.question import Subject
from replenisher.domain.state import State
from support.making import DUE, START, approval, asks, counter, days, no_quote, order, question, quotes, state

D = Decimal
S = OrderStatus
A = ApprovalStatus


# --- decisions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "due"),
    [
        (approval(), 3),
        (approval(reminders=1, reminded_at=days(3)), 6),
        (approval(reminders=2, reminded_at=days(6)), 9),
        (approval(reminders=2, reminded_at=days(9.5)), 12),
        (approval(overdue=True), 12),
    ],
)
def test_when_a_decision_is_due(asked: Approval, due: float) -> None:
    assert decision_due(asked) == days(due)


@pytest.mark.parametrize(
    ("at", "status", "overdue"),
    [
        (2.999, A.OPEN, False),
        (3, A.OPEN, True),
        (11.999, A.OPEN, True),
        (12, A.UNANSWERED, False),
        (40, A.UNANSWERED, False),
    ],
)
def test_silence_becomes_overdue_and_the_request_ends(at: float, status: ApprovalStatus, overdue: bool) -> None:
    after = time_passes(state(order(), approvals=[approval()]), days(at))
    one = after.approvals["PO-4471/1"]
    assert (one.status, one.overdue, after.now) == (status, overdue, days(at))


@pytest.mark.parametrize("status", [A.APPROVED, A.REJECTED, A.SUPERSEDED, A.UNANSWERED])
def test_a_decided_request_does_not_become_overdue(status: ApprovalStatus) -> None:
    asked = approval(status)
    assert time_passes(state(order(), approvals=[asked]), days(30)).approvals == {asked.id: asked}


# --- replies ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "due"),
    [({}, 7), ({"sent_at": days(2)}, 9), ({"chased_at": days(7), "chases": 1}, 14), ({"sent_at": None}, None)],
)
def test_a_reply_is_due_after_seven_days(change: dict[str, Any], due: float | None) -> None:
    assert reply_due(order(S.SENT, **change)) == (None if due is None else days(due))


@pytest.mark.parametrize(
    ("change", "at", "overdue"),
    [
        ({}, 6.999, None),
        ({}, 7, "reply"),
        ({"chased_at": days(7)}, 13.999, None),
        ({"chased_at": days(7)}, 14, "reply"),
        ({"unwanted": Unwanted.BUYER}, 30, None),
        ({"counter": counter()}, 30, None),
        ({"question": asks()}, 30, None),
        ({"written_off": True}, 30, None),
    ],
)
def test_when_a_reply_is_overdue(change: dict[str, Any], at: float, overdue: str | None) -> None:
    assert time_passes(state(order(S.SENT, **change)), days(at)).orders["PO-4471"].overdue == overdue


# --- goods ------------------------------------------------------------------------------------------------------------


def at(day: int, hour: int = 0) -> datetime:
    return datetime(2026, 12, day, hour, tzinfo=START.tzinfo)


def test_a_day_ends_at_midnight() -> None:
    assert end_of(date(2026, 12, 8)) == at(9)
    assert end_of(date(2026, 12, 31)) == datetime(2027, 1, 1, tzinfo=START.tzinfo)


@pytest.mark.parametrize(
    ("change", "due"),
    [
        # due on the 8th: the whole day, and two more of grace
        ({}, at(11)),
        ({"due": date(2026, 12, 20)}, at(23)),
        ({"due": None}, None),
        # after a chase 7 days, but never before the promised date's own grace
        ({"goods_chases": 1, "chased_at": at(11)}, at(18)),
        ({"goods_chases": 1, "chased_at": at(11), "due": date(2026, 12, 28)}, at(31)),
        ({"due": None, "goods_chases": 1, "chased_at": at(11)}, at(18)),
        # a chase for the reply is none for the goods
        ({"reply_chases": 1, "chased_at": at(8)}, at(11)),
    ],
)
def test_when_goods_are_due(change: dict[str, Any], due: datetime | None) -> None:
    assert goods_due(order(S.ACCEPTED, **change)) == due


@pytest.mark.parametrize(
    ("change", "when", "overdue"),
    [
        ({}, at(10, 23), None),
        ({}, at(11), "goods"),
        ({"received": D(200)}, at(11), "goods"),
        ({"received": D(450)}, at(30), None),
        ({"counter": counter()}, at(30), None),
        ({"unwanted": Unwanted.BUYER}, at(30), None),
        ({"written_off": True}, at(30), None),
    ],
)
def test_when_goods_are_overdue(change: dict[str, Any], when: datetime, overdue: str | None) -> None:
    assert time_passes(state(order(S.ACCEPTED, **change)), when).orders["PO-4471"].overdue == overdue


def test_an_open_question_of_the_supplier_does_not_stop_the_goods() -> None:
    assert time_passes(state(order(S.ACCEPTED, question=asks())), at(11)).orders["PO-4471"].overdue == "goods"


@pytest.mark.parametrize("status", [S.DRAFT, S.UNKNOWN, S.DECLINED, S.REFUSED, S.RECEIVED, S.CANCELLED])
def test_nobody_is_late_with_what_is_not_under_way(status: OrderStatus) -> None:
    assert time_passes(state(order(status)), days(60)).orders["PO-4471"].overdue is None


def test_a_cancelled_rest_is_not_chased() -> None:
    """odoo PR 268488: ordered 2, received 1, rest cancelled."""
    one = order(S.CANCELLED, quantity=D(2), received=D(1), due=DUE)
    assert time_passes(state(one), days(60)).orders["PO-4471"].overdue is None


# --- the buyer --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("when", "unanswered"), [(2.999, False), (3, True), (9, True)])
def test_the_buyer_has_three_days(when: float, unanswered: bool) -> None:
    asked = question(Subject.LATE_DATE)
    assert time_passes(state(questions=[asked]), days(when)).questions[asked.id].unanswered is unanswered


def test_an_answered_question_stays_answered() -> None:
    asked = question(Subject.LATE_DATE, choice="accept")
    assert time_passes(state(questions=[asked]), days(9)).questions[asked.id] == asked


# --- the next deadline ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("waiting", "until"),
    [
        (state(), 1),
        (state(order(), approvals=[approval()]), 3),
        (state(order(S.SENT)), 7),
        (state(questions=[question(Subject.NO_QUOTE, None)]), 3),
        (state(order(S.SENT), questions=[question(Subject.QUESTION)], now=days(1)), 3),
        (state(order(S.SENT), order(po="PO-4472"), approvals=[approval(po="PO-4472", requested_at=days(5))]), 7),
        (state(order(tried_at=days(0.5)), now=days(0.6)), 1.5),
    ],
)
def test_a_wait_ends_at_the_first_of_all_deadlines(waiting: State, until: float) -> None:
    assert next_deadline(waiting) == days(until)


def test_what_is_overdue_already_is_not_waited_for_again() -> None:
    waiting = state(
        order(S.SENT, overdue="reply"), questions=[question(Subject.NO_REPLY, asked_at=days(8))], now=days(8)
    )
    assert next_deadline(waiting) == days(11)


def test_a_request_that_reached_nobody_is_made_again_a_day_later() -> None:
    waiting = state(order(), approvals=[approval(delivered=False)])
    assert next_deadline(waiting) == days(1)
    assert next_deadline(time_passes(waiting, days(1))) > days(1)


# --- what is tried again ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("waiting", "due"),
    [
        (state(), []),
        (state(order(tried_at=START)), [1]),
        (state(order(tried_at=START), now=days(1)), []),
        (state(order(S.UNKNOWN, tried_at=START, checks=2)), [1]),
        (state(order(S.UNKNOWN, tried_at=START, checks=3)), []),
        (state(order(S.SENT, unwanted=Unwanted.BUYER, tried_at=START, cancel_tries=2)), [1]),
        (state(order(S.SENT, unwanted=Unwanted.BUYER, tried_at=START, cancel_tries=3)), []),
        (state(order(S.RECEIVED, tried_at=START)), [1]),
        (state(order(S.RECEIVED, tried_at=START, closed=True)), []),
        (state(draft_failed_at=START), [1]),
        (state(draft_failed_at=START, on_hand=D(100)), []),
        (state(quote_rounds=1, quoted_at=START, unquoted=(no_quote("A", failed=True),)), [1]),
        (state(quote_rounds=1, quoted_at=START, unquoted=(no_quote("A", failed=False),)), []),
        (state(quote_rounds=3, quoted_at=START, unquoted=(no_quote("A", failed=True),)), []),
        (state(quote_rounds=1, quoted_at=START, quotes=quotes()), []),
    ],
)
def test_what_may_be_tried_again_and_when(waiting: State, due: list[float]) -> None:
    assert retries(waiting) == [days(n) for n in due]


def test_time_passes_once() -> None:
    """The same instant again changes nothing more."""
    waiting = state(order(S.SENT), approvals=[approval()], questions=[question(Subject.QUESTION)])
    for when in (1, 3, 7, 12, 20):
        once = time_passes(waiting, START + timedelta(days=when))
        assert time_passes(once, START + timedelta(days=when)) == once
