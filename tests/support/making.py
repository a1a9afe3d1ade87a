"""Values of the domain for tests, each the usual one of SKU-123 unless a test says
otherwise. No world here: see inmemory.py."""

from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from replenisher.domain.approval import Approval, ApprovalStatus
from replenisher.domain.message import ANSWER, GOODS, SUPPLIER_REPLY, Message
from replenisher.domain.money import Rates
from replenisher.domain.order import CounterOffer, Order, OrderStatus, SupplierQuestion
from replenisher.domain.part import SupplierItem
from replenisher.domain.question import Question, Subject
from replenisher.domain.quote import Break, NoQuote, Quote
from replenisher.domain.state import State
from support.inmemory import START, D, sku_123

RUN = "replenish-SKU-123-1"
EARLIER = "replenish-SKU-123-0"
PO = "PO-4471"
DUE = date(2026, 12, 8)
"""Sent on 1 December with a lead time of 7 days."""
S = OrderStatus


def days(n: float) -> datetime:
    """So many days after the start."""
    return START + timedelta(days=n)


def order(status: OrderStatus = S.DRAFT, **changes: Any) -> Order:
    """PO-4471: 450 at A for 4.20 USD, of this run, sent at the start if it was."""
    one = Order(PO, "SKU-123", "A", "A-123", D(450), D("4.20"), "USD", 7, RUN, status=status)
    if status is not S.DRAFT:
        one = replace(one, sent_at=START, due=DUE, ceiling=D("4.41"))
    if status is S.ACCEPTED:
        one = replace(one, acknowledged_at=START)
    return replace(one, **changes)


def counter(price: str = "4.54", currency: str = "USD", quantity: str = "450", **changes: Any) -> CounterOffer:
    return CounterOffer(D(price), currency, D(quantity), changes.pop("promised", None), "m-1", START, **changes)


def asks(topic: str = "other", **changes: Any) -> SupplierQuestion:
    return SupplierQuestion(topic, "which colour?", "m-1", **changes)


def approval(status: ApprovalStatus = ApprovalStatus.OPEN, **changes: Any) -> Approval:
    """PO-4471/1: 450 at 4.20 up to 4.41 USD, asked at the start."""
    one = Approval(
        "PO-4471/1", PO, "order", D(450), D("4.20"), "USD", D("4.41"), "manager", START, START + timedelta(days=12)
    )
    if status is ApprovalStatus.APPROVED:
        one = replace(one, decided_at=START, holds_until=START + timedelta(days=5), approved_up_to=D("4.41"), by="boss")
    return replace(one, status=status, **changes)


def quote(supplier: str = "A", price: str = "4.20", currency: str = "USD", **changes: Any) -> Quote:
    until = START + timedelta(days=14)
    one = Quote(supplier, f"{supplier}-123", currency, (Break(D(50), D(price)),), D(50), 7, until)
    return replace(one, **changes)


def quotes() -> tuple[Quote, ...]:
    """Those of product.md, section 4."""
    terms = (("A", "4.20", 7), ("B", "4.35", 5), ("C", "4.50", 10))
    return tuple(quote(s, p, lead_time_days=lead) for s, p, lead in terms)


def no_quote(supplier: str, *, failed: bool) -> NoQuote:
    return NoQuote(supplier, f"{supplier}-123", "unreachable" if failed else "has no price", failed)


def question(subject: Subject, po: str | None = PO, **changes: Any) -> Question:
    one = Question(f"{po or 'need'}/{subject.value}/1", subject, po, "What now?", START)
    return replace(one, **changes)


def state(*orders: Order, **changes: Any) -> State:
    """SKU-123 at the start: 60 on hand, level 100, target 500, with A, B and C approved; nothing asked yet."""
    items = tuple(SupplierItem("SKU-123", s, f"{s}-123", D(50)) for s in "ABC")
    one = State(
        RUN, "SKU-123", 1, 1, sku_123(), Rates("USD", {"EUR": D("1.10")}), D(60), START, ("dock",), items,
        orders={o.po: o for o in orders},
    )  # fmt: skip
    for name in ("approvals", "questions"):
        if name in changes:
            changes[name] = {x.id: x for x in changes[name]}
    return replace(one, **changes)


def reply(number: str = "m-1", po: str | None = PO, supplier: str = "A", at: datetime = START) -> Message:
    return Message(number, SUPPLIER_REPLY, at, supplier, po, {"subject": "", "text": number})


def goods(received: str, number: str = "g-1", po: str = PO, note: str = "DN-1", **changes: Any) -> Message:
    """A receipt after which so many were received on the PO in all; on hand is 60 more."""
    at, on_hand = changes.pop("at", START), changes.pop("on_hand", Decimal(received) + 60)
    return Message(number, GOODS, at, "warehouse", po, note=note, received=D(received), on_hand=D(on_hand), **changes)


def answers(to: Question, choice: str, text: str = "", number: str = "a-1", at: datetime = START) -> Message:
    return Message(number, ANSWER, at, "buyer", question=to.id, choice=choice, text=text)
