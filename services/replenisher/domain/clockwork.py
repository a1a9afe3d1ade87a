"""Deadlines: what becomes overdue and when, and what follows when time has passed.
Every wait ends at the first of them."""

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

from replenisher.domain import limits
from replenisher.domain.approval import Approval, ApprovalStatus
from replenisher.domain.conditions import (
    another_round_helps,
    awaiting_goods,
    awaiting_reply,
    enough_quotes,
    need_uncovered,
    next_try_due,
    open_requests,
    round_due_at,
)
from replenisher.domain.order import Order, OrderStatus
from replenisher.domain.state import State


def end_of(day: date) -> datetime:
    """The first instant after that day, UTC."""
    return datetime.combine(day, time(), UTC) + timedelta(days=1)


def decision_due(approval: Approval) -> datetime:
    """When the manager's silence becomes overdue, or the request ends."""
    if approval.overdue:
        return approval.expires_at
    return min((approval.reminded_at or approval.requested_at) + limits.APPROVAL_WAIT, approval.expires_at)


def reply_due(order: Order) -> datetime | None:
    since = order.chased_at or order.sent_at
    return None if since is None else since + limits.REPLY_WAIT


def goods_due(order: Order) -> datetime | None:
    promised = None if order.due is None else end_of(order.due) + limits.GOODS_GRACE
    chased = None if order.chased_at is None or not order.goods_chases else order.chased_at + limits.REPLY_WAIT
    return max((d for d in (promised, chased) if d is not None), default=None)


def retries(state: State) -> list[datetime]:
    """When something that failed may be tried again."""
    failed = [o for o in state.orders.values() if not o.closed and not next_try_due(state, o) and not _tries_spent(o)]
    due = [o.tried_at + limits.RETRY_AFTER for o in failed if o.tried_at is not None]
    if state.draft_failed_at is not None and need_uncovered(state):
        due.append(state.draft_failed_at + limits.RETRY_AFTER)
    again = round_due_at(state)
    if again is not None and need_uncovered(state) and not enough_quotes(state) and another_round_helps(state):
        due.append(again)
    return [d for d in due if d > state.now]


def _tries_spent(order: Order) -> bool:
    checked = order.status is OrderStatus.UNKNOWN and order.checks >= limits.ORDER_CHECKS
    return checked or order.cancel_tries >= limits.CANCEL_TRIES


def deadlines(state: State) -> list[datetime]:
    """Everything that is being waited for, by when."""
    found = [decision_due(a) for a in open_requests(state)]
    asked_again = (a.requested_at + limits.RETRY_AFTER for a in open_requests(state) if not a.delivered)
    found += [at for at in asked_again if at > state.now]
    for order in state.orders.values():
        if order.overdue is None and awaiting_reply(order) and (due := reply_due(order)):
            found.append(due)
        if order.overdue is None and awaiting_goods(order) and (due := goods_due(order)):
            found.append(due)
    found += [q.asked_at + limits.BUYER_WAIT for q in state.questions.values() if q.open]
    again = (q.asked_at + limits.RETRY_AFTER for q in state.questions.values() if q.open and not q.delivered)
    found += [at for at in again if at > state.now]
    return found + retries(state)


def next_deadline(state: State) -> datetime:
    """The first deadline; the day after when there is none, so that no wait is for ever."""
    return min(deadlines(state), default=state.now + limits.DAY)


def time_passes(state: State, at: datetime) -> State:
    """The state when the clock says `at`: silence becomes overdue, requests and questions end unanswered."""
    state = state.at(at)
    for approval in open_requests(state):
        if approval.expires_at <= state.now:
            state = state.with_approval(replace(approval, status=ApprovalStatus.UNANSWERED, overdue=False))
        elif not approval.overdue and decision_due(approval) <= state.now:
            state = state.with_approval(replace(approval, overdue=True))
    for order in list(state.orders.values()):
        if order.overdue is not None:
            continue
        if awaiting_reply(order) and (due := reply_due(order)) and due <= state.now:
            state = state.with_order(replace(order, overdue="reply"))
        elif awaiting_goods(order) and (due := goods_due(order)) and due <= state.now:
            state = state.with_order(replace(order, overdue="goods"))
    for question in list(state.questions.values()):
        if question.open and question.asked_at + limits.BUYER_WAIT <= state.now:
            state = state.with_question(replace(question, unanswered=True))
    return state
