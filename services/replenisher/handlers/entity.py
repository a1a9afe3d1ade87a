"""What the entity of one SKU remembers, and the arithmetic on it. No engine here: sku_agent.py loads and saves it."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from hashlib import blake2b

from replenisher.domain import limits
from replenisher.domain.clockwork import goods_due, reply_due
from replenisher.domain.conditions import awaiting_goods, awaiting_reply
from replenisher.domain.message import OPERATOR, Message
from replenisher.domain.order import AT_SUPPLIER, Order, OrderStatus
from replenisher.domain.outcome import HELD, Outcome, OutcomeStatus
from replenisher.domain.ports import Stock

MOST_OUTCOMES = 100
MOST_SEEN = 1000
"""Ids of messages remembered, the latest."""
MOST_WAITING = 150
"""Messages of one kind that may wait to be taken in; more than a run has turns for."""
MOST_TEXT = 4_000_000
"""Characters of all the messages that wait."""


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
    handed: list[Message] = field(default_factory=list[Message])
    """The mailbox it was started with, kept until it says that it was."""
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
    """Digests of the latest messages' ids and of who sent them."""
    hold_until: datetime | None = None
    doubtful: list[str] = field(default_factory=list[str])
    """POs approved in runs that failed: what the records still call a draft of theirs may have been sent."""

    def saw(self, sender: str, message: str) -> "Entity":
        return replace(self, seen=[*self.seen, _mark(sender, message)][-MOST_SEEN:])

    def knows(self, sender: str, message: str) -> bool:
        """This sender's message of this id came before. Another's of the same id is another message: nobody can make
        somebody else's look like a repetition."""
        return _mark(sender, message) in self.seen

    def named(self, sender: str, message: str) -> str:
        """The message's id as runs know it: its own, unless another sender took that first."""
        taken = any(mark.startswith(_short(message)) for mark in self.seen)
        return f"{sender}/{message}" if taken else message

    def asked_before(self, name: str) -> bool:
        """A request or question of this id belongs to a replenishment that has ended: its PO or its run is in one."""
        known = (n for o in self.outcomes for n in (o.run, *(s.po for s in o.orders)))
        return any(name.startswith(f"{n}/") for n in known)

    def full(self, event: str, text: int) -> bool:
        """No more messages of this kind, or of this length, can wait: they are told to come again."""
        waiting = [*self.mailbox, *(self.active.handed + self.active.sent if self.active else [])]
        return (
            sum(1 for m in waiting if m.event == event) >= MOST_WAITING
            or sum(len(t) for m in waiting for t in m.content.values()) + text > MOST_TEXT
        )

    def ended(
        self, outcome: Outcome, consumed: dict[str, int], orders: list[Order], begun_with: list[str] | None = None
    ) -> "Entity":
        """After the active run: what it did not take in goes to the mailbox, what is open stays here. `begun_with`:
        the ids in the mailbox it was started with; None when all that was handed to it counts as taken in."""
        if self.active is None:
            return self
        held = outcome.status in HELD
        approved = [a.rpartition("/")[0] for a in self.active.approved]
        failed = outcome.status is OutcomeStatus.FAILED
        handed = [] if begun_with is None else [m for m in self.active.handed if m.id not in begun_with]
        rest = [*handed, *left_over(self.active.sent, consumed)]
        return replace(
            self,
            active=None,
            # what an operator said was said of this run
            mailbox=[*self.mailbox, *(m for m in rest if m.event != OPERATOR)],
            orders={o.po: o for o in orders},
            outcomes=[*self.outcomes, outcome][-MOST_OUTCOMES:],
            hold_until=outcome.at + limits.HOLD if held else self.hold_until,
            doubtful=list(dict.fromkeys([*self.doubtful, *approved]))[-MOST_OUTCOMES:] if failed else [],
        )


def _short(message: str) -> str:
    return blake2b(message.encode(), digest_size=8).hexdigest()


def _mark(sender: str, message: str) -> str:
    return _short(message) + blake2b(sender.encode(), digest_size=4).hexdigest()


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
        if overdue_reply or overdue_goods or (_undecided(order) and tried):
            return order
    return None


def _undecided(order: Order) -> bool:
    """The run ended before somebody decided about it: terms, a question, its silence, its cancellation. It counts into
    the position, so that nobody else would ever ask again; the hold of that run keeps it from coming back every day."""
    at_supplier = order.status in AT_SUPPLIER and order.status is not OrderStatus.UNKNOWN and not order.written_off
    left = (order.counter, order.question, order.overdue, order.unwanted)
    return at_supplier and any(each is not None for each in left)
