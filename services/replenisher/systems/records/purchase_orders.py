"""Purchase orders as rows, and what may follow what: each function is one act on an open transaction.
Goods are in receipts.py; who opens transactions and threads is in sqlite.py."""

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from sqlite3 import Connection

from replenisher.domain.order import Order, OrderStatus
from replenisher.domain.ports import Draft, PaidPrice, Refused
from replenisher.systems.records.database import Row, amount, as_amount, as_day, as_moment, moment

S = OrderStatus
COLUMNS = """p.po, p.sku, p.supplier, p.item, p.quantity, p.unit_price, p.currency, p.lead_time_days, p.run, p.freight,
p.status, p.sent_at, p.acknowledged_at, p.due, p.ceiling, p.received, p.closed, p.sent_price, p.number"""


@dataclass(frozen=True, slots=True)
class Recorded:
    """An order as it stands in the books."""

    number: int
    order: Order
    sent_price: Decimal | None
    """The price it was sent at, whatever was agreed later; None for one that is not being sent."""

    def no(self, why: str) -> Refused:
        state = "closed" if self.order.closed else self.order.status.value
        return Refused(f"{self.order.po} is {state}: {why}")


def as_order(row: Row) -> Order:
    return Order(
        po=row[0],
        sku=row[1],
        supplier=row[2],
        item=row[3],
        quantity=Decimal(row[4]),
        unit_price=Decimal(row[5]),
        currency=row[6],
        lead_time_days=row[7],
        run=row[8],
        freight=Decimal(row[9]),
        status=OrderStatus(row[10]),
        sent_at=as_moment(row[11]),
        acknowledged_at=as_moment(row[12]),
        due=as_day(row[13]),
        ceiling=as_amount(row[14]),
        received=Decimal(row[15]),
        closed=bool(row[16]),
    )


def find(db: Connection, po: str) -> Recorded:
    """Raises Refused when nobody knows it."""
    named = re.fullmatch(r"PO-([1-9]\d{0,17})", po, re.ASCII)
    row: Row | None = None
    if named is not None:
        row = db.execute(f"SELECT {COLUMNS} FROM purchase_order p WHERE p.number = ?", (int(named[1]),)).fetchone()
    if row is None:
        raise Refused(
            f"there is no purchase order {po[:40]!r}: give its number as it stands on the order, like PO-4471"
        )
    return Recorded(row[18], as_order(row), as_amount(row[17]))


def ensure_draft(db: Connection, draft: Draft) -> str:
    """Refused when its key was used for something else."""
    found: Row | None = db.execute(
        "SELECT po, sku, supplier, item, currency, drafted_quantity FROM purchase_order WHERE draft_key = ?",
        (draft.key,),
    ).fetchone()
    if found is not None:
        same = (draft.sku, draft.supplier, draft.item, draft.currency) == found[1:5]
        if not same or draft.quantity != Decimal(found[5]):
            raise Refused(f"{found[0]} was drafted under {draft.key} for something else: a new draft needs its own key")
        return found[0]
    if db.execute("SELECT 1 FROM part WHERE sku = ?", (draft.sku,)).fetchone() is None:
        raise Refused(f"there is no part {draft.sku}: import it first")
    quantity = amount(draft.quantity, "quantity", above_zero=True)
    made = db.execute(
        "INSERT INTO purchase_order (draft_key, run, sku, supplier, item, drafted_quantity, quantity, unit_price,"
        " currency, freight, lead_time_days) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            draft.key,
            draft.run,
            draft.sku,
            draft.supplier,
            draft.item,
            quantity,
            quantity,
            amount(draft.unit_price, "unit price"),
            draft.currency,
            amount(draft.freight, "freight"),
            draft.lead_time_days,
        ),
    )
    return f"PO-{made.lastrowid}"


def change_draft(db: Connection, po: str, unit_price: Decimal, freight: Decimal) -> None:
    known = find(db, po)
    if known.order.status is not S.DRAFT:
        raise known.no("only a draft can change its price; agree new terms with the supplier instead")
    db.execute(
        "UPDATE purchase_order SET unit_price = ?, freight = ? WHERE number = ?",
        (amount(unit_price, "unit price"), amount(freight, "freight"), known.number),
    )


def begin_sending(db: Connection, po: str, unit_price: Decimal, ceiling: Decimal) -> None:
    """Begun again at the same terms it changes nothing, however far the order came: a step that is done again after
    a crash starts here. Other terms are refused, for the supplier may have the first ones; so is a cancelled order."""
    known = find(db, po)
    order = known.order
    price, limit = amount(unit_price, "unit price"), amount(ceiling, "ceiling")
    if unit_price > ceiling:
        raise Refused(f"{po} is approved up to {limit}, not at {price}: ask the manager again")
    if order.status is S.DRAFT:
        db.execute(
            "UPDATE purchase_order SET status = 'unknown', unit_price = ?, sent_price = ?, ceiling = ?"
            " WHERE number = ?",
            (price, price, limit, known.number),
        )
    elif order.status is S.CANCELLED:
        raise known.no("it cannot be sent any more; make a new draft")
    elif (known.sent_price, order.ceiling) != (unit_price, ceiling):
        raise known.no("it may be at the supplier at other terms already; check it with him first")


def mark_sent(db: Connection, po: str, at: datetime) -> None:
    """Also for a draft: when the supplier has it, it was sent. The first time stays."""
    known = find(db, po)
    order = known.order
    if order.status is S.CANCELLED:
        raise known.no("cancel it at the supplier too, or make a new draft")
    if order.sent_at is not None:
        return
    status = S.SENT if order.status in (S.DRAFT, S.UNKNOWN) else order.status
    due = order.due or (at + timedelta(days=order.lead_time_days)).date()
    db.execute(
        "UPDATE purchase_order SET status = ?, sent_at = ?, due = ? WHERE number = ?",
        (status, moment(at), due.isoformat(), known.number),
    )


def mark_draft(db: Connection, po: str) -> None:
    known = find(db, po)
    if known.order.status is S.DRAFT:
        return
    if known.order.status is not S.UNKNOWN:
        raise known.no("only an order of unknown outcome can be a draft again; cancel it instead")
    db.execute(
        "UPDATE purchase_order SET status = 'draft', ceiling = NULL, sent_price = NULL WHERE number = ?",
        (known.number,),
    )


def confirm(
    db: Connection, po: str, quantity: Decimal, unit_price: Decimal, currency: str, due: date | None, at: datetime
) -> None:
    """The time of the first one stays. Without a date the agreed one stays, else due is `at` plus the lead time."""
    known = find(db, po)
    order = known.order
    terms = (amount(quantity, "quantity", above_zero=True), amount(unit_price, "unit price"))
    if order.status is S.DRAFT:
        raise known.no("it was never sent, so there is nothing to confirm; ask the supplier which order he means")
    if order.status is S.CANCELLED:
        raise known.no("what the supplier confirms now is not wanted; tell him that it is cancelled")
    if due is None:
        agreed = order.due if order.acknowledged_at is not None else None
        due = agreed or (at + timedelta(days=order.lead_time_days)).date()
    status = S.RECEIVED if order.received >= quantity else S.ACCEPTED
    if order.acknowledged_at is not None and (order.quantity, order.unit_price, order.currency, order.due) == (
        quantity,
        unit_price,
        currency,
        due,
    ):
        return
    if order.closed:
        raise known.no("its terms are settled; take other ones up with the supplier as a matter of its own")
    db.execute(
        "UPDATE purchase_order SET status = ?, quantity = ?, unit_price = ?, currency = ?, due = ?,"
        " acknowledged_at = COALESCE(acknowledged_at, ?) WHERE number = ?",
        (status, *terms, currency, due.isoformat(), moment(at), known.number),
    )


def cancel(db: Connection, po: str, reason: str) -> None:
    """One of which we never heard that the supplier has it is closed with it: a draft, or one he refused to take."""
    known = find(db, po)
    order = known.order
    if order.status is S.CANCELLED:
        return
    if order.status is S.RECEIVED:
        raise known.no("the goods are here; send them back as a matter of its own")
    over = order.closed or order.status in (S.DRAFT, S.UNKNOWN)
    db.execute(
        "UPDATE purchase_order SET status = 'cancelled', cancel_reason = ?, closed = ? WHERE number = ?",
        (reason, over, known.number),
    )


def close(db: Connection, po: str) -> None:
    """Also with something outstanding: a person may have written it off."""
    known = find(db, po)
    if known.order.closed:
        return
    if known.order.status is S.DRAFT:
        raise known.no("cancel the draft instead")
    if known.order.status is S.UNKNOWN:
        raise known.no("ask the supplier whether he has it before it is closed")
    db.execute("UPDATE purchase_order SET closed = 1 WHERE number = ?", (known.number,))


def last_prices(db: Connection, sku: str, limit: int) -> list[PaidPrice]:
    rows: list[Row] = db.execute(
        "SELECT po, supplier, unit_price, currency, COALESCE(acknowledged_at, sent_at) AS agreed FROM purchase_order"
        " WHERE sku = ? AND status IN ('accepted', 'received') AND agreed IS NOT NULL"
        " ORDER BY agreed DESC, number DESC LIMIT ?",
        (sku, limit),
    ).fetchall()
    return [PaidPrice(r[0], r[1], Decimal(r[2]), r[3], datetime.fromisoformat(r[4]).date()) for r in rows]
