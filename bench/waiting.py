"""What replenishments that wait hold: memory of engine and agent, and room on disk."""

import asyncio
from dataclasses import dataclass

from bench.house import House
from bench.machine import on_disk, resident
from bench.stories import Driver
from bench.wake import suspended


@dataclass(frozen=True)
class Held:
    """Bytes for each that waits."""

    engine: float
    agent: float
    disk: float
    """In the engine's data directory: the log of all that happened included, which is trimmed later."""


async def held(house: House, name: str, n: int, at_once: int) -> Held:
    """Brings n parts to the wait for approval, until all are suspended."""
    skus = [f"{name}-{i}" for i in range(n)]
    house.seed(skus)
    driver = Driver(house, 0)
    room = asyncio.Semaphore(at_once)

    async def one(sku: str) -> None:
        async with room:
            await driver.request(sku)

    data = house.data / "engine"
    before = resident(house.engine), resident(house.product_pid), on_disk(data)
    await asyncio.gather(*(one(sku) for sku in skus))
    await suspended(house, n)
    after = resident(house.engine), resident(house.product_pid), on_disk(data)
    engine, agent, disk = ((b - a) / n for a, b in zip(before, after, strict=True))
    return Held(engine, agent, disk)
