"""What the buyer is asked when the rules run out, and what each of his answers changes."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from replenisher.domain import limits
from replenisher.domain.conditions import (
    another_round_helps,
    awaiting_goods,
    awaiting_reply,
    enough_quotes,
    excessive_only,
    need_uncovered,
    open_requests,
    unanswered_request,
    valid_quotes,
)
from replenisher.domain.judging import other_quantity, too_late
from replenisher.domain.message import SUPPLIER_REPLY, Message
from replenisher.domain.money import plain, price_text
from replenisher.domain.order import Order, OrderStatus, Unwanted
from replenisher.domain.question import Question, Subject
from replenisher.domain.reading import Reading
from replenisher.domain.state import State

NEED = "need"


@dataclass(frozen=True, slots=True)
class Issue:
    """Something only a person can decide."""

    subject: Subject
    po: str | None
    text: str
    message: str | None = None

    @property
    def key(self) -> str:
        return f"{self.po or NEED}/{self.subject.value}"


def issues(state: State) -> list[Issue]:
    """What the buyer has to be asked now: each subject of an order once, and not again
    while or after it stays unanswered."""
    if state.stopping:
        return []
    asked = [q for q in state.questions.values() if q.open or q.unanswered]
    blocked = {_key(q) for q in asked if not q.again(state.now)}
    found: list[Issue] = []
    for issue in _all_issues(state):
        if issue.key not in blocked:
            blocked.add(issue.key)
            found.append(issue)
    return found


def _key(question: Question) -> str:
    return f"{question.po or NEED}/{question.subject.value}"


def _all_issues(state: State) -> Iterator[Issue]:
    yield from _of_the_need(state)
    for order in state.orders.values():
        yield from _of_order(state, order)
    for note in state.unreadable:
        yield Issue(Subject.UNREADABLE, note.po, f"What does this reply say? {note.text}", note.message)
    for receipt in state.held:
        if not receipt.agreed:
            text = f"Note {receipt.note} brought {plain(receipt.excess)} more than ordered. Book them?"
            yield Issue(Subject.OVER_DELIVERY, receipt.po, text, receipt.note)


def _of_the_need(state: State) -> Iterator[Issue]:
    if not need_uncovered(state) or enough_quotes(state):
        return
    if excessive_only(state):
        yield Issue(Subject.EXCESS, None, "The smallest quantity on offer is more than ten times the need. Order it?")
    elif not another_round_helps(state):
        yield Issue(Subject.NO_QUOTE, None, f"No usable quote: {missing_prices(state)}. Look again?")


def missing_prices(state: State) -> str:
    """Why there is nothing to buy from, in words: who has no price, who could not be
    reached, what cannot be compared."""
    reasons = [f"{n.supplier} {n.item}: {n.reason}".replace("  ", " ") for n in state.unquoted]
    reasons += [
        f"{q.supplier} {q.item}: no rate known for {q.currency}"
        for q in valid_quotes(state)
        if state.rates.in_base(limits.EXCESS, q.currency) is None
    ]
    if not reasons and not state.quotes:
        return "no approved supplier for this part"
    if not reasons:
        return f"{len(valid_quotes(state))} valid quotes are too few"
    return "; ".join(reasons[:8]) + ("" if len(reasons) <= 8 else f"; and {len(reasons) - 8} more")


def _of_order(state: State, order: Order) -> Iterator[Issue]:
    po = order.po
    asked = order.question
    if order.written_off or order.closed:
        return
    if asked is not None and order.unwanted is None and asked.answer is None and asked.topic not in state.answerable:
        yield Issue(Subject.QUESTION, po, f"{order.supplier} asks: {asked.text}", asked.message)
    counter = order.counter
    if counter is not None and order.unwanted is None:
        if other_quantity(order):
            text = f"{order.supplier} acknowledges {plain(counter.quantity)} instead of {plain(order.quantity)}."
            yield Issue(Subject.QUANTITY, po, text)
        if too_late(order):
            yield Issue(Subject.LATE_DATE, po, f"{order.supplier} promises {counter.promised}; due was {order.due}.")
        if unanswered_request(state, order):
            text = f"Nobody decided on {price_text(counter.unit_price)} {counter.currency} for {po}."
            yield Issue(Subject.TERMS_UNANSWERED, po, text)
    if order.overdue == "reply" and awaiting_reply(order) and order.reply_chases >= limits.MAX_CHASES:
        yield Issue(Subject.NO_REPLY, po, f"{order.supplier} does not answer to {po}.")
    if order.overdue == "goods" and awaiting_goods(order) and order.goods_chases >= limits.MAX_CHASES:
        yield Issue(Subject.NO_GOODS, po, f"{plain(order.outstanding)} of {po} are overdue.")
    if order.unwanted is not None and order.cancel_refused:
        yield Issue(Subject.CANCEL_REFUSED, po, f"{order.supplier} refuses to cancel {po}: it stands unless you act.")
    elif order.unwanted is not None and order.cancel_tries >= limits.CANCEL_TRIES and order.status in _CANCELLABLE:
        yield Issue(Subject.CANCEL_UNKNOWN, po, f"Nobody knows whether {order.supplier} cancelled {po}.")
    for approval in open_requests(state):
        if approval.po == po and approval.overdue and approval.reminders >= limits.MAX_REMINDERS:
            yield Issue(Subject.NO_DECISION, po, f"The manager does not decide on {approval.id}.")


_CANCELLABLE = (OrderStatus.SENT, OrderStatus.ACCEPTED, OrderStatus.DECLINED)


def answered(state: State, question: Question, at: datetime, read: Reading | None = None) -> State:
    """The state after the buyer's answer: each choice sets a fact that allows one tool,
    none commits anything by itself."""
    choice = question.choice
    if choice == "give_up":
        return replace(state, gave_up=f"the buyer gave up: {question.text}")
    if question.subject is Subject.NO_QUOTE:
        return replace(state, quote_rounds=0, quoted_at=None)
    if question.subject is Subject.EXCESS:
        return replace(state, excess_agreed=True)
    if question.subject is Subject.OVER_DELIVERY:
        return _over_delivery(state, question)
    if question.subject is Subject.NO_DECISION:
        return _wait_on(state)
    order = state.orders.get(question.po or "")
    if question.subject is Subject.UNREADABLE:
        return _read_by_a_person(state, order, question, at, read)
    if order is None:
        return state
    if choice == "cancel":
        state = replace(state, dropped=(*state.dropped, order.supplier))
    return state.with_order(_order_answered(order, question))


def _order_answered(order: Order, question: Question) -> Order:
    counter = order.counter
    match question.subject, question.choice:
        case _, "cancel":
            return order.discarded(Unwanted.BUYER, question.text)
        case Subject.QUESTION, "answer" if order.question is not None:
            return replace(order, question=replace(order.question, answer=question.answer))
        case Subject.QUANTITY, "accept" if counter is not None:
            return replace(order, counter=replace(counter, quantity_agreed=True))
        case Subject.LATE_DATE, "accept" if counter is not None:
            return replace(order, counter=replace(counter, date_agreed=True))
        case Subject.NO_REPLY, "chase_again":
            return replace(order, reply_chases=0)
        case Subject.NO_GOODS, "chase_again":
            return replace(order, goods_chases=0)
        case Subject.NO_GOODS, "write_off":
            return replace(order, written_off=True, overdue=None)
        case Subject.CANCEL_REFUSED, "accept":
            return replace(order, unwanted=None, unwanted_why="", counter=None, cancel_refused=False)
        case Subject.CANCEL_UNKNOWN, "look_again":
            return replace(order, cancel_tries=0, tried_at=None)
        case _:
            return order


def _read_by_a_person(
    state: State, order: Order | None, question: Question, at: datetime, read: Reading | None
) -> State:
    """The buyer's answer counts as the reading: the mail is taken up again with what he read in it."""
    state = replace(state, unreadable=tuple(u for u in state.unreadable if u.message != question.message))
    if order is None or question.choice == "ignore":
        return state
    by = f"{question.by or 'buyer'} (person)"
    if question.choice == "declined":
        reading = Reading(po=order.po, declined=True, reader=by)
    else:
        reading = replace(read or Reading(), po=order.po, accepted=True, declined=False, automatic=False, reader=by)
    mail = Message(f"{question.message}/read", SUPPLIER_REPLY, at, order.supplier, order.po, reading=reading)
    return replace(state, unread=(*state.unread, mail))


def _over_delivery(state: State, question: Question) -> State:
    agreed = question.choice == "accept"
    kept = tuple(
        replace(h, agreed=True) if agreed and h.note == question.message else h
        for h in state.held
        if agreed or h.note != question.message
    )
    return replace(state, held=kept)


def _wait_on(state: State) -> State:
    """The buyer wants to go on waiting for the manager: overdue marks are cleared until the request ends."""
    for approval in open_requests(state):
        state = state.with_approval(replace(approval, overdue=False, reminded_at=state.now))
    return state
