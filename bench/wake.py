"""How long a waiting replenishment takes to wake: from sending its message to the ingress until its next step works on
it. The message goes by the entity, which books goods first, and a decision is taken in between."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

from bench.house import House
from bench.stories import Driver, drive_all
from replenisher.engine.process import Deadline

IN_MEMORY = 0.1
"""Seconds a run has waited then: a tenth of what suspends it."""
SUSPENDED_WITHIN = 60.0
RUNS = "target_service_name = 'Replenish' AND target_handler_name = 'run'"


@dataclass(frozen=True)
class Wakes:
    seconds: Sequence[float]

    def percentile(self, p: float) -> float:
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, round(p / 100 * (len(ordered) - 1)))]


async def in_memory(house: House, name: str, replenishments: int) -> Wakes:
    """One replenishment at a time: two wakes of each."""
    skus = [f"{name}-{n}" for n in range(replenishments)]
    house.seed(skus)
    return Wakes(await drive_all(Driver(house, IN_MEMORY).replenish, skus, 1))


async def after_suspension(house: House, name: str, replenishments: int, at_once: int) -> Wakes:
    """All are brought to a wait and suspended; then they are woken one after another."""
    skus = [f"{name}-{n}" for n in range(replenishments)]
    house.seed(skus)
    driver = Driver(house, 0)
    room = asyncio.Semaphore(at_once)

    async def limited(work: Callable[[], Coroutine[Any, Any, str]]) -> str:
        async with room:
            return await work()

    approvals = await asyncio.gather(*(limited(lambda sku=sku: driver.request(sku)) for sku in skus))
    pairs = list(zip(skus, approvals, strict=True))
    pos = await asyncio.gather(*(limited(lambda s=s, a=a: driver.approve(s, a)) for s, a in pairs))
    ordered = list(zip(skus, pos, strict=True))
    await suspended(house, replenishments)
    woken = [await driver.confirm(sku, po) for sku, po in ordered]
    await suspended(house, replenishments)
    return Wakes([*woken, *[await driver.deliver(sku, po) for sku, po in ordered]])


async def suspended(house: House, n: int) -> None:
    """Until n replenishments are suspended, and none runs."""
    deadline = Deadline(SUSPENDED_WITHIN, every=0.2)
    while True:
        rows = await house.admin.query(
            f"SELECT status, count(*) AS n FROM sys_invocation WHERE {RUNS} AND status <> 'completed' GROUP BY status"
        )
        if {row["status"]: int(row["n"]) for row in rows} == {"suspended": n}:
            return
        await deadline.tick(f"{n} replenishments are suspended: {rows}")
