"""Conditions that several tools share, each named once. Pure functions of the state;
`state.now` is the only time they know."""

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal

from replenisher.domain import limits
from replenisher.domain.approval import Approval, ApprovalStatus
from replenisher.domain.order import Order, OrderStatus
from replenisher.domain.quote import Purchase, Quote, purchase
from replenisher.domain.rules import VALID_QUOTES_NEEDED
from replenisher.domain.state import State

# --- stock -----------------------------------------------------------------------------------------------------------


def position(state: State, *, without: str | None = None, drafts: bool = True) -> Decimal:
    """On hand plus outstanding on live orders, on those that stand though unwanted, and on this run's drafts.
    Orders of unknown outcome do not count."""
    counted = (
        o for o in state.orders.values() if o.po != without and (o.live or o.stands or (drafts and is_draft(state, o)))
    )
    return state.on_hand + sum((o.outstanding for o in counted), Decimal(0))


def short(state: State, *, without: str | None = None, drafts: bool = True) -> bool:
    """Strictly below the reorder point: at the level is not below it."""
    return position(state, without=without, drafts=drafts) < state.part.reorder_point


def need(state: State) -> Decimal:
    """What brings the position up to the target."""
    return max(Decimal(0), state.part.target - position(state))


def is_draft(state: State, order: Order) -> bool:
    """A wanted draft of this run."""
    return order.status is OrderStatus.DRAFT and order.run == state.run and order.unwanted is None


def drafts(state: State) -> list[Order]:
    return [o for o in state.orders.values() if is_draft(state, o)]


def ours(state: State) -> list[Order]:
    """Orders of this run."""
    return [o for o in state.orders.values() if o.run == state.run]


def unknown(state: State) -> list[Order]:
    return [o for o in state.orders.values() if o.status is OrderStatus.UNKNOWN]


def need_uncovered(state: State) -> bool:
    """Something must be bought: short, nothing of this run under way, nothing that may come though it was to be
    cancelled, and no person said no."""
    return (
        state.buys
        and short(state)
        and not any(is_draft(state, o) or o.live or o.status is OrderStatus.UNKNOWN for o in ours(state))
        and not any(o.leaving for o in state.orders.values())
        and not people_said_no(state)
        and not state.stopping
        and state.cancel_requested is None
        and not state.unread
    )


def people_said_no(state: State) -> bool:
    """A request of this run was rejected (unless for another quote) or ended unanswered."""
    if any(a.status is ApprovalStatus.UNANSWERED for a in state.approvals.values()):
        return True
    rejections = [a for a in state.approvals.values() if a.status is ApprovalStatus.REJECTED]
    return any(a.another is None for a in rejections)


# --- quotes ----------------------------------------------------------------------------------------------------------


def valid_quotes(state: State) -> list[Quote]:
    """Quotes that hold now, of suppliers that did not decline in this run."""
    return [q for q in state.quotes if state.now < q.valid_until and q.supplier not in state.dropped]


def purchases(state: State) -> list[Purchase]:
    """What could be bought for the need from the valid quotes, cheapest landed first; then the shorter lead time.
    Quotes in a currency without a rate are not comparable and not among them; excessive ones only when the buyer
    agreed."""
    offers = [p for q in valid_quotes(state) if (p := purchase(q, need(state), state.rates)) is not None]
    usable = [p for p in offers if p.comparable is not None and (state.excess_agreed or not p.excessive)]
    if state.wanted_quote is not None:
        usable = [p for p in usable if p.quote.id == state.wanted_quote] or usable
    return sorted(usable, key=_by_cost)


def _by_cost(p: Purchase) -> tuple[Decimal, int, str]:
    return (p.comparable or Decimal(0), p.quote.lead_time_days, p.quote.id)


def excessive_only(state: State) -> bool:
    """There are prices to compare, but every purchase would be more than ten times the need."""
    offers = [p for q in valid_quotes(state) if (p := purchase(q, need(state), state.rates)) is not None]
    excessive = [p.excessive for p in offers if p.comparable is not None]
    return bool(excessive) and all(excessive) and not state.excess_agreed


def enough_quotes(state: State) -> bool:
    """As many valid quotes as this run's rules version asks for, at least one of them to be bought from."""
    return len(valid_quotes(state)) >= VALID_QUOTES_NEEDED[state.rules_version] and bool(purchases(state))


def another_round_helps(state: State) -> bool:
    """The quotes were never asked for, have lapsed, or somebody could not be reached; and rounds are left."""
    if state.quote_rounds >= limits.QUOTE_ROUNDS:
        return False
    lapsed = any(q.valid_until <= state.now for q in state.quotes)
    return state.quote_rounds == 0 or lapsed or any(n.failed for n in state.unquoted)


def round_due_at(state: State) -> datetime | None:
    """When the next quote round may be: a day after the last; None when there was none."""
    return None if state.quoted_at is None or not state.quote_rounds else state.quoted_at + limits.RETRY_AFTER


def round_due(state: State) -> bool:
    at = round_due_at(state)
    return at is None or at <= state.now


# --- approvals -------------------------------------------------------------------------------------------------------


def live_approval(state: State, order: Order) -> Approval | None:
    """The decision that covers the terms this order stands or would stand at: the counter-offer's if there is one."""
    quantity, price, currency = terms(order)
    return next(
        (
            a
            for a in reversed(list(state.approvals.values()))
            if a.covers(order.po, quantity, price, currency, order.freight, state.now) and _fresh_enough(order, a)
        ),
        None,
    )


def _fresh_enough(order: Order, approval: Approval) -> bool:
    """A price raised after acceptance is covered only by a decision on exactly that."""
    counter = order.counter
    if counter is None or not counter.after_acceptance or counter.unit_price <= order.unit_price:
        return True
    return approval.reason == "terms" and approval.requested_at >= counter.at


def terms(order: Order) -> tuple[Decimal, Decimal, str]:
    """Quantity, unit price and currency on the table."""
    if order.counter is None:
        return order.quantity, order.unit_price, order.currency
    return order.counter.quantity, order.counter.unit_price, order.counter.currency


def costs_no_more(order: Order) -> bool:
    """The counter-offer costs no more than what was sent, in all and for one unit: it needs no live approval."""
    c = order.counter
    return (
        c is not None
        and c.currency == order.currency
        and c.unit_price <= order.unit_price
        and c.quantity <= order.quantity
    )


def maybe_accepted(order: Order) -> bool:
    """We sent our acceptance of the counter-offer and never heard: his book tells whether it is agreed."""
    return order.counter is not None and 0 < order.accept_tries <= limits.ORDER_CHECKS


def open_requests(state: State) -> list[Approval]:
    return [a for a in state.approvals.values() if a.open]


def request_open(state: State, po: str) -> bool:
    return any(a.po == po for a in open_requests(state))


def unanswered_request(state: State, order: Order) -> bool:
    """A request for the terms on the table ended unanswered: it is never made twice."""
    quantity, price, currency = terms(order)
    return any(
        a.status is ApprovalStatus.UNANSWERED
        and (a.po, a.quantity, a.unit_price, a.currency) == (order.po, quantity, price, currency)
        for a in state.approvals.values()
    )


# --- orders ----------------------------------------------------------------------------------------------------------


def next_try_due(state: State, order: Order) -> bool:
    """Nothing of this order failed within the last day."""
    return order.tried_at is None or order.tried_at + limits.RETRY_AFTER <= state.now


def awaiting_reply(order: Order) -> bool:
    """Taken by the supplier, nothing said yet."""
    return (
        order.status is OrderStatus.SENT
        and order.unwanted is None
        and not order.written_off
        and order.counter is None
        and order.question is None
    )


def awaiting_goods(order: Order) -> bool:
    return (
        order.status is OrderStatus.ACCEPTED
        and order.unwanted is None
        and order.outstanding > 0
        and order.counter is None
    )


def to_cancel(state: State) -> list[Order]:
    """Unwanted orders that are in the supplier's book, whose cancellation has not been
    refused; the list a model may pick from."""
    sent = (OrderStatus.SENT, OrderStatus.ACCEPTED, OrderStatus.DECLINED)
    return [
        o
        for o in state.orders.values()
        if o.sku == state.sku
        and o.status in sent
        and o.unwanted is not None
        and not o.cancel_refused
        and not o.written_off
    ]


def settled(order: Order) -> bool:
    """Nothing more is expected of it."""
    return order.status in (OrderStatus.RECEIVED, OrderStatus.CANCELLED) or order.written_off


def first(orders: Iterable[Order]) -> Order | None:
    return next(iter(orders), None)
