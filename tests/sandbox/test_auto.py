"""A world that answers by itself, and the company it answers played in a few lines."""

import asyncio
from typing import Any

from support.sandboxes import Ingress, Sandbox, order_body, sandbox

PARTS = 40


async def replenish(world: Sandbox, sku: str, n: int) -> None:
    """What the agent would do, as far as the world sees it."""
    po = f"PO-{n}"
    await world.http.get("/suppliers/A/quotes", params={"sku": sku})
    request = {
        "id": f"{po}/1",
        "sku": sku,
        "po": po,
        "quantity": "450",
        "supplier": "A",
        "unit_price": "4.20",
        "currency": "USD",
        "ceiling": "4.41",
        "reason": "order",
    }
    assert (await world.write("/people/manager/requests", request, request["id"])).status_code == 202
    await world.wait("told", handler="approve", sku=sku)
    body = order_body(po) | {"sku": sku, "item": f"A-{n}"}
    assert (await world.write("/suppliers/A/orders", body, po)).status_code == 201
    await world.wait("told", 2, handler="deliver", sku=sku)


async def test_many_parts_are_approved_confirmed_and_delivered(ingress: Ingress) -> None:
    async with sandbox(ingress, auto=True) as world:
        items: list[dict[str, Any]] = [
            {"supplier": "A", "sku": f"SKU-{n}", "unit_price": "4.20", "pack": "50", "lead_time_days": 30}
            for n in range(PARTS)
        ]
        await world.control("PUT", "/catalogue", {"items": items})
        await asyncio.gather(*(replenish(world, f"SKU-{n}", n) for n in range(PARTS)))
        ledger = await world.ledger()
        assert [o["status"] for o in ledger["orders"]] == ["received"] * PARTS
        assert [a["decision"] for a in ledger["approvals"]] == ["approved"] * PARTS
        assert (await world.control("GET", "/time"))["day"] < 30, "lead times are shortened"
        for n in range(PARTS):
            mine = [h["body"] for h in ingress.heard if h["path"].startswith(f"/SkuAgent/SKU-{n}/")]
            assert [b.get("event", "approval") for b in mine] == ["approval", "supplier-reply", "goods"]


async def test_a_script_goes_before_what_it_would_do_by_itself(ingress: Ingress) -> None:
    async with sandbox(ingress, auto=True) as world:
        await world.quote()
        await world.script(on_order=[{"after_days": 0, "send": "decline"}])
        await world.order()
        await world.wait("status", status="declined")
        answer = await world.http.get("/control/wait", params={"what": "goods", "timeout": "0.4"})
        assert answer.status_code == 408


async def test_the_buyer_gives_up_what_could_go_round_for_ever(ingress: Ingress) -> None:
    asked = [
        ("no-quote", ["give_up", "look_again"], ["give_up"]),
        ("question", ["answer", "cancel", "give_up"], ["answer"]),
        ("no-reply", ["chase_again", "cancel", "give_up"], ["chase_again", "give_up", "give_up"]),
        ("excess-quantity", ["give_up", "accept"], ["accept"]),
        ("late-date", ["accept", "cancel"], ["accept"]),
    ]
    async with sandbox(ingress, auto=True) as world:
        for subject, choices, answers in asked:
            for n in range(len(answers)):
                body = {"sku": "S", "po": "PO-1", "subject": subject, "text": "?", "choices": choices}
                key = f"PO-1/{subject}/{n}"
                await world.write("/people/buyer/questions", {**body, "id": key}, key)
            await world.wait("answer", sum(len(a) for s, _, a in asked[: asked.index((subject, choices, answers)) + 1]))
        said = [(q["subject"], q["answers"][0]["value"]) for q in (await world.ledger())["questions"]]
        assert said == [(subject, answer) for subject, _, answers in asked for answer in answers]
