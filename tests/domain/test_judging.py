"""What a reply means for an order: agreed, another offer, a no, a question, noise, or nothing a rule can act on."""

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from replenisher.domain.judging import Meaning, agreed, judge, other_quantity, too_late
from replenisher.domain.order import Order, OrderStatus, Unwanted
from replenisher.domain.reading import Reading
from replenisher.domain.state import State
from support.making import DUE, EARLIER, START, asks, counter, days, order, state

D = Decimal
S = OrderStatus
M = Meaning
YES = Reading(accepted=True)


def judged(one: Order | None, reading: Reading, of: State | None = None, at: float = 1) -> tuple[Meaning, Order | None]:
    judgement = judge(of or state(*([one] if one else [])), one, reading, "m-2", days(at))
    return judgement.meaning, judgement.order


def kept(one: Order, reading: Reading, of: State | None = None) -> bool:
    return judge(of or state(one), one, reading, "m-2", days(1)).keeps


# --- the table: a reading against an order of 450 at 4.20 USD due on 8 December ---------------------------------------


@pytest.mark.parametrize(
    ("says", "differs"),
    [
        ({}, None),
        ({"unit_price": D("4.20"), "currency": "USD"}, None),
        ({"unit_price": D("4.2000")}, None),
        ({"quantity": D(450)}, None),
        ({"quantity": D("450.0")}, None),
        ({"promised_date": DUE}, None),
        ({"unit_price": D("4.20"), "currency": "USD", "quantity": D(450), "promised_date": DUE}, None),
        ({"unit_price": D("4.35"), "currency": "USD"}, ("4.35", "USD", "450", None)),
        ({"unit_price": D("4.35")}, ("4.35", "USD", "450", None)),
        ({"unit_price": D("4.54"), "currency": "USD"}, ("4.54", "USD", "450", None)),
        ({"unit_price": D("4.10"), "currency": "USD"}, ("4.10", "USD", "450", None)),
        ({"unit_price": D("4.2001"), "currency": "USD"}, ("4.2001", "USD", "450", None)),
        ({"unit_price": D("4.20"), "currency": "EUR"}, ("4.20", "EUR", "450", None)),
        ({"currency": "EUR"}, ("4.20", "EUR", "450", None)),
        ({"quantity": D(200)}, ("4.20", "USD", "200", None)),
        ({"quantity": D(4500)}, ("4.20", "USD", "4500", None)),
        ({"promised_date": date(2026, 12, 9)}, ("4.20", "USD", "450", date(2026, 12, 9))),
        ({"promised_date": date(2027, 2, 1)}, ("4.20", "USD", "450", date(2027, 2, 1))),
        ({"promised_date": date(2026, 12, 7)}, ("4.20", "USD", "450", date(2026, 12, 7))),
        (
            {"unit_price": D("6"), "currency": "EUR", "quantity": D(400), "promised_date": date(2026, 12, 24)},
            ("6", "EUR", "400", date(2026, 12, 24)),
        ),
    ],
)
def test_any_difference_makes_it_a_counter_offer(
    says: dict[str, Any], differs: tuple[str, str, str, date | None] | None
) -> None:
    one = order(S.SENT)
    meaning, after = judged(one, replace(YES, **says))
    assert after is not None
    if differs is None:
        assert (meaning, after.status, after.counter) == (M.AGREES, S.ACCEPTED, None)
        assert kept(one, replace(YES, **says))
        return
    assert (meaning, after.status) == (M.COUNTERS, S.SENT)
    offer = after.counter
    assert offer is not None
    price, currency, quantity, promised = differs
    assert (offer.unit_price, offer.currency, offer.quantity, offer.promised) == (
        D(price),
        currency,
        D(quantity),
        promised,
    )
    assert (after.unit_price, after.currency, after.quantity, after.due) == (D("4.20"), "USD", D(450), DUE)
    assert not kept(one, replace(YES, **says))


@pytest.mark.parametrize("says", [{"accepted": True}, {"shipped": True}, {"accepted": True, "shipped": True}])
def test_who_ships_has_accepted(says: dict[str, Any]) -> None:
    meaning, after = judged(order(S.SENT), Reading(**says))
    assert after is not None
    assert (meaning, after.status) == (M.AGREES, S.ACCEPTED)


def test_without_a_date_due_is_the_acknowledgement_and_the_lead_time() -> None:
    meaning, after = judged(order(S.SENT), YES, at=4)
    assert after is not None
    assert meaning is M.AGREES
    assert (after.due, after.acknowledged_at) == (date(2026, 12, 12), days(4))


def test_said_again_the_first_acknowledgement_stands() -> None:
    one = order(S.ACCEPTED, due=date(2026, 12, 12), acknowledged_at=days(4))
    meaning, after = judged(one, YES, at=6)
    assert after is not None
    assert meaning is M.AGREES
    assert (after.due, after.acknowledged_at) == (date(2026, 12, 12), days(4))


def test_an_acknowledgement_ends_what_was_overdue_and_on_the_table() -> None:
    _, after = judged(order(S.SENT, overdue="reply", counter=counter()), YES)
    assert after is not None
    assert (after.overdue, after.counter) == (None, None)


def test_an_offer_after_acceptance_is_marked() -> None:
    for status, marked in ((S.SENT, False), (S.ACCEPTED, True)):
        _, after = judged(order(status), replace(YES, unit_price=D("4.30"), currency="USD"))
        assert after is not None
        assert after.counter is not None
        assert after.counter.after_acceptance is marked


def test_the_same_offer_again_is_the_same_offer() -> None:
    """What a person agreed to is not asked again because the mail came twice."""
    offer = counter("4.54", quantity="200", quantity_agreed=True, date_agreed=True)
    one = order(S.SENT, counter=offer)
    meaning, after = judged(one, replace(YES, unit_price=D("4.54"), currency="USD", quantity=D(200)))
    assert after is not None
    assert (meaning, after.counter) == (M.COUNTERS, offer)


def test_another_offer_takes_its_place() -> None:
    one = order(S.SENT, counter=counter("4.54", quantity_agreed=True))
    _, after = judged(one, replace(YES, unit_price=D("4.60"), currency="USD"))
    assert after is not None
    assert after.counter is not None
    assert (after.counter.unit_price, after.counter.quantity_agreed, after.counter.message) == (D("4.60"), False, "m-2")


# --- no ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [S.SENT, S.ACCEPTED, S.DECLINED, S.UNKNOWN])
@pytest.mark.parametrize("more", [{}, {"accepted": True}, {"unit_price": D(6), "accepted": True}, {"question": True}])
def test_a_no_is_a_no_whatever_else_it_says(status: OrderStatus, more: dict[str, Any]) -> None:
    meaning, after = judged(order(status), Reading(declined=True, **more))
    assert after is not None
    assert (meaning, after.status, after.unwanted) == (M.DECLINES, S.DECLINED, Unwanted.CANNOT_DELIVER)


# --- questions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("topic", ["dock", "address", "contact", "vat", "other", None])
def test_a_question_is_kept_with_its_topic(topic: Any) -> None:
    meaning, after = judged(order(S.SENT), Reading(question=True, question_topic=topic, question_text="which dock?"))
    assert after is not None
    assert after.question is not None
    assert (meaning, after.status) == (M.ASKS, S.SENT)
    assert (after.question.topic, after.question.text) == (topic or "other", "which dock?")


def test_a_yes_with_a_question_is_both() -> None:
    meaning, after = judged(order(S.SENT), replace(YES, question=True, question_topic="dock"))
    assert after is not None
    assert (meaning, after.status) == (M.AGREES, S.ACCEPTED)
    assert after.question is not None


def test_a_price_asked_about_is_an_offer_and_no_yes() -> None:
    asked = Reading(question=True, question_topic="other", unit_price=D("4.54"), currency="USD")
    meaning, after = judged(order(S.SENT), asked)
    assert after is not None
    assert after.counter is not None
    assert (meaning, after.status, after.question) == (M.COUNTERS, S.SENT, None)


# --- what says nothing ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [*S, None])
@pytest.mark.parametrize("more", [{}, {"accepted": True}, {"declined": True}, {"question": True}])
def test_an_automatic_answer_says_nothing(status: OrderStatus | None, more: dict[str, Any]) -> None:
    one = None if status is None else order(status)
    assert judged(one, Reading(automatic=True, **more)) == (M.NOISE, one)


@pytest.mark.parametrize(
    "reading", [Reading(), Reading(unit_price=D(4)), Reading(promised_date=DUE), Reading(bank_details_changed=True)]
)
def test_what_is_neither_yes_nor_no_a_person_reads(reading: Reading) -> None:
    one = order(S.SENT)
    assert judged(one, reading) == (M.NOTHING, one)


@pytest.mark.parametrize("one", [None, order(S.DRAFT), order(S.REFUSED)])
@pytest.mark.parametrize("reading", [YES, Reading(declined=True), replace(YES, unit_price=D(6))])
def test_a_reply_to_what_was_never_sent_a_person_reads(one: Order | None, reading: Reading) -> None:
    assert judged(one, reading) == (M.NOTHING, one)


@pytest.mark.parametrize("one", [order(S.RECEIVED), order(S.CANCELLED), order(S.ACCEPTED, written_off=True)])
@pytest.mark.parametrize("reading", [YES, Reading(declined=True), replace(YES, unit_price=D(6)), Reading()])
def test_a_reply_to_what_is_over_changes_nothing(one: Order, reading: Reading) -> None:
    assert judged(one, reading) == (M.SETTLED, one)


# --- an order of unknown outcome --------------------------------------------------------------------------------------


def test_confirmed_while_it_is_needed_it_is_ours() -> None:
    one = order(S.UNKNOWN, run=EARLIER, tried_at=START, checks=3)
    meaning, after = judged(one, YES)
    assert after is not None
    assert (meaning, after.status, after.unwanted) == (M.AGREES, S.ACCEPTED, None)
    assert kept(one, YES)


@pytest.mark.parametrize(
    "others",
    [
        {"orders": (order(S.SENT, po="PO-4472"),)},
        {"orders": (order(S.ACCEPTED, po="PO-4472"),)},
        {"orders": (order(S.SENT, po="PO-4472", quantity=D(40)),)},
        {"orders": (), "on_hand": D(100)},
    ],
)
def test_confirmed_after_the_need_was_covered_it_is_a_duplicate(others: dict[str, Any]) -> None:
    one = order(S.UNKNOWN, run=EARLIER)
    of = state(one, *others["orders"], on_hand=others.get("on_hand", D(60)))
    meaning, after = judged(one, YES, of)
    assert after is not None
    assert (meaning, after.status, after.unwanted) == (M.AGREES, S.SENT, Unwanted.DUPLICATE)
    assert not kept(one, YES, of)


@pytest.mark.parametrize(
    "others",
    [
        (order(S.SENT, po="PO-4472", quantity=D(39)),),
        (order(S.DRAFT, po="PO-4472"),),
        (order(S.UNKNOWN, po="PO-4472"),),
        (order(S.SENT, po="PO-4472", unwanted=Unwanted.BUYER),),
        (),
    ],
)
def test_what_is_not_certain_to_come_covers_nothing(others: tuple[Order, ...]) -> None:
    one = order(S.UNKNOWN, run=EARLIER)
    _, after = judged(one, YES, state(one, *others))
    assert after is not None
    assert after.unwanted is None


def test_confirmed_at_other_terms_it_is_a_counter_offer() -> None:
    one = order(S.UNKNOWN, run=EARLIER)
    meaning, after = judged(one, replace(YES, unit_price=D("4.35"), currency="USD"))
    assert after is not None
    assert after.counter is not None
    assert (meaning, after.status, after.counter.unit_price) == (M.COUNTERS, S.SENT, D("4.35"))


def test_a_duplicate_at_other_terms_is_not_bargained_about() -> None:
    one = order(S.UNKNOWN, run=EARLIER)
    of = state(one, order(S.SENT, po="PO-4472"))
    _, after = judged(one, replace(YES, unit_price=D("4.35")), of)
    assert after is not None
    assert (after.unwanted, after.counter) == (Unwanted.DUPLICATE, None)


def test_confirmed_after_the_operator_ended_it_it_is_cancelled() -> None:
    one = order(S.UNKNOWN)
    _, after = judged(one, YES, state(one, cancel_requested="stop"))
    assert after is not None
    assert after.unwanted is Unwanted.OPERATOR


# --- tolerances -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("promised", "late"),
    [
        (None, False),
        (date(2026, 12, 1), False),
        (DUE, False),
        (date(2026, 12, 13), False),
        (date(2026, 12, 14), True),
        (date(2027, 1, 8), True),
    ],
)
def test_more_than_five_days_late_is_the_buyers_decision(promised: date | None, late: bool) -> None:
    assert too_late(order(S.SENT, counter=counter(promised=promised))) is late
    assert not too_late(order(S.SENT, counter=counter(promised=promised, date_agreed=True)))


@pytest.mark.parametrize(("quantity", "other"), [("450", False), ("449", True), ("451", True), ("1", True)])
def test_another_quantity_is_the_buyers_decision(quantity: str, other: bool) -> None:
    assert other_quantity(order(S.SENT, counter=counter(quantity=quantity))) is other
    assert not other_quantity(order(S.SENT, counter=counter(quantity=quantity, quantity_agreed=True)))


# --- agreed terms -----------------------------------------------------------------------------------------------------


def test_agreed_terms_are_the_orders_own() -> None:
    offer = counter("4.54", "EUR", "400", promised=date(2026, 12, 12))
    after = agreed(order(S.SENT, counter=offer, overdue="reply", tried_at=START), D("4.54"), days(2))
    assert (after.status, after.unit_price, after.currency, after.quantity) == (S.ACCEPTED, D("4.54"), "EUR", D(400))
    assert (after.due, after.acknowledged_at) == (date(2026, 12, 12), days(2))
    assert (after.counter, after.overdue, after.tried_at, after.acceptances) == (None, None, None, 1)


@pytest.mark.parametrize(
    ("ceiling", "currency", "then"),
    [("4.54", "USD", "4.54"), (None, "USD", "4.41"), ("4.41", "USD", "4.41"), ("4.20", "EUR", "4.20")],
)
def test_the_ceiling_is_that_of_the_decision_or_the_orders_own(ceiling: str | None, currency: str, then: str) -> None:
    one = order(S.SENT, counter=counter("4.20", currency))
    assert agreed(one, None if ceiling is None else D(ceiling), START).ceiling == D(then)


@pytest.mark.parametrize(
    ("acknowledged", "promised", "due"),
    [
        (False, None, date(2026, 12, 10)),
        (False, date(2026, 12, 20), date(2026, 12, 20)),
        (True, None, DUE),
        (True, date(2026, 12, 20), date(2026, 12, 20)),
    ],
)
def test_when_agreed_goods_are_due(acknowledged: bool, promised: date | None, due: date) -> None:
    one = order(S.ACCEPTED if acknowledged else S.SENT, counter=counter(promised=promised))
    assert agreed(one, None, days(2)).due == due


def test_a_question_survives_agreeing() -> None:
    assert agreed(order(S.SENT, counter=counter(), question=asks()), None, START).question == asks()


# --- an acceptance that failed may have arrived -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reading", "acceptances"),
    [
        (replace(YES, unit_price=D("4.54"), currency="USD"), 0),
        (replace(YES, unit_price=D("4.60"), currency="USD"), 1),
        (YES, 1),
    ],
)
def test_other_terms_are_accepted_under_another_key(reading: Reading, acceptances: int) -> None:
    tried = order(S.SENT, counter=counter("4.54"), tried_at=START)
    _, after = judged(tried, reading)
    assert after is not None
    assert after.acceptances == acceptances
    _, untried = judged(replace(tried, tried_at=None), reading)
    assert untried is not None
    assert untried.acceptances == 0
