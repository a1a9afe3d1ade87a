"""A purchase order as a state machine of its own: statuses, allowed transitions, and the facts each keeps."""

from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Literal

from replenisher.domain.money import total


class OrderStatus(StrEnum):
    DRAFT = "draft"
    """In the system of record only."""
    UNKNOWN = "unknown"
    """Sent, but the answer never came: neither ordered nor not ordered."""
    SENT = "sent"
    """Taken by the supplier, not yet acknowledged."""
    ACCEPTED = "accepted"
    """Acknowledged by the supplier at terms we agreed to."""
    DECLINED = "declined"
    """The supplier will not supply it; it is still in his book."""
    REFUSED = "refused"
    """The supplier did not take it: it never was in his book."""
    RECEIVED = "received"
    """Nothing outstanding."""
    CANCELLED = "cancelled"


class Unwanted(StrEnum):
    """Why an order is to be cancelled. The details behind it are ours; a supplier is
    told `for_supplier` and no more."""

    DUPLICATE = "duplicate"
    TERMS_REJECTED = "terms-rejected"
    CANNOT_DELIVER = "cannot-deliver"
    OPERATOR = "operator"
    BUYER = "buyer"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"
    LEFT_OVER = "left-over"

    @property
    def for_supplier(self) -> str:
        return _FOR_SUPPLIER.get(self, "the order is no longer needed")


_FOR_SUPPLIER = {
    Unwanted.DUPLICATE: "it is a duplicate: its confirmation came after the need had been ordered again",
    Unwanted.TERMS_REJECTED: "the terms you confirmed are not the ones ordered and were not approved",
    Unwanted.CANNOT_DELIVER: "you told us that you cannot deliver",
}

S = OrderStatus
TRANSITIONS: dict[OrderStatus, frozenset[OrderStatus]] = {
    S.DRAFT: frozenset({S.SENT, S.UNKNOWN, S.REFUSED, S.CANCELLED}),
    S.UNKNOWN: frozenset({S.DRAFT, S.SENT, S.ACCEPTED, S.DECLINED, S.RECEIVED, S.CANCELLED}),
    S.SENT: frozenset({S.ACCEPTED, S.DECLINED, S.RECEIVED, S.CANCELLED}),
    S.ACCEPTED: frozenset({S.DECLINED, S.RECEIVED, S.CANCELLED}),
    S.DECLINED: frozenset({S.ACCEPTED, S.RECEIVED, S.CANCELLED}),
    S.REFUSED: frozenset({S.CANCELLED}),
    S.RECEIVED: frozenset(),
    S.CANCELLED: frozenset({S.RECEIVED}),
}
AT_SUPPLIER = frozenset({S.UNKNOWN, S.SENT, S.ACCEPTED, S.DECLINED})
"""Statuses in which the order is, or may be, in the supplier's book."""
LIVE = frozenset({S.SENT, S.ACCEPTED})
"""Statuses whose outstanding quantity counts into the position."""


class IllegalTransition(ValueError):
    """An order was asked to take a step its status does not allow."""


@dataclass(frozen=True, slots=True)
class CounterOffer:
    """Terms the supplier acknowledged that are not the order's own. Absent values are the order's own."""

    unit_price: Decimal
    currency: str
    quantity: Decimal
    promised: date | None
    message: str
    """Id of the message it came in."""
    at: datetime
    after_acceptance: bool = False
    """The order had been accepted before: a raised price then always goes to the manager."""
    quantity_agreed: bool = False
    """The buyer agreed to the smaller quantity."""
    date_agreed: bool = False
    """The buyer agreed to the later date."""


@dataclass(frozen=True, slots=True)
class SupplierQuestion:
    """What the supplier needs to know before he goes on."""

    topic: str
    """dock, address, contact, vat or other."""
    text: str
    message: str
    answer: str | None = None
    """The buyer's answer, when master data holds none."""


@dataclass(frozen=True, slots=True)
class Order:
    """One purchase order of one SKU. Quantities in the part's unit; prices for one unit,
    net; times are business time, UTC."""

    po: str
    sku: str
    supplier: str
    item: str
    quantity: Decimal
    unit_price: Decimal
    currency: str
    lead_time_days: int
    run: str
    """The replenishment that drafted it."""
    freight: Decimal = Decimal(0)
    status: OrderStatus = OrderStatus.DRAFT
    sent_at: datetime | None = None
    acknowledged_at: datetime | None = None
    due: date | None = None
    """When the goods are to arrive: sent plus lead time, then acknowledged plus lead time, or the agreed date."""
    ceiling: Decimal | None = None
    """The highest unit price approved for it, under which it was sent or its terms were accepted."""
    received: Decimal = Decimal(0)
    counter: CounterOffer | None = None
    question: SupplierQuestion | None = None
    unwanted: Unwanted | None = None
    """Why it is to be cancelled; None while it is wanted."""
    unwanted_why: str = ""
    """The same in words, for our own people."""
    tried_at: datetime | None = None
    """The last try at something that failed: reprice, check, acceptance or cancellation."""
    reprice_failed: bool = False
    checks: int = 0
    chases: int = 0
    """Chases sent in all; numbers the next one's key."""
    reply_chases: int = 0
    goods_chases: int = 0
    chased_at: datetime | None = None
    overdue: Literal["reply", "goods"] | None = None
    answers: int = 0
    """Answers sent to the supplier's questions; numbers the next one's key."""
    accept_tries: int = 0
    """Tries to accept the terms on the table whose answer never came: they may be agreed already."""
    acceptances: int = 0
    """Terms accepted so far; numbers the next one's key."""
    cancel_tries: int = 0
    cancel_refused: bool = False
    unrecorded: bool = False
    """Its acknowledgement could not be written to the records yet; that is made up for before it is closed."""
    written_off: bool = False
    """A person decided that nothing more is expected of it."""
    closed: bool = False
    """Closed in the system of record."""

    @property
    def outstanding(self) -> Decimal:
        """What is still to come, never below 0."""
        if self.status in (S.CANCELLED, S.REFUSED, S.RECEIVED) or self.written_off:
            return Decimal(0)
        return max(Decimal(0), self.quantity - self.received)

    @property
    def live(self) -> bool:
        """Wanted, and in the supplier's book for certain."""
        return self.status in LIVE and self.unwanted is None and not self.written_off

    @property
    def stands(self) -> bool:
        """Unwanted, but the supplier would not cancel it: it will come unless a person acts."""
        return self.cancel_refused and self.status in AT_SUPPLIER and not self.written_off

    @property
    def leaving(self) -> bool:
        """Unwanted and still in the supplier's book: until that is settled nothing is ordered in its place."""
        return self.unwanted is not None and self.status in (S.SENT, S.ACCEPTED, S.DECLINED) and not self.written_off

    @property
    def net(self) -> Decimal:
        """Price times quantity plus freight, in the order's currency."""
        return total(self.unit_price, self.quantity) + self.freight

    def discarded(self, unwanted: Unwanted, why: str) -> "Order":
        """The order, unwanted; the first reason stays."""
        if self.unwanted is not None:
            return self
        return replace(self, unwanted=unwanted, unwanted_why=why, counter=None, overdue=None)

    def to(self, status: OrderStatus) -> "Order":
        """The order in its next status. Raises IllegalTransition when the table does not allow it."""
        if status == self.status:
            return self
        if status not in TRANSITIONS[self.status]:
            raise IllegalTransition(f"{self.po} is {self.status}: it cannot become {status}")
        return replace(self, status=status)
