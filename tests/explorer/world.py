"""The explorer's outside world: suppliers' books, a manager's decisions, a clock and fates, in plain values that are
cheap to copy.
It judges what reaches it: money is checked against what the manager said, never against what the agent believes."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import NamedTuple

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
from replenisher.tools.base import Context
from support.inmemory import ON_HAND, START, D, sku_123

SUPPLIERS = ("A", "B")


class Booked(NamedTuple):
    """An order in a supplier's book."""

    supplier: str
    sku: str
    quantity: Decimal
    unit_price: Decimal
    currency: str
    status: str
    told: bool
    """The agent has been given the answer that it was taken."""


class Said(NamedTuple):
    """What the manager said yes to."""

    po: str
    quantity: Decimal
    currency: str
    ceiling: Decimal
    until: datetime


@dataclass
class World:
    time: datetime = START
    on_hand: Decimal = ON_HAND
    price: dict[str, tuple[Decimal, str]] = field(
        default_factory=lambda: {"A": (D("4.20"), "USD"), "B": (D("4.35"), "USD")}
    )
    book: dict[str, Booked] = field(default_factory=dict[str, Booked])
    keys: dict[str, tuple[object, ...]] = field(default_factory=dict[str, tuple[object, ...]])
    """The body first sent under each key."""
    asked: dict[str, ApprovalRequest] = field(default_factory=dict[str, ApprovalRequest])
    yes: dict[str, Said] = field(default_factory=dict[str, Said])
    record: dict[str, OrderStatus] = field(default_factory=dict[str, OrderStatus])
    drafts: dict[str, str] = field(default_factory=dict[str, str])
    fates: tuple[str, ...] = ()
    """How the attempts of this move go at the supplier: ok, down, lost, refused, late (the approval runs out first)."""
    may_cancel: frozenset[str] = frozenset()
    """POs that somebody gave a reason to cancel: their own supplier, the manager, the buyer or the operator."""
    breaches: tuple[str, ...] = ()

    def copy(self) -> "World":
        other = copy(self)
        for name in ("price", "book", "keys", "asked", "yes", "record", "drafts"):
            setattr(other, name, dict(getattr(self, name)))
        return other

    def key(self) -> tuple[object, ...]:
        return (
            self.time,
            self.on_hand,
            tuple(self.price.items()),
            tuple(self.book.items()),
            tuple(self.yes.items()),
            tuple(self.record.items()),
            self.may_cancel,
        )

    def breach(self, what: str) -> None:
        self.breaches = (*self.breaches, what)

    def _fate(self) -> str:
        fate, self.fates = (self.fates[0], self.fates[1:]) if self.fates else ("ok", ())
        return fate

    def attempt_begins(self) -> None:
        """An attempt may begin only after the approval has run out."""
        if self.fates and self.fates[0] == "late":
            self.time += timedelta(days=6)
            self.fates = ("ok", *self.fates[1:])

    # --- suppliers ----------------------------------------------------------------------------------------------------

    async def quotes(self, supplier: str, sku: str) -> Sequence[Quote]:
        if self._fate() == "down":
            raise Unavailable("unreachable", supplier)
        price, currency = self.price[supplier]
        until = self.time + timedelta(days=14)
        return [Quote(supplier, f"{supplier}-123", currency, (Break(D(50), price),), D(50), 7, until)]

    async def order(self, supplier: str, body: OrderBody, key: str) -> None:
        fate = self._fate()
        if fate == "refused":
            raise Refused("cannot supply")
        if fate == "down":
            raise Unavailable("unreachable", supplier)
        sent = (body.po, body.quantity, body.unit_price, body.currency)
        if self.keys.setdefault(key, sent) != sent:
            self.breach(f"another body under key {key}")
        elif body.po in self.book and sum(1 for k, v in self.keys.items() if v[0] == body.po and "/" not in k) > 1:
            self.breach(f"{body.po} ordered twice under other keys")
        if body.po not in self.book:
            self._commits(body.po, body.quantity, body.unit_price, body.currency)
            others = [
                po for po, b in self.book.items() if b.told and b.sku == body.sku and b.status in ("open", "confirmed")
            ]
            if others:
                self.breach(f"{body.po} ordered though {others} is under way")
            self.book[body.po] = Booked(
                supplier, body.sku, body.quantity, body.unit_price, body.currency, "open", told=False
            )
        if fate == "lost":
            raise Unavailable("unreachable", supplier)
        self.book[body.po] = self.book[body.po]._replace(told=True)

    def _commits(self, po: str, quantity: Decimal, price: Decimal, currency: str) -> None:
        """Money is committed: somebody must have said yes to exactly this, and the yes must still hold."""
        if not any(
            s.po == po
            and s.quantity == quantity
            and s.currency == currency
            and price <= s.ceiling
            and self.time < s.until
            for s in self.yes.values()
        ):
            self.breach(f"{po}: {quantity} at {price} {currency} committed without a live approval")

    async def find(self, supplier: str, po: str) -> SupplierOrder | None:
        if self._fate() == "down":
            raise Unavailable("unreachable", supplier)
        booked = self.book.get(po)
        if booked is None:
            return None
        self.book[po] = booked._replace(told=True)
        status = booked.status
        return SupplierOrder(po, booked.quantity, booked.unit_price, booked.currency, status)  # type: ignore[arg-type]

    async def message(self, supplier: str, po: str, kind: str, text: str, key: str) -> None:
        return None

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
        fate = self._fate()
        if fate == "refused":
            raise Refused("no longer")
        if fate == "down":
            raise Unavailable("unreachable", supplier)
        was = self.book.get(po)
        if was is None:
            raise Refused(f"no such order: {po}")
        no_more = currency == was.currency and unit_price <= was.unit_price and quantity <= was.quantity
        if not no_more:
            self._commits(po, quantity, unit_price, currency)
        self.book[po] = was._replace(quantity=quantity, unit_price=unit_price, currency=currency, status="confirmed")
        if fate == "lost":
            raise Unavailable("unreachable", supplier)

    async def cancel(self, supplier: str, po: str, reason: str, key: str) -> None:  # type: ignore[override]
        if self._covered_without(po):
            # what was begun while it was a duplicate may be finished: the first try may have arrived
            self.gives_reason(po)
        fate = self._fate()
        if fate == "refused":
            raise Refused("too late")
        if fate == "down":
            raise Unavailable("unreachable", supplier)
        was = self.book.get(po)
        if was is None:
            raise Refused(f"no such order: {po}")
        if was.sku != "SKU-123" or was.supplier != supplier:
            self.breach(f"{po} cancelled at {supplier}, which is not the SKU's order there")
        elif po not in self.may_cancel and not self._covered_without(po):
            self.breach(f"{po} cancelled though nobody gave a reason")
        elif was.status != "received":
            self.book[po] = was._replace(status="cancelled")
        if fate == "lost":
            raise Unavailable("unreachable", supplier)

    def _covered_without(self, po: str) -> bool:
        """Another order of the part is in a book, or the stock is enough: this one may be a duplicate."""
        others = [b for p, b in self.book.items() if p != po and b.sku == "SKU-123" and b.status != "cancelled"]
        return bool(others) or self.on_hand >= part().reorder_point

    def gives_reason(self, *pos: str) -> None:
        self.may_cancel |= set(pos)

    # --- people -------------------------------------------------------------------------------------------------------

    async def request_approval(self, request: ApprovalRequest) -> None:
        self.asked[request.id] = request

    def says_yes(self, approval: str, ceiling: Decimal | None = None) -> None:
        request = self.asked[approval]
        until = self.time + timedelta(days=5)
        self.yes[approval] = Said(request.po, request.quantity, request.currency, ceiling or request.ceiling, until)

    async def remind(self, approval: str, n: int, to: str, text: str) -> None:
        return None

    async def ask_buyer(self, question: BuyerQuestion) -> None:
        return None

    async def notify(self, role: str, key: str, sku: str, po: str | None, text: str) -> None:
        return None

    def now(self) -> datetime:
        return self.time


class Records:
    """The system of record on the same world."""

    def __init__(self, world: World) -> None:
        self.world = world

    async def stock(self, sku: str) -> Stock | None:
        orders = tuple(
            Order(po, sku, "A", "A-123", D(450), D("4.20"), "USD", 7, "run", status=status)
            for po, status in self.world.record.items()
        )
        return Stock(part(), self.world.on_hand, orders)

    async def items(self, sku: str) -> Sequence[SupplierItem]:
        return items()

    async def rates(self) -> Rates:
        return rates()

    async def last_prices(self, sku: str, limit: int = 3) -> Sequence[PaidPrice]:
        return ()

    async def ensure_draft(self, draft: Draft) -> str:
        po = self.world.drafts.setdefault(draft.key, f"PO-{4480 + len(self.world.drafts)}")
        self.world.record.setdefault(po, OrderStatus.DRAFT)
        return po

    async def change_draft(self, po: str, unit_price: Decimal, freight: Decimal) -> None:
        return None

    async def begin_sending(self, po: str, unit_price: Decimal, ceiling: Decimal) -> None:
        self.world.record[po] = OrderStatus.UNKNOWN

    async def mark_sent(self, po: str, at: datetime) -> None:
        self.world.record[po] = OrderStatus.SENT

    async def mark_draft(self, po: str) -> None:
        self.world.record[po] = OrderStatus.DRAFT

    async def confirm(
        self, po: str, quantity: Decimal, unit_price: Decimal, currency: str, due: date | None, at: datetime
    ) -> None:
        self.world.record[po] = OrderStatus.ACCEPTED

    async def receive(self, po: str, sku: str, note: str, quantity: Decimal, *, excess: bool = False) -> Receipt:
        self.world.on_hand += quantity
        return Receipt(quantity, D(0), quantity, self.world.on_hand, False)

    async def cancel(self, po: str, reason: str) -> None:
        self.world.record[po] = OrderStatus.CANCELLED

    async def close(self, po: str) -> None:
        return None


class Words:
    """Reader and writer: a message is its reading."""

    def __init__(self, readings: Mapping[str, Reading]) -> None:
        self.readings = readings

    async def read(self, content: Mapping[str, str], books: Books) -> Reading:
        return self.readings[content["text"]]

    async def write(self, letter: Letter) -> str:
        return letter.kind


def part() -> Part:
    return replace(sku_123())


def items() -> list[SupplierItem]:
    return [SupplierItem("SKU-123", s, f"{s}-123", D(50)) for s in SUPPLIERS]


def rates() -> Rates:
    return Rates("USD", {"EUR": D("1.10")})


def context(world: World, words: Words) -> Context:
    company = Company({"dock": "Dock 2."}, "Main warehouse")
    return Context(Records(world), world, world, world, words, words, world, company)
