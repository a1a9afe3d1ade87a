"""What the entity of one SKU remembers, and the arithmetic on it. No engine here: sku_agent.py loads and saves it."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal

from replenisher.domain import limits
from replenisher.domain.clockwork import goods_due, reply_due
from replenisher.domain.conditions import awaiting_goods, awaiting_reply
from replenisher.domain.message import Message
from replenisher.domain.order import Order, OrderStatus
from replenisher.domain.outcome import HELD, Outcome, OutcomeStatus
from replenisher.domain.ports import Stock

MOST_OUTCOMES = 100
MOST_SEEN = 1000
"""Ids of messages remembered, the latest."""


@dataclass(frozen=True, slots=True)
class Active:
    """The replenishment under way."""

    run: str
    n: int
    invocation: str
    relay: str
    since: datetime
    sent: list[Message] = field(default_factory=list[Message])
    """Messages passed on to it, kept until it says what it took in."""
    approved: list[str] = field(default_factory=list[str])
    """Requests a manager said yes to."""
    answered: list[str] = field(default_factory=list[str])
    """Questions the buyer answered."""


@dataclass(frozen=True, slots=True)
class Entity:
    """A published shape: fields are added, with defaults, never renamed."""

    watched: bool = False
    generation: int = 0
    """Of the chain of scheduled checks: an older chain ends by itself."""
    n: int = 0
    """Replenishments started so far."""
    active: Active | None = None
    mailbox: list[Message] = field(default_factory=list[Message])
    """Messages nobody has consumed yet."""
    orders: dict[str, Order] = field(default_factory=dict[str, Order])
    """Orders carried over: open when their run ended."""
    outcomes: list[Outcome] = field(default_factory=list[Outcome])
    seen: list[str] = field(default_factory=list[str])
    hold_until: datetime | None = None
    doubtful: list[str] = field(default_factory=list[str])
    """POs approved in runs that failed: what the records still call a draft of theirs may have been sent."""

    def saw(self, message: str) -> "Entity":
        return replace(self, seen=[*self.seen, message][-MOST_SEEN:])

    def ended(self, outcome: Outcome, consumed: dict[str, int], orders: list[Order]) -> "Entity":
        """After the active run: what it did not take in goes to the mailbox, what is open stays here."""
        if self.active is None:
            return self
        held = outcome.status in HELD
        approved = [a.rpartition("/")[0] for a in self.active.approved]
        failed = outcome.status is OutcomeStatus.FAILED
        return replace(
            self,
            active=None,
            mailbox=[*self.mailbox, *left_over(self.active.sent, consumed)],
            orders={o.po: o for o in orders},
            outcomes=[*self.outcomes, outcome][-MOST_OUTCOMES:],
            hold_until=outcome.at + limits.HOLD if held else self.hold_until,
            doubtful=list(dict.fromkeys([*self.doubtful, *approved]))[-MOST_OUTCOMES:] if failed else [],
        )


def left_over(sent: list[Message], consumed: dict[str, int]) -> list[Message]:
    """The messages of each event beyond the number that was consumed, in order."""
    count: dict[str, int] = {}
    rest: list[Message] = []
    for message in sent:
        count[message.event] = count.get(message.event, 0) + 1
        if count[message.event] > consumed.get(message.event, 0):
            rest.append(message)
    return rest


def number(sent: list[Message], event: str) -> int:
    """The number of the next message of this event, counted from 1."""
    return 1 + sum(1 for m in sent if m.event == event)


def open_orders(entity: Entity, stock: Stock) -> list[Order]:
    """Orders of the SKU that are not closed: what a run knew of them, brought up to date by the records. Of a run that
    was killed nothing is known: its draft, once approved, counts as unknown until the supplier has been asked."""
    merged: list[Order] = []
    for recorded in stock.orders:
        known = entity.orders.get(recorded.po)
        if known is None:
            doubtful = recorded.status is OrderStatus.DRAFT and recorded.po in entity.doubtful
            merged.append(replace(recorded, status=OrderStatus.UNKNOWN) if doubtful else recorded)
            continue
        known = replace(known, received=max(known.received, recorded.received))
        merged.append(known)
    return merged


def position(stock: Stock, orders: list[Order]) -> Decimal:
    """On hand plus what is outstanding on live orders; unknown ones do not count."""
    return stock.on_hand + sum((o.outstanding for o in orders if o.live or o.stands), Decimal(0))


def something_due(orders: list[Order], at: datetime) -> Order | None:
    """An open order about which something has to be done now, though nothing runs."""
    for order in orders:
        tried = order.tried_at is None or order.tried_at + limits.RETRY_AFTER <= at
        if order.status is OrderStatus.UNKNOWN and order.checks < limits.ORDER_CHECKS and tried:
            return order
        if order.status is OrderStatus.DRAFT or (order.status is OrderStatus.RECEIVED and not order.closed):
            return order
        overdue_reply = awaiting_reply(order) and (due := reply_due(order)) is not None and due <= at
        overdue_goods = awaiting_goods(order) and (due := goods_due(order)) is not None and due <= at
        if order.overdue is None and (overdue_reply or overdue_goods):
            return order
    return None
