"""Goods receipts: what of a delivery is booked, what is held back, and what that makes of stock and order."""

from decimal import Decimal
from sqlite3 import Connection

from replenisher.domain.limits import OVER_DELIVERY
from replenisher.domain.money import plain
from replenisher.domain.order import OrderStatus
from replenisher.domain.ports import Receipt, Refused
from replenisher.systems.records.database import Row, amount
from replenisher.systems.records.purchase_orders import Recorded, find

S = OrderStatus
ZERO = Decimal(0)


def receive(db: Connection, po: str, sku: str, note: str, quantity: Decimal, *, excess: bool) -> Receipt:
    """One delivery note of one order. Of a note booked before it says again what is held back."""
    known = find(db, po)
    if known.order.sku != sku:
        raise Refused(f"{po} is an order of {known.order.sku}, not of {sku}: look at the number on the delivery note")
    if not note:
        raise Refused(f"a receipt on {po} needs the number of its delivery note")
    delivered = amount(quantity, "quantity received", above_zero=True)
    row: Row | None = db.execute(
        "SELECT quantity, booked, excess, excess_booked FROM receipt WHERE number = ? AND note = ?",
        (known.number, note),
    ).fetchone()
    if excess:
        return _agreed(db, known, note, quantity, row)
    if row is not None:
        if Decimal(row[0]) != quantity:
            raise Refused(f"note {note} was booked on {po} with {row[0]}, not {delivered}: correct it by a stock count")
        held = ZERO if row[3] else Decimal(row[2])
        return Receipt(ZERO, held, known.order.received, _on_hand(db, sku), duplicate=True)
    booked = _bookable(known, quantity)
    left = quantity - booked
    db.execute(
        "INSERT INTO receipt (number, note, quantity, booked, excess) VALUES (?, ?, ?, ?, ?)",
        (known.number, note, delivered, amount(booked, "quantity booked"), amount(left, "excess")),
    )
    return _book(db, known, booked, left)


def _bookable(known: Recorded, quantity: Decimal) -> Decimal:
    """All of it within the tolerance, else what was outstanding: of a cancelled order nothing, a person decides."""
    order = known.order
    if order.status is S.DRAFT:
        raise known.no("it was never ordered, so its goods are not booked; look at the number on the delivery note")
    if order.closed:
        raise known.no("nothing more is expected, so this is not booked; ask the buyer whether it goes back")
    if order.status is not S.CANCELLED and order.received + quantity <= order.quantity * OVER_DELIVERY:
        return quantity
    return min(order.outstanding, quantity)


def _agreed(db: Connection, known: Recorded, note: str, quantity: Decimal, row: Row | None) -> Receipt:
    """Books what a note brought too much, after a person said yes."""
    order = known.order
    if row is None or Decimal(row[2]) == 0:
        raise Refused(f"nothing of note {note} is held back on {order.po}: book it as a receipt first")
    if Decimal(row[2]) != quantity:
        raise Refused(f"{row[2]} of note {note} are held back on {order.po}, not {plain(quantity)}: book exactly those")
    if row[3]:
        return Receipt(ZERO, ZERO, order.received, _on_hand(db, order.sku), duplicate=True)
    db.execute("UPDATE receipt SET excess_booked = 1 WHERE number = ? AND note = ?", (known.number, note))
    return _book(db, known, quantity, ZERO)


def _book(db: Connection, known: Recorded, booked: Decimal, left: Decimal) -> Receipt:
    order = known.order
    on_hand = _on_hand(db, order.sku)
    if booked == 0:
        return Receipt(ZERO, left, order.received, on_hand, duplicate=False)
    received = order.received + booked
    on_hand += booked
    status = order.status
    if received >= order.quantity:
        status = S.RECEIVED
    elif status in (S.UNKNOWN, S.SENT):
        status = S.ACCEPTED
    db.execute(
        "UPDATE purchase_order SET received = ?, status = ? WHERE number = ?",
        (amount(received, "quantity received"), status, known.number),
    )
    db.execute("UPDATE part SET on_hand = ? WHERE sku = ?", (amount(on_hand, "stock"), order.sku))
    return Receipt(booked, left, received, on_hand, duplicate=False)


def _on_hand(db: Connection, sku: str) -> Decimal:
    return Decimal(db.execute("SELECT on_hand FROM part WHERE sku = ?", (sku,)).fetchone()[0])
