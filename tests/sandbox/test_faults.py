"""What goes wrong with requests, seen from the client's end of the connection."""

from typing import Any

import httpx
import pytest

from support.sandboxes import Sandbox, order_body


async def get_quotes(world: Sandbox, sku: str = "SKU-123", timeout: float = 5) -> httpx.Response:
    return await world.http.get("/suppliers/A/quotes", params={"sku": sku}, timeout=timeout)


async def test_down_once(world: Sandbox) -> None:
    await world.quote()
    await world.fault(operation="orders", kind="down", times=1)
    assert (await world.order()).status_code == 503
    assert (await world.order()).status_code == 201
    (order,) = (await world.ledger())["orders"]
    assert (order["attempts"], order["idempotency_keys"], len(order["bodies"])) == (2, ["PO-4471"], 1)
    assert [a["fault"] for a in (await world.ledger())["attempts"]] == ["down", None]


async def test_a_dropped_connection_does_no_work(world: Sandbox) -> None:
    await world.quote()
    await world.fault(operation="orders", kind="refuse_connection", times=1)
    with pytest.raises(httpx.TransportError):
        await world.order()
    assert (await world.ledger())["orders"] == []
    assert (await world.ledger())["requests"]["orders"] == 1


async def test_a_lost_reply_leaves_the_order_in_the_book(world: Sandbox) -> None:
    await world.quote()
    await world.fault(operation="orders", kind="reply_lost", times=2, then={"quote": {"unit_price": "4.50"}})
    for _ in range(2):
        with pytest.raises(httpx.TransportError):
            await world.order()
    assert (await world.order()).status_code == 201
    (order,) = (await world.ledger())["orders"]
    assert (order["attempts"], order["unit_price"], order["status"]) == (3, "4.20", "open")
    assert (await get_quotes(world)).json()["quotes"][0]["unit_price"] == "4.50"


async def test_taken_and_then_unreachable_in_every_way(world: Sandbox) -> None:
    await world.quote()
    unreachable = {"operation": "*", "kind": "refuse_connection", "times": None}
    await world.fault(operation="orders", kind="reply_lost", then=[{"fault": unreachable}])
    for _ in range(3):
        with pytest.raises(httpx.TransportError):
            await world.order()
    for request in (get_quotes(world), world.http.get("/suppliers/A/orders/PO-4471")):
        with pytest.raises(httpx.TransportError):
            await request
    assert [(o["po"], o["status"], o["attempts"]) for o in (await world.ledger())["orders"]] == [("PO-4471", "open", 3)]
    assert (await world.control("DELETE", "/suppliers/A/faults"))["cleared"] == 2
    assert (await world.http.get("/suppliers/A/orders/PO-4471")).json()["status"] == "open"


async def test_slow_answers_after_its_time_and_does_the_work_although_nobody_waits(world: Sandbox) -> None:
    await world.quote()
    await world.fault(operation="orders", kind="slow", seconds=0.3)
    with pytest.raises(httpx.ReadTimeout):
        await world.http.post(
            "/suppliers/A/orders",
            json=order_body(),
            headers={"Idempotency-Key": "PO-4471"},
            timeout=0.1,
        )
    await world.wait("order")
    assert (await world.order()).status_code == 201
    assert len((await world.ledger())["orders"]) == 1


@pytest.mark.parametrize(
    ("more", "kind", "text"),
    [
        ({}, "text/html", "sign in"),
        ({"body": '{"ok": true}'}, "application/json", '{"ok": true}'),
        ({"body": "", "content_type": "application/json"}, "application/json", ""),
    ],
)
async def test_malformed_is_a_success_that_is_not_of_the_contract(
    world: Sandbox, more: dict[str, Any], kind: str, text: str
) -> None:
    await world.quote()
    await world.fault(operation="orders", kind="malformed", **more)
    answer = await world.order()
    assert (answer.status_code, answer.headers["content-type"]) == (200, kind)
    assert text in answer.text
    assert (await world.ledger())["orders"] == []
    await world.fault(operation="orders", kind="malformed", work=True)
    await world.order()
    assert len((await world.ledger())["orders"]) == 1


async def test_reject_says_why(world: Sandbox) -> None:
    await world.quote()
    await world.fault(operation="orders", kind="reject", reason="out of stock until spring")
    answer = await world.order()
    assert (answer.status_code, answer.json()) == (409, {"error": "out of stock until spring"})
    await world.fault(operation="orders", kind="reject", status=429)
    assert (await world.order()).status_code == 429


async def test_after_times_and_until_cleared(world: Sandbox) -> None:
    await world.quote()
    number = await world.fault(operation="quotes", kind="down", times=None, after=2)
    assert [(await get_quotes(world)).status_code for _ in range(5)] == [200, 200, 503, 503, 503]
    (listed,) = (await world.control("GET", "/suppliers/A/faults"))["faults"]
    assert (listed["id"], listed["struck"], listed["spent"]) == (number, 3, False)
    await world.control("DELETE", f"/suppliers/A/faults/{number}")
    assert (await get_quotes(world)).status_code == 200


async def test_a_fault_may_end_by_itself_after_some_days(world: Sandbox) -> None:
    await world.quote()
    await world.fault(operation="quotes", kind="down", times=None, for_days=1)
    assert (await get_quotes(world)).status_code == 503
    while (await get_quotes(world)).status_code == 503:
        await world.control("GET", "/events", after="1000000", timeout="0.05")
    assert (await world.control("GET", "/time"))["day"] >= 1


async def test_a_fault_of_one_part_leaves_the_others_alone(world: Sandbox) -> None:
    await world.fault(operation="*", kind="down", sku="SKU-123", times=None)
    assert (await get_quotes(world)).status_code == 503
    assert (await get_quotes(world, "SKU-124")).status_code == 200
    await world.quote("B")
    assert (await world.order("B", item="B-123")).status_code == 201, "and so does one of another supplier"


async def test_a_fault_of_every_supplier(world: Sandbox) -> None:
    await world.fault("*", operation="quotes", kind="down", times=1)
    assert (await get_quotes(world)).status_code == 503


async def test_people_have_faults_too(world: Sandbox) -> None:
    await world.control("POST", "/people/faults", {"operation": "notices", "kind": "down", "times": 1})
    notice = {"id": "PO-4471/accept/1", "sku": "SKU-123", "po": "PO-4471", "text": "accepted"}
    answers = [await world.write("/people/manager/notices", notice, notice["id"]) for _ in range(3)]
    assert [a.status_code for a in answers] == [503, 202, 202]
    (kept,) = (await world.ledger("SKU-123"))["notices"]
    assert (kept["text"], kept["received"]) == ("accepted", 2)
    assert (await world.ledger())["requests"]["notices"] == 3


@pytest.mark.parametrize(
    ("fault", "word"),
    [
        ({"kind": "down", "operation": "coffee"}, "no operation 'coffee'"),
        ({"kind": "broken"}, "kind"),
        ({"kind": "down", "times": 0}, "times"),
        ({"kind": "down", "tmies": 3}, "tmies"),
    ],
)
async def test_a_fault_that_makes_no_sense_is_refused(world: Sandbox, fault: dict[str, Any], word: str) -> None:
    answer = await world.http.post("/control/suppliers/A/faults", json=fault)
    assert (answer.status_code, word in answer.json()["error"]) == (400, True)
