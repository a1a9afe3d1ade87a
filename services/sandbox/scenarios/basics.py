"""The main job and what interrupts it: crashes, lost answers, silence, two checks at once."""

import asyncio
from collections.abc import Sequence
from functools import partial

from sandbox.scenarios.common import Scenario, ends, one, one_order_at_a, usual
from sandbox.scenarios.stage import Stage, approve, confirm, goods


async def happy_path(stage: Stage) -> None:
    await usual(stage)
    await stage.begin()
    await ends(stage, "received")
    await one_order_at_a(stage)
    ledger = await stage.ledger()
    stage.equal("ceilings", [a["ceiling"] for a in ledger["approvals"]], ["4.41"])
    stage.equal(
        "requests", ledger["requests"], {**ledger["requests"], "quotes": 4, "orders": 1, "approval_requests": 1}
    )


async def crash_while_waiting(stage: Stage, *, while_down: bool) -> None:
    await stage.script("A", on_order=[confirm()], on_confirmed=[goods()])
    await stage.begin()
    await stage.wait("approval")
    await stage.waits("wait_for_approval")
    before = (await stage.ledger())["requests"]
    await stage.house.kill_agent()
    approval = (await stage.ledger())["approvals"][0]["id"]
    if while_down:
        deciding = asyncio.create_task(stage.decide(approval, True))
        await stage.days(1)
        await stage.house.start_agent()
        answer = await deciding
    else:
        await stage.days(1)
        await stage.house.start_agent()
        answer = await stage.decide(approval, True)
    stage.equal("the approval was taken", answer["status"], 200)
    await ends(stage, "received")
    await one_order_at_a(stage)
    after = (await stage.ledger())["requests"]
    stage.equal("quote requests before the crash", before["quotes"], 3)
    stage.equal("quote requests in all, one more before ordering", after["quotes"], 4)
    stage.equal("approval requests", after["approval_requests"], 1)


async def supplier_silent(stage: Stage) -> None:
    await stage.manager(approve())
    await stage.script("A", on_order=[], on_chase=[confirm(1)], on_confirmed=[goods()])
    await stage.begin()
    order = (await stage.wait("order"))[0]
    placed = await stage.now()
    await stage.wait("message", kind="chase")
    waited = (await stage.now() - placed).total_seconds() / 86400
    stage.check("chased after 7 days, not before", waited >= 6.5, round(waited, 1))
    await ends(stage, "received")
    await one_order_at_a(stage)
    ledger = await stage.ledger()
    stage.equal("chases", ledger["requests"]["messages"], 1)
    stage.equal("the order that was chased", ledger["orders"][0]["po"], order["po"])


async def supplier_down_once(stage: Stage) -> None:
    await usual(stage)
    await stage.fault("A", "orders", "down", 1)
    await stage.begin()
    await ends(stage, "received")
    await one_order_at_a(stage)
    stage.equal("attempts", [o["attempts"] for o in await stage.orders()], [2])


async def reply_lost(stage: Stage, *, raises: bool) -> None:
    await usual(stage)
    then = {}
    if raises:
        then = {"then": {"quote": {"item": f"A-{stage.sku.removeprefix('SKU-')}", "unit_price": "4.50"}}}
    await stage.fault("A", "orders", "reply_lost", 1, **then)
    await stage.begin()
    await ends(stage, "received")
    await one_order_at_a(stage)
    orders = await stage.orders()
    stage.check("2 attempts or more", all(o["attempts"] >= 2 for o in orders), [o["attempts"] for o in orders])


async def second_check(stage: Stage) -> None:
    await usual(stage)
    await stage.manager(approve(after_days=1))
    await stage.begin()
    await stage.waits("wait_for_approval")
    said = await asyncio.gather(*(stage.post("check") for _ in range(50)))
    answers = sorted({a.json()["status"] for a in said if a.is_success})
    stage.equal("50 checks are answered", [a.status_code for a in said], [200] * 50)
    stage.equal("each with the one that runs", answers, ["replenishing"])
    await ends(stage, "received")
    await one_order_at_a(stage)
    stage.equal("replenishments", len((await stage.ask("outcomes")) or []), 1)


async def engine_killed(stages: Sequence[Stage]) -> None:
    for stage in stages:
        await stage.script("A", on_order=[confirm()], on_confirmed=[goods()])
        await stage.begin()
    for stage in stages:
        await stage.waits("wait_for_approval")
    await stages[0].house.kill_engine()
    await stages[0].days(0.5)
    await stages[0].house.start_engine()
    for stage in stages:
        await stage.manager(approve())
        approval = (await stage.ledger())["approvals"][0]["id"]
        await stage.decide(approval, True)
    for stage in stages:
        await ends(stage, "received")
        await one_order_at_a(stage)


BASICS: tuple[Scenario, ...] = (
    Scenario(
        "happy-path",
        "short, quoted, approved, ordered at A at 4.20, received",
        {None: one(happy_path)},
    ),
    Scenario(
        "crash-while-waiting",
        "the agent is killed while it waits for approval and is down for a day; nothing is asked twice",
        {
            None: one(partial(crash_while_waiting, while_down=False)),
            "approved-while-down": one(partial(crash_while_waiting, while_down=True)),
        },
    ),
    Scenario(
        "supplier-silent", "no reply for 7 days: one chase, then accepted and received", {None: one(supplier_silent)}
    ),
    Scenario(
        "supplier-down-once", "the order is tried twice under one key: one order", {None: one(supplier_down_once)}
    ),
    Scenario(
        "reply-lost",
        "A takes the order and the answer is lost: tried again under the same key, one order",
        {
            None: one(partial(reply_lost, raises=False)),
            "quote-raised": one(partial(reply_lost, raises=True)),
        },
    ),
    Scenario("second-check", "50 checks while one replenishment waits start no second one", {None: one(second_check)}),
    Scenario(
        "engine-killed",
        "restate-server is killed while 20 replenishments wait; all resume, each orders once",
        {None: engine_killed},
        skus=tuple(f"SKU-{n}" for n in range(101, 121)),
    ),
)
