"""How a run takes in what reaches it: messages once by id, decisions on approvals, goods with absolute figures."""

from dataclasses import replace
from datetime import datetime

from replenisher.domain.answers import answered
from replenisher.domain.approval import Approval, ApprovalStatus, Verdict, decided
from replenisher.domain.clockwork import time_passes
from replenisher.domain.conditions import drafts, short
from replenisher.domain.message import ANSWER, GOODS, OPERATOR, SUPPLIER_REPLY, Message
from replenisher.domain.order import Order, OrderStatus, Unwanted
from replenisher.domain.state import Assignment, HeldReceipt, State


def begin(assignment: Assignment) -> State:
    """The first state of a replenishment: what the entity handed over, and the messages nobody had consumed."""
    state = State(
        run=assignment.run,
        sku=assignment.sku,
        n=assignment.n,
        rules_version=assignment.rules_version,
        part=assignment.part,
        rates=assignment.rates,
        on_hand=assignment.on_hand,
        now=assignment.at,
        answerable=tuple(assignment.answerable),
        items=tuple(assignment.items),
        orders={o.po: _left_over(o, assignment.run) for o in assignment.orders},
        buys=assignment.buys,
    )
    for message in assignment.mailbox:
        # the stock was read after these were booked: their figure of what is on hand is the older one
        state = replace(take_in(state, message), on_hand=assignment.on_hand)
    return state


def _left_over(order: Order, run: str) -> Order:
    """A draft of an ended run is nobody's any more."""
    if order.status is OrderStatus.DRAFT and order.run != run and order.unwanted is None:
        return order.discarded(Unwanted.LEFT_OVER, f"left over from {order.run}")
    return order


def take_in(state: State, message: Message) -> State:
    """The state after a message. The same id twice changes nothing."""
    if message.id in state.heard:
        return time_passes(state, message.at)
    state = replace(state, heard=(*state.heard, message.id))
    if message.event == SUPPLIER_REPLY:
        state = replace(state, unread=(*state.unread, message))
    elif message.event == GOODS:
        state = _goods(state, message)
    elif message.event == ANSWER:
        state = _answer(state, message)
    elif message.event == OPERATOR:
        state = cancel_asked(state, message.text or "the operator asked")
    return time_passes(state, message.at)


def cancel_asked(state: State, why: str) -> State:
    """The operator wants the replenishment ended in order: nothing of it is wanted any more."""
    state = replace(state, cancel_requested=state.cancel_requested or why)
    for order in list(state.orders.values()):
        wanted = order.run == state.run and order.unwanted is None
        if wanted and order.status in (OrderStatus.DRAFT, OrderStatus.SENT, OrderStatus.ACCEPTED):
            state = state.with_order(order.discarded(Unwanted.OPERATOR, why))
    return supersede_unwanted(state)


def _goods(state: State, message: Message) -> State:
    order = state.orders.get(message.po or "")
    state = replace(state, on_hand=message.on_hand)
    if order is None:
        return state
    received = max(order.received, message.received)
    order = replace(order, received=received, overdue=None)
    if order.status in (OrderStatus.UNKNOWN, OrderStatus.SENT, OrderStatus.DECLINED):
        order = replace(order.to(OrderStatus.ACCEPTED), acknowledged_at=message.at)
    if received >= order.quantity and order.status in (OrderStatus.ACCEPTED, OrderStatus.CANCELLED):
        order = replace(order.to(OrderStatus.RECEIVED), unwanted=None, unwanted_why="")
    if message.excess > 0 and message.note is not None and message.note not in {h.note for h in state.held}:
        state = replace(state, held=(*state.held, HeldReceipt(order.po, message.note, message.excess)))
    return covered(state.with_order(order))


def _answer(state: State, message: Message) -> State:
    question = state.questions.get(message.question or "")
    if question is None or not question.open or message.choice not in question.choices:
        return state
    question = replace(question, choice=message.choice, answer=message.text, by=message.actor)
    return supersede_unwanted(answered(state.with_question(question), question, message.at, message.reading))


def verdict_heard(state: State, approval_id: str, verdict: Verdict, at: datetime) -> State:
    """The state after a decision on a request, also one that came first when the request was withdrawn."""
    approval = state.approvals.get(approval_id)
    if approval is None or approval.status in (ApprovalStatus.APPROVED, ApprovalStatus.REJECTED):
        return time_passes(state, at)
    taken = replace(decided(approval, verdict, at), withdrawn=True)
    if taken.status is not ApprovalStatus.REJECTED:
        return time_passes(state.with_approval(taken), at)
    if approval.status is ApprovalStatus.SUPERSEDED:
        # a no to terms that nobody offers any more is no reason to stop
        return time_passes(state.with_approval(replace(taken, status=ApprovalStatus.SUPERSEDED)), at)
    return time_passes(_rejected(state.with_approval(taken), taken), at)


def _rejected(state: State, approval: Approval) -> State:
    order = state.orders.get(approval.po)
    if order is None:
        return state
    unwanted = Unwanted.TERMS_REJECTED if approval.reason == "terms" else Unwanted.REJECTED
    if order.status is OrderStatus.RECEIVED:
        return state.with_order(replace(order, counter=None))
    state = state.with_order(order.discarded(unwanted, f"{approval.id} rejected by {approval.by}: {approval.why}"))
    if approval.another is not None:
        state = replace(state, wanted_quote=approval.another)
    return state


def covered(state: State) -> State:
    """When an order turns out to exist and to be enough, drafts for the same need are not wanted any more."""
    state = _needed_after_all(state)
    if not short(state, drafts=False):
        for draft in drafts(state):
            state = state.with_order(draft.discarded(Unwanted.SUPERSEDED, "the need is covered"))
    return supersede_unwanted(state)


def _needed_after_all(state: State) -> State:
    """A duplicate is none any more when what was ordered in its place fell through
    before its cancellation was begun."""
    for order in state.orders.values():
        begun = order.cancel_tries > 0 or order.cancel_refused
        if order.unwanted is Unwanted.DUPLICATE and order.leaving and not begun and short(state, drafts=False):
            state = state.with_order(replace(order, unwanted=None, unwanted_why=""))
    return state


def supersede_unwanted(state: State) -> State:
    """Requests for orders that are unwanted, or for terms no longer on the table, are superseded."""
    for approval in [a for a in state.approvals.values() if a.open]:
        order = state.orders.get(approval.po)
        if order is None or order.unwanted is not None or _other_terms(order, approval):
            state = state.with_approval(replace(approval, status=ApprovalStatus.SUPERSEDED, overdue=False))
    return state


def _other_terms(order: Order, approval: Approval) -> bool:
    if approval.reason == "order":
        return order.status is not OrderStatus.DRAFT or order.unit_price != approval.unit_price
    c = order.counter
    return c is None or (c.unit_price, c.currency, c.quantity) != (
        approval.unit_price,
        approval.currency,
        approval.quantity,
    )
