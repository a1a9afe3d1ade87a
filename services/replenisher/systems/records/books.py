"""The books as a whole, for reports and comparisons: every order, receipt and stock. Nothing is changed here."""

from dataclasses import dataclass
from decimal import Decimal
from sqlite3 import Connection

from replenisher.domain.order import Order
from replenisher.systems.records.database import Row
from replenisher.systems.records.purchase_orders import COLUMNS, as_order


@dataclass(frozen=True, slots=True)
class BookedReceipt:
    po: str
    note: str
    quantity: Decimal
    """As delivered."""
    booked: Decimal
    """Excess that was agreed included."""
    held: Decimal
    """Delivered and not booked."""


@dataclass(frozen=True, slots=True)
class Books:
    orders: tuple[Order, ...]
    """Closed ones included, by number."""
    receipts: tuple[BookedReceipt, ...]
    on_hand: dict[str, Decimal]
    """By SKU."""


def read(db: Connection) -> Books:
    orders: list[Row] = db.execute(f"SELECT {COLUMNS} FROM purchase_order p ORDER BY p.number").fetchall()
    receipts: list[Row] = db.execute(
        "SELECT p.po, r.note, r.quantity, r.booked, r.excess, r.excess_booked"
        " FROM receipt r JOIN purchase_order p USING (number) ORDER BY r.number, r.note"
    ).fetchall()
    stock: list[Row] = db.execute("SELECT sku, on_hand FROM part ORDER BY sku").fetchall()
    return Books(
        tuple(as_order(row) for row in orders),
        tuple(_receipt(row) for row in receipts),
        {sku: Decimal(on_hand) for sku, on_hand in stock},
    )


def _receipt(row: Row) -> BookedReceipt:
    booked, excess = Decimal(row[3]), Decimal(row[4])
    taken, held = (booked + excess, Decimal(0)) if row[5] else (booked, excess)
    return BookedReceipt(row[0], row[1], Decimal(row[2]), taken, held)
