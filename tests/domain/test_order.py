"""An order's statuses: which step may follow which, what is outstanding, what counts, and what a supplier is told."""

from dataclasses import replace
from decimal import Decimal

import pytest

from replenisher.domain.order import AT_SUPPLIER, LIVE, IllegalTransition, Order, OrderStatus, Unwanted
from support.making import counter, order

D = Decimal
S = OrderStatus

MAY_FOLLOW = {
    # a draft is sent, lost on the way, refused, or given up
    S.DRAFT: "sent unknown refused cancelled",
    # whoever is asked tells: he never had it, has it, agreed, declined; or the goods tell
    S.UNKNOWN: "draft sent accepted declined received cancelled",
    S.SENT: "accepted declined received cancelled",
    S.ACCEPTED: "declined received cancelled",
    S.DECLINED: "accepted received cancelled",
    S.REFUSED: "cancelled",
    S.RECEIVED: "",
    # cancelled, and the goods came all the same
    S.CANCELLED: "received",
}
PAIRS = [(a, b) for a in S for b in S if a is not b]


@pytest.mark.parametrize(("now", "then"), PAIRS, ids=lambda s: s.value)
def test_only_these_steps_are_allowed(now: OrderStatus, then: OrderStatus) -> None:
    one = order(now)
    if then.value in MAY_FOLLOW[now].split():
        assert one.to(then) == replace(one, status=then)
    else:
        with pytest.raises(IllegalTransition, match=f"PO-4471 is {now.value}: it cannot become {then.value}"):
            one.to(then)


@pytest.mark.parametrize("status", list(S))
def test_the_same_status_again_changes_nothing(status: OrderStatus) -> None:
    assert order(status).to(status) == order(status)


# --- outstanding ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [S.DRAFT, S.UNKNOWN, S.SENT, S.ACCEPTED, S.DECLINED])
@pytest.mark.parametrize(
    ("received", "outstanding"),
    [("0", "450"), ("200", "250"), ("449.5", "0.5"), ("450", "0"), ("460", "0"), ("4500", "0")],
)
def test_what_is_to_come_is_never_below_zero(status: OrderStatus, received: str, outstanding: str) -> None:
    assert order(status, received=D(received)).outstanding == D(outstanding)


@pytest.mark.parametrize("status", [S.CANCELLED, S.REFUSED, S.RECEIVED])
@pytest.mark.parametrize("received", ["0", "1", "450"])
def test_nothing_is_to_come_of_what_is_over(status: OrderStatus, received: str) -> None:
    assert order(status, received=D(received)).outstanding == 0


def test_ordered_2_received_1_rest_cancelled() -> None:
    """odoo PR 268488: outstanding 0, no chase."""
    assert order(S.CANCELLED, quantity=D(2), received=D(1)).outstanding == 0


@pytest.mark.parametrize("status", list(S))
def test_nothing_is_to_come_of_what_is_written_off(status: OrderStatus) -> None:
    one = order(status, written_off=True)
    assert (one.outstanding, one.live, one.stands, one.leaving) == (0, False, False, False)


def test_receipts_of_70_and_30_are_100() -> None:
    """erpnext#42881."""
    assert order(S.ACCEPTED, quantity=D(100), received=D(70) + D(30)).outstanding == 0


# --- what counts ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", list(S))
@pytest.mark.parametrize("unwanted", [None, Unwanted.BUYER])
@pytest.mark.parametrize("refused", [False, True])
def test_which_order_is_live_stands_or_is_leaving(
    status: OrderStatus, unwanted: Unwanted | None, refused: bool
) -> None:
    one = order(status, unwanted=unwanted, cancel_refused=refused)
    assert one.live == (status in (S.SENT, S.ACCEPTED) and unwanted is None)
    assert one.stands == (status in (S.UNKNOWN, S.SENT, S.ACCEPTED, S.DECLINED) and refused)
    assert one.leaving == (status in (S.SENT, S.ACCEPTED, S.DECLINED) and unwanted is not None)


def test_the_supplier_may_have_what_is_live_and_more() -> None:
    assert LIVE < AT_SUPPLIER
    assert {S.UNKNOWN, S.SENT, S.ACCEPTED, S.DECLINED} == AT_SUPPLIER


# --- money ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("quantity", "price", "freight", "net"),
    [
        ("450", "4.20", "0", "1890.00"),
        ("450", "4.20", "25.50", "1915.50"),
        ("450", "4.41", "0", "1984.50"),
        ("3", "0.333", "0", "1.00"),
        ("1", "0.005", "0", "0.01"),
        ("0.5", "4.21", "0", "2.11"),
    ],
)
def test_net_is_price_times_quantity_and_freight(quantity: str, price: str, freight: str, net: str) -> None:
    assert order(quantity=D(quantity), unit_price=D(price), freight=D(freight)).net == D(net)


# --- unwanted ---------------------------------------------------------------------------------------------------------


def test_the_first_reason_stays() -> None:
    one = order(S.SENT).discarded(Unwanted.DUPLICATE, "ordered again").discarded(Unwanted.BUYER, "changed his mind")
    assert (one.unwanted, one.unwanted_why) == (Unwanted.DUPLICATE, "ordered again")


def test_an_unwanted_order_is_not_bargained_about() -> None:
    one = order(S.SENT, counter=counter(), overdue="reply").discarded(Unwanted.BUYER, "no")
    assert (one.counter, one.overdue) == (None, None)


@pytest.mark.parametrize("why", list(Unwanted))
def test_a_supplier_is_told_why_and_nothing_of_ours(why: Unwanted) -> None:
    said = why.for_supplier
    assert said
    assert not any(word in said for word in ("ceiling", "rejected by", "manager", "boss", "PO-"))


@pytest.mark.parametrize(
    ("why", "word"),
    [
        (Unwanted.DUPLICATE, "duplicate"),
        (Unwanted.TERMS_REJECTED, "terms"),
        (Unwanted.CANNOT_DELIVER, "cannot deliver"),
        (Unwanted.OPERATOR, "no longer needed"),
        (Unwanted.BUYER, "no longer needed"),
    ],
)
def test_the_reason_a_supplier_reads(why: Unwanted, word: str) -> None:
    assert word in why.for_supplier


def test_an_order_is_a_value() -> None:
    one: Order = order()
    with pytest.raises(AttributeError):
        one.status = S.SENT  # type: ignore[misc]
