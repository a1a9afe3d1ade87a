"""Cancel and kill as the Restate CLI does them, of run, relay and entity; agent and engine gone at the moments in
between. Whatever is ended: the entity is free again, no message is lost, nothing is ordered twice."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from replenisher.cli.world import World
from sandbox.scenarios.stage import Stage, confirm
from support.engine import eventually, inactivity
from support.inside import Inside, heard, ids, opened, receipt, reply

pytestmark = [pytest.mark.engine, pytest.mark.timeout(120)]

NAMES = (
    "WAITING", "TWICE", "PLACING", "ACCEPTED", "KILLED", "KILLED-ORDER", "HANDED", "RELAY", "RELAY-CANCELLED", "BOTH",
    "PURGED", "LATE", "ENTITY", "TICK", "CALL", "LOOKED", "A-1", "A-2", "A-3", "A-4", "E-1", "E-2", "E-3",
)  # fmt: skip
DAY = 900.0
"""Real seconds of a business day: nothing becomes due by itself here."""


@dataclass
class Place:
    world: World
    stages: dict[str, Stage]
    inside: Inside

    def stage(self, name: str) -> Stage:
        return self.stages[f"SKU-{name}"]

    async def asked(self, name: str) -> tuple[Stage, str]:
        """A part whose replenishment waits for approval, and the request."""
        stage = self.stage(name)
        await stage.begin()
        approval = (await stage.wait("approval"))[0]["approval"]
        await stage.waits("wait_for_approval")
        return stage, approval

    async def ordered(self, name: str) -> tuple[Stage, str]:
        """A part whose order the supplier has accepted, and its PO."""
        stage, approval = await self.asked(name)
        await stage.script("A", on_order=[confirm(0)])
        assert (await stage.decide(approval, True))["status"] == 200
        await stage.waits("wait_for_goods")
        return stage, approval.rpartition("/")[0]


@pytest.fixture(scope="module")
async def place(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Place]:
    skus = [f"SKU-{name}" for name in NAMES]
    world = World(tmp_path_factory.mktemp("killed"), skus, DAY, inactivity().total_seconds())
    async with opened(world) as (stages, inside):
        yield Place(world, stages, inside)


async def taken(stage: Stage, body: dict[str, Any]) -> Any:
    answer = await stage.post("deliver", body)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def refused(stage: Stage, approval: str, number: str = "late") -> str:
    answer = await stage.post("approve", {"id": number, "approval": approval, "approved": True})
    assert answer.status_code == 409, answer.text
    return str(answer.json()["message"])


async def starts_again(stage: Stage, n: int) -> None:
    """The next check begins replenishment n, which asks anew."""
    answer = await stage.post("check")
    assert answer.json() == {**answer.json(), "status": "started", "run": f"replenish-{stage.sku}-{n}"}
    await stage.waits("wait_for_approval")


async def open_orders(stage: Stage) -> list[tuple[str, str]]:
    return [(o["po"], o["status"]) for o in (await stage.ask("status"))["orders"]]


# --- the run ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "times"), [("WAITING", 1), ("TWICE", 3)])
async def test_a_run_cancelled_while_it_waits_for_approval(place: Place, name: str, times: int) -> None:
    stage, approval = await place.asked(name)
    active = await place.inside.active(stage.sku)
    await asyncio.gather(*(place.inside.admin.cancel(active.invocation) for _ in range(times)))
    outcome = await stage.outcome()
    assert (outcome["status"], outcome["reason"]) == ("cancelled", "cancelled in the engine")
    assert [o["status"] for o in outcome["orders"]] == ["cancelled"]
    assert "nothing is being replenished" in await refused(stage, approval)
    assert await open_orders(stage) == []
    assert await stage.orders() == []
    await starts_again(stage, 2)


async def test_a_run_cancelled_while_the_order_is_on_its_way_leaves_it_unknown(place: Place) -> None:
    """The supplier took the order, and the run never saw the answer. A mail from him settles it in a run of its own."""
    stage, approval = await place.asked("PLACING")
    active = await place.inside.active(stage.sku)
    await stage.fault("A", "orders", "slow", 1, seconds=5)
    assert (await stage.decide(approval, True))["status"] == 200
    po = (await stage.wait("order"))[0]["po"]
    await place.inside.admin.cancel(active.invocation)
    outcome = await stage.outcome()
    assert (outcome["status"], [o["status"] for o in outcome["orders"]]) == ("failed", ["unknown"])
    assert po in outcome["reason"]
    assert await open_orders(stage) == [(po, "unknown")]
    assert (await stage.mail("A", po, send="confirm"))["status"] == 200
    await stage.waits("wait_for_goods")
    assert await open_orders(stage) == [(po, "accepted")]
    assert (await stage.deliver(po, "450", "DN-1"))["status"] == 200
    assert (await stage.outcome(2))["status"] == "received"
    assert [(o["supplier"], o["status"]) for o in await stage.orders()] == [("A", "received")]


async def test_a_run_cancelled_while_goods_are_on_their_way_hands_the_order_over(place: Place) -> None:
    stage, po = await place.ordered("ACCEPTED")
    active = await place.inside.active(stage.sku)
    await place.inside.admin.cancel(active.invocation)
    assert (await stage.outcome())["status"] == "cancelled"
    assert await open_orders(stage) == [(po, "accepted")]
    assert (await stage.post("check")).json()["status"] == "stocked"
    await taken(stage, receipt("g-1", po))
    assert (await stage.outcome(2))["status"] == "received"
    assert len(await stage.orders()) == 1


async def test_a_run_killed_while_it_waits_for_approval(place: Place) -> None:
    stage, approval = await place.asked("KILLED")
    active = await place.inside.active(stage.sku)
    await place.inside.admin.kill(active.invocation)
    outcome = await stage.outcome()
    assert outcome["status"] == "failed"
    assert "killed" in outcome["reason"]
    assert "nothing is being replenished" in await refused(stage, approval)
    await starts_again(stage, 2)
    # the draft of the killed run is nobody's: cancelled before the new one is approved
    state = await stage.run_state(2)
    assert state["orders"][approval.rpartition("/")[0]]["status"] == "cancelled"


async def test_an_approval_after_the_kill_and_before_the_entity_knows_is_reported(place: Place) -> None:
    """The relay is killed with the run, so that the entity learns of it only at its next check."""
    stage, approval = await place.asked("LATE")
    active = await place.inside.active(stage.sku)
    await place.inside.admin.kill(active.relay)
    await place.inside.admin.kill(active.invocation)
    await place.inside.ended(active.invocation)
    answer = await stage.post("approve", {"id": "late", "approval": approval, "approved": True})
    await stage.post("check")
    outcome = await stage.outcome()
    assert outcome["status"] == "failed"
    assert answer.status_code == 409 or f"{approval} had been approved" in outcome["reason"]
    assert await stage.orders() == []


async def test_a_killed_run_leaves_its_order_and_its_messages(place: Place) -> None:
    """The next one reads them again, settles the order, and orders nothing of its own."""
    stage, po = await place.ordered("KILLED-ORDER")
    before = ids((await place.inside.active(stage.sku)).sent)
    assert before
    await place.inside.admin.kill((await place.inside.active(stage.sku)).invocation)
    assert (await stage.outcome())["status"] == "failed"
    await stage.waits("wait_for_goods")
    assert await heard(stage, 2) == [*before, *before]
    await taken(stage, receipt("g-1", po))
    assert (await stage.outcome(2))["status"] == "received"
    entity = await place.inside.free(stage.sku)
    assert (entity.n, entity.orders) == (2, {})
    assert [(o["supplier"], o["status"]) for o in await stage.orders()] == [("A", "confirmed")]


async def test_messages_outlive_any_number_of_kills(place: Place) -> None:
    """Also those that a run was started with: the mailbox of a killed one goes to the next."""
    stage, po = await place.ordered("HANDED")
    await taken(stage, reply("r-1", po))
    before = ids((await place.inside.active(stage.sku)).sent)
    for n in (1, 2, 3):
        await stage.waits("wait_for_goods")
        active = await place.inside.active(stage.sku)
        assert (active.n, sorted(ids(active.handed + active.sent))) == (n, sorted(before))
        await place.inside.admin.kill(active.invocation)
        assert (await stage.outcome(n))["status"] == "failed"
    await stage.waits("wait_for_goods")
    assert sorted((await stage.run_state(4))["heard"]) == sorted(before)
    await taken(stage, receipt("g-1", po))
    assert (await stage.outcome(4))["status"] == "received"
    assert len(await stage.orders()) == 1


# --- the relay --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "what"), [("RELAY", "kill"), ("RELAY-CANCELLED", "cancel")])
async def test_without_its_relay_a_run_goes_on_and_gets_another(place: Place, name: str, what: str) -> None:
    stage, po = await place.ordered(name)
    first = (await place.inside.active(stage.sku)).relay
    await getattr(place.inside.admin, what)(first)
    await place.inside.ended(first)
    if what == "kill":
        assert (await stage.post("check")).json()["status"] == "replenishing"

    async def another() -> bool:
        return (await place.inside.active(stage.sku)).relay != first

    await eventually(another, "another relay")
    await taken(stage, receipt("g-1", po))
    assert (await stage.outcome())["status"] == "received"


@pytest.mark.parametrize("name", ["BOTH", "PURGED"])
async def test_run_and_relay_gone_together(place: Place, name: str) -> None:
    """Nobody tells the entity; it sees for itself at its next check. Also when the engine has forgotten the run."""
    stage, approval = await place.asked(name)
    active = await place.inside.active(stage.sku)
    await place.inside.admin.kill(active.relay)
    await place.inside.admin.kill(active.invocation)
    await place.inside.ended(active.invocation)
    if name == "PURGED":
        await place.inside.admin.purge(active.invocation)
        assert (await stage.ask("status"))["run"] == active.run
        await refused(stage, approval)
    await stage.post("check")
    assert (await stage.outcome())["status"] == "failed"
    await place.inside.free(stage.sku)
    assert "nothing is being replenished" in await refused(stage, approval, "later")
    await starts_again(stage, 2)


async def test_a_killed_look_harms_nothing(place: Place) -> None:
    stage, po = await place.ordered("LOOKED")
    await stage.post("check")
    for each in await place.inside.calls(f"SkuAgent/{stage.sku}/look_after"):
        await place.inside.admin.kill(each)
    await taken(stage, receipt("g-1", po))
    assert (await stage.outcome())["status"] == "received"


# --- the entity -------------------------------------------------------------------------------------------------------


async def test_a_killed_chain_of_checks_begins_anew_with_watch(place: Place) -> None:
    stage, _ = await place.asked("TICK")
    tick = f"SkuAgent/{stage.sku}/tick"
    [armed] = await place.inside.calls(tick)
    await place.inside.admin.kill(armed)
    await place.inside.ended(armed)
    assert await place.inside.calls(tick) == []
    assert (await stage.post("watch")).json()["status"] == "watched already"

    async def waiting() -> bool:
        return len(await place.inside.calls(tick, "scheduled")) == 1

    await eventually(waiting, "one check is scheduled")
    assert (await place.inside.active(stage.sku)).n == 1


@pytest.mark.parametrize(("name", "what"), [("ENTITY", "kill"), ("CALL", "cancel")])
async def test_a_call_of_the_entity_ended_by_the_operator(place: Place, name: str, what: str) -> None:
    """The sender is told that it failed, and the same message may come again. The next in line is served."""
    stage, po = await place.ordered(name)
    await place.world.kill_agent()
    sending = asyncio.create_task(stage.post("deliver", receipt("g-1", po)))

    async def under_way() -> list[str]:
        return await place.inside.calls(f"SkuAgent/{stage.sku}/deliver")

    [call] = await eventually(under_way, "the call is there")
    await getattr(place.inside.admin, what)(call)
    await place.world.start_agent()
    answer = await sending
    if what == "kill":
        assert answer.status_code >= 400
    if answer.status_code != 200:
        assert (await taken(stage, receipt("g-1", po)))["status"] in ("booked", "booked already")
    assert (await stage.outcome())["status"] == "received"
    assert (await stage.ask("status"))["on_hand"] == "510"


# --- processes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("who", "names"), [("agent", ("A-1", "A-2", "A-3", "A-4")), ("engine", ("E-1", "E-2", "E-3"))])
async def test_a_process_killed_while_runs_end(place: Place, who: str, names: tuple[str, ...]) -> None:
    """Goods arrive everywhere, and at the first end somewhere the process is killed: between the end of a run and its
    entity's knowing, between booking and telling, or wherever it happens to be."""
    parts = [await place.ordered(name) for name in names]
    bodies = [receipt(f"g-{stage.sku}", po) for stage, po in parts]

    async def bring(stage: Stage, body: dict[str, Any]) -> None:
        async def answered() -> bool:
            try:
                return (await stage.post("deliver", body)).is_success
            except httpx.HTTPError:
                return False

        await eventually(answered, f"{body['id']} is taken")

    async def ends() -> int:
        sql = "SELECT count(*) AS n FROM sys_invocation WHERE target_handler_name = 'finished'"
        return int((await place.inside.admin.query(sql))[0]["n"])

    async def somewhere() -> bool:
        return await ends() > known

    known = await ends()
    bringing = [asyncio.create_task(bring(stage, body)) for (stage, _), body in zip(parts, bodies, strict=True)]
    await eventually(somewhere, "the first run has ended")
    if who == "agent":
        await place.world.kill_agent()
        await place.world.start_agent()
    else:
        await place.world.kill_engine()
        await place.world.start_engine()
    await asyncio.gather(*bringing)
    for stage, _ in parts:
        assert (await stage.outcome())["status"] == "received"
        assert (await place.inside.free(stage.sku)).n == 1
        assert [(o["supplier"], o["status"], o["quantity"]) for o in await stage.orders()] == [
            ("A", "confirmed", "450")
        ]
        assert (await stage.ask("status"))["on_hand"] == "510"
