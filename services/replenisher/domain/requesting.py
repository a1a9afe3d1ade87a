"""Which orders need the manager's decision, and the request each would make."""

from dataclasses import replace
from decimal import Decimal

from replenisher.domain import limits
from replenisher.domain.approval import Approval
from replenisher.domain.conditions import (
    costs_no_more,
    is_draft,
    live_approval,
    maybe_accepted,
    open_requests,
    terms,
    unanswered_request,
)
from replenisher.domain.judging import other_quantity, too_late
from replenisher.domain.order import Order
from replenisher.domain.state import State


def approvable(state: State) -> list[Order]:
    """A draft or a counter-offer at terms no live approval covers, with no request open for it; never twice for one
    that ended unanswered. A request that may not have reached anybody is made again a day later, under the same id."""
    if state.ending or state.unread:
        return []
    return [
        o
        for o in state.orders.values()
        if (is_draft(state, o) or _open_counter(o))
        and live_approval(state, o) is None
        and not unanswered_request(state, o)
        and ((pending := _request(state, o)) is None or _undelivered_and_due(state, pending))
    ]


def _open_counter(order: Order) -> bool:
    return (
        order.counter is not None
        and order.unwanted is None
        and not costs_no_more(order)
        and not maybe_accepted(order)
        and not other_quantity(order)
        and not too_late(order)
    )


def _request(state: State, order: Order) -> Approval | None:
    return next((a for a in open_requests(state) if a.po == order.po), None)


def _undelivered_and_due(state: State, approval: Approval) -> bool:
    return not approval.delivered and approval.requested_at + limits.RETRY_AFTER <= state.now


def request(state: State, po: str) -> Approval:
    """The request for the terms of this order on the table: for a draft a range up to 5 % above the price, for a
    counter-offer its own price as ceiling."""
    order = state.orders[po]
    pending = _request(state, order)
    if pending is not None:
        return replace(pending, requested_at=state.now)
    quantity, price, currency = terms(order)
    number = 1 + sum(1 for a in state.approvals.values() if a.po == po)
    draft = order.counter is None
    return Approval(
        id=f"{po}/{numbered(state, order, number)}",
        po=po,
        reason="order" if draft else "terms",
        quantity=quantity,
        unit_price=price,
        currency=currency,
        ceiling=ceiling(price) if draft else price,
        approver="",
        requested_at=state.now,
        expires_at=state.now + limits.APPROVAL_OPEN,
        freight=order.freight,
    )


def numbered(state: State, order: Order, number: int) -> str:
    """The last part of an id: `1`, and `3-1` when replenishment 3 asks about an order of an earlier one, whose own
    requests it may not know of: an id asks one thing for ever."""
    return str(number) if order.run == state.run else f"{state.n}-{number}"


def ceiling(price: Decimal) -> Decimal:
    """5 % above the price, exact: 4.20 is 4.41."""
    exact = price * limits.PRICE_RANGE
    return Decimal(format(exact.normalize(), "f"))
