"""The agent's books against those of suppliers, warehouse and people: what must be 0, with each case named."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from chaos.seen import Seen
from replenisher.domain import limits
from replenisher.domain.order import Order, OrderStatus

Json = Any
GONE = ("cancelled", "declined")
OPENING = Decimal(60)
"""On hand of every part at the start."""
ON_THE_WIRE = timedelta(days=0.5)
"""Business time between the agent's last look at its clock and the supplier's note of the order's arrival."""


@dataclass(frozen=True)
class Finding:
    """One row: what must not happen, and every case of it."""

    what: str
    cases: tuple[str, ...]


def audit(seen: Seen) -> list[Finding]:
    rows: Sequence[tuple[str, Callable[[Seen], Iterator[str]]]] = (
        ("orders placed twice", _twice),
        ("orders we do not know", _foreign),
        ("commitments beyond a live approval", _beyond),
        ("messages lost", _lost),
        ("replenishments not ended", _not_ended),
        ("books that differ", _differ),
    )
    return [Finding(what, tuple(look(seen))) for what, look in rows]


# --- orders -----------------------------------------------------------------------------------------------------------


def _twice(seen: Seen) -> Iterator[str]:
    """A PO in two suppliers' books or under two keys; a need for which two orders stand."""
    holders = Counter(o["po"] for o in seen.ledger["orders"])
    yield from (f"{po} is in {n} suppliers' books" for po, n in holders.items() if n > 1)
    for order in seen.ledger["orders"]:
        if order["idempotency_keys"] != [order["po"]]:
            yield f"{order['po']} came to {order['supplier']} under the keys {order['idempotency_keys']}"
    standing: dict[str, list[str]] = {}
    for order in seen.ledger["orders"]:
        # one that the supplier would not cancel was told to the buyer, who let it stand
        if order["status"] not in GONE and not _asked(seen, order["po"], "cancel-refused"):
            standing.setdefault(order["sku"], []).append(f"{order['po']} {order['status']} at {order['supplier']}")
    yield from (f"{sku}: {', '.join(orders)}" for sku, orders in standing.items() if len(orders) > 1)


def _asked(seen: Seen, po: str, subject: str) -> bool:
    return any(q["po"] == po and q["subject"] == subject for q in seen.ledger["questions"])


def _foreign(seen: Seen) -> Iterator[str]:
    known = {(o.po, o.supplier) for o in seen.books.orders}
    for order in seen.ledger["orders"]:
        if (order["po"], order["supplier"]) not in known:
            yield f"{order['supplier']} has {order['po']} ({order['status']}), which our records do not"


def _beyond(seen: Seen) -> Iterator[str]:
    """Whatever we sent or agreed to is under a yes that the manager gave and the agent took, and that still held."""
    asked = {a["id"]: a for a in seen.ledger["approvals"]}
    given = [m for m in seen.ledger["told"] if m["handler"] == "approve" and _taken(m) and m["body"]["approved"]]
    for order in seen.ledger["orders"]:
        first = order["ordered"]
        for n, terms in enumerate((first, *order["accepted"])):
            if n and _no_dearer(terms, first):
                continue
            if not any(_covers(asked.get(m["body"]["approval"]), m, order["po"], terms) for m in given):
                what = f"{terms['quantity']} at {terms['unit_price']} {terms['currency']}"
                yield f"{order['po']}: {'accepted' if n else 'ordered'} {what} on {terms['at']}"


def _no_dearer(terms: Mapping[str, Json], first: Mapping[str, Json]) -> bool:
    return (
        terms["currency"] == first["currency"]
        and Decimal(terms["unit_price"]) <= Decimal(first["unit_price"])
        and Decimal(terms["quantity"]) <= Decimal(first["quantity"])
    )


def _covers(asked: Mapping[str, Json] | None, said: Mapping[str, Json], po: str, terms: Mapping[str, Json]) -> bool:
    if asked is None:
        return False
    at = datetime.fromisoformat(terms["at"])
    ceiling = Decimal(said["body"].get("ceiling") or asked["ceiling"])
    since, until = datetime.fromisoformat(said["created"]), datetime.fromisoformat(said["answered"])
    return (
        asked["po"] == po
        and Decimal(asked["quantity"]) == Decimal(terms["quantity"])
        and asked["currency"] == terms["currency"]
        and Decimal(terms["unit_price"]) <= ceiling
        and since <= at <= until + limits.DECISION_HOLDS + ON_THE_WIRE
    )


# --- messages ---------------------------------------------------------------------------------------------------------


def _taken(message: Mapping[str, Json]) -> bool:
    return message["status"] is not None and message["status"] < 300


def _lost(seen: Seen) -> Iterator[str]:
    """Everything that was answered with 2xx is in the state of a run, and every note is booked once."""
    heard = {name for state in seen.runs.values() for name in state["heard"]}
    decided = {a["id"]: a for state in seen.runs.values() for a in state["approvals"].values()}
    unread = [m["id"] for state in seen.runs.values() for m in state["unread"]]
    yield from (f"{name} was never read" for name in unread)
    notes = {(r.po, r.note): r for r in seen.books.receipts}
    closed = {o.po for o in seen.books.orders if o.closed}
    for message in seen.ledger["told"]:
        body, answer = message["body"], message["answer"] or ""
        if message["state"] == "pending":
            yield f"{message['id']} was never answered"
        elif not _taken(message):
            if not _rightly(message, closed):
                yield f"{message['id']} was refused: {message['status']} {answer}"
        elif message["handler"] == "approve":
            known = decided.get(body["approval"])
            wanted = ("approved",) if body["approved"] else ("rejected", "superseded")
            if '"duplicate"' not in answer and (known is None or known["status"] not in wanted):
                yield f"{message['id']} was taken, and {body['approval']} is {known and known['status']}"
        elif body.get("event") == "goods":
            if (body["po"], body["note"]) not in notes:
                yield f"{message['id']} was taken, and note {body['note']} of {body['po']} is not booked"
            if '"booked"' in answer and message["id"] not in heard:
                yield f"{message['id']} was booked, and no run heard of it"
        elif message["id"] not in heard:
            yield f"{message['id']} was taken, and no run heard it"
    yield from _goods(seen)


_RIGHT = {
    "approve": (
        "already",
        "superseded",
        "expired",
        "cannot be decided",
        "lowered, not raised",
        "is not one of the quotes",
    ),
    "answer": ("is closed", "answered already", "nobody waits"),
    "deliver": ("is not an open order of", "has no open order", "nothing more is expected"),
}
"""Words in the sentences with which a message may be refused."""


def _rightly(message: Mapping[str, Json], closed: set[str]) -> bool:
    if message["handler"] == "deliver" and message["body"].get("po") not in closed:
        return False
    return any(words in (message["answer"] or "") for words in _RIGHT[message["handler"]])


def _goods(seen: Seen) -> Iterator[str]:
    """Each note once and in full; stock is what there was and what was booked."""
    delivered = {(d["po"], d["note"]): Decimal(d["quantity"]) for d in seen.ledger["deliveries"]}
    sku_of = {o.po: o.sku for o in seen.books.orders}
    booked: dict[str, Decimal] = {}
    by_po: dict[str, Decimal] = {}
    for receipt in seen.books.receipts:
        if delivered.get((receipt.po, receipt.note)) != receipt.quantity:
            yield f"note {receipt.note} of {receipt.po} is booked with {receipt.quantity}, not as delivered"
        if receipt.booked + receipt.held != receipt.quantity:
            yield f"note {receipt.note} of {receipt.po}: {receipt.booked} booked and {receipt.held} held back"
        by_po[receipt.po] = by_po.get(receipt.po, Decimal(0)) + receipt.booked
        sku = sku_of[receipt.po]
        booked[sku] = booked.get(sku, Decimal(0)) + receipt.booked
    for order in seen.books.orders:
        if order.received != by_po.get(order.po, Decimal(0)):
            yield f"{order.po} shows {order.received} received, and its notes {by_po.get(order.po, 0)}"
    for sku, on_hand in seen.books.on_hand.items():
        if on_hand != OPENING + booked.get(sku, Decimal(0)):
            yield f"{sku}: {on_hand} on hand, and {booked.get(sku, 0)} booked on {OPENING}"


# --- ends -------------------------------------------------------------------------------------------------------------


def _not_ended(seen: Seen) -> Iterator[str]:
    yield from seen.unfinished
    for sku, entity in seen.entities.items():
        if entity.active is not None:
            yield f"{sku}: {entity.active.run} runs"
        if entity.mailbox:
            yield f"{sku}: {len(entity.mailbox)} messages lie in the mailbox"
        for order in entity.orders.values():
            # of one whose outcome nobody knows only a message could tell
            if order.status is not OrderStatus.UNKNOWN:
                yield f"{sku}: {order.po} is {order.status.value}, and no run follows it"
    yield from (f"{sku} was never begun" for sku in seen.skus if sku not in seen.entities)
    yield from (f"{run} has no outcome" for run, state in seen.runs.items() if state["outcome"] is None)


def _differ(seen: Seen) -> Iterator[str]:
    """At rest both sides say the same of every order that stands, and nothing is left half done."""
    held = {(o["po"], o["supplier"]): o for o in seen.ledger["orders"]}
    for order in seen.books.orders:
        theirs = held.get((order.po, order.supplier))
        if order.status is OrderStatus.DRAFT:
            yield f"{order.po} is left a draft"
        elif theirs is not None and (difference := _difference(order, theirs)):
            yield f"{order.po} at {order.supplier}: {difference}"
        elif theirs is None and order.status not in (OrderStatus.CANCELLED, OrderStatus.UNKNOWN):
            yield f"{order.po} is {order.status.value}, and {order.supplier} does not have it"


def _difference(ours: Order, theirs: Mapping[str, Json]) -> str | None:
    gone = ours.status is OrderStatus.CANCELLED
    if gone != (theirs["status"] in GONE):
        return f"we say {ours.status.value}, he says {theirs['status']}"
    if (ours.status is OrderStatus.RECEIVED) != (theirs["status"] == "received"):
        return f"we say {ours.status.value}, he says {theirs['status']}"
    terms = (ours.quantity, ours.unit_price, ours.currency)
    said = (Decimal(theirs["quantity"]), Decimal(theirs["unit_price"]), theirs["currency"])
    return None if gone or terms == said else f"we say {terms}, he says {said}"
