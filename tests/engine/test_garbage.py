"""Whatever is sent: it is refused with a sentence or taken as it is meant, and the part's entity answers the next one.
A handler that cannot end would hold its key for ever; that is what these look for."""

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Any
from urllib.parse import quote

import pytest

from replenisher.cli.world import World
from sandbox.scenarios.stage import Stage, confirm, goods, quoted
from support.engine import inactivity
from support.inside import Inside, opened, receipt, reply

pytestmark = [pytest.mark.engine, pytest.mark.timeout(120)]

STRANGE = ["SKU 10% / a?b#c", "ünï-零件", "'; DROP TABLE parts; --", "x" * 190]
PLAIN = ["SKU-BODY", "SKU-TYPES", "SKU-NOTES", "SKU-FILM", "SKU-MANY", "SKU-NEGATIVE", "SKU-ALONE"]
HANDLERS = ("watch", "unwatch", "check", "cancel", "hold", "approve", "answer", "deliver")
JSON = {"content-type": "application/json"}


@pytest.fixture(scope="module")
async def world(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[tuple[dict[str, Stage], Inside]]:
    """A day is short enough for what fails to be tried again, and for nothing else to become due."""
    one = World(tmp_path_factory.mktemp("garbage"), [*PLAIN, *STRANGE], 20.0, inactivity().total_seconds())
    async with opened(one) as found:
        yield found


async def answers_still(stage: Stage) -> None:
    """The entity's key is free: an exclusive call comes back at once."""
    async with asyncio.timeout(15):
        assert (await stage.post("hold", {"id": "h", "days": 0})).is_success


BODIES: dict[str, bytes] = {
    "nothing": b"",
    "no JSON": b"{not json",
    "no UTF-8": b"\xff\xfe\x00",
    "nested": b"[" * 100_000,
    "nested objects": b'{"id":' * 50_000,
    "a number of 9,999 digits": b'{"id": ' + b"9" * 9_999 + b"}",
    "half a surrogate pair": rb'{"id": "\ud800", "event": "goods", "payload": {"text": "\udfff"}}',
    "half a pair as a name": rb'{"\ud800": 1, "id": "a"}',
    "half a pair in bytes": b'{"id": "\xed\xa0\x80"}',
    "not a number": b'{"id": "a", "days": NaN, "quantity": Infinity}',
    "NUL": rb'{"id": "\u0000", "event": "\u0000", "approval": "\u0000", "approved": true}',
    "5 MB": b'{"id": "' + b"x" * 5_000_000 + b'"}',
}


@pytest.mark.parametrize("name", BODIES)
async def test_any_body_to_any_handler(world: tuple[dict[str, Stage], Inside], name: str) -> None:
    stage = world[0]["SKU-BODY"]
    for handler in HANDLERS[3:]:
        async with asyncio.timeout(15):
            path = f"/SkuAgent/{stage.sku}/{handler}"
            answer = await stage.ingress.post(path, content=BODIES[name], headers=JSON)
        assert 400 <= answer.status_code < 500, (handler, answer.status_code, answer.text[:300])
    await answers_still(stage)


VALUES: list[Any] = [None, True, 0, -1, 1e308, "", " ", "x" * 1000, "\x00", "💥", "a\nb", [], [[]], {}, {"id": {}}]


async def test_wrong_types_in_every_field(world: tuple[dict[str, Stage], Inside]) -> None:
    """Never a 5xx, never a hang; what is taken is what the type allows."""
    stage = world[0]["SKU-TYPES"]
    good: dict[str, dict[str, Any]] = {
        "approve": {"id": "a", "approval": "PO-1/1", "approved": True, "ceiling": "4", "reason": "", "another": "A/A"},
        "answer": {"id": "a", "question": "PO-1/x/1", "choice": "accept", "text": "", "reading": {"quantity": "1"}},
        "deliver": receipt("a", "PO-1"),
        "hold": {"id": "a", "days": 1},
        "cancel": {"id": "a", "reason": ""},
    }
    bodies = [(h, {**body, field: value}) for h, body in good.items() for field in body for value in VALUES]
    bodies += [("deliver", {**reply("a", "PO-1"), f: v}) for f in reply("a", "PO-1") for v in VALUES]
    bodies += [("deliver", reply("a", "PO-1") | {"payload": {f: v}}) for f in ("from", "text", "mime") for v in VALUES]
    seen: set[int] = set()
    for handler, body in bodies:
        async with asyncio.timeout(15):
            answer = await stage.post(handler, body)
        assert answer.status_code < 500, (handler, body, answer.text)
        assert answer.is_success == (handler == "hold" and answer.is_success), (handler, body)
        seen.add(answer.status_code)
    assert {400, 404, 409} <= seen
    await answers_still(stage)


@pytest.mark.parametrize("sku", STRANGE, ids=range(len(STRANGE)))
async def test_a_part_by_any_name_is_replenished(world: tuple[dict[str, Stage], Inside], sku: str) -> None:
    stage = world[0][sku]
    for supplier, price in (("A", "4.20"), ("B", "4.35")):
        item = {**quoted(supplier, sku, price), "item": f"{supplier}-{sku.removeprefix('SKU-')}"}
        await stage.control("PUT", f"/suppliers/{supplier}/quotes/{quote(sku, safe='')}", {"items": [item]})
    await stage.script("A", on_order=[confirm(0)], on_confirmed=[goods(0)])
    await stage.watch()
    approval = (await stage.wait("approval"))[0]["approval"]
    assert (await stage.decide(approval, True))["status"] == 200
    assert (await stage.outcome())["status"] == "received"
    assert [o["sku"] for o in await stage.orders()] == [sku]


async def test_unicode_and_control_characters_in_notes_and_words(world: tuple[dict[str, Stage], Inside]) -> None:
    stage = world[0]["SKU-NOTES"]
    await stage.begin()
    approval: str = (await stage.wait("approval"))[0]["approval"]
    await stage.waits("wait_for_approval")
    words = "line\r\nX-Header: 1 \x00 \u202e 💥 '; --"
    said = await stage.post("approve", {"id": words, "approval": approval, "approved": True, "reason": words})
    assert said.status_code == 200, said.text
    await stage.wait("order")
    po = approval.rpartition("/")[0]
    for n, note in enumerate(("DN \x00 1", "💥", "a/b?c#d%", "é" * 200)):
        answer = await stage.post("deliver", receipt(f"\x00{n}", po, "100", note))
        assert answer.json()["status"] == "booked", answer.text
    assert (await stage.post("deliver", reply("\u202e", po, words))).status_code == 200
    assert (await stage.ask("status"))["on_hand"] == "460"
    assert (await stage.post("cancel", {"id": "c", "reason": words})).status_code == 200
    await stage.wait("cancel")
    await answers_still(stage)


# --- the other side ---------------------------------------------------------------------------------------------------


async def test_a_supplier_that_answers_without_end_or_sense(world: tuple[dict[str, Stage], Inside]) -> None:
    """10 MB of JSON from A, prices below nothing from C: both are as good as unreachable, and B is drafted."""
    stage = world[0]["SKU-FILM"]
    await stage.quotes("B")
    film = json.dumps({"quotes": [], "film": "x" * 10_000_000})
    below = json.dumps({"quotes": [{"item": "C-FILM", "unit_price": "-4.50", "currency": "USD", "pack": "50"}]})
    for supplier, body in (("A", film), ("C", below)):
        await stage.fault(supplier, "quotes", "malformed", None, body=body, content_type="application/json")
    await stage.watch()
    request = (await stage.wait("approval"))[0]
    assert (request["price"], request["currency"]) == ("4.35", "USD")
    await answers_still(stage)


async def test_of_ten_thousand_quotes_only_ours_are_kept(world: tuple[dict[str, Stage], Inside]) -> None:
    stage, inside = world[0]["SKU-MANY"], world[1]
    await stage.quotes("B")
    valid = {"unit_price": "1.00", "currency": "USD", "pack": "50", "lead_time_days": 1}
    many = [{**valid, "item": f"X-{n}", "valid_until": "2099-01-01T00:00:00Z"} for n in range(10_000)]
    body = json.dumps({"quotes": many})
    await stage.fault("A", "quotes", "malformed", None, body=body, content_type="application/json")
    await stage.watch()
    assert (await stage.wait("approval"))[0]["price"] == "4.35"
    sql = "SELECT service_key, value_utf8 FROM state WHERE service_name = 'Replenish'"
    rows = await inside.admin.query(sql)
    kept = sum(len(r["value_utf8"] or "") for r in rows if r["service_key"] == f"replenish-{stage.sku}-1")
    assert 0 < kept < 100_000


async def test_people_who_cannot_be_reached(world: tuple[dict[str, Stage], Inside]) -> None:
    """The request is made again a day later under the same id, and nothing is ordered meanwhile."""
    stage = world[0]["SKU-ALONE"]
    fault = {"operation": "requests", "sku": stage.sku, "kind": "down", "times": 6}
    await stage.control("POST", "/people/faults", fault)
    await stage.begin()
    await stage.wait("fault", n=6)
    await answers_still(stage)
    assert await stage.orders() == []
    approval = (await stage.wait("approval"))[0]["approval"]
    assert approval.endswith("/1")
    assert (await stage.decide(approval, True))["status"] == 200
    await stage.wait("order")
