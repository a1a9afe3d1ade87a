"""Plays scenarios: for each a world of its own (engine, agent, sandbox, records in a temporary folder), the script,
its line."""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx

from replenisher.cli.world import World
from sandbox.scenarios.common import Scenario
from sandbox.scenarios.stage import Check, Stage, Unheld

DAY = 5.0
"""Real seconds of a business day in scenarios."""

Say = Callable[[str], None]


async def play(
    scenario: Scenario, variant: str | None, inactivity: float, say: Say, day: float = DAY
) -> dict[str, Any]:
    """One variant in a world of its own; its line, see `line`."""
    with TemporaryDirectory(prefix=f"{scenario.name}-") as folder:
        world = World(Path(folder), scenario.skus, day, inactivity, suppliers=scenario.suppliers, env=scenario.env)
        async with world.stages(say) as stages:
            try:
                await scenario.variants[variant](stages)
            except Unheld as unheld:
                stages[0].check("the story went on", False, str(unheld))
            except (httpx.HTTPError, LookupError, TypeError) as broken:
                stages[0].check("the script itself went on", False, repr(broken))
            return await line(scenario.name, variant, stages)


async def line(name: str, variant: str | None, stages: Sequence[Stage]) -> dict[str, Any]:
    """What a scenario shows: orders, approvals and requests as the sandbox counted them, and the checks."""
    ledgers = [await s.ledger() for s in stages]
    requests: dict[str, int] = {}
    for ledger in ledgers:
        for what in ("quotes", "orders", "messages", "cancels", "approval_requests"):
            requests[what] = requests.get(what, 0) + ledger["requests"][what]
    ends: set[str | None] = set()
    for stage in stages:
        outcomes: list[dict[str, Any]] = await stage.ask("outcomes") or []
        ends.add(outcomes[-1]["status"] if outcomes else None)
    checks: list[Check] = [c for s in stages for c in s.checks]
    if not checks:
        checks = [Check("something was checked", False, None)]
    order = ("po", "supplier", "sku", "quantity", "unit_price", "currency", "status", "attempts", "idempotency_keys")
    return {
        "scenario": name,
        "variant": variant,
        "held": all(c.held for c in checks),
        "outcome": ends.pop() if len(ends) == 1 else None,
        "orders": [{k: o[k] for k in order} for ledger in ledgers for o in ledger["orders"]],
        "approvals": [
            {k: a[k] for k in ("id", "price", "ceiling", "decision")} for ledger in ledgers for a in ledger["approvals"]
        ],
        "requests": requests,
        "checks": [asdict(c) for c in checks],
    }


async def play_all(
    scenarios: Sequence[Scenario], inactivity: float, at_once: int, finished: Callable[[dict[str, Any]], None]
) -> bool:
    """Every variant, at most `at_once` worlds at a time; each line as it comes. True when every check of all held."""
    room = asyncio.Semaphore(at_once)

    async def one(scenario: Scenario, variant: str | None) -> bool:
        async with room:
            played = await play(scenario, variant, inactivity, lambda _: None)
        finished(played)
        return bool(played["held"])

    every = [one(scenario, variant) for scenario in scenarios for variant in scenario.variants]
    return all(await asyncio.gather(*every))


def as_text(played: dict[str, Any]) -> str:
    """One line for people, and below it what did not hold."""
    name = played["scenario"] + (f" ({played['variant']})" if played["variant"] else "")
    rows = [f"{'held  ' if played['held'] else 'FAILED'} {name}: {played['outcome']}"]
    rows += [f"         {c['what']}: saw {json.dumps(c['seen'])[:300]}" for c in played["checks"] if not c["held"]]
    return "\n".join(rows)
