"""How the world reaches the agent: in order for each part, under one id until it is heard; a refusal is an answer."""

from typing import Any

from support.sandboxes import Ingress, Sandbox, sandbox


async def goods(world: Sandbox, note: str, sku: str = "SKU-123", wait: str = "0") -> dict[str, Any]:
    body = {"po": "PO-1", "sku": sku, "quantity": "1", "note": note}
    return await world.control("POST", "/warehouse/deliver", body, wait=wait)


async def test_tried_again_under_the_same_id_until_it_is_heard(world: Sandbox, ingress: Ingress) -> None:
    ingress.answers = [None, (500, {"message": "down"}), (503, {}), (429, {}), (200, {"status": "booked"})]
    sent = await goods(world, "DN-1", wait="10")
    assert (sent["status"], sent["body"]) == (200, {"status": "booked"})
    assert len(ingress.heard) == 5
    assert {h["body"]["id"] for h in ingress.heard} == {sent["id"]}
    assert [h["key"] for h in ingress.heard] == [sent["id"]] * 4 + [f"{sent['id']}/2"]
    (told,) = (await world.ledger())["told"]
    assert (told["tries"], told["state"]) == (5, "taken")


async def test_an_id_of_any_characters_goes_as_ascii(world: Sandbox, ingress: Ingress) -> None:
    await goods(world, "Größe\n10%", wait="10")
    [heard] = ingress.heard
    assert heard["body"]["note"] == "Größe\n10%"
    assert heard["key"].startswith("goods-PO-1-Gr%C3%B6%C3%9Fe%0A10%25")


async def test_a_refusal_is_kept_and_not_tried_again(world: Sandbox, ingress: Ingress) -> None:
    ingress.answers = [(404, {"message": "PO-1 is not an open order"})]
    sent = await goods(world, "DN-1", wait="10")
    assert (sent["state"], sent["status"]) == ("refused", 404)
    (delivery,) = (await world.ledger())["deliveries"]
    assert (delivery["status"], "not an open order" in delivery["answer"]) == (404, True)
    await goods(world, "DN-2", wait="10")
    assert [h["body"]["note"] for h in ingress.heard] == ["DN-1", "DN-2"]


async def test_messages_of_a_part_keep_their_order_and_do_not_hold_up_another_part(
    world: Sandbox, ingress: Ingress
) -> None:
    ingress.answers = [(503, {}), (503, {})]
    for note in ("DN-1", "DN-2", "DN-3"):
        await goods(world, note)
    await goods(world, "DN-9", sku="SKU-9", wait="10")
    await world.wait("told", 4)
    mine = [h["body"]["note"] for h in ingress.heard if h["path"] == "/SkuAgent/SKU-123/deliver"]
    assert list(dict.fromkeys(mine)) == ["DN-1", "DN-2", "DN-3"]


async def test_messages_wait_for_an_ingress_to_be_told(ingress: Ingress) -> None:
    async with sandbox() as world:
        sent = await goods(world, "DN-1")
        assert (sent["state"], sent["status"]) == ("pending", None)
        await world.control("PUT", "/ingress", {"url": ingress.url})
        await world.wait("told")
        assert len(ingress.heard) == 1


async def test_what_is_not_heard_may_be_given_up(ingress: Ingress) -> None:
    async with sandbox() as world:
        for note in ("DN-1", "DN-2"):
            await goods(world, note)
        await goods(world, "DN-3", sku="SKU-9")
        assert (await world.control("DELETE", "/outbox", sku="SKU-123"))["dropped"] == 2
        await world.control("PUT", "/ingress", {"url": ingress.url})
        await world.wait("told", state="taken")
        assert [h["body"]["note"] for h in ingress.heard] == ["DN-3"]
