"""The demo: one part from shortage to goods received, told turn by turn as it happens."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from replenisher.cli.words import DOING
from replenisher.cli.world import World
from sandbox.scenarios.common import usual
from sandbox.scenarios.stage import Stage

SKU = "SKU-123"
DAY = 4.0
"""Real seconds of a business day in the demo."""


async def demo(say: Callable[[str], None]) -> int:
    """Plays the story; 0 when the goods are in."""
    say("Stock Replenisher: SKU-123 is short. On hand 60, safety stock 100, target 500, packs of 50: 450 are needed.")
    say("Starting engine, agent and a sandbox of suppliers, warehouse, manager and buyer ...")
    with TemporaryDirectory(prefix="demo-") as folder:
        async with World(Path(folder), [SKU], DAY, 1.0).stages(say) as stages:
            stage = stages[0]
            say(f"Up. One business day lasts {DAY:g} seconds here.\n")
            await usual(stage)
            await stage.begin()
            outcome = await _narrated(stage, say)
            await _told(stage, outcome, say)
        say("Everything is ended again.")
    return 0 if outcome["status"] == "received" else 1


async def _narrated(stage: Stage, say: Callable[[str], None]) -> Any:
    """Every turn as it is published, until the outcome is there."""
    told = 0
    waiting = ""
    run = f"replenish-{stage.sku}-1"
    while True:
        answer = await stage.ingress.post(f"/Replenish/{run}/status")
        if answer.is_success:
            seen = answer.json()
            for turn in seen["turns"][told:]:
                if not turn["tool"].startswith("wait_"):
                    arguments = " ".join(turn["arguments"].values())
                    does = DOING.get(turn["tool"], turn["tool"])
                    say(f"  turn {turn['turn']:>2}  the agent {does} {arguments}".rstrip())
                told = turn["turn"]
            now = seen["waiting"]["tool"] if seen["waiting"] else ""
            if now != waiting and now.startswith("wait_"):
                say(f"           ... and {DOING.get(now, now)}")
            waiting = now
        outcomes = await stage.ask("outcomes")
        if outcomes and (not answer.is_success or not answer.json()["waiting"]):
            return outcomes[0]
        await asyncio.sleep(0.2)


async def _told(stage: Stage, outcome: Any, say: Callable[[str], None]) -> None:
    ledger = await stage.ledger()
    say(f"\nOutcome: {outcome['status']} - {outcome['reason']}.")
    say("What the suppliers' own books say:")
    for order in ledger["orders"]:
        say(
            f"  {order['po']}: {order['quantity']} at {order['unit_price']} {order['currency']}"
            f" from {order['supplier']}, {order['status']}, asked for {order['attempts']} time(s)"
        )
    for approval in ledger["approvals"]:
        say(f"  approval {approval['id']}: {approval['price']} up to {approval['ceiling']}, {approval['decision']}")
    status = await stage.ask("status")
    say(f"  on hand now: {status['on_hand']}")
