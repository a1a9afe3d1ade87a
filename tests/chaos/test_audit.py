"""The audit itself: a world in order has no finding, and each kind of breach is found when it is made."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from chaos.audit import audit
from chaos.seen import Seen
from replenisher.domain.message import Message
from replenisher.domain.order import Order, OrderStatus
from replenisher.handlers.entity import Entity
from replenisher.systems.records.books import BookedReceipt, Books

AT = "2026-12-02T00:00:00+00:00"
D = Decimal
TERMS = {"quantity": "450", "unit_price": "4.20", "currency": "USD", "at": AT}


def told(name: str, handler: str, status: int = 200, answer: str = '{"status":"taken"}', **body: Any) -> dict[str, Any]:
    state = "taken" if status < 300 else "refused"
    sent = {"id": name, "handler": handler, "body": {"id": name, **body}, "status": status, "answer": answer}
    return sent | {"state": state, "created": "2026-12-01T12:00:00+00:00", "answered": "2026-12-01T12:00:01+00:00"}


def in_order() -> Seen:
    """SKU-1001 was approved, ordered once at A, confirmed and received."""
    order = Order("PO-1", "SKU-1001", "A", "A-1001", D(450), D("4.20"), "USD", 7, "replenish-SKU-1001-1")
    order = replace(order, status=OrderStatus.RECEIVED, received=D(450), closed=True)
    theirs = {k: TERMS[k] for k in ("quantity", "unit_price", "currency")} | {
        "po": "PO-1",
        "supplier": "A",
        "sku": "SKU-1001",
        "status": "received",
        "idempotency_keys": ["PO-1"],
        "ordered": TERMS,
        "accepted": [],
    }
    ledger = {
        "orders": [theirs],
        "questions": [],
        "approvals": [{"id": "PO-1/1", "po": "PO-1", "quantity": "450", "currency": "USD", "ceiling": "4.41"}],
        "told": [
            told("yes", "approve", approval="PO-1/1", approved=True),
            told("mail", "deliver", event="supplier-reply", po="PO-1"),
            told("goods", "deliver", answer='{"status":"booked"}', event="goods", po="PO-1", note="DN-1"),
        ],
        "deliveries": [{"po": "PO-1", "note": "DN-1", "quantity": "450"}],
    }
    run = {
        "heard": ["mail", "goods"],
        "unread": [],
        "approvals": {"PO-1/1": {"id": "PO-1/1", "status": "approved"}},
        "outcome": {"status": "received"},
    }
    books = Books((order,), (BookedReceipt("PO-1", "DN-1", D(450), D(450), D(0)),), {"SKU-1001": D(510)})
    return Seen(books, ledger, {"SKU-1001": Entity(n=1)}, {"replenish-SKU-1001-1": run}, skus=("SKU-1001",))


def found(seen: Seen) -> set[str]:
    return {finding.what for finding in audit(seen) if finding.cases}


def test_a_world_in_order_has_no_finding() -> None:
    assert found(in_order()) == set()


def _order(seen: Seen) -> dict[str, Any]:
    return seen.ledger["orders"][0]


def _second_order(seen: Seen) -> Seen:
    seen.ledger["orders"].append(_order(seen) | {"po": "PO-2", "supplier": "C", "idempotency_keys": ["PO-2"]})
    return seen


def _another_key(seen: Seen) -> Seen:
    _order(seen)["idempotency_keys"].append("PO-1-again")
    return seen


def _dearer(seen: Seen) -> Seen:
    _order(seen)["ordered"] = TERMS | {"unit_price": "4.42"}
    return seen


def _other_terms_accepted(seen: Seen) -> Seen:
    _order(seen)["accepted"] = [TERMS | {"currency": "EUR"}]
    return seen


def _lowered(seen: Seen) -> Seen:
    seen.ledger["told"][0]["body"]["ceiling"] = "4.19"
    return seen


def _said_no(seen: Seen) -> Seen:
    seen.ledger["told"][0]["body"]["approved"] = False
    return seen


def _too_late(seen: Seen) -> Seen:
    _order(seen)["ordered"] = TERMS | {"at": "2026-12-08T00:00:00+00:00"}
    return seen


def _mail_unheard(seen: Seen) -> Seen:
    seen.runs["replenish-SKU-1001-1"]["heard"].remove("mail")
    return seen


def _yes_unheard(seen: Seen) -> Seen:
    seen.runs["replenish-SKU-1001-1"]["approvals"]["PO-1/1"]["status"] = "unanswered"
    return seen


def _wrongly_refused(seen: Seen) -> Seen:
    seen.ledger["told"][1] |= {"state": "refused", "status": 500, "answer": "oops"}
    return seen


def _booked_twice(seen: Seen) -> Seen:
    return replace(seen, books=replace(seen.books, on_hand={"SKU-1001": D(960)}))


def _not_booked(seen: Seen) -> Seen:
    return replace(seen, books=replace(seen.books, receipts=()))


def _in_the_mailbox(seen: Seen) -> Seen:
    left = Message("mail", "supplier-reply", datetime(2026, 12, 2, tzinfo=UTC))
    return replace(seen, entities={"SKU-1001": Entity(mailbox=[left])})


def _left_open(seen: Seen) -> Seen:
    left = replace(seen.books.orders[0], status=OrderStatus.SENT, closed=False)
    return replace(seen, entities={"SKU-1001": Entity(orders={"PO-1": left})})


def _still_running(seen: Seen) -> Seen:
    return replace(seen, unfinished=("Replenish/replenish-SKU-1001-1/run suspended",))


def _cancelled_there(seen: Seen) -> Seen:
    _order(seen)["status"] = "cancelled"
    return seen


@pytest.mark.parametrize(
    ("breach", "what"),
    [
        (_second_order, "orders placed twice"),
        (_second_order, "orders we do not know"),
        (_another_key, "orders placed twice"),
        (_dearer, "commitments beyond a live approval"),
        (_other_terms_accepted, "commitments beyond a live approval"),
        (_lowered, "commitments beyond a live approval"),
        (_said_no, "commitments beyond a live approval"),
        (_too_late, "commitments beyond a live approval"),
        (_mail_unheard, "messages lost"),
        (_yes_unheard, "messages lost"),
        (_wrongly_refused, "messages lost"),
        (_booked_twice, "messages lost"),
        (_not_booked, "messages lost"),
        (_in_the_mailbox, "replenishments not ended"),
        (_left_open, "replenishments not ended"),
        (_still_running, "replenishments not ended"),
        (_cancelled_there, "books that differ"),
    ],
)
def test_each_breach_is_found(breach: Callable[[Seen], Seen], what: str) -> None:
    assert what in found(breach(in_order()))
