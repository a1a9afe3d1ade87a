"""A supplier's book: quotes that hold, orders checked against them, one answer for each key."""

import asyncio
from decimal import Decimal
from typing import Any

import pytest

from support.sandboxes import Sandbox, order_body


async def quotes(world: Sandbox, supplier: str = "A", sku: str = "SKU-123") -> list[dict[str, Any]]:
    answer = await world.http.get(f"/suppliers/{supplier}/quotes", params={"sku": sku})
    assert answer.status_code == 200, answer.text
    return answer.json()["quotes"]


async def test_an_item_is_quoted_as_set_and_holds_from_when_it_was_asked_for(world: Sandbox) -> None:
    await world.quote(lead_time_days=7, freight="12.50")
    (quote,) = await quotes(world)
    assert (quote["item"], quote["unit_price"], quote["currency"], quote["pack"]) == ("A-123", "4.20", "USD", "50")
    assert quote["breaks"] == [{"min_quantity": "50", "unit_price": "4.20"}]
    assert (quote["freight"], quote["lead_time_days"]) == ("12.50", 7)
    (later,) = await quotes(world)
    assert later["valid_until"] > quote["valid_until"]


async def test_nobody_quotes_what_he_was_not_told_to(world: Sandbox) -> None:
    assert await quotes(world, "Z", "SKU 1%/2") == []
    await world.quote()
    await world.control("PUT", "/suppliers/A/quotes/SKU-123", [])
    assert await quotes(world) == []


@pytest.mark.parametrize("when", [{"in_days": 1.0}, {"at_day": 2.0}])
async def test_a_quote_changes_at_its_day(world: Sandbox, when: dict[str, float]) -> None:
    await world.quote()
    planned = await world.control(
        "PUT", "/suppliers/A/quotes/SKU-123", {"items": [{"unit_price": "4.30", "pack": "50"}], **when}
    )
    assert planned["status"] == "planned"
    assert (await quotes(world))[0]["unit_price"] == "4.20"
    while (await quotes(world))[0]["unit_price"] == "4.20":
        await world.control("GET", "/events", after="1000000", timeout="0.05")
    assert (await quotes(world))[0]["unit_price"] == "4.30"
    assert (await world.control("GET", "/time"))["now"] >= planned["at"]


async def test_the_catalogue_replaces_what_was_quoted_before(world: Sandbox) -> None:
    await world.quote("A")
    items = [
        {"supplier": "B", "sku": "R 10k 1%", "item": "X/1", "unit_price": "985", "price_unit": "500", "pack": "500"},
        {"supplier": "B", "sku": "R 10k 1%", "item": "X/2", "unit_price": "0.02", "breaks": []},
    ]
    assert (await world.control("PUT", "/catalogue", {"items": items}))["items"] == 2
    assert await quotes(world, "A") == []
    assert [(q["item"], q["price_unit"]) for q in await quotes(world, "B", "R 10k 1%")] == [
        ("X/1", "500"),
        ("X/2", "1"),
    ]
    assert len((await world.control("GET", "/catalogue"))["items"]) == 2


async def test_an_order_is_taken_and_found(world: Sandbox) -> None:
    await world.quote()
    taken = await world.order()
    assert (taken.status_code, taken.json()["status"], taken.json()["reference"]) == (201, "open", "A-SO-1")
    found = await world.http.get("/suppliers/A/orders/PO-4471")
    assert found.json() == {k: v for k, v in order_body().items() if k != "deliver_to"} | {"status": "open"}
    missing = await world.http.get("/suppliers/A/orders/PO-4472")
    assert (missing.status_code, "PO-4472" in missing.json()["error"]) == (404, True)


async def test_the_same_key_and_body_get_the_first_answer_and_do_no_work_twice(world: Sandbox) -> None:
    await world.quote()
    first = await world.order()
    await world.quote(price="4.50")
    again = await asyncio.gather(*(world.order() for _ in range(10)))
    assert {(a.status_code, a.text) for a in again} == {(201, first.text)}
    ledger = await world.ledger("SKU-123")
    (order,) = ledger["orders"]
    assert (order["attempts"], order["idempotency_keys"], order["unit_price"]) == (11, ["PO-4471"], "4.20")
    assert order["keys_per_attempt"] == ["PO-4471"] * 11
    assert len(order["bodies"]) == 1
    assert ledger["requests"]["orders"] == ledger["by_supplier"]["A"]["orders"] == 11


async def test_a_key_is_good_for_one_request_only(world: Sandbox) -> None:
    await world.quote()
    await world.order()
    other = await world.order(quantity="500")
    assert (other.status_code, other.json()["code"]) == (422, "idempotency-conflict")
    elsewhere = await world.write("/suppliers/A/orders/PO-4471/cancel", {"reason": "no need"}, "PO-4471")
    assert elsewhere.status_code == 422
    renamed = await world.order(key="another")
    assert (renamed.status_code, renamed.json()["code"]) == (409, "idempotency-conflict")
    assert len((await world.ledger())["orders"]) == 1
    assert (await world.order("B", item="B-123")).status_code == 422, "another supplier's keys are his own"


async def test_a_write_without_a_key_is_refused(world: Sandbox) -> None:
    await world.quote()
    answer = await world.http.post("/suppliers/A/orders", json=order_body())
    assert (answer.status_code, "Idempotency-Key" in answer.json()["error"]) == (400, True)
    assert (await world.ledger())["orders"] == []


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"item": "A-999"}, "no item"),
        ({"sku": "SKU-999"}, "no item"),
        ({"unit_price": "4.19"}, "4.2 USD"),
        ({"currency": "EUR"}, "not a price"),
        ({"quantity": "440"}, "packs"),
        ({"quantity": "0"}, "quantity"),
        ({"quantity": "-50"}, "quantity"),
        ({"quantity": "NaN"}, "quantity"),
        ({"quantity": 450.5}, "packs"),
        ({"quantity": True}, "quantity"),
        ({"unit_price": None}, "unit_price"),
        ({"currency": "usd"}, "currency"),
        ({"po": ""}, "po"),
    ],
)
async def test_an_order_that_is_not_as_quoted_or_documented_is_refused_with_a_sentence(
    world: Sandbox, changes: dict[str, Any], word: str
) -> None:
    await world.quote()
    answer = await world.order(key="k", **changes)
    assert answer.status_code == 422
    assert word in answer.json()["error"]
    assert (await world.ledger())["orders"] == []
    assert (await world.ledger())["requests"]["orders"] == 1


@pytest.mark.parametrize("raw", [b"", b"[]", b"{", b"\xff\xfe", b'"PO-4471"', b"[" * 100_000])
async def test_a_body_that_is_no_object_is_refused(world: Sandbox, raw: bytes) -> None:
    answer = await world.http.post("/suppliers/A/orders", content=raw, headers={"Idempotency-Key": "k"})
    assert (answer.status_code, "body" in answer.json()["error"]) == (422, True)


async def test_a_quote_that_was_given_holds_until_it_ends(world: Sandbox) -> None:
    await world.quote(valid_days=3)
    await quotes(world)
    await world.quote(price="4.50")
    assert (await world.order()).status_code == 201, "4.20 was quoted and still holds"
    await world.quote("B", price="4.20", valid_days=0.5)
    (quote,) = await quotes(world, "B")
    await world.quote("B", price="4.35")
    while (await world.control("GET", "/time"))["now"] < quote["valid_until"]:
        await world.control("GET", "/events", after="1000000", timeout="0.05")
    answer = await world.order("B", po="PO-2", item="B-123")
    assert (answer.status_code, "4.35 USD" in answer.json()["error"]) == (422, True)


async def test_minimum_and_minimum_order_value_hold_for_orders(world: Sandbox) -> None:
    await world.quote(minimum="500", minimum_order_value="3000")
    assert "minimum of 500" in (await world.order()).json()["error"]
    assert "worth 3000" in (await world.order(quantity="500")).json()["error"]
    assert (await world.order(quantity="750")).status_code == 201


async def test_a_price_for_three_is_a_third_for_one(world: Sandbox) -> None:
    await world.quote(price="1", price_unit="3", pack="1", breaks=[])
    assert (await world.order(unit_price="0.3333333333")).status_code == 422, "further off than arithmetic is"
    third = str(Decimal(1) / 3)
    assert (await world.order(unit_price=third, po="PO-2")).status_code == 201
    assert (await world.http.get("/suppliers/A/orders/PO-2")).json()["unit_price"] == third


async def test_cancelling_is_possible_until_the_goods_have_left(world: Sandbox) -> None:
    await world.quote()
    await world.order()
    path, reason = "/suppliers/A/orders/PO-4471/cancel", {"reason": "ordered again elsewhere"}
    done = await world.write(path, reason, "PO-4471/cancel")
    assert (done.status_code, done.json()) == (200, {"po": "PO-4471", "status": "cancelled"})
    assert (await world.write(path, reason, "PO-4471/cancel")).json() == done.json()
    (order,) = (await world.ledger())["orders"]
    assert (order["status"], order["cancel_reason"]) == ("cancelled", "ordered again elsewhere")

    await world.order(po="PO-2")
    await world.control("POST", "/warehouse/deliver", {"po": "PO-2", "quantity": "50"})
    late = await world.write("/suppliers/A/orders/PO-2/cancel", reason, "PO-2/cancel")
    assert (late.status_code, "too late" in late.json()["error"]) == (409, True)


async def test_a_script_may_refuse_or_grant_a_cancellation(world: Sandbox) -> None:
    await world.quote()
    await world.order()
    await world.script(on_cancel="refuse")
    path = "/suppliers/A/orders/PO-4471/cancel"
    assert (await world.write(path, {"reason": "r"}, "PO-4471/cancel")).status_code == 409
    await world.script(on_cancel="accept")
    assert (await world.write(path, {"reason": "r"}, "PO-4471/cancel")).status_code == 200, (
        "a refusal is not remembered"
    )


async def test_accepting_terms_makes_them_the_orders_own(world: Sandbox) -> None:
    await world.quote()
    await world.order()
    await world.control("POST", "/suppliers/A/mail", {"po": "PO-4471", "send": "confirm", "unit_price": "4.35"})
    (order,) = (await world.ledger())["orders"]
    assert (order["status"], order["unit_price"]) == ("open", "4.20"), "a counter-offer waits for our word"
    terms = {"unit_price": "4.35", "currency": "USD", "quantity": "450", "promised_date": "2026-12-08", "text": "ok"}
    done = await world.write("/suppliers/A/orders/PO-4471/accept", terms, "PO-4471/accept/1")
    assert done.json() == {"po": "PO-4471", "status": "confirmed"}
    (order,) = (await world.ledger())["orders"]
    assert (order["status"], order["unit_price"], order["ordered"]["unit_price"]) == ("confirmed", "4.35", "4.20")
    assert [(a["unit_price"], a["as_offered"]) for a in order["accepted"]] == [("4.35", True)]
    other = await world.write("/suppliers/A/orders/PO-4471/accept", terms | {"unit_price": "3.00"}, "PO-4471/accept/2")
    assert other.status_code == 200
    assert (await world.ledger())["orders"][0]["accepted"][1]["as_offered"] is False


async def test_messages_need_an_order_and_are_kept(world: Sandbox) -> None:
    body = {"kind": "chase", "text": "Where is it?"}
    assert (await world.write("/suppliers/A/orders/PO-4471/messages", body, "PO-4471/chase/1")).status_code == 404
    await world.quote()
    await world.order()
    for _ in range(2):
        answer = await world.write("/suppliers/A/orders/PO-4471/messages", body, "PO-4471/chase/1")
        assert answer.status_code == 202
    ledger = await world.ledger("SKU-123")
    assert [(m["kind"], m["text"], m["key"]) for m in ledger["mails"]["in"]] == [
        ("chase", "Where is it?", "PO-4471/chase/1")
    ]
    assert ledger["orders"][0]["heard"] == {"chase": 1}
    assert ledger["requests"]["messages"] == 2, "requests are counted as they come"


async def test_one_validity_for_all_items(world: Sandbox) -> None:
    items = [{"unit_price": "4.20", "item": "X"}, {"unit_price": "4.30", "item": "Y", "valid_days": 30}]
    await world.control("PUT", "/suppliers/A/quotes/SKU-123", {"items": items, "valid_days": 2})
    kept = await world.control("GET", "/suppliers/A/quotes/SKU-123")
    assert [i["valid_days"] for i in kept["items"]] == [2, 30]
