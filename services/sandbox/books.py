"""A supplier's book: orders by PO number, every attempt to place one, messages, and first answers by idempotency key.
What he does about an order (mails, goods) is in acting.py; how requests reach the book is in serving.py."""

import hashlib
from datetime import date, datetime
from decimal import Decimal
from typing import Literal

from pydantic import AwareDatetime, Field

from sandbox.contract import AcceptBody, MessageBody, OrderBody
from sandbox.events import Events
from sandbox.quotes import PriceList
from sandbox.store import Store, Table, key
from sandbox.wire import Amount, Body, Json, NotNegative, Problem, dump

Status = Literal["open", "confirmed", "shipped", "received", "cancelled", "declined"]
KEY_CONFLICT = "idempotency-conflict"
"""The code of a 422 that says nothing about whether the first request of that key was carried out."""


class Terms(Body):
    unit_price: Amount
    currency: str
    quantity: Amount
    promised_date: date | None = None
    text: str = ""
    at: AwareDatetime
    as_offered: bool | None = None
    """Of accepted terms: whether he had offered them; None when only his free text could tell."""


class Order(Body):
    supplier: str
    po: str
    sku: str
    item: str
    quantity: Amount
    unit_price: Amount
    currency: str
    deliver_to: str
    status: Status = "open"
    reference: str
    lead_time_days: int
    taken_at: AwareDatetime
    ordered: Terms
    """As it was placed; quantity and price above are those agreed last."""
    offered: tuple[Terms, ...] = ()
    """What he wrote he would do, where the sandbox knows it."""
    free_text: bool = False
    """He wrote in words of a script, so that nobody here knows what he offered."""
    accepted: tuple[Terms, ...] = ()
    cancel_reason: str | None = None
    delivered: NotNegative = Decimal(0)
    notes: tuple[str, ...] = ()
    goods_planned: bool = False
    mails: int = 0
    """Mails he sent about it."""
    heard: dict[str, int] = Field(default_factory=dict[str, int])
    """Messages he got about it, by kind."""

    @property
    def shown(self) -> Json:
        """As `GET /orders/{po}` answers."""
        names = ("po", "sku", "item", "quantity", "unit_price", "currency", "status")
        return {name: dump(self)[name] for name in names}


class Attempt(Body):
    """One request of the order operation, whatever became of it."""

    supplier: str
    po: str
    sku: str
    key: str | None
    body: str
    """Exactly the bytes that came."""
    sha256: str
    fault: str | None = None
    at: AwareDatetime


class Mail(Body):
    """A message from the agent to a supplier."""

    supplier: str
    po: str
    sku: str
    kind: str
    text: str
    key: str
    at: AwareDatetime


class FirstAnswer(Body):
    path: str
    sha256: str
    status: int
    answer: dict[str, Json]


def sha(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


class Books:
    """The books of all suppliers, each kept apart by his name."""

    def __init__(self, store: Store, events: Events, prices: PriceList) -> None:
        self.orders = Table(store, "order", Order)
        self.attempts = Table(store, "attempt", Attempt)
        self.mails = Table(store, "mail", Mail)
        self._answers = Table(store, "answer", FirstAnswer)
        self._events = events
        self._prices = prices

    def get(self, supplier: str, po: str) -> Order | None:
        return self.orders.get(key(supplier, po))

    def sku_of(self, supplier: str, po: str) -> str | None:
        """The part of an order, also of one that was only tried to be placed."""
        order = self.get(supplier, po)
        if order is not None:
            return order.sku
        tried = (a.sku for a in self.attempts.values() if (a.supplier, a.po) == (supplier, po) and a.sku)
        return next(tried, None)

    def need(self, supplier: str, po: str) -> Order:
        order = self.get(supplier, po)
        if order is None:
            raise Problem(404, f"{supplier} has no order {po}")
        return order

    def put(self, order: Order, **changes: object) -> Order:
        """The order with what changed about it."""
        changed = order.model_copy(update=changes)
        if changed.status != order.status:
            about = {"supplier": order.supplier, "po": order.po, "sku": order.sku}
            self._events.tell("status", status=changed.status, **about)
        return self.orders.put(key(order.supplier, order.po), changed)

    def attempt(
        self, supplier: str, po: str, sku: str, header: str | None, raw: bytes, fault: str | None, at: datetime
    ) -> None:
        attempt = Attempt(
            supplier=supplier,
            po=po,
            sku=sku,
            key=header,
            body=raw.decode(errors="replace"),
            sha256=sha(raw),
            fault=fault,
            at=at,
        )
        self.attempts.add(attempt)
        count = sum(1 for a in self.attempts.values() if (a.supplier, a.po) == (supplier, po))
        self._events.tell("order_attempt", supplier=supplier, po=po, sku=sku, attempt=count, fault=fault)

    # --- idempotency --------------------------------------------------------------------------------------------------

    def first_answer(self, supplier: str, header: str, path: str, raw: bytes) -> tuple[int, Json] | None:
        """The first answer given to this key; Problem when it was another request that had it."""
        known = self._answers.get(key(supplier, header))
        if known is None:
            return None
        if (known.path, known.sha256) != (path, sha(raw)):
            said = f"the key {header!r} was used with another request: repeat that one exactly or take a new key"
            raise Problem(422, said, KEY_CONFLICT)
        return known.status, known.answer

    def remember(self, supplier: str, header: str, path: str, raw: bytes, status: int, answer: Json) -> None:
        self._answers.put(key(supplier, header), FirstAnswer(path=path, sha256=sha(raw), status=status, answer=answer))

    # --- the operations -----------------------------------------------------------------------------------------------

    def take(self, supplier: str, body: OrderBody, now: datetime) -> Order:
        """An order placed: in the book, open."""
        if self.get(supplier, body.po) is not None:
            said = f"{body.po} is in our book already, under another key: look it up"
            raise Problem(409, said, KEY_CONFLICT)
        terms = self._prices.order_item(
            supplier, body.sku, body.item, body.quantity, body.unit_price, body.currency, now
        )
        number = 1 + sum(1 for o in self.orders.values() if o.supplier == supplier)
        placed = Terms(unit_price=body.unit_price, currency=body.currency, quantity=body.quantity, at=now)
        order = Order(
            supplier=supplier,
            po=body.po,
            sku=body.sku,
            item=body.item,
            quantity=body.quantity,
            unit_price=body.unit_price,
            currency=body.currency,
            deliver_to=body.deliver_to,
            reference=f"{supplier}-SO-{number}",
            lead_time_days=terms.lead_time_days,
            taken_at=now,
            ordered=placed,
        )
        self.orders.put(key(supplier, body.po), order)
        self._events.tell("order", supplier=supplier, po=body.po, sku=body.sku)
        return order

    def hear(self, order: Order, body: MessageBody, header: str, now: datetime) -> Order:
        """A message about an order."""
        mail = Mail(
            supplier=order.supplier, po=order.po, sku=order.sku, kind=body.kind, text=body.text, key=header, at=now
        )
        self.mails.add(mail)
        n = order.heard.get(body.kind, 0) + 1
        about = {"supplier": order.supplier, "po": order.po, "sku": order.sku}
        self._events.tell("message", kind=body.kind, nth=n, **about)
        return self.put(order, heard={**order.heard, body.kind: n})

    def accept(self, order: Order, body: AcceptBody, now: datetime) -> Order:
        """The buyer's agreement to terms: they are the order's own from now on."""
        if order.status in ("cancelled", "declined"):
            raise Problem(409, f"{order.po} is {order.status}: there is nothing to accept")
        accepted = Terms(
            unit_price=body.unit_price,
            currency=body.currency,
            quantity=body.quantity,
            promised_date=body.promised_date,
            text=body.text,
            at=now,
            as_offered=_as_offered(order, body),
        )
        about = {"supplier": order.supplier, "po": order.po, "sku": order.sku}
        self._events.tell("accept", unit_price=body.unit_price, currency=body.currency, **about)
        return self.put(
            order,
            status="confirmed" if order.status == "open" else order.status,
            unit_price=body.unit_price,
            currency=body.currency,
            quantity=body.quantity,
            accepted=(*order.accepted, accepted),
        )

    def cancel(self, order: Order, reason: str, says: Literal["accept", "refuse"] | None) -> Order:
        """A cancellation: too late once goods have left, unless the script says otherwise."""
        about = {"supplier": order.supplier, "po": order.po, "sku": order.sku}
        late = order.status in ("shipped", "received") if says is None else says == "refuse"
        if late:
            self._events.tell("cancel_refused", reason=reason, **about)
            raise Problem(409, f"it is too late to cancel {order.po}: it is {order.status}")
        self._events.tell("cancel", reason=reason, **about)
        return self.put(order, status="cancelled", cancel_reason=reason)


def _as_offered(order: Order, body: AcceptBody) -> bool | None:
    agreed = (body.unit_price, body.currency, body.quantity)
    if any((t.unit_price, t.currency, t.quantity) == agreed for t in (*order.offered, order.ordered)):
        return True
    return None if order.free_text else False
