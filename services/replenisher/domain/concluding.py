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
    settling = not ours(state) and not short(state)
    lost = [o.po for o in unknown(state) if o.run == state.run or settling]
    still_open = [o for o in state.orders.values() if _still_open(o)]
    own_open = [o for o in still_open if o.run == state.run]
    if lost:
        return OutcomeStatus.FAILED, f"nobody knows what became of {', '.join(lost)}"
    if state.cancel_requested is not None:
        return OutcomeStatus.CANCELLED, f"cancelled by the operator: {state.cancel_requested}"
    if state.gave_up is not None:
        return OutcomeStatus.GAVE_UP, state.gave_up
    if state.winding_down:
        return OutcomeStatus.GAVE_UP, "the turns ran out"
    if rejection := _last_rejection(state):
        why = rejection.why or "no reason given"
        return OutcomeStatus.REJECTED, f"{rejection.id} was rejected by {rejection.by}: {why}"
    if (received := _received(state)) and not own_open:
        return OutcomeStatus.RECEIVED, f"{', '.join(o.po for o in received)} is in"
    if any(a.status is ApprovalStatus.UNANSWERED for a in state.approvals.values()):
        return OutcomeStatus.GAVE_UP, "nobody decided on the price"
    if own_open:
        return OutcomeStatus.GAVE_UP, _nobody_answers(own_open)
    if short(state) and state.buys:
        return OutcomeStatus.GAVE_UP, missing_prices(state)
    if still_open:
        return OutcomeStatus.GAVE_UP, _nobody_answers(still_open)
    return OutcomeStatus.CANCELLED, _nothing_needed(state)


def _still_open(order: Order) -> bool:
    return order.status in AT_SUPPLIER and order.status is not OrderStatus.UNKNOWN and not settled(order)


def _nobody_answers(orders: list[Order]) -> str:
    return f"{', '.join(o.po for o in orders)} is still open and nobody answers"


def _received(state: State) -> list[Order]:
    """Orders that are in, or in part with the rest written off. One of an earlier run is not what this run was for
    while the part is still short: then its own need decides."""
    received = [
        o for o in state.orders.values() if o.status is OrderStatus.RECEIVED or (o.written_off and o.received > 0)
    ]
    return [] if state.buys and short(state) and not any(o.run == state.run for o in received) else received


def _last_rejection(state: State) -> Approval | None:
    """The manager's last no, if it ended something: not one to a raise of what has come at the agreed price."""
    came = {o.po for o in state.orders.values() if o.status is OrderStatus.RECEIVED}
    rejections = [a for a in state.approvals.values() if a.status is ApprovalStatus.REJECTED and a.po not in came]
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
