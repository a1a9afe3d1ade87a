"""Taking in what comes: messages once by id, goods with absolute figures, decisions in
whatever order they meet the clock."""

from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest

from replenisher.domain.approval import Approval, ApprovalStatus, Verdict
from replenisher.domain.clockwork import time_passes
from replenisher.domain.conditions import live_approval, need_uncovered, people_said_no, position
from replenisher.domain.hearing import begin, covered, supersede_unwanted, take_in, verdict_heard
from replenisher.domain.message import OPERATOR, Message
from replenisher.domain.order import Order, OrderStatus, Unwanted
from replenisher.domain.question import Subject
from replenisher.domain.state import State
from support.inmemory import MemoryWorld
from support.making import (
    DUE,
    EARLIER,
    START,
    answers,
    approval,
    asks,
    counter,
    days,
    goods,
    order,
    question,
    reply,
    state,
)

D = Decimal
S = OrderStatus
A = ApprovalStatus
NO = Verdict(False, "boss", reason="too dear")
YES = Verdict(True, "boss")


def stop(number: str = "o-1", at: datetime = START) -> Message:
    return Message(number, OPERATOR, at, "operator", text="not needed")


# --- once -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "waiting"),
    [
        (reply(), state(order(S.SENT))),
        (goods("200"), state(order(S.ACCEPTED))),
        (stop(), state(order(S.SENT))),
        (
            answers(question(Subject.NO_REPLY), "chase_again"),
            state(order(S.SENT, reply_chases=3), questions=[question(Subject.NO_REPLY)]),
        ),
    ],
)
def test_a_message_applies_once_by_its_id(message: Message, waiting: State) -> None:
    once = take_in(waiting, message)
    assert once != waiting
    assert take_in(once, message) == once
    assert take_in(once, replace(message, text="another text", received=D(999))) == once


def test_two_messages_of_one_kind_both_count() -> None:
    after = take_in(take_in(state(order(S.SENT)), reply("m-1")), reply("m-2"))
    assert [m.id for m in after.unread] == ["m-1", "m-2"]


def test_a_message_brings_its_time() -> None:
    assert take_in(state(order(S.SENT)), reply(at=days(3))).now == days(3)
    assert take_in(state(order(S.SENT), now=days(5)), reply(at=days(3))).now == days(5)
    assert take_in(state(order(S.SENT)), reply(at=days(7))).orders["PO-4471"].overdue == "reply"


def test_an_unknown_kind_of_message_changes_nothing_but_is_remembered() -> None:
    after = take_in(state(order(S.SENT)), replace(reply(), event="gossip"))
    assert after == state(order(S.SENT), heard=("m-1",))


# --- goods ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "received", "then", "outstanding"),
    [
        (S.SENT, "200", S.ACCEPTED, "250"),
        (S.SENT, "450", S.RECEIVED, "0"),
        (S.ACCEPTED, "200", S.ACCEPTED, "250"),
        (S.ACCEPTED, "450", S.RECEIVED, "0"),
        (S.ACCEPTED, "460", S.RECEIVED, "0"),
        (S.UNKNOWN, "200", S.ACCEPTED, "250"),
        (S.UNKNOWN, "450", S.RECEIVED, "0"),
        (S.DECLINED, "450", S.RECEIVED, "0"),
        (S.DECLINED, "200", S.ACCEPTED, "250"),
        (S.CANCELLED, "450", S.RECEIVED, "0"),
        (S.CANCELLED, "200", S.CANCELLED, "0"),
        (S.RECEIVED, "460", S.RECEIVED, "0"),
    ],
)
def test_goods_tell_what_became_of_an_order(
    status: OrderStatus, received: str, then: OrderStatus, outstanding: str
) -> None:
    one = order(status, unwanted=Unwanted.CANNOT_DELIVER if status is S.DECLINED else None)
    after = take_in(state(one), goods(received))
    got = after.orders["PO-4471"]
    assert (got.status, got.received, got.outstanding) == (then, D(received), D(outstanding))
    assert after.on_hand == D(received) + 60


def test_figures_are_absolute_so_order_and_repetition_do_not_matter() -> None:
    late = take_in(take_in(state(order(S.ACCEPTED)), goods("450", "g-2", note="DN-2")), goods("200", "g-1"))
    assert (late.orders["PO-4471"].received, late.orders["PO-4471"].status) == (D(450), S.RECEIVED)


def test_200_then_250_close_the_order_and_two_notes_of_200_do_not() -> None:
    first = take_in(state(order(S.ACCEPTED)), goods("200", "g-1"))
    assert take_in(first, goods("450", "g-2", note="DN-2")).orders["PO-4471"].status is S.RECEIVED
    second = take_in(first, goods("400", "g-2", note="DN-2"))
    assert (second.orders["PO-4471"].status, second.orders["PO-4471"].outstanding) == (S.ACCEPTED, D(50))
    assert take_in(second, goods("450", "g-3", note="DN-3")).orders["PO-4471"].status is S.RECEIVED


def test_what_has_come_whole_is_wanted_after_all() -> None:
    one = order(S.DECLINED).discarded(Unwanted.CANNOT_DELIVER, "cannot")
    assert take_in(state(one), goods("450")).orders["PO-4471"].unwanted is None


def test_goods_are_an_acknowledgement() -> None:
    got = take_in(state(order(S.SENT, overdue="reply")), goods("200", at=days(3))).orders["PO-4471"]
    assert (got.acknowledged_at, got.overdue, got.due) == (days(3), None, DUE)


def test_goods_for_no_order_of_ours_still_count_on_hand() -> None:
    after = take_in(state(order(S.SENT)), goods("70", po="PO-1"))
    assert (after.on_hand, after.orders) == (D(130), {"PO-4471": order(S.SENT)})


def test_more_than_the_tolerance_is_held_for_the_buyer() -> None:
    after = take_in(state(order(S.ACCEPTED)), goods("450", excess=D(50)))
    [held] = after.held
    assert (held.po, held.note, held.excess, held.agreed) == ("PO-4471", "DN-1", D(50), False)


def test_a_draft_is_dropped_when_goods_cover_the_need() -> None:
    draft = order(po="PO-4472")
    waiting = state(order(S.UNKNOWN, run=EARLIER), draft, approvals=[approval(id="PO-4472/1", po="PO-4472")])
    after = take_in(waiting, goods("450"))
    assert after.orders["PO-4472"].unwanted is Unwanted.SUPERSEDED
    assert after.approvals["PO-4472/1"].status is A.SUPERSEDED


# --- the operator -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", list(S))
@pytest.mark.parametrize("run", [None, EARLIER])
def test_the_operator_ends_what_this_run_has_under_way(status: OrderStatus, run: str | None) -> None:
    after = take_in(state(order(status, **({} if run is None else {"run": run}))), stop())
    ended = run is None and status in (S.DRAFT, S.SENT, S.ACCEPTED)
    assert after.orders["PO-4471"].unwanted == (Unwanted.OPERATOR if ended else None)
    assert after.cancel_requested == "not needed"


def test_an_open_request_ends_with_it() -> None:
    after = take_in(state(order(), approvals=[approval()]), stop())
    assert after.approvals["PO-4471/1"].status is A.SUPERSEDED


def test_the_first_reason_of_the_operator_stays() -> None:
    after = take_in(take_in(state(), stop()), replace(stop("o-2"), text="again"))
    assert after.cancel_requested == "not needed"
    assert take_in(state(), replace(stop(), text="")).cancel_requested == "the operator asked"


# --- decisions --------------------------------------------------------------------------------------------------------


def test_a_yes_covers_the_draft_from_when_it_was_heard() -> None:
    after = verdict_heard(state(order(), approvals=[approval()]), "PO-4471/1", YES, days(2))
    assert after.approvals["PO-4471/1"].holds_until == days(7)
    assert live_approval(after, order()) is not None
    assert after.now == days(2)


@pytest.mark.parametrize(("reason", "unwanted"), [("order", Unwanted.REJECTED), ("terms", Unwanted.TERMS_REJECTED)])
def test_a_no_makes_the_order_unwanted(reason: Any, unwanted: Unwanted) -> None:
    one = order() if reason == "order" else order(S.SENT, counter=counter())
    asked = approval(reason=reason) if reason == "order" else approval(reason=reason, unit_price=D("4.54"))
    after = verdict_heard(state(one, approvals=[asked]), asked.id, NO, START)
    assert after.orders["PO-4471"].unwanted is unwanted
    assert "too dear" in after.orders["PO-4471"].unwanted_why
    assert people_said_no(after)


def test_a_no_for_another_quote_names_it() -> None:
    after = verdict_heard(
        state(order(), approvals=[approval()]), "PO-4471/1", Verdict(False, "boss", another="C/C-123"), START
    )
    assert after.wanted_quote == "C/C-123"
    assert not people_said_no(after)


def test_a_no_to_a_raise_after_the_goods_came_leaves_them_received() -> None:
    one = order(S.RECEIVED, received=D(450), counter=counter(after_acceptance=True))
    asked = approval(reason="terms", unit_price=D("4.54"))
    after = verdict_heard(state(one, approvals=[asked]), asked.id, NO, START)
    got = after.orders["PO-4471"]
    assert (got.status, got.unwanted, got.counter, got.unit_price) == (S.RECEIVED, None, None, D("4.20"))


@pytest.mark.parametrize("first", [YES, NO])
@pytest.mark.parametrize("second", [YES, NO, Verdict(True, "deputy", D("4.30"))])
def test_the_first_decision_stands(first: Verdict, second: Verdict) -> None:
    once = verdict_heard(state(order(), approvals=[approval()]), "PO-4471/1", first, days(1))
    assert verdict_heard(once, "PO-4471/1", second, days(1)) == once


def test_a_decision_on_nothing_that_was_asked_changes_nothing() -> None:
    assert verdict_heard(state(order()), "PO-9999/1", YES, START) == state(order())


@pytest.mark.parametrize("verdict", [YES, NO])
def test_a_decision_just_before_the_end_counts(verdict: Verdict) -> None:
    after = verdict_heard(state(order(), approvals=[approval()]), "PO-4471/1", verdict, days(11.9))
    assert after.approvals["PO-4471/1"].status is (A.APPROVED if verdict.approved else A.REJECTED)
    assert time_passes(after, days(12)).approvals["PO-4471/1"].status is after.approvals["PO-4471/1"].status


def test_a_yes_on_a_superseded_request_covers_what_it_says_and_no_more() -> None:
    """It was said before the request was withdrawn: the price rose to 4.35 meanwhile, and 4.41 was the ceiling."""
    for price, enough in (("4.35", True), ("4.42", False)):
        one = order(unit_price=D(price))
        waiting = supersede_unwanted(state(one, approvals=[approval()]))
        assert waiting.approvals["PO-4471/1"].status is A.SUPERSEDED
        after = verdict_heard(waiting, "PO-4471/1", YES, START)
        assert (live_approval(after, one) is not None) is enough


def test_a_no_on_a_superseded_request_is_about_terms_nobody_offers_any_more() -> None:
    one = order(S.ACCEPTED)
    old = approval(A.SUPERSEDED, id="PO-4471/2", reason="terms", unit_price=D("4.54"))
    after = verdict_heard(state(one, approvals=[old]), old.id, NO, START)
    assert after.orders["PO-4471"] == one
    assert not people_said_no(after)


@pytest.mark.parametrize(
    ("one", "asked", "superseded"),
    [
        (order(), approval(), False),
        (order(unit_price=D("4.30")), approval(), True),
        (order(S.SENT), approval(), True),
        (order(S.UNKNOWN), approval(), True),
        (order(S.CANCELLED), approval(), True),
        (order(unwanted=Unwanted.BUYER), approval(), True),
        (order(S.SENT, counter=counter()), approval(reason="terms", unit_price=D("4.54")), False),
        (order(S.SENT, counter=counter("4.60")), approval(reason="terms", unit_price=D("4.54")), True),
        (order(S.SENT, counter=counter("4.54", "EUR")), approval(reason="terms", unit_price=D("4.54")), True),
        (order(S.SENT, counter=counter(quantity="400")), approval(reason="terms", unit_price=D("4.54")), True),
        (order(S.ACCEPTED), approval(reason="terms", unit_price=D("4.54")), True),
        (order(po="PO-4472"), approval(), True),
    ],
)
def test_a_request_for_what_is_no_longer_on_the_table_is_superseded(
    one: Order, asked: Approval, superseded: bool
) -> None:
    after = supersede_unwanted(state(one, approvals=[asked])).approvals[asked.id]
    assert after.status is (A.SUPERSEDED if superseded else A.OPEN)


# --- beginning --------------------------------------------------------------------------------------------------------


def test_a_run_begins_with_what_the_entity_hands_over() -> None:
    world = MemoryWorld()
    carried = order(S.ACCEPTED, run=EARLIER)
    first = begin(world.assignment(2, orders=[carried], mailbox=[reply("m-9")], rules_version=2))
    assert (first.run, first.n, first.rules_version, first.on_hand) == ("replenish-SKU-123-2", 2, 2, D(60))
    assert first.orders == {"PO-4471": carried}
    assert [m.id for m in first.unread] == ["m-9"]
    assert position(first) == 510


@pytest.mark.parametrize("status", list(S))
def test_a_draft_of_an_ended_run_is_nobodys(status: OrderStatus) -> None:
    first = begin(MemoryWorld().assignment(2, orders=[order(status, run=EARLIER)]))
    left = Unwanted.LEFT_OVER if status is S.DRAFT else None
    assert first.orders["PO-4471"].unwanted == left
    assert position(first) == (510 if status in (S.SENT, S.ACCEPTED) else 60)


def test_goods_told_before_the_stock_was_read_are_in_it_already() -> None:
    """On hand was read after the note was booked, and 190 were used since."""
    world = MemoryWorld()
    world.records.on_hand = D(70)
    carried = order(S.ACCEPTED, run=EARLIER, quantity=D(200), received=D(200))
    first = begin(world.assignment(2, orders=[carried], mailbox=[goods("200", on_hand=D(260))]))
    assert first.on_hand == 70
    assert first.orders["PO-4471"].status is S.RECEIVED
    assert need_uncovered(first)


# --- answers reach their question only --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("choice", "change"),
    [("accept", {"choice": "cancel"}), ("accept", {"unanswered": True}), ("write_off", {}), ("", {}), ("give_up", {})],
)
def test_an_answer_to_a_closed_question_or_off_its_list_changes_nothing(choice: str, change: dict[str, Any]) -> None:
    asked = question(Subject.LATE_DATE, **change)
    waiting = state(order(S.SENT, counter=counter(promised=DUE), question=asks()), questions=[asked])
    after = take_in(waiting, answers(asked, choice))
    assert after == replace(waiting, heard=("a-1",))


def test_an_answer_to_a_question_nobody_asked_changes_nothing() -> None:
    waiting = state(order(S.SENT))
    assert take_in(waiting, answers(question(Subject.NO_REPLY), "cancel")) == replace(waiting, heard=("a-1",))


# --- a duplicate ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("duplicate", "instead", "wanted"),
    [
        ({}, order(S.SENT, po="PO-4472"), False),
        ({}, order(S.DECLINED, po="PO-4472", unwanted=Unwanted.CANNOT_DELIVER), True),
        ({}, order(S.CANCELLED, po="PO-4472", unwanted=Unwanted.BUYER), True),
        ({}, order(S.DRAFT, po="PO-4472"), True),
        # once the supplier may have been told it is too late to want it
        ({"cancel_tries": 1}, order(S.CANCELLED, po="PO-4472"), False),
        ({"cancel_refused": True}, order(S.CANCELLED, po="PO-4472"), False),
        ({"status": S.CANCELLED}, order(S.CANCELLED, po="PO-4472"), False),
        ({"unwanted": Unwanted.BUYER}, order(S.CANCELLED, po="PO-4472"), False),
    ],
)
def test_it_is_none_any_more_when_what_was_ordered_instead_fell_through(
    duplicate: dict[str, Any], instead: Order, wanted: bool
) -> None:
    one = replace(order(S.SENT, run=EARLIER, unwanted=Unwanted.DUPLICATE), **duplicate)
    after = covered(state(one, instead))
    assert (after.orders["PO-4471"].unwanted is None) is wanted
    if wanted:
        assert position(after) == 510
        if instead.status is S.DRAFT:
            assert after.orders["PO-4472"].unwanted is Unwanted.SUPERSEDED
