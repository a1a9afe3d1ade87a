"""What the sandbox counted, to check a story against: orders with their attempts, approvals, mails, goods, requests."""

from collections.abc import Iterable
from decimal import Decimal

from sandbox.books import Attempt, Books, Order
from sandbox.counts import Counts
from sandbox.mails import plain, price
from sandbox.people import People, Row, decision_taken
from sandbox.sender import Outgoing, Sender
from sandbox.warehouse import Warehouse
from sandbox.wire import Json, dump


class Ledger:
    def __init__(self, books: Books, people: People, warehouse: Warehouse, sender: Sender, counts: Counts) -> None:
        self._books = books
        self._people = people
        self._warehouse = warehouse
        self._sender = sender
        self._counts = counts

    def shown(self, sku: str | None = None) -> Json:
        """Everything, or what is about one part. Quantities and prices in their shortest exact spelling, prices with
        two places at least: 450, 4.20."""

        def mine(part: str) -> bool:
            return sku in (None, part)

        attempts = [a for a in self._books.attempts.values() if mine(a.sku)]
        return {
            "orders": [_order(o, attempts) for o in self._books.orders.values() if mine(o.sku)],
            "attempts": [dump(a) for a in attempts],
            "approvals": [_approval(r) for r in self._people.approvals.values() if mine(r.sku)],
            "reminders": _rows(r for r in self._people.reminders.values() if mine(r.sku)),
            "questions": _rows(r for r in self._people.questions.values() if mine(r.sku)),
            "notices": _rows(r for r in self._people.notices.values() if mine(r.sku)),
            "mails": {
                "out": [_told(n, m) for n, m in self._sender.sent() if mine(m.sku) and _is_mail(m)],
                "in": [dump(m) for m in self._books.mails.values() if mine(m.sku)],
            },
            "told": [_told(n, m) for n, m in self._sender.sent() if mine(m.sku)],
            "deliveries": self._warehouse.shown(sku),
            "requests": self._counts.total(sku),
            "by_supplier": self._counts.by_supplier(sku),
        }


def _order(order: Order, attempts: Iterable[Attempt]) -> Json:
    mine = [a for a in attempts if (a.supplier, a.po) == (order.supplier, order.po)]
    keys = [a.key for a in mine]
    return {
        "po": order.po,
        "supplier": order.supplier,
        "sku": order.sku,
        "item": order.item,
        "quantity": plain(order.quantity),
        "unit_price": price(order.unit_price),
        "currency": order.currency,
        "status": order.status,
        "attempts": len(mine),
        "idempotency_keys": list(dict.fromkeys(keys)),
        "keys_per_attempt": keys,
        "bodies": list(dict.fromkeys(a.body for a in mine)),
        "deliver_to": order.deliver_to,
        "reference": order.reference,
        "ordered": dump(order.ordered),
        "offered": [dump(t) for t in order.offered],
        "accepted": [dump(t) for t in order.accepted],
        "cancel_reason": order.cancel_reason,
        "delivered": plain(order.delivered),
        "notes": list(order.notes),
        "heard": order.heard,
        "taken_at": dump(order)["taken_at"],
    }


def _approval(row: Row) -> Json:
    body = row.body
    last = row.said[-1] if row.said else None
    return body | {
        "id": body["id"],
        "price": price(Decimal(body["unit_price"])),
        "ceiling": price(Decimal(body["ceiling"])),
        "decision": decision_taken(row),
        "answer_status": None if last is None else last.status,
        "answers": [dump(s) for s in row.said],
        "received": row.times,
        "at": dump(row)["at"],
    }


def _rows(rows: Iterable[Row]) -> list[Json]:
    return [
        row.body
        | {"role": row.role, "received": row.times, "at": dump(row)["at"], "answers": [dump(s) for s in row.said]}
        for row in rows
    ]


def _is_mail(message: Outgoing) -> bool:
    return message.body.get("event") == "supplier-reply"


def _told(number: str, message: Outgoing) -> Json:
    return dump(message) | {"message": int(number)}
