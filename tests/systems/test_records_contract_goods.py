"""Goods against purchase orders, as every system of record must book them: receipts, tolerance, excess, notes once."""

import asyncio
from dataclasses import replace
from decimal import Decimal

import pytest

from replenisher.domain.order import OrderStatus
from replenisher.domain.ports import Receipt, Records, Refused
from support.recordkeeping import AT, DRAFT, SKU, System, accepted, cancelled, closed, look, order

D = Decimal
S = OrderStatus


@pytest.mark.parametrize(
    ("deliveries", "booked", "excess"),
    [
        (("200", "250"), ("200", "250"), "0"),
        (("200", "260"), ("200", "260"), "0"),  # 460 is within 5 % of 450
        (("200", "272.5"), ("200", "272.5"), "0"),  # exactly 472.5
        (("200", "272.6"), ("200", "250"), "22.6"),
        (("470", "2.5", "0.1"), ("470", "2.5", "0"), "0.1"),
        (("200", "200", "50"), ("200", "200", "50"), "0"),
        (("70", "30"), ("70", "30"), "0"),  # erpnext#42881: 100, not 70
        (("500",), ("450",), "50"),
        (("450", "10"), ("450", "10"), "0"),
        (("450", "300"), ("450", "0"), "300"),
        (("3",), ("3",), "0"),  # InvenTree#3030: a pack of 3 is three pieces
        (("0.25", "0.5"), ("0.25", "0.5"), "0"),
    ],
    ids=str,
)
async def test_what_a_delivery_books(
    system: System, deliveries: tuple[str, ...], booked: tuple[str, ...], excess: str
) -> None:
    po = await accepted(system.opened())
    so_far, answer = D(0), None
    for n, (quantity, expected) in enumerate(zip(deliveries, booked, strict=True)):
        so_far += D(expected)
        answer = await system.opened().receive(po, SKU, f"DN-{n}", D(quantity))
        left = D(quantity) - D(expected)
        assert answer == Receipt(D(expected), left, so_far, 60 + so_far, duplicate=False)
        again = await system.opened().receive(po, SKU, f"DN-{n}", D(quantity))
        assert again == Receipt(D(0), left, so_far, 60 + so_far, duplicate=True)
    assert answer is not None
    assert answer.excess == D(excess)
    known = await order(system.opened(), po)
    assert (known.received, known.outstanding) == (so_far, max(D(0), 450 - so_far))
    assert known.status is (S.RECEIVED if so_far >= 450 else S.ACCEPTED)


async def test_excess_is_booked_once_when_a_person_agreed(system: System) -> None:
    po = await accepted(system.opened())
    await system.opened().receive(po, SKU, "DN-1", D(500))
    for quantity, note in (("49", "DN-1"), ("50", "DN-2"), ("500", "DN-1")):
        with pytest.raises(Refused):
            await system.opened().receive(po, SKU, note, D(quantity), excess=True)
    assert await system.opened().receive(po, SKU, "DN-1", D(50), excess=True) == Receipt(
        D(50), D(0), D(500), D(560), duplicate=False
    )
    await system.opened().close(po)
    for _ in range(2):
        again = await system.opened().receive(po, SKU, "DN-1", D(50), excess=True)
        assert again == Receipt(D(0), D(0), D(500), D(560), duplicate=True)
        note_again = await system.opened().receive(po, SKU, "DN-1", D(500))
        assert note_again == Receipt(D(0), D(0), D(500), D(560), duplicate=True)
    assert (await look(system.opened())).on_hand == D(560)


async def test_a_note_without_excess_has_none_to_book(records: Records) -> None:
    po = await accepted(records)
    await records.receive(po, SKU, "DN-1", D(450))
    with pytest.raises(Refused, match="DN-1"):
        await records.receive(po, SKU, "DN-1", D(450), excess=True)


async def test_a_note_counts_for_its_po_only(records: Records) -> None:
    first, second = await accepted(records, 1), await accepted(records, 2)
    await records.receive(first, SKU, "DN-1", D(200))
    assert (await records.receive(second, SKU, "DN-1", D(100))).on_hand == D(360)
    assert ((await order(records, first)).received, (await order(records, second)).received) == (D(200), D(100))


@pytest.mark.parametrize(
    ("sku", "note", "quantity"),
    [
        ("SKU-124", "DN-2", "200"),
        ("SKU-nobody", "DN-2", "200"),
        (SKU, "DN-1", "201"),
        (SKU, "", "200"),
        (SKU, "DN-2", "0"),
        (SKU, "DN-2", "-200"),
        (SKU, "DN-2", "NaN"),
        (SKU, "DN-2", "Infinity"),
    ],
)
async def test_a_receipt_that_cannot_be_right_is_refused(records: Records, sku: str, note: str, quantity: str) -> None:
    po = await accepted(records)
    await records.receive(po, SKU, "DN-1", D(200))
    before = await look(records)
    with pytest.raises(Refused):
        await records.receive(po, sku, note, D(quantity))
    assert await look(records) == before


async def test_a_cancelled_rest_is_not_outstanding(records: Records) -> None:
    """odoo PR 268488: ordered 2, received 1, the rest cancelled."""
    po = await records.ensure_draft(replace(DRAFT, quantity=D(2)))
    await records.begin_sending(po, D("4.20"), D("4.41"))
    await records.mark_sent(po, AT)
    await records.receive(po, SKU, "DN-1", D(1))
    await records.cancel(po, "the rest is not needed")
    known = await order(records, po)
    assert (known.status, known.received, known.outstanding) == (S.CANCELLED, D(1), D(0))


async def test_goods_of_a_cancelled_order_wait_for_a_person(records: Records) -> None:
    po = await cancelled(records)
    assert await records.receive(po, SKU, "DN-1", D(450)) == Receipt(D(0), D(450), D(0), D(60), duplicate=False)
    assert (await order(records, po)).status is S.CANCELLED
    agreed = await records.receive(po, SKU, "DN-1", D(450), excess=True)
    assert (agreed.booked, agreed.on_hand) == (D(450), D(510))
    assert (await order(records, po)).status is S.RECEIVED


async def test_a_closed_order_takes_no_goods_but_knows_its_notes(records: Records) -> None:
    po = await closed(records)
    with pytest.raises(Refused, match="closed"):
        await records.receive(po, SKU, "DN-2", D(1))
    assert (await records.receive(po, SKU, "DN-1", D(450))).duplicate


async def test_the_same_note_from_eight_clients_is_booked_once(system: System) -> None:
    po = await accepted(system.opened())
    answers = await asyncio.gather(*(system.opened().receive(po, SKU, "DN-1", D(200)) for _ in range(8)))
    assert sorted(a.duplicate for a in answers) == [False] + [True] * 7
    assert (await look(system.opened())).on_hand == D(260)


async def test_eight_notes_at_once_are_all_booked(system: System) -> None:
    po = await accepted(system.opened())
    await asyncio.gather(*(system.opened().receive(po, SKU, f"DN-{n}", D(60)) for n in range(8)))
    known = await order(system.opened(), po)
    assert (known.received, (await look(system.opened())).on_hand) == (D(450), D(510))
