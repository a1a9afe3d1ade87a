"""The moment before ordering: what the supplier's quote of right now means for a draft and the approval it has."""

from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from enum import StrEnum

from replenisher.domain.approval import Approval
from replenisher.domain.conditions import position
from replenisher.domain.money import price_text, total
from replenisher.domain.order import Order, Unwanted
from replenisher.domain.quote import Quote, purchase
from replenisher.domain.state import State


class Repriced(StrEnum):
    ORDER = "order"
    EXPIRED = "expired"
    """The approval no longer holds: nothing is ordered on it."""
    DEARER = "dearer"
    """Above the ceiling, in another currency or with more freight: nothing is
    ordered, the manager sees the new price."""
    BEATEN = "beaten"
    """The same, and another valid quote is cheaper now: the draft is superseded."""
    GONE = "gone"
    """It cannot be bought like this any more."""


def reprice(state: State, order: Order, approval: Approval, quote: Quote | None, at: datetime) -> Repriced:
    """What to do, on the quote fetched just now and the real clock `at`. Pure."""
    if not approval.live(at):
        return Repriced.EXPIRED
    if quote is None or quote.valid_until <= at or not _buyable(quote, order.quantity):
        return Repriced.GONE
    price = quote.unit_price(order.quantity)
    if price is not None and approval.covers(order.po, order.quantity, price, quote.currency, quote.freight, at):
        return Repriced.ORDER
    if quote.currency != order.currency:
        return Repriced.GONE
    return Repriced.BEATEN if _beaten(state, order, quote, at) else Repriced.DEARER


def _buyable(quote: Quote, quantity: Decimal) -> bool:
    price = quote.unit_price(quantity)
    return (
        price is not None
        and quantity >= quote.minimum
        and quantity % quote.pack == 0
        and total(price, quantity) >= quote.minimum_order_value
    )


def _beaten(state: State, order: Order, quote: Quote, at: datetime) -> bool:
    cost = quote.cost(order.quantity)
    mine = None if cost is None else state.rates.in_base(cost, quote.currency)
    if mine is None:
        return True
    needed = state.part.target - position(state, without=order.po)
    others = (
        purchase(q, needed, state.rates)
        for q in state.quotes
        if (q.supplier, q.item) != (order.supplier, order.item)
        and q.valid_until > at
        and q.supplier not in state.dropped
    )
    return any(p is not None and p.comparable is not None and not p.excessive and p.comparable < mine for p in others)


def requoted(state: State, order: Order, quote: Quote | None) -> State:
    """The state with this supplier item's quote as it is now; one that is gone takes its place from the list."""
    kept = tuple(q for q in state.quotes if (q.supplier, q.item) != (order.supplier, order.item))
    return replace(state, quotes=kept if quote is None else (*kept, quote))


def repriced(order: Order, meaning: Repriced, quote: Quote | None) -> Order:
    """The draft after a reprice that did not lead to an order."""
    if meaning is Repriced.GONE:
        return order.discarded(Unwanted.SUPERSEDED, f"{order.supplier} no longer offers it like this")
    price = None if quote is None else quote.unit_price(order.quantity)
    if price is None or quote is None:
        return order
    if meaning is Repriced.BEATEN:
        why = f"{order.supplier} now asks {price_text(price)} {quote.currency}, and another quote is cheaper"
        return order.discarded(Unwanted.SUPERSEDED, why)
    if meaning is Repriced.DEARER:
        return replace(order, unit_price=price, freight=quote.freight)
    return order
