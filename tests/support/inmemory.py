"""An outside world in memory for tests of rules and tools: suppliers, records and people as plain books behind the
ports."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from replenisher.domain import limits
from replenisher.domain.message import Message
from replenisher.domain.money import Rates
from replenisher.domain.order import Order, OrderStatus
from replenisher.domain.part import Part, SupplierItem
from replenisher.domain.ports import (
    ApprovalRequest,
    BuyerQuestion,
    Company,
    Draft,
    Letter,
    OrderBody,
    PaidPrice,
    Receipt,
    Refused,
    Stock,
    SupplierOrder,
    Unavailable,
)
from replenisher.domain.quote import Break, Quote
from replenisher.domain.reading import Books, Reading
from replenisher.domain.state import Assignment
from replenisher.tools.base import Context

START = datetime(2026, 12, 1, 8, tzinfo=UTC)
D = Decimal
ON_HAND = D(60)


@dataclass
class TestClock:
    """Business time that a test moves."""

    __test__ = False
    time: datetime = START

    def now(self) -> datetime:
        return self.time

    def days(self, days: float) -> None:
        self.time += timedelta(days=days)


def sku_123() -> Part:
    return Part("SKU-123", "Bearing 6204", "pcs", D(100), D(100), D(500))


@dataclass
class MemoryRecords:
    """The system of record: drafts by key, POs by number."""

    part: Part = field(default_factory=sku_123)
    on_hand: Decimal = ON_HAND
    suppliers: tuple[str, ...] = ("A", "B", "C")
    pos: dict[str, Order] = field(default_factory=dict[str, Order])
    keys: dict[str, str] = field(default_factory=dict[str, str])
    notes: dict[tuple[str, str], Decimal] = field(default_factory=dict[tuple[str, str], Decimal])
    closed: list[str] = field(default_factory=list[str])
    rate: Rates = field(default_factory=lambda: Rates("USD", {"EUR": D("1.10")}))
    down: bool = False

    def _up(self) -> None:
        if self.down:
            raise Unavailable("unreachable", "records are down")

    async def stock(self, sku: str) -> Stock | None:
        self._up()
        if sku != self.part.sku:
            return None
        open_pos = tuple(o for o in self.pos.values() if o.po not in self.closed)
        return Stock(self.part, self.on_hand, open_pos)

    async def items(self, sku: str) -> Sequence[SupplierItem]:
        return [SupplierItem(sku, s, f"{s}-123", D(50)) for s in self.suppliers]

    async def rates(self) -> Rates:
        return self.rate

    async def last_prices(self, sku: str, limit: int = 3) -> Sequence[PaidPrice]:
        return ()

    async def ensure_draft(self, draft: Draft) -> str:
        self._up()
        if draft.key not in self.keys:
            po = f"PO-{4471 + len(self.keys)}"
            self.keys[draft.key] = po
            self.pos[po] = Order(
                po,
                draft.sku,
                draft.supplier,
                draft.item,
                draft.quantity,
                draft.unit_price,
                draft.currency,
                draft.lead_time_days,
                draft.run,
                draft.freight,
            )
        return self.keys[draft.key]

    def _set(self, po: str, status: OrderStatus) -> None:
        self._up()
        self.pos[po] = replace(self.pos[po], status=status)

    async def change_draft(self, po: str, unit_price: Decimal, freight: Decimal) -> None:
        self._up()
        self.pos[po] = replace(self.pos[po], unit_price=unit_price, freight=freight)

    async def begin_sending(self, po: str, unit_price: Decimal, ceiling: Decimal) -> None:
        self._set(po, OrderStatus.UNKNOWN)
        self.pos[po] = replace(self.pos[po], unit_price=unit_price, ceiling=ceiling)

    async def mark_sent(self, po: str, at: datetime) -> None:
        self._set(po, OrderStatus.SENT)

    async def mark_draft(self, po: str) -> None:
        self._set(po, OrderStatus.DRAFT)

    async def confirm(
        self, po: str, quantity: Decimal, unit_price: Decimal, currency: str, due: date | None, at: datetime
    ) -> None:
        self._set(po, OrderStatus.ACCEPTED)
        self.pos[po] = replace(self.pos[po], quantity=quantity, unit_price=unit_price, currency=currency, due=due)

    async def receive(self, po: str, sku: str, note: str, quantity: Decimal, *, excess: bool = False) -> Receipt:
        return self.book_receipt(po, note, quantity, excess)

    def book_receipt(self, po: str, note: str, quantity: Decimal, excess: bool = False) -> Receipt:
        self._up()
        order = self.pos[po]
        note = f"{note} (agreed)" if excess else note
        if (po, note) in self.notes:
            return Receipt(D(0), D(0), order.received, self.on_hand, True)
        within = excess or order.received + quantity <= order.quantity * limits.OVER_DELIVERY
        booked = quantity if within else max(D(0), order.quantity - order.received)
        self.notes[po, note] = quantity
        self.pos[po] = order = replace(order, received=order.received + booked)
        self.on_hand += booked
        return Receipt(booked, quantity - booked, order.received, self.on_hand, False)

    async def cancel(self, po: str, reason: str) -> None:
        self._set(po, OrderStatus.CANCELLED)

    async def close(self, po: str) -> None:
        self._up()
        self.closed.append(po)


@dataclass
class MemorySuppliers:
    """Suppliers' own books. What they say is what a test tells them."""

    clock: TestClock
    prices: dict[str, Decimal | None] = field(default_factory=lambda: {"A": D("4.20"), "B": D("4.35"), "C": D("4.50")})
    currency: dict[str, str] = field(default_factory=dict[str, str])
    lead: dict[str, int] = field(default_factory=lambda: {"A": 7, "B": 5, "C": 10})
    freight: dict[str, Decimal] = field(default_factory=dict[str, Decimal])
    packs: dict[str, Decimal] = field(default_factory=dict[str, Decimal])
    valid_days: float = 14
    down: set[str] = field(default_factory=set[str])
    """Operations that are down, as `A:orders`."""
    lost: set[str] = field(default_factory=set[str])
    """Operations whose answer is lost after the work is done."""
    refuses: set[str] = field(default_factory=set[str])
    book: dict[str, OrderBody] = field(default_factory=dict[str, OrderBody])
    status: dict[str, str] = field(default_factory=dict[str, str])
    calls: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])
    """(operation, supplier or PO, key)"""
    sent_at: dict[str, datetime] = field(default_factory=dict[str, datetime])

    def _reach(self, supplier: str, operation: str) -> None:
        if f"{supplier}:{operation}" in self.down:
            raise Unavailable("unreachable", f"{supplier} {operation}")

    def _answer(self, supplier: str, operation: str) -> None:
        if f"{supplier}:{operation}" in self.lost:
            raise Unavailable("unreachable", f"{supplier} {operation}: answer lost")

    async def quotes(self, supplier: str, sku: str) -> Sequence[Quote]:
        self.calls.append(("quotes", supplier, ""))
        self._reach(supplier, "quotes")
        price = self.prices.get(supplier)
        if price is None:
            return []
        until = self.clock.now() + timedelta(days=self.valid_days)
        breaks = (Break(D(50), price),)
        return [
            Quote(
                supplier,
                f"{supplier}-123",
                self.currency.get(supplier, "USD"),
                breaks,
                self.packs.get(supplier, D(50)),
                self.lead[supplier],
                until,
                freight=self.freight.get(supplier, D(0)),
            )
        ]

    async def order(self, supplier: str, body: OrderBody, key: str) -> None:
        self.calls.append(("orders", supplier, key))
        self._reach(supplier, "orders")
        if f"{supplier}:orders" in self.refuses:
            raise Refused("cannot supply")
        if body.po not in self.book:
            self.book[body.po] = body
            self.status[body.po] = "open"
            self.sent_at[body.po] = self.clock.now()
        self._answer(supplier, "orders")

    async def find(self, supplier: str, po: str) -> SupplierOrder | None:
        self.calls.append(("find", supplier, po))
        self._reach(supplier, "find")
        body = self.book.get(po)
        if body is None:
            return None
        return SupplierOrder(po, body.quantity, body.unit_price, body.currency, self.status[po])  # type: ignore[arg-type]

    async def message(self, supplier: str, po: str, kind: str, text: str, key: str) -> None:
        self.calls.append(("messages", text, key))
        self._reach(supplier, "messages")

    async def accept(
        self,
        supplier: str,
        po: str,
        quantity: Decimal,
        unit_price: Decimal,
        currency: str,
        promised: date | None,
        key: str,
    ) -> None:
        self.calls.append(("accept", po, key))
        self._reach(supplier, "accept")
        if po not in self.book:
            raise Refused(f"no such order: {po}")
        self.book[po] = replace(self.book[po], quantity=quantity, unit_price=unit_price, currency=currency)
        self.status[po] = "confirmed"
        self._answer(supplier, "accept")

    async def cancel(self, supplier: str, po: str, reason: str, key: str) -> None:
        self.calls.append(("cancels", reason, key))
        self._reach(supplier, "cancel")
        if f"{supplier}:cancel" in self.refuses:
            raise Refused("too late")
        self.status[po] = "cancelled"
        self._answer(supplier, "cancel")


@dataclass
class MemoryPeople:
    requests: list[ApprovalRequest] = field(default_factory=list[ApprovalRequest])
    reminders: list[tuple[str, int, str]] = field(default_factory=list[tuple[str, int, str]])
    questions: list[BuyerQuestion] = field(default_factory=list[BuyerQuestion])
    notices: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    down: bool = False
    tries: int = 0

    def _reach(self) -> None:
        self.tries += 1
        if self.down:
            raise Unavailable("unreachable", "nobody is there")

    async def request_approval(self, request: ApprovalRequest) -> None:
        self._reach()
        self.requests.append(request)

    async def remind(self, approval: str, n: int, to: str, text: str) -> None:
        self._reach()
        self.reminders.append((approval, n, to))

    async def ask_buyer(self, question: BuyerQuestion) -> None:
        self._reach()
        self.questions.append(question)

    async def notify(self, role: str, key: str, sku: str, po: str | None, text: str) -> None:
        self._reach()
        self.notices.append((role, text))


class ScriptedReader:
    """Reads what the test wrote: content["reading"] names one of its readings."""

    def __init__(self) -> None:
        self.readings: dict[str, Reading] = {}

    async def read(self, content: Mapping[str, str], books: Books) -> Reading:
        return self.readings[content["text"]]


class EchoWriter:
    async def write(self, letter: Letter) -> str:
        return f"{letter.kind} {letter.po} {letter.reason}"


@dataclass
class MemoryWorld:
    """Everything around one run."""

    clock: TestClock = field(default_factory=TestClock)
    records: MemoryRecords = field(default_factory=MemoryRecords)
    people: MemoryPeople = field(default_factory=MemoryPeople)
    reader: ScriptedReader = field(default_factory=ScriptedReader)
    suppliers: MemorySuppliers = field(init=False)

    def __post_init__(self) -> None:
        self.suppliers = MemorySuppliers(self.clock)

    @property
    def context(self) -> Context:
        return Context(
            records=self.records,
            prices=self.suppliers,
            channel=self.suppliers,
            people=self.people,
            reader=self.reader,
            writer=EchoWriter(),
            clock=self.clock,
            company=Company({"dock": "Dock 2."}, "Main warehouse"),
        )

    def assignment(
        self, n: int = 1, *, orders: Sequence[Order] = (), mailbox: Sequence[Message] = (), rules_version: int = 1
    ) -> Assignment:
        items = [SupplierItem("SKU-123", s, f"{s}-123", D(50)) for s in self.records.suppliers]
        return Assignment(
            f"replenish-SKU-123-{n}",
            "SKU-123",
            n,
            self.clock.now(),
            self.records.part,
            self.records.on_hand,
            self.records.rate,
            items,
            list(orders),
            list(mailbox),
            rules_version,
            ["dock"],
        )
