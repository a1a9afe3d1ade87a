"""How a replenishment that can do nothing more ends: the outcome and its reason, from what became of the orders."""

from replenisher.domain.answers import missing_prices
from replenisher.domain.approval import Approval, ApprovalStatus
from replenisher.domain.conditions import ours, people_said_no, settled, short, unknown
from replenisher.domain.order import AT_SUPPLIER, Order, OrderStatus
from replenisher.domain.outcome import OrderSummary, Outcome, OutcomeStatus
from replenisher.domain.state import State


def conclude(state: State) -> Outcome:
    """The outcome as things stand. Orders that are still open are handed over to the entity."""
    status, reason = _verdict(state)
    return Outcome(state.run, status, reason[:500], state.now, [summary(o) for o in state.orders.values()])


def _verdict(state: State) -> tuple[OutcomeStatus, str]:
    lost = [o.po for o in unknown(state) if o.run == state.run or not ours(state)]
    received = [o for o in state.orders.values() if o.status is OrderStatus.RECEIVED]
    open_orders = [
        o for o in state.orders.values() if o.status in AT_SUPPLIER and not settled(o) and o.run == state.run
    ]
    if lost:
        return OutcomeStatus.FAILED, f"nobody knows what became of {', '.join(lost)}"
    if state.cancel_requested is not None:
        return OutcomeStatus.CANCELLED, f"cancelled by the operator: {state.cancel_requested}"
    if state.gave_up is not None:
        return OutcomeStatus.GAVE_UP, state.gave_up
    if state.winding_down:
        return OutcomeStatus.GAVE_UP, "the turns ran out"
    if rejection := _last_rejection(state):
        return (
            OutcomeStatus.REJECTED,
            f"{rejection.id} was rejected by {rejection.by}: {rejection.why or 'no reason given'}",
        )
    if received and not open_orders:
        return OutcomeStatus.RECEIVED, f"{', '.join(o.po for o in received)} is in"
    if any(a.status is ApprovalStatus.UNANSWERED for a in state.approvals.values()):
        return OutcomeStatus.GAVE_UP, "nobody decided on the price"
    if open_orders:
        return OutcomeStatus.GAVE_UP, f"{', '.join(o.po for o in open_orders)} is still open and nobody answers"
    if short(state):
        return OutcomeStatus.GAVE_UP, missing_prices(state)
    return OutcomeStatus.CANCELLED, _nothing_needed(state)


def _last_rejection(state: State) -> Approval | None:
    rejections = [a for a in state.approvals.values() if a.status is ApprovalStatus.REJECTED]
    return rejections[-1] if rejections and people_said_no(state) else None


def _nothing_needed(state: State) -> str:
    ended = [
        f"{o.po} ({o.unwanted_why})" for o in state.orders.values() if o.status is OrderStatus.CANCELLED and o.unwanted
    ]
    return f"nothing is needed; cancelled {', '.join(ended)}" if ended else "nothing is needed"


def summary(order: Order) -> OrderSummary:
    return OrderSummary(
        order.po,
        order.supplier,
        order.quantity,
        order.received,
        order.unit_price,
        order.currency,
        order.net,
        order.status.value,
    )


def handed_over(state: State) -> list[Order]:
    """Orders the entity keeps: not closed, and in the supplier's book or possibly there."""
    return [o for o in state.orders.values() if not o.closed and o.status in AT_SUPPLIER]
