"""The words of the control interface that scenario scripts use, each over real HTTP."""

from typing import Any

import httpx
import pytest

from support.sandboxes import Ingress, Sandbox, order_body

PART = {"sku": "SKU-123", "po": "PO-4471"}


async def test_dropped_connections_after_some_got_through(world: Sandbox) -> None:
    await world.quote()
    await world.fault(operation="orders", kind="drop", times=None, skip=1)
    assert (await world.order()).status_code == 201
    for _ in range(2):
        with pytest.raises(httpx.TransportError):
            await world.order()
    (order,) = (await world.ledger())["orders"]
    assert (order["attempts"], order["idempotency_keys"]) == (3, ["PO-4471"])


async def test_a_slow_supplier_has_taken_the_order_before_he_answers(world: Sandbox) -> None:
    """Else a look at his book would say 404 of an order that is taken afterwards."""
    await world.quote()
    await world.fault(operation="orders", kind="slow", times=1, seconds=30)
    with pytest.raises(httpx.ReadTimeout):
        await world.http.post(
            "/suppliers/A/orders", json=order_body(), headers={"Idempotency-Key": "PO-4471"}, timeout=0.3
        )
    assert (await world.http.get("/suppliers/A/orders/PO-4471")).json()["status"] == "open"
    assert (await world.order()).status_code == 201


async def test_a_mail_and_goods_now_give_what_the_agent_answered(world: Sandbox, ingress: Ingress) -> None:
    await world.quote()
    await world.order()
    ingress.answers = [(503, {}), (200, {"status": "taken"}), (400, {"message": "no note"})]
    mail = await world.control("POST", "/suppliers/A/mail", {**PART, "send": "confirm", "in_days": 3})
    assert (mail["status"], mail["body"]) == (200, {"status": "taken"})
    goods = await world.control("POST", "/warehouse/deliver", {**PART, "quantity": "50", "note": "DN-1", "id": "g-1"})
    assert (goods["id"], goods["status"], goods["body"]) == ("g-1", 400, {"message": "no note"})


@pytest.mark.parametrize(
    ("said", "payload"),
    [
        ({"send": "text", "text": "As discussed.", "subject": "Hello"}, {"subject": "Hello", "text": "As discussed."}),
        ({"send": "mime", "mime": "Subject: x\r\n\r\nHello"}, {"mime": "Subject: x\r\n\r\nHello"}),
    ],
)
async def test_mails_in_words_of_ones_own(
    world: Sandbox, ingress: Ingress, said: dict[str, Any], payload: dict[str, Any]
) -> None:
    await world.quote()
    await world.script(on_order=[{"after_days": 0, **said}])
    await world.order()
    await world.wait("told")
    assert ingress.heard[0]["body"]["payload"] == {"from": "A", **payload}
    await world.control("POST", "/suppliers/B/mail", {"sku": "SKU-123", "po": "PO-9", **said})
    assert ingress.heard[1]["body"]["payload"] == {"from": "B", **payload}


async def test_a_receipt_confirms_nothing(world: Sandbox, ingress: Ingress) -> None:
    await world.quote()
    await world.order()
    await world.control("POST", "/suppliers/A/mail", {**PART, "send": "receipt"})
    assert "received your order PO-4471" in ingress.heard[0]["body"]["payload"]["text"]
    assert (await world.ledger())["orders"][0]["status"] == "open"


async def test_a_cancellation_that_is_taken_whatever_has_left(world: Sandbox) -> None:
    await world.quote()
    await world.script(on_cancel="cancelled")
    await world.order()
    await world.control("POST", "/warehouse/deliver", {"po": "PO-4471", "quantity": "50", "note": "DN-1"})
    answer = await world.write("/suppliers/A/orders/PO-4471/cancel", {"reason": "no"}, "PO-4471/cancel")
    assert (answer.status_code, answer.json()["status"]) == (200, "cancelled")


async def test_a_catalogue_priced_by_breaks_alone(world: Sandbox) -> None:
    line: dict[str, Any] = {"supplier": "A", "sku": "X", "item": "x-1", "pack": "5", "price_unit": "3"}
    line["breaks"] = [{"min_quantity": "5", "unit_price": "13"}, {"min_quantity": "50", "unit_price": "10"}]
    await world.control("PUT", "/catalogue", {"items": [line]})
    (quote,) = (await world.http.get("/suppliers/A/quotes", params={"sku": "X"})).json()["quotes"]
    assert (quote["unit_price"], [b["unit_price"] for b in quote["breaks"]]) == ("13", ["13", "10"])


async def test_an_ingress_told_later_and_attempts_waited_for(world: Sandbox) -> None:
    async with Ingress().open() as other:
        await world.control("POST", "/settings", {"ingress": other.url})
        body = {"items": [{"item": "A-123", "unit_price": "4.20"}], "valid_days": 3}
        await world.control("PUT", "/suppliers/A/quotes/SKU-123", body)
        await world.order()
        await world.order()
        assert len(await world.wait("order_attempts", 2, po="PO-4471")) == 2
        await world.control("POST", "/suppliers/A/mail", {**PART, "send": "confirm"})
        assert [h["body"]["po"] for h in other.heard] == ["PO-4471"]
