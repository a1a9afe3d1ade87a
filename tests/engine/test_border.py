"""What is refused at the border: a 4xx with a sentence that says what to do, and nothing changed."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import httpx
import pytest

from replenisher.cli.world import World
from sandbox.scenarios.stage import Stage, confirm
from support.engine import inactivity

pytestmark = [pytest.mark.engine, pytest.mark.timeout(120)]


@pytest.fixture(scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Stage]:
    """SKU-123 waits for approval of PO-4471/1; SKU-124 has an order under way; SKU-125 is known and not watched."""
    data: Path = tmp_path_factory.mktemp("border")
    world = World(data, ["SKU-123", "SKU-124", "SKU-125"], 600.0, inactivity().total_seconds())
    async with world.stages(lambda _: None) as stages:
        first, second, _ = stages
        await first.begin()
        asked = (await first.wait("approval"))[0]["approval"]
        assert asked == "PO-4471/1"
        await second.script("A", on_order=[confirm(0)])
        await second.begin()
        other = (await second.wait("approval"))[0]["approval"]
        await second.decide(other, True)
        await second.waits("wait_for_goods")
        await first.waits("wait_for_approval")
        yield first


async def looks(stage: Stage) -> tuple[Any, Any]:
    """Everything that must stay as it is: the agent's status, and the ledger of requests."""
    status = await stage.ask("status")
    return status, (await stage.ledger())["requests"]


def approve(**more: object) -> dict[str, object]:
    return {"id": "m-1", "approval": "PO-4471/1", "approved": True, **more}


def goods(**more: object) -> dict[str, object]:
    return {"id": "g-1", "event": "goods", "po": "PO-4471", "note": "DN-1", "quantity": "450", **more}


def reply(**more: object) -> dict[str, object]:
    payload = {"from": "A", "text": "We confirm PO-4471."}
    return {"id": "r-1", "event": "supplier-reply", "po": "PO-4471", "payload": payload, **more}


BAD: dict[str, tuple[str, Any, int, str]] = {
    "a body that is a list": ("approve", [1], 400, "JSON object"),
    "a body that is a number": ("deliver", 7, 400, "unknown event"),
    "an approval without an id": ("approve", {"approval": "PO-4471/1", "approved": True}, 400, "id"),
    "an approval that says maybe": ("approve", approve(approved="maybe"), 400, "approved"),
    "a field nobody knows": ("approve", approve(amount=5), 400, "amount"),
    "an unknown request": ("approve", approve(approval="PO-4471/9"), 404, "never asked"),
    "another part's request": ("approve", approve(approval="PO-4472/1"), 404, "never asked"),
    "a raised ceiling": ("approve", approve(ceiling="5.00"), 400, "lowered, not raised"),
    "a ceiling below the price": ("approve", approve(ceiling="4.10"), 400, "reject the request instead"),
    "a ceiling that is no number": ("approve", approve(ceiling="cheap"), 400, "ceiling"),
    "a ceiling that is infinite": ("approve", approve(ceiling="Infinity"), 400, "ceiling"),
    "a quote nobody made": ("approve", approve(approved=False, another="Z/Z-1"), 400, "not one of the quotes"),
    "an answer to no question": ("answer", {"id": "a", "question": "PO-1/x/1", "choice": "accept"}, 404, "never asked"),
    "an answer without a choice": ("answer", {"id": "a", "question": "PO-1/x/1"}, 400, "choice"),
    "an unknown event": ("deliver", goods(event="telegram"), 400, "unknown event"),
    "no event": ("deliver", {"id": "x"}, 400, "unknown event"),
    "a negative quantity": ("deliver", goods(quantity="-5"), 400, "quantity"),
    "a quantity of nothing": ("deliver", goods(quantity="0"), 400, "quantity"),
    "a quantity that is no number": ("deliver", goods(quantity="many"), 400, "quantity"),
    "a receipt without a note": ("deliver", {k: v for k, v in goods().items() if k != "note"}, 400, "note"),
    "a receipt with an empty note": ("deliver", goods(note=" "), 400, "note"),
    "a receipt for a draft": ("deliver", goods(), 409, "PO-4471"),
    "a receipt for another part's PO": ("deliver", goods(po="PO-4472"), 409, "PO-4472"),
    "a receipt for a PO nobody knows": ("deliver", goods(po="PO-1"), 409, "PO-1"),
    "a reply on another part's PO": ("deliver", reply(po="PO-4472"), 404, "not an open order"),
    "a reply of another supplier": (
        "deliver",
        reply(payload={"from": "B", "text": "We confirm."}),
        404,
        "not an open order",
    ),
    "a reply that says nothing": ("deliver", reply(payload={"from": "A"}), 400, "text or mime"),
    "a reply as large as a film": ("deliver", reply(payload={"from": "A", "text": "x" * 1_000_001}), 413, "1 MB"),
}


@pytest.mark.parametrize("case", BAD)
async def test_bad_input_is_refused_with_a_sentence_and_changes_nothing(stage: Stage, case: str) -> None:
    handler, body, code, words = BAD[case]
    before = await looks(stage)
    answer = await stage.post(handler, body)
    assert answer.status_code == code, answer.text
    assert words in answer.json()["message"]
    assert await looks(stage) == before


JSON = {"content-type": "application/json"}


async def test_what_is_no_json_is_refused(stage: Stage) -> None:
    for handler in ("approve", "deliver", "answer", "watch", "cancel"):
        answer = await stage.ingress.post(f"/SkuAgent/SKU-123/{handler}", content=b"{not json", headers=JSON)
        assert answer.status_code == 400
        assert "JSON" in answer.json()["message"]


@pytest.mark.parametrize("handler", ["watch", "check", "status"])
async def test_a_part_nobody_knows(stage: Stage, handler: str) -> None:
    answer = await stage.ingress.post(f"/SkuAgent/NO%20SUCH%2FPART%25/{handler}")
    assert answer.status_code == 404
    assert "import it first" in answer.json()["message"]


async def test_a_part_that_is_not_watched_is_not_checked(stage: Stage) -> None:
    answer = await stage.ingress.post("/SkuAgent/SKU-125/check")
    assert answer.status_code == 409
    assert "watch first" in answer.json()["message"]


async def test_nothing_to_cancel(stage: Stage) -> None:
    answer = await stage.ingress.post("/SkuAgent/SKU-125/cancel", json={})
    assert answer.status_code == 409


async def test_handlers_of_the_engine_room_are_private(stage: Stage) -> None:
    async def status(path: str) -> int:
        return (await stage.ingress.post(path, json={})).status_code

    private = (
        "/SkuAgent/SKU-123/finished",
        "/SkuAgent/SKU-123/tick",
        "/SkuAgent/SKU-123/rewatch",
        "/Replenish/replenish-SKU-123-1/run",
        "/Replenish/replenish-SKU-123-1/deliver",
        "/Replenish/replenish-SKU-123-1/approve",
        "/Relay/follow",
        "/OutcomeArchive/SKU-123/keep",
    )
    assert [await status(path) for path in private] == [400] * len(private)


async def test_the_same_message_id_twice_is_one_message(stage: Stage) -> None:
    client: httpx.AsyncClient = stage.ingress
    receipt = goods(id="g-once", po="PO-4472", note="DN-7", quantity="100")
    first = await client.post("/SkuAgent/SKU-124/deliver", json=receipt)
    again = await client.post("/SkuAgent/SKU-124/deliver", json={**receipt, "note": "DN-8"})
    same_note = await client.post("/SkuAgent/SKU-124/deliver", json={**receipt, "id": "g-other"})
    assert first.json()["status"] == "booked"
    assert again.json()["status"] == "duplicate"
    assert same_note.json()["status"] == "booked already"
    assert (await client.post("/SkuAgent/SKU-124/status")).json()["on_hand"] == "160"
