"""The warehouse: goods that arrived, their delivery notes, and what the agent answered when it was told."""

from datetime import datetime
from decimal import Decimal

from pydantic import AwareDatetime

from sandbox.books import Books, Order
from sandbox.events import Events
from sandbox.scripts import Delivery
from sandbox.sender import Outgoing, Sender
from sandbox.store import Store, Table
from sandbox.wire import Amount, Body, Json, Problem

WAREHOUSE = "warehouse"


class Arrival(Body):
    """One report of goods: a note that is reported again is another arrival."""

    sku: str
    po: str
    supplier: str | None
    note: str
    quantity: Amount
    id: str
    message: str
    """The number of the message to the agent."""
    at: AwareDatetime
    status: int | None = None
    answer: str | None = None


class Warehouse:
    def __init__(self, store: Store, events: Events, books: Books, sender: Sender) -> None:
        self.arrivals = Table(store, "arrival", Arrival)
        self._events = events
        self._books = books
        self._sender = sender
        sender.listen(self._heard)

    def deliver(self, order: Order, delivery: Delivery, now: datetime) -> list[str]:
        """Goods of an order arrive and are reported; the numbers of the messages."""
        left = max(Decimal(0), order.quantity - order.delivered)
        quantity = delivery.quantity or left
        if quantity <= 0:
            raise Problem(
                409, f"nothing of {order.po} is outstanding: give a quantity to deliver more than was ordered"
            )
        note = delivery.note or f"DN-{order.po}-{len(order.notes) + 1}"
        if note not in order.notes:
            delivered = order.delivered + quantity
            self._books.put(
                order,
                delivered=delivered,
                notes=(*order.notes, note),
                status="received" if delivered >= order.quantity else "shipped",
            )
        message = self._id(note, order.po)
        numbers: list[str] = []
        for n in range(delivery.repeat):
            again = message if n == 0 or delivery.same_id else self._id(note, order.po)
            numbers.append(self.report(order.sku, order.po, note, quantity, again, order.supplier, now))
        return numbers

    def report(
        self, sku: str, po: str, note: str, quantity: Decimal, message: str | None, supplier: str | None, now: datetime
    ) -> str:
        """Tells the agent of goods, whatever the books say; the number of the message."""
        said = message or self._id(note, po)
        number = self._sender.send(
            WAREHOUSE, sku, "deliver", said, event="goods", po=po, note=note, quantity=format(quantity, "f")
        )
        arrival = Arrival(
            sku=sku, po=po, supplier=supplier, note=note, quantity=quantity, id=said, message=number, at=now
        )
        self.arrivals.put(number, arrival)
        self._events.tell("goods", sku=sku, po=po, supplier=supplier, note=note, quantity=arrival.quantity)
        return number

    def _id(self, note: str, po: str) -> str:
        told = sum(1 for a in self.arrivals.values() if (a.po, a.note) == (po, note))
        return self._sender.id("goods", po, note, str(told + 1)) if told else self._sender.id("goods", po, note)

    def _heard(self, number: str, message: Outgoing) -> None:
        arrival = self.arrivals.get(number)
        if arrival is not None:
            self.arrivals.put(number, arrival.model_copy(update={"status": message.status, "answer": message.answer}))

    def shown(self, sku: str | None = None) -> list[Json]:
        return [a.model_dump(mode="json", exclude={"message"}) for a in self.arrivals.values() if sku in (None, a.sku)]
