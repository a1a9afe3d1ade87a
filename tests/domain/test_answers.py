"""What the buyer is asked, once each, and what each of his answers changes."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from replenisher.domain.answers import answered, issues
from replenisher.domain.approval import ApprovalStatus
from replenisher.domain.order import Order, OrderStatus, Unwanted
from replenisher.domain.question import CHOICES, Question, Subject
from replenisher.domain.quote import Break
from replenisher.domain.state import HeldReceipt, State, Unreadable
from support.making import START, approval, asks, counter, days, no_quote, order, question, quote, quotes, state

D = Decimal
S = OrderStatus
A = ApprovalStatus
Q = Subject

HEAP = quote("A", breaks=(Break(D(5000), D("4.20")),), pack=D(5000))
LATE = date(2027, 1, 8)

ASKED: dict[Subject, State] = {
    Q.NO_QUOTE: state(quote_rounds=1, unquoted=(no_quote("A", failed=False),)),
    Q.EXCESS: state(quotes=(HEAP,)),
    Q.UNREADABLE: state(order(S.SENT), unreadable=(Unreadable("m-1", "PO-4471", "Bla"),)),
    Q.QUESTION: state(order(S.SENT, question=asks("other"))),
    Q.QUANTITY: state(order(S.SENT, counter=counter("4.20", quantity="200"))),
    Q.LATE_DATE: state(order(S.SENT, counter=counter("4.20", promised=LATE))),
    Q.NO_REPLY: state(order(S.SENT, overdue="reply", reply_chases=3)),
    Q.NO_GOODS: state(order(S.ACCEPTED, overdue="goods", goods_chases=3)),
    Q.NO_DECISION: state(order(), approvals=[approval(overdue=True, reminders=2)]),
    Q.TERMS_UNANSWERED: state(
        order(S.SENT, counter=counter("4.54")),
        approvals=[approval(A.UNANSWERED, reason="terms", unit_price=D("4.54"))],
    ),
    Q.CANCEL_REFUSED: state(order(S.SENT, unwanted=Unwanted.BUYER, cancel_refused=True), on_hand=D(100)),
    Q.CANCEL_UNKNOWN: state(order(S.SENT, unwanted=Unwanted.BUYER, cancel_tries=3), on_hand=D(100)),
    Q.OVER_DELIVERY: state(order(S.RECEIVED), on_hand=D(510), held=(HeldReceipt("PO-4471", "DN-1", D(50)),)),
}


def asked_about(subject: Subject, **changes: object) -> tuple[State, Question]:
    """The state in which a question of this subject is open, and the question."""
    waiting = ASKED[subject]
    [issue] = issues(waiting)
    one = replace(question(subject, issue.po), message=issue.message, **changes)  # type: ignore[arg-type]
    return waiting.with_question(one), one


def after(subject: Subject, choice: str, text: str = "") -> State:
    waiting, asked = asked_about(subject)
    assert choice in asked.choices
    told = replace(asked, choice=choice, answer=text, by="buyer")
    return answered(waiting.with_question(told), told, days(1))


def order_after(subject: Subject, choice: str, text: str = "") -> Order:
    return after(subject, choice, text).orders["PO-4471"]


# --- each subject is asked once ---------------------------------------------------------------------------------------


def test_every_subject_has_a_case_and_choices() -> None:
    assert set(ASKED) == set(Q) == set(CHOICES)


@pytest.mark.parametrize("subject", list(Q))
def test_each_is_asked_when_the_rules_run_out(subject: Subject) -> None:
    [issue] = issues(ASKED[subject])
    about = "need" if subject in (Q.NO_QUOTE, Q.EXCESS) else "PO-4471"
    assert (issue.subject, issue.key) == (subject, f"{about}/{subject.value}")
    assert issue.text


@pytest.mark.parametrize("subject", list(Q))
@pytest.mark.parametrize("unanswered", [False, True])
def test_none_is_asked_twice_while_it_is_open_or_stayed_unanswered(subject: Subject, unanswered: bool) -> None:
    waiting, _ = asked_about(subject, unanswered=unanswered)
    assert issues(waiting) == []


@pytest.mark.parametrize("subject", list(Q))
@pytest.mark.parametrize("end", [{"gave_up": "enough"}, {"winding_down": True}])
def test_nothing_is_asked_when_nothing_new_is_begun(subject: Subject, end: dict[str, object]) -> None:
    assert issues(replace(ASKED[subject], **end)) == []  # type: ignore[arg-type]


def test_two_orders_are_two_questions_and_two_mails_about_one_order_one() -> None:
    two = state(order(S.SENT, question=asks()), order(S.SENT, po="PO-4472", question=asks()))
    assert [i.key for i in issues(two)] == ["PO-4471/question", "PO-4472/question"]
    notes = (Unreadable("m-1", "PO-4471", "Bla"), Unreadable("m-2", "PO-4471", "Blub"), Unreadable("m-3", None, "?"))
    mails = state(order(S.SENT), unreadable=notes)
    assert [(i.key, i.message) for i in issues(mails)] == [("PO-4471/unreadable", "m-1"), ("need/unreadable", "m-3")]


def test_a_quantity_and_a_date_are_two_questions() -> None:
    both = state(order(S.SENT, counter=counter("4.20", quantity="200", promised=LATE)))
    assert [i.subject for i in issues(both)] == [Q.QUANTITY, Q.LATE_DATE]


# --- what is not asked ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "waiting",
    [
        state(),
        state(quotes=quotes()),
        state(quote_rounds=1, unquoted=(no_quote("A", failed=True),)),
        state(on_hand=D(100), quote_rounds=3),
        state(quotes=(HEAP,), excess_agreed=True),
        state(order(S.SENT, question=asks("dock"))),
        state(order(S.SENT, question=asks("other", answer="grey"))),
        state(order(S.SENT, question=asks(), unwanted=Unwanted.BUYER), on_hand=D(100)),
        state(order(S.SENT, counter=counter("4.54"))),
        state(order(S.SENT, counter=counter("4.20", promised=date(2026, 12, 13)))),
        state(order(S.SENT, counter=counter("4.20", quantity="200", quantity_agreed=True))),
        state(order(S.SENT, counter=counter("4.20", promised=LATE, date_agreed=True))),
        state(order(S.SENT, overdue="reply", reply_chases=2)),
        state(order(S.ACCEPTED, overdue="goods", goods_chases=2)),
        state(order(), approvals=[approval(overdue=True, reminders=1)]),
        state(order(), approvals=[approval(reminders=2)]),
        state(order(S.SENT, unwanted=Unwanted.BUYER, cancel_tries=2), on_hand=D(100)),
        state(order(S.CANCELLED, unwanted=Unwanted.BUYER, cancel_tries=3), on_hand=D(100)),
        state(order(S.RECEIVED), on_hand=D(510), held=(HeldReceipt("PO-4471", "DN-1", D(50), agreed=True),)),
        # an unknown order whose checks are spent ends the run without asking
        state(order(S.UNKNOWN, checks=3)),
        # written off is decided
        state(order(S.ACCEPTED, overdue="goods", goods_chases=3, written_off=True), on_hand=D(100)),
    ],
)
def test_what_the_rules_know_is_not_asked(waiting: State) -> None:
    assert issues(waiting) == []


@pytest.mark.parametrize(
    ("waiting", "says"),
    [
        (state(quote_rounds=1, unquoted=(no_quote("A", failed=False),)), "A A-123: has no price"),
        (state(quote_rounds=1, quotes=(quote("A", currency="GBP"),)), "A A-123: no rate known for GBP"),
        (state(quote_rounds=1, items=()), "no approved supplier for this part"),
        (state(quote_rounds=1, quotes=quotes(), rules_version=2), "3 valid quotes are too few"),
    ],
)
def test_the_question_names_what_is_missing(waiting: State, says: str) -> None:
    [issue] = issues(waiting)
    assert issue.subject is Q.NO_QUOTE
    assert says in issue.text


# --- what an answer changes -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("subject", [s for s in Q if "give_up" in CHOICES[s]])
def test_giving_up_ends_the_run(subject: Subject) -> None:
    ended = after(subject, "give_up")
    assert ended.gave_up is not None
    assert ended.stopping


@pytest.mark.parametrize("subject", [s for s in Q if "cancel" in CHOICES[s]])
def test_cancelling_drops_the_order_and_its_supplier(subject: Subject) -> None:
    ended = after(subject, "cancel")
    assert ended.orders["PO-4471"].unwanted is Unwanted.BUYER
    assert ended.dropped == ("A",)


def test_looking_again_opens_new_rounds_at_once() -> None:
    again = after(Q.NO_QUOTE, "look_again")
    assert (again.quote_rounds, again.quoted_at) == (0, None)


def test_an_excess_may_be_ordered_when_the_buyer_says_so() -> None:
    assert after(Q.EXCESS, "accept").excess_agreed


def test_the_buyers_words_are_the_answer_to_the_supplier() -> None:
    said = order_after(Q.QUESTION, "answer", "grey").question
    assert said is not None
    assert said.answer == "grey"


def test_a_smaller_quantity_and_a_later_date_are_accepted_apart() -> None:
    smaller, later = order_after(Q.QUANTITY, "accept").counter, order_after(Q.LATE_DATE, "accept").counter
    assert smaller is not None
    assert later is not None
    assert (smaller.quantity_agreed, smaller.date_agreed) == (True, False)
    assert (later.quantity_agreed, later.date_agreed) == (False, True)


def test_chasing_again_begins_a_new_count() -> None:
    assert order_after(Q.NO_REPLY, "chase_again").reply_chases == 0
    assert order_after(Q.NO_GOODS, "chase_again").goods_chases == 0


def test_written_off_nothing_more_is_expected() -> None:
    one = order_after(Q.NO_GOODS, "write_off")
    assert (one.written_off, one.overdue, one.outstanding) == (True, None, 0)


def test_waiting_on_for_the_manager() -> None:
    one = after(Q.NO_DECISION, "look_again").approvals["PO-4471/1"]
    assert (one.overdue, one.status, one.reminded_at) == (False, A.OPEN, START)


def test_an_order_that_cannot_be_cancelled_may_be_kept() -> None:
    kept = order_after(Q.CANCEL_REFUSED, "accept")
    assert (kept.unwanted, kept.cancel_refused, kept.live) == (None, False, True)


def test_a_cancellation_may_be_tried_again() -> None:
    again = order_after(Q.CANCEL_UNKNOWN, "look_again")
    assert (again.cancel_tries, again.unwanted) == (0, Unwanted.BUYER)


@pytest.mark.parametrize(("choice", "held"), [("accept", [True]), ("leave", [])])
def test_an_over_delivery_is_booked_or_left(choice: str, held: list[bool]) -> None:
    assert [h.agreed for h in after(Q.OVER_DELIVERY, choice).held] == held


def test_an_ignored_mail_is_gone() -> None:
    ended = after(Q.UNREADABLE, "ignore")
    assert (ended.unreadable, ended.unread, ended.orders) == ((), (), {"PO-4471": order(S.SENT)})


@pytest.mark.parametrize(("choice", "accepted"), [("confirmed", True), ("declined", False)])
def test_what_a_person_read_counts_as_the_reading(choice: str, accepted: bool) -> None:
    ended = after(Q.UNREADABLE, choice)
    [mail] = ended.unread
    assert ended.unreadable == ()
    assert mail.reading is not None
    assert (mail.reading.accepted, mail.reading.declined, mail.actor, mail.po) == (
        accepted,
        not accepted,
        "A",
        "PO-4471",
    )
    assert mail.id != "m-1"


@pytest.mark.parametrize("subject", list(Q))
def test_no_answer_orders_or_spends_anything_by_itself(subject: Subject) -> None:
    for choice in CHOICES[subject]:
        ended = after(subject, choice)
        for po, one in ended.orders.items():
            was = ASKED[subject].orders[po]
            assert (one.status, one.quantity, one.unit_price, one.ceiling) == (
                was.status,
                was.quantity,
                was.unit_price,
                was.ceiling,
            )
        statuses = {a.status for a in ended.approvals.values()}
        assert A.APPROVED not in statuses
