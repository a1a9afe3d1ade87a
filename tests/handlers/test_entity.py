"""The arithmetic of an entity: what a run left behind, which orders are open, when
something has to be done about them."""

from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest

from replenisher.domain.message import ANSWER, GOODS, OPERATOR, STREAMS, SUPPLIER_REPLY, Message
from replenisher.domain.order import Order, OrderStatus, SupplierQuestion, Unwanted
from replenisher.domain.outcome import OrderSummary, Outcome, OutcomeStatus
from replenisher.domain.ports import Stock
from replenisher.handlers.entity import (
    MOST_OUTCOMES,
    MOST_SEEN,
    MOST_TEXT,
    MOST_WAITING,
    Active,
    Entity,
    left_over,
    number,
    open_orders,
    position,
    something_due,
)
from replenisher.harness.shape import dump, load
from support.inmemory import sku_123
from support.making import EARLIER, START, counter, days, goods, order, reply

D = Decimal
S = OrderStatus
O = OutcomeStatus  # noqa: E741


def active(*sent: Message, **changes: Any) -> Active:
    return replace(Active("replenish-SKU-123-1", 1, "inv-1", "inv-2", START, list(sent)), **changes)


def outcome(status: OutcomeStatus = O.RECEIVED, at: datetime = START) -> Outcome:
    return Outcome("replenish-SKU-123-1", status, "so it was", at)


def stock(*orders: Order, on_hand: str = "60") -> Stock:
    return Stock(sku_123(), D(on_hand), orders)


def message(event: str, n: int) -> Message:
    return Message(f"{event}-{n}", event, START)


# --- what a run did not take in ---------------------------------------------------------------------------------------

SENT = [
    message(SUPPLIER_REPLY, 1),
    message(GOODS, 1),
    message(SUPPLIER_REPLY, 2),
    message(ANSWER, 1),
    message(GOODS, 2),
]


@pytest.mark.parametrize(
    ("consumed", "rest"),
    [
        ({}, "supplier-reply-1 goods-1 supplier-reply-2 answer-1 goods-2"),
        ({SUPPLIER_REPLY: 1}, "goods-1 supplier-reply-2 answer-1 goods-2"),
        ({SUPPLIER_REPLY: 2}, "goods-1 answer-1 goods-2"),
        ({GOODS: 1, ANSWER: 1}, "supplier-reply-1 supplier-reply-2 goods-2"),
        ({SUPPLIER_REPLY: 2, GOODS: 2, ANSWER: 1}, ""),
        ({OPERATOR: 3}, "supplier-reply-1 goods-1 supplier-reply-2 answer-1 goods-2"),
        ({GOODS: 9}, "supplier-reply-1 supplier-reply-2 answer-1"),
    ],
)
def test_what_goes_to_the_mailbox(consumed: dict[str, int], rest: str) -> None:
    assert [m.id for m in left_over(SENT, consumed)] == rest.split()


@pytest.mark.parametrize(("event", "n"), [(SUPPLIER_REPLY, 3), (GOODS, 3), (ANSWER, 2), (OPERATOR, 1)])
def test_messages_are_numbered_per_event(event: str, n: int) -> None:
    assert number(SENT, event) == n
    assert number([], event) == 1


def test_every_stream_counts_apart() -> None:
    assert len(STREAMS) == len({number([message(e, 1)], e) for e in STREAMS} | set(STREAMS)) - 1


# --- the end of a run -------------------------------------------------------------------------------------------------


def test_after_a_run_the_rest_is_kept_and_what_is_open_stays() -> None:
    before = Entity(
        n=1, active=active(*SENT), mailbox=[Message("reply-9", GOODS, START)], orders={"PO-1": order(po="PO-1")}
    )
    after = before.ended(outcome(), {SUPPLIER_REPLY: 2, ANSWER: 1}, [order(S.SENT)])
    assert after.active is None
    assert [m.id for m in after.mailbox] == ["reply-9", "goods-1", "goods-2"]
    assert after.orders == {"PO-4471": order(S.SENT)}
    assert after.outcomes == [outcome()]


@pytest.mark.parametrize(
    ("status", "held"), [(O.REJECTED, 7), (O.GAVE_UP, 7), (O.RECEIVED, None), (O.CANCELLED, None), (O.FAILED, None)]
)
def test_after_a_no_or_silence_it_is_held_seven_days(status: OutcomeStatus, held: float | None) -> None:
    after = Entity(active=active()).ended(outcome(status, days(2)), {}, [])
    assert after.hold_until == (None if held is None else days(2 + held))


def test_what_an_operator_said_of_a_run_is_not_said_of_the_next() -> None:
    after = Entity(active=active(message(OPERATOR, 1), message(GOODS, 1))).ended(outcome(O.FAILED), {}, [])
    assert [m.id for m in after.mailbox] == ["goods-1"]


@pytest.mark.parametrize(
    ("begun_with", "kept"),
    [(None, []), (["goods-1", "goods-2"], []), (["goods-1"], ["goods-2"]), ([], ["goods-1", "goods-2"])],
)
def test_of_the_mailbox_handed_over_only_what_the_run_began_with_is_gone(
    begun_with: list[str] | None, kept: list[str]
) -> None:
    entity = Entity(active=active(handed=[message(GOODS, 1), message(GOODS, 2)]))
    assert [m.id for m in entity.ended(outcome(), {}, [], begun_with).mailbox] == kept


def test_an_end_told_twice_changes_nothing_more() -> None:
    after = Entity(active=active(*SENT)).ended(outcome(), {}, [])
    assert after.ended(outcome(O.REJECTED), {}, [order(S.SENT)]) == after


def test_history_is_bounded() -> None:
    entity = Entity()
    for n in range(MOST_OUTCOMES + 20):
        entity = replace(entity, active=active()).ended(replace(outcome(), reason=str(n)), {}, [])
    for n in range(MOST_SEEN + 20):
        entity = entity.saw("goods", str(n))
    assert [o.reason for o in entity.outcomes] == [str(n) for n in range(20, MOST_OUTCOMES + 20)]
    assert len(entity.seen) == MOST_SEEN
    assert [n for n in (19, 20, MOST_SEEN + 19) if entity.knows("goods", str(n))] == [20, MOST_SEEN + 19]
    assert sum(len(mark) for mark in entity.seen) < 25 * MOST_SEEN


@pytest.mark.parametrize("name", ["m-1", "ü" * 200, "\x00", "", "' OR 1=1"])
def test_an_id_is_known_of_its_sender_only(name: str) -> None:
    entity = Entity().saw("supplier-reply/A", name)
    assert entity.knows("supplier-reply/A", name)
    assert not entity.knows("supplier-reply/B", name)
    assert not entity.knows("approval", name)
    assert (entity.named("goods", name), Entity().named("goods", name)) == (f"goods/{name}", name)


# --- how much may wait ------------------------------------------------------------------------------------------------


def test_messages_of_one_kind_do_not_keep_others_out() -> None:
    entity = Entity(active=active(*(message(SUPPLIER_REPLY, n) for n in range(MOST_WAITING))))
    assert entity.full(SUPPLIER_REPLY, 0)
    assert not entity.full(GOODS, 0)
    assert not replace(entity, active=active(*entity.active.sent[1:])).full(SUPPLIER_REPLY, 0)  # type: ignore[union-attr]


def test_what_waits_anywhere_counts_with_its_length() -> None:
    mail = replace(message(SUPPLIER_REPLY, 1), content={"text": "x" * (MOST_TEXT // 4)})
    entity = Entity(mailbox=[mail], active=active(mail, handed=[mail]))
    assert not entity.full(SUPPLIER_REPLY, MOST_TEXT // 4)
    assert entity.full(SUPPLIER_REPLY, MOST_TEXT // 4 + 1)


# --- after a kill -----------------------------------------------------------------------------------------------------


def killed(*approved: str) -> Entity:
    return Entity(active=active(*SENT, approved=list(approved))).ended(outcome(O.FAILED), {}, [])


def test_after_a_kill_no_message_counts_as_consumed() -> None:
    assert killed().mailbox == SENT


@pytest.mark.parametrize("status", [S.UNKNOWN, S.SENT, S.ACCEPTED, S.DECLINED, S.RECEIVED])
def test_after_a_kill_the_orders_are_those_of_the_records(status: OrderStatus) -> None:
    assert open_orders(killed("PO-4471/1"), stock(order(status))) == [order(status)]


@pytest.mark.parametrize(
    ("approved", "status"),
    [
        ([], S.DRAFT),
        (["PO-4471/1"], S.UNKNOWN),
        (["PO-4471/2"], S.UNKNOWN),
        (["PO-4472/1"], S.DRAFT),
        (["PO-447/1"], S.DRAFT),
    ],
)
def test_after_a_kill_a_draft_that_was_once_approved_counts_as_unknown(
    approved: list[str], status: OrderStatus
) -> None:
    [one] = open_orders(killed(*approved), stock(order()))
    assert one.status is status


def test_it_stays_unknown_when_the_next_run_is_killed_too_and_until_one_has_ended() -> None:
    again = replace(killed("PO-4471/1"), active=active()).ended(outcome(O.FAILED), {}, [])
    assert open_orders(again, stock(order()))[0].status is S.UNKNOWN
    ended = replace(again, active=active()).ended(outcome(O.CANCELLED), {}, [])
    assert open_orders(ended, stock(order()))[0].status is S.DRAFT


# --- open orders ------------------------------------------------------------------------------------------------------


def test_what_a_run_knew_is_brought_up_to_date_by_the_records() -> None:
    known = order(S.ACCEPTED, counter=counter(), received=D(100))
    entity = Entity(orders={"PO-4471": known, "PO-1": order(S.SENT, po="PO-1")})
    recorded = [order(S.SENT, received=D(200)), order(S.UNKNOWN, po="PO-9", run=EARLIER)]
    merged = open_orders(entity, stock(*recorded))
    # one closed in the records is gone; one the run did not know is as recorded
    assert merged == [replace(known, received=D(200)), recorded[1]]


def test_received_never_falls() -> None:
    entity = Entity(orders={"PO-4471": order(S.ACCEPTED, received=D(200))})
    assert open_orders(entity, stock(order(S.ACCEPTED, received=D(100))))[0].received == 200


@pytest.mark.parametrize(
    ("orders", "level"),
    [
        ((), 60),
        ((order(S.SENT),), 510),
        ((order(S.ACCEPTED, received=D(200)),), 310),
        ((order(S.UNKNOWN),), 60),
        ((order(S.DRAFT),), 60),
        ((order(S.DECLINED),), 60),
        ((order(S.SENT, unwanted=Unwanted.BUYER),), 60),
        ((order(S.SENT, unwanted=Unwanted.BUYER, cancel_refused=True),), 510),
        ((order(S.ACCEPTED, written_off=True),), 60),
        ((order(S.SENT), order(S.ACCEPTED, po="PO-1", quantity=D(50))), 560),
    ],
)
def test_what_counts_into_the_position(orders: tuple[Order, ...], level: int) -> None:
    assert position(stock(), list(orders)) == level


# --- when something has to be done ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "at", "due"),
    [
        (order(S.UNKNOWN, checks=0), 0, True),
        (order(S.UNKNOWN, checks=2, tried_at=START), 0.9, False),
        (order(S.UNKNOWN, checks=2, tried_at=START), 1, True),
        (order(S.UNKNOWN, checks=3), 30, False),
        (order(S.DRAFT), 0, True),
        (order(S.RECEIVED), 0, True),
        (order(S.RECEIVED, closed=True), 0, False),
        (order(S.SENT), 6.9, False),
        (order(S.SENT), 7, True),
        (order(S.SENT, overdue="reply"), 0, True),
        (order(S.SENT, counter=counter()), 0, True),
        (order(S.SENT, question=SupplierQuestion("other", "which colour?", "m-1")), 0, True),
        (order(S.SENT, unwanted=Unwanted.BUYER, cancel_tries=3, tried_at=START), 0.9, False),
        (order(S.SENT, unwanted=Unwanted.BUYER, cancel_tries=3, tried_at=START), 1, True),
        (order(S.ACCEPTED, counter=counter()), 0, True),
        (order(S.ACCEPTED), 9.6, False),
        (order(S.ACCEPTED), 9.7, True),
        (order(S.ACCEPTED, overdue="goods"), 0, True),
        (order(S.ACCEPTED, unwanted=Unwanted.BUYER, cancel_refused=True), 0, True),
        (order(S.UNKNOWN, checks=3, unwanted=Unwanted.OPERATOR), 30, False),
        (order(S.SENT, overdue="reply", written_off=True), 30, False),
        (order(S.ACCEPTED, written_off=True), 30, False),
        (order(S.DECLINED, unwanted=Unwanted.CANNOT_DELIVER), 0, True),
        (order(S.CANCELLED, closed=True), 30, False),
    ],
)
def test_when_an_order_wants_something_though_nothing_runs(one: Order, at: float, due: bool) -> None:
    """Goods are overdue at the end of 10 December, nine days and 16 hours after the start."""
    assert something_due([one], days(at)) == (one if due else None)


def test_one_of_several_is_enough() -> None:
    idle, wanting = order(S.SENT, po="PO-1"), order(S.DRAFT)
    assert something_due([idle, wanting], days(1)) == wanting
    assert something_due([], days(1)) is None


# --- memory -----------------------------------------------------------------------------------------------------------


def test_what_is_remembered_is_read_back_the_same() -> None:
    entity = Entity(
        True, 3, 7, active(*SENT, goods("200"), reply()), [reply()], {"PO-4471": order(S.SENT, counter=counter())},
        [outcome()], ["m-1"], days(7),
    )  # fmt: skip
    assert load(Entity, dump(Entity, entity)) == entity
    assert load(Entity, {}) == Entity()


# --- requests and questions of replenishments that have ended ---------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "before"),
    [
        ("PO-4471/1", True),
        ("PO-4471/late-date/1", True),
        ("replenish-SKU-123-1/no-quote/1", True),
        ("PO-44711/1", False),
        ("PO-4472/1", False),
        ("replenish-SKU-123-11/no-quote/1", False),
        ("PO-4471", False),
    ],
)
def test_what_an_ended_replenishment_asked_is_known_by_its_po_or_run(name: str, before: bool) -> None:
    line = OrderSummary("PO-4471", "A", D(450), D(0), D("4.20"), "USD", D(1890), "cancelled")
    ended = replace(outcome(O.CANCELLED), orders=[line])
    assert Entity(outcomes=[ended]).asked_before(name) is before
