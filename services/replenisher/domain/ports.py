"""The outside world as the agent needs it: Protocols and the plain values they pass. Adapters live in systems/."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Literal, Protocol

from replenisher.domain.money import Rates
from replenisher.domain.order import Order
from replenisher.domain.part import Part, SupplierItem
from replenisher.domain.quote import Quote
from replenisher.domain.reading import Books, Reading


class Unavailable(Exception):
    """The other side could not be reached, timed out, failed (5xx) or answered something unreadable.

    On a read: nothing is known. On a write: it may or may not have happened. Retried by the journal's step policy.
    """

    def __init__(self, kind: Literal["unreachable", "timeout", "error", "malformed"], message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind


class Refused(Exception):
    """The other side understood and said no (4xx): it did not do it, and asking again does not help."""


# --- system of record ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Stock:
    """What the records say of one SKU at one moment."""

    part: Part
    on_hand: Decimal
    orders: tuple[Order, ...]
    """Every purchase order of the SKU that is not closed, drafts and unknown ones included."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What a purchase order is drafted from."""

    key: str
    """Our key of this draft, e.g. `replenish-SKU-123-1/1`: the same key never makes a second PO."""
    run: str
    sku: str
    supplier: str
    item: str
    quantity: Decimal
    unit_price: Decimal
    currency: str
    freight: Decimal
    lead_time_days: int


@dataclass(frozen=True, slots=True)
class Receipt:
    """The answer to a goods receipt."""

    booked: Decimal
    """What was booked by this call; 0 when the note had been booked before."""
    excess: Decimal
    """What was not booked because it exceeds the ordered quantity by more than the tolerance."""
    received: Decimal
    """Received on this PO in all."""
    on_hand: Decimal
    duplicate: bool
    """This delivery note had been booked before; nothing changed."""


@dataclass(frozen=True, slots=True)
class PaidPrice:
    po: str
    supplier: str
    unit_price: Decimal
    currency: str
    on: date


class Records(Protocol):
    """The system of record: parts, terms, purchase orders, receipts and stock. Every write is idempotent: done again
    with the same arguments it changes nothing and gives the same answer. Raises Unavailable, and Refused as said
    below."""

    async def stock(self, sku: str) -> Stock | None:
        """None when nobody knows the SKU."""
        ...

    async def items(self, sku: str) -> Sequence[SupplierItem]:
        """The items of approved suppliers that fill this part's need, in a stable order."""
        ...

    async def rates(self) -> Rates: ...

    async def last_prices(self, sku: str, limit: int = 3) -> Sequence[PaidPrice]:
        """What was last paid, newest first."""
        ...

    async def ensure_draft(self, draft: Draft) -> str:
        """The PO number of this draft; made on the first call with its key, looked up on every other."""
        ...

    async def change_draft(self, po: str, unit_price: Decimal, freight: Decimal) -> None:
        """The price of a draft. Refused when it is no longer a draft."""
        ...

    async def begin_sending(self, po: str, unit_price: Decimal, ceiling: Decimal) -> None:
        """Marks the PO unknown, at the price about to be sent and the ceiling it is approved up to: called before the
        first byte goes to the supplier, so that a process that dies while sending never leaves a draft that may have
        been ordered."""
        ...

    async def mark_sent(self, po: str, at: datetime) -> None: ...

    async def mark_draft(self, po: str) -> None:
        """An unknown PO that the supplier says he never had is a draft again."""
        ...

    async def confirm(
        self, po: str, quantity: Decimal, unit_price: Decimal, currency: str, due: date | None, at: datetime
    ) -> None:
        """The supplier's acknowledgement, at these terms; also for terms agreed later."""
        ...

    async def receive(self, po: str, sku: str, note: str, quantity: Decimal, *, excess: bool = False) -> Receipt:
        """Books a goods receipt under (po, note), once. Up to the over-delivery tolerance everything is booked, beyond
        it only what was outstanding; `excess=True` books what was left over, once, after a person agreed. Refused:
        unknown PO, another SKU's PO, a draft, a note booked before with another quantity."""
        ...

    async def cancel(self, po: str, reason: str) -> None: ...

    async def close(self, po: str) -> None: ...


# --- suppliers -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OrderBody:
    """Exactly what goes to the supplier, the same on every attempt."""

    po: str
    sku: str
    item: str
    quantity: Decimal
    unit_price: Decimal
    currency: str
    deliver_to: str


@dataclass(frozen=True, slots=True)
class SupplierOrder:
    """An order as the supplier's own book shows it."""

    po: str
    quantity: Decimal
    unit_price: Decimal
    currency: str
    status: Literal["open", "confirmed", "shipped", "received", "cancelled", "declined"]


class PriceSource(Protocol):
    async def quotes(self, supplier: str, sku: str) -> Sequence[Quote]:
        """Every item of this supplier that fills the part's need, at today's terms; empty when he does not quote it.
        Raises Unavailable or Refused."""
        ...


class Channel(Protocol):
    """Where orders and messages go. Every write carries an idempotency key. Raises Unavailable or Refused."""

    async def order(self, supplier: str, body: OrderBody, key: str) -> None:
        """Returns when the supplier took it (which is not yet an acceptance); Refused when he did not."""
        ...

    async def find(self, supplier: str, po: str) -> SupplierOrder | None:
        """The order by PO number; None when the supplier says he does not have it."""
        ...

    async def message(
        self, supplier: str, po: str, kind: Literal["chase", "answer", "notice"], text: str, key: str
    ) -> None: ...

    async def accept(
        self,
        supplier: str,
        po: str,
        quantity: Decimal,
        unit_price: Decimal,
        currency: str,
        promised: date | None,
        key: str,
    ) -> None: ...

    async def cancel(self, supplier: str, po: str, reason: str, key: str) -> None:
        """Refused when it is too late."""
        ...


# --- people ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OtherQuote:
    supplier: str
    item: str
    quantity: Decimal
    unit_price: Decimal
    currency: str
    landed: Decimal


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """All a manager needs to decide. Totals include freight."""

    id: str
    sku: str
    part: str
    unit: str
    po: str
    reason: Literal["order", "terms"]
    quantity: Decimal
    supplier: str
    unit_price: Decimal
    currency: str
    ceiling: Decimal
    freight: Decimal
    total_at_ceiling: Decimal
    expires_at: datetime
    approver: str
    other_quotes: tuple[OtherQuote, ...] = ()
    unknown_orders: tuple[str, ...] = ()
    """PO numbers of this SKU whose outcome nobody knows."""
    last_prices: tuple[PaidPrice, ...] = ()


@dataclass(frozen=True, slots=True)
class BuyerQuestion:
    id: str
    sku: str
    po: str | None
    subject: str
    text: str
    choices: tuple[str, ...]


class People(Protocol):
    """Manager, escalation contact and buyer. Every call carries a key and is delivered once. Raises Unavailable."""

    async def request_approval(self, request: ApprovalRequest) -> None: ...

    async def remind(self, approval: str, n: int, to: Literal["manager", "escalation"], text: str) -> None: ...

    async def ask_buyer(self, question: BuyerQuestion) -> None: ...

    async def notify(
        self, role: Literal["manager", "escalation", "buyer"], key: str, sku: str, po: str | None, text: str
    ) -> None: ...


# --- words -----------------------------------------------------------------------------------------------------------


class Reader(Protocol):
    async def read(self, content: Mapping[str, str], books: Books) -> Reading:
        """What an untrusted message says, typed and bounded; absent where it is not sure. `content` holds subject and
        text, or mime, as they came. Raises Unavailable when a model behind it cannot be reached."""
        ...


@dataclass(frozen=True, slots=True)
class Letter:
    """What a mail to a supplier is written from. It holds neither a ceiling nor another
    supplier's quote, so it tells neither."""

    kind: Literal["chase", "answer", "acceptance", "cancellation"]
    po: str
    sku: str
    supplier: str
    quantity: Decimal
    unit: str
    unit_price: Decimal
    currency: str
    due: date | None = None
    reason: str = ""
    """Why it is cancelled, or the answer to the supplier's question."""
    n: int = 1
    """Which chase it is."""


class Writer(Protocol):
    async def write(self, letter: Letter) -> str:
        """The text of the message. Raises Unavailable."""
        ...


# --- the company -----------------------------------------------------------------------------------------------------


class BusinessClock(Protocol):
    def now(self) -> datetime:
        """Business time, UTC. Only step actions may look at it."""
        ...


@dataclass(frozen=True, slots=True)
class Company:
    """Master data that may be told to suppliers, by topic: dock, address, contact, vat."""

    answers: Mapping[str, str]
    deliver_to: str
