"""Several things at once, on the real engine: messages during a step, twice, too early, or as the run ends; a decision
and its timeout in one instant; watch, unwatch and cancel in between. Each has one result."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncGenerator
from datetime import timedelta
from typing import Any

import pytest

from replenisher.cli.world import World
from sandbox.scenarios.stage import Stage, confirm, goods
from support.engine import eventually, inactivity
from support.inside import Inside, heard, ids, opened, receipt, reply

pytestmark = [pytest.mark.engine, pytest.mark.timeout(120)]

LONG, SHORT = 900.0, 1.0
"""Real seconds of a business day: nothing becomes due by itself in the one, weeks go by in the other."""
ENDING = [f"SKU-END-{n}" for n in range(8)]
NAMES = (
    "STEP", "EARLY", "TWICE", "NOTES", "KINDS", "FIRST", "SENDERS", "FLOOD",
    "UNWATCHED", "CANCEL-1", "CANCEL-2", "CANCEL-3", "CANCEL-4",
)  # fmt: skip
EXPIRING = [f"SKU-EXP-{n}" for n in range(12)]
IDLE = ("SKU-CHAIN", "SKU-GONE")

Stages = dict[str, Stage]


@pytest.fixture(scope="module")
async def slow(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[tuple[Stages, Inside]]:
    skus = [*(f"SKU-{name}" for name in NAMES), *ENDING]
    world = World(tmp_path_factory.mktemp("slow"), skus, LONG, inactivity().total_seconds())
    async with opened(world) as found:
        yield found


@pytest.fixture(scope="module")
async def fast(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[tuple[Stages, Inside]]:
    world = World(tmp_path_factory.mktemp("fast"), [*EXPIRING, *IDLE], SHORT, inactivity().total_seconds())
    async with opened(world) as found:
        yield found


async def asked(stage: Stage) -> str:
    """The request for which the part's replenishment waits."""
    await stage.begin()
    approval: str = (await stage.wait("approval"))[0]["approval"]
    await stage.waits("wait_for_approval")
    return approval


async def sent(stage: Stage, *on_order: Any) -> str:
    """The PO that the supplier has and says nothing to, but for what is given."""
    approval = await asked(stage)
    await stage.script("A", on_order=list(on_order))
    assert (await stage.decide(approval, True))["status"] == 200
    await stage.waits("wait_for_goods" if on_order else "wait_for_supplier_reply")
    return approval.rpartition("/")[0]


async def says(stage: Stage, body: dict[str, Any], **headers: str) -> str:
    answer = await stage.ingress.post(f"/SkuAgent/{stage.sku}/deliver", json=body, headers=headers)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["status"])


async def one_order(stage: Stage) -> None:
    assert [(o["supplier"], o["quantity"]) for o in await stage.orders()] == [("A", "450")]


# --- messages ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["STEP", "EARLY"])
async def test_a_reply_that_comes_while_the_order_is_being_placed(slow: tuple[Stages, Inside], name: str) -> None:
    """Before the wait for it: the step is still under way (STEP), or has just ended (EARLY)."""
    stage = slow[0][f"SKU-{name}"]
    approval = await asked(stage)
    po = approval.rpartition("/")[0]
    if name == "STEP":
        await stage.fault("A", "orders", "slow", 1, seconds=2)
    await stage.decide(approval, True)
    await stage.wait("order")
    assert await says(stage, reply("r-1", po)) == "taken"
    assert await says(stage, reply("r-2", po, "Where shall we deliver, please? To which dock?")) == "taken"
    await stage.wait("message", kind="answer")
    await stage.waits("wait_for_goods")
    state = await stage.run_state()
    assert (state["orders"][po]["status"], state["heard"]) == ("accepted", ["r-1", "r-2"])
    assert (await stage.ledger())["requests"]["messages"] == 1
    await one_order(stage)


async def test_goods_before_the_confirmation(slow: tuple[Stages, Inside]) -> None:
    stage = slow[0]["SKU-FIRST"]
    po = await sent(stage)
    assert await says(stage, receipt("g-1", po)) == "booked"
    assert (await stage.outcome())["status"] == "received"
    await says_of_a_closed_order(stage, po)


async def says_of_a_closed_order(stage: Stage, po: str) -> None:
    answer = await stage.post("deliver", reply("r-late", po))
    assert answer.status_code == 404
    assert "not an open order" in answer.json()["message"]


async def test_a_message_twice_is_one(slow: tuple[Stages, Inside]) -> None:
    """Under the same idempotency key, under the same id without one, all at once."""
    stage = slow[0]["SKU-TWICE"]
    po = await sent(stage, confirm(0))
    body = receipt("g-1", po, "200")
    keyed = [says(stage, body, **{"idempotency-key": "k"}) for _ in range(5)]
    said = Counter(await asyncio.gather(*keyed, *(says(stage, body) for _ in range(5))))
    assert sum(said.values()) == 10
    assert set(said) <= {"booked", "duplicate"}
    assert (await stage.ask("status"))["on_hand"] == "260"
    assert Counter(await heard(stage, 1))["g-1"] <= 1


async def test_a_delivery_note_twice_is_one_and_another_note_is_another(slow: tuple[Stages, Inside]) -> None:
    stage = slow[0]["SKU-NOTES"]
    po = await sent(stage, confirm(0))
    bodies = [receipt(f"g-{n}", po, "200", note=f"DN-{1 + n % 2}") for n in range(6)]
    said = Counter(await asyncio.gather(*(says(stage, body) for body in bodies)))
    assert said == {"booked": 2, "booked already": 4}
    other = await stage.post("deliver", receipt("g-9", po, "100", note="DN-1"))
    assert other.status_code == 409
    assert (await stage.ask("status"))["on_hand"] == "460"
    assert await says(stage, receipt("g-10", po, "50", note="DN-3")) == "booked"
    assert (await stage.outcome())["status"] == "received"


async def test_messages_of_every_kind_at_once(slow: tuple[Stages, Inside]) -> None:
    stage = slow[0]["SKU-KINDS"]
    po = await sent(stage)
    told = [
        *(reply(f"r-{n}", po, text) for n, text in enumerate(("We confirm at 4.35 USD each.", "Which dock?") * 3)),
        *(receipt(f"g-{n}", po, "150", note=f"DN-{n}") for n in range(2)),
    ]
    assert len(await asyncio.gather(*(says(stage, body) for body in told))) == len(told)

    async def all_heard() -> bool:
        return Counter(await heard(stage, 1)) == Counter(body["id"] for body in told)

    await eventually(all_heard, "every message is heard once")
    assert (await stage.ask("status"))["on_hand"] == "360"


async def test_nobody_can_use_up_the_id_of_somebody_elses_message(slow: tuple[Stages, Inside]) -> None:
    """Supplier A guesses the id under which the manager will decide, or the warehouse report."""
    stage = slow[0]["SKU-SENDERS"]
    approval = await asked(stage)
    po = approval.rpartition("/")[0]
    assert await says(stage, reply("m-1", po)) == "taken"
    answer = await stage.post("approve", {"id": "m-1", "approval": approval, "approved": True})
    assert answer.json()["status"] == "approved"
    await stage.wait("order")
    assert await says(stage, receipt("m-1", po)) == "booked"

    async def both() -> bool:
        return sorted(await heard(stage, 1)) == ["goods/m-1", "m-1"]

    await eventually(both, "both are heard")
    assert (await stage.ask("status"))["on_hand"] == "510"
    await one_order(stage)


async def test_what_waits_is_bounded_and_the_sender_told_to_come_again(slow: tuple[Stages, Inside]) -> None:
    """A supplier writes without end; goods still get through, and what was taken is read once."""
    stage, inside = slow[0]["SKU-FLOOD"], slow[1]
    po = await sent(stage, confirm(0))
    small = [reply(f"r-{n}", po) for n in range(30)]
    large = [reply(f"l-{n}", po, "We confirm your order as placed." + " " * 900_000) for n in range(6)]
    answers = [await stage.post("deliver", body) for body in (*small, *large)]
    assert Counter(a.status_code for a in answers) == {200: 34, 429: 2}
    assert "later" in answers[-1].json()["message"]
    assert await says(stage, receipt("g-1", po)) == "booked"
    assert (await stage.outcome())["status"] == "received"
    last = await inside.free(stage.sku)
    taken = Counter(await heard(stage, last.n))
    assert len([name for name in taken if name[:2] in ("r-", "l-", "g-")]) == 35
    assert set(taken.values()) == {1}
    assert len(await inside.memory(stage.sku)) < 20_000
    await one_order(stage)


async def test_messages_sent_as_runs_end_are_taken_in_once(slow: tuple[Stages, Inside]) -> None:
    """Hundreds of them, before, at and after the end of eight runs: each that was answered with 200 is heard by that
    run or by one that settles it; each other was refused with a reason."""
    stages, inside = slow
    parts = [(stages[sku], await sent(stages[sku], confirm(0))) for sku in ENDING]
    rng = random.Random(3)

    async def talk(stage: Stage, po: str) -> set[str]:
        kept: set[str] = set()
        bodies = [reply(f"{stage.sku}-r-{n}", po) for n in range(30)]
        bodies.insert(rng.randrange(6), receipt(f"{stage.sku}-g-1", po, "250", note="DN-1"))
        bodies.insert(rng.randrange(6, 20), receipt(f"{stage.sku}-g-2", po, "200", note="DN-2"))
        for at in range(0, len(bodies), 4):
            some = bodies[at : at + 4]
            answers = await asyncio.gather(*(stage.post("deliver", body) for body in some))
            kept |= {body["id"] for body, a in zip(some, answers, strict=True) if a.status_code == 200}
            refused = {a.status_code for a in answers} - {200}
            assert refused <= {404}, [a.text for a in answers]
        return kept

    kept = await asyncio.gather(*(talk(stage, po) for stage, po in parts))
    for (stage, _), mine in zip(parts, kept, strict=True):
        assert {f"{stage.sku}-g-1", f"{stage.sku}-g-2"} <= mine
        last = await inside.free(stage.sku)
        taken = Counter(name for name in await heard(stage, last.n) if name.startswith(stage.sku))
        assert taken == Counter(mine)
        assert last.outcomes[0].status.value == "received"
        assert (await stage.ask("status"))["on_hand"] == "510"
        await one_order(stage)


# --- the operator -----------------------------------------------------------------------------------------------------


async def test_unwatch_while_a_replenishment_runs(slow: tuple[Stages, Inside]) -> None:
    """It goes on to its end and nothing new is begun; an open order is still settled, without buying anything."""
    stage, inside = slow[0]["SKU-UNWATCHED"], slow[1]
    po = await sent(stage)
    said = (await stage.post("unwatch")).json()
    assert said == {"status": "unwatched", "under_way": f"replenish-{stage.sku}-1"}
    await inside.admin.cancel((await inside.active(stage.sku)).invocation)
    assert (await stage.outcome())["status"] == "cancelled"
    assert (await stage.post("check")).status_code == 409
    await stage.mail("A", po, send="decline")
    assert (await stage.outcome(2))["status"] == "cancelled"
    entity = await inside.free(stage.sku)
    assert (entity.n, entity.orders, entity.hold_until) == (2, {}, None)
    assert (await stage.ask("status"))["status"] == "short"
    assert [o["status"] for o in await stage.orders()] == ["cancelled"]
    assert (await stage.ledger())["requests"]["approval_requests"] == 1


async def cancelled(stage: Stage, inside: Inside) -> list[str]:
    """The operator cancels; the orders' statuses in the outcome."""
    answers = await asyncio.gather(*(stage.post("cancel", {"reason": "no longer made"}) for _ in range(3)))
    assert sorted(a.json()["status"] for a in answers if a.is_success)[0] == "cancelling"
    outcome = await stage.outcome()
    assert (outcome["status"], "no longer made" in outcome["reason"]) == ("cancelled", True)
    assert (await inside.free(stage.sku)).n == 1
    return [o["status"] for o in outcome["orders"]]


async def test_cancel_while_it_waits_for_approval(slow: tuple[Stages, Inside]) -> None:
    stage = slow[0]["SKU-CANCEL-1"]
    approval = await asked(stage)
    assert await cancelled(stage, slow[1]) == ["cancelled"]
    late = await stage.decide(approval, True)
    assert late["status"] == 409
    assert await stage.orders() == []


async def test_cancel_while_it_waits_for_the_supplier(slow: tuple[Stages, Inside]) -> None:
    stage = slow[0]["SKU-CANCEL-2"]
    await sent(stage)
    assert await cancelled(stage, slow[1]) == ["cancelled"]
    assert [(o["status"], bool(o["cancel_reason"])) for o in await stage.orders()] == [("cancelled", True)]


async def test_cancel_while_it_waits_for_goods(slow: tuple[Stages, Inside]) -> None:
    stage = slow[0]["SKU-CANCEL-3"]
    await sent(stage, confirm(0))
    assert await cancelled(stage, slow[1]) == ["cancelled"]
    assert [o["status"] for o in await stage.orders()] == ["cancelled"]


async def test_cancel_after_a_part_has_come(slow: tuple[Stages, Inside]) -> None:
    """What is on the shelf stays; the rest is cancelled at the supplier."""
    stage = slow[0]["SKU-CANCEL-4"]
    po = await sent(stage, confirm(0))
    await says(stage, receipt("g-1", po, "200"))
    assert await cancelled(stage, slow[1]) == ["cancelled"]
    assert (await stage.ask("status"))["on_hand"] == "260"
    assert [o["status"] for o in await stage.orders()] == ["cancelled"]


# --- time -------------------------------------------------------------------------------------------------------------


async def test_a_decision_and_its_timeout_in_one_instant(fast: tuple[Stages, Inside]) -> None:
    """Around the end of twelve requests managers say yes: every yes that was taken is ordered on, no other is."""
    stages = [fast[0][sku] for sku in EXPIRING]
    for stage in stages:
        await stage.script("A", on_order=[confirm(0)], on_confirmed=[goods(0.1)])
        await stage.begin()

    async def decide(n: int, stage: Stage) -> int:
        approval = (await stage.wait("approval"))[0]["approval"]
        request = (await stage.ledger())["approvals"][0]
        end = stage.time_of(request["expires_at"]) + timedelta(days=(n - len(stages) / 2) * 0.03)
        await stage.days((end - await stage.now()).total_seconds() / 86400)
        said = await stage.post("approve", {"id": "m-1", "approval": approval, "approved": True})
        assert said.status_code in (200, 409), said.text
        return said.status_code

    codes = await asyncio.gather(*(decide(n, stage) for n, stage in enumerate(stages)))
    for stage, code in zip(stages, codes, strict=True):
        outcome = await stage.outcome()
        expected = ("received", 1) if code == 200 else ("gave_up", 0)
        assert (outcome["status"], len(await stage.orders())) == expected, (stage.sku, code)


async def test_watch_unwatch_watch_leaves_one_chain_of_checks(fast: tuple[Stages, Inside]) -> None:
    stage, inside = fast[0]["SKU-CHAIN"], fast[1]
    tick = f"SkuAgent/{stage.sku}/tick"
    for handler in ("watch", "unwatch", "watch", "watch", "unwatch", "watch"):
        assert (await stage.post(handler)).is_success

    async def one() -> bool:
        return len(await inside.calls(tick, "scheduled")) == 1

    await eventually(one, "one check is scheduled")
    await stage.post("unwatch")
    if (active := (await inside.entity(stage.sku)).active) is not None:
        await inside.admin.cancel(active.invocation)

    async def none() -> bool:
        return not await inside.calls(tick)

    await eventually(none, "the chain has ended")


async def test_what_nobody_watches_any_more_is_looked_after_to_its_end(fast: tuple[Stages, Inside]) -> None:
    """Unwatched, then run and relay are killed: the entity sees it and is free."""
    stage, inside = fast[0]["SKU-GONE"], fast[1]
    await asked(stage)
    await stage.post("unwatch")
    active = await inside.active(stage.sku)
    await inside.admin.kill(active.relay)
    await inside.admin.kill(active.invocation)
    assert (await stage.outcome())["status"] == "failed"
    entity = await inside.free(stage.sku)
    assert (entity.n, ids(entity.mailbox)) == (1, [])
