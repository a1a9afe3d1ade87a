"""One replenishment, and one bare workflow, from its start to its end as the world outside drives them: every message
goes through the ingress, and is sent a moment after the run has begun to wait for it."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any
from urllib.parse import quote

from bench.bare import NAME, WAITS
from bench.house import House
from bench.shell import ENTITY

Story = Callable[[str], Awaitable[list[float]]]
"""Drives one key to its end; how long each wake took, in seconds."""


class Driver:
    def __init__(self, house: House, pause: float) -> None:
        self.house = house
        self.told = house.told
        self.pause = pause
        """Seconds between the beginning of a wait and the message that ends it."""

    async def post(self, path: str, body: Any = None) -> float:
        """When it was sent."""
        sent = time.monotonic()
        answer = await self.house.ingress.post(path, json=body)
        if not answer.is_success:
            raise RuntimeError(f"POST {path}: {answer.status_code} {answer.text[:300]}")
        return sent

    # --- the product --------------------------------------------------------------------------------------------------

    async def to_agent(self, sku: str, handler: str, body: Mapping[str, Any] | None = None) -> float:
        return await self.post(f"/SkuAgent/{quote(sku, safe='')}/{handler}", body)

    async def request(self, sku: str) -> str:
        """Watches the part: it is short. The id of its approval request, once the manager has it."""
        await self.to_agent(sku, "watch")
        return (await self.told.when("requested", sku))[1]

    async def approve(self, sku: str, approval: str) -> str:
        """The PO, once the supplier has it."""
        await self.to_agent(sku, "approve", {"id": f"m-{approval}", "approval": approval, "approved": True})
        return (await self.told.when("ordered", sku))[1]

    async def confirm(self, sku: str, po: str) -> float:
        """Until the order is confirmed; how long it took until the mail was being read."""
        text = f"Dear customer,\nwe confirm {po}: 450 pcs at 4.20 USD each.\nKind regards"
        payload = {"from": "A", "subject": f"Re: {po}", "text": text}
        body = {"id": f"r-{po}", "event": "supplier-reply", "po": po, "payload": payload}
        sent = await self.to_agent(sku, "deliver", body)
        woken = (await self.told.when("reading", po))[0] - sent
        await self.told.when("confirmed", po)
        return woken

    async def deliver(self, sku: str, po: str) -> float:
        """Until the order is being closed; how long that took."""
        body = {"id": f"g-{po}", "event": "goods", "po": po, "note": f"DN-{po}", "quantity": "450"}
        sent = await self.to_agent(sku, "deliver", body)
        return (await self.told.when("closing", po))[0] - sent

    async def replenish(self, sku: str) -> list[float]:
        """happy-path, from watch to goods received."""
        approval = await self.request(sku)
        await asyncio.sleep(self.pause)
        po = await self.approve(sku, approval)
        await asyncio.sleep(self.pause)
        reply = await self.confirm(sku, po)
        await asyncio.sleep(self.pause)
        return [reply, await self.deliver(sku, po)]

    # --- the bare workflow --------------------------------------------------------------------------------------------

    def plain(self, steps: int) -> Story:
        async def drive(key: str) -> list[float]:
            await self.post(f"/{NAME}/{key}/run/send", {"steps": steps})
            woken: list[float] = []
            for n in range(WAITS):
                await self.told.when("waits", f"{key}/{n}")
                await asyncio.sleep(self.pause)
                sent = await self.post(f"/{NAME}/{key}/settle", f"wait-{n}")
                woken.append((await self.told.when("woke", f"{key}/{n}"))[0] - sent)
            await self.told.when("closing", key)
            return woken

        return drive

    async def shell(self, key: str) -> list[float]:
        """The product's shape without its content."""
        await self.post(f"/{ENTITY}/{key}/watch", {})
        woken: list[float] = []
        for n, handler in enumerate(("approve", "deliver", "deliver")):
            await self.told.when("waits", f"{key}/{n}")
            await asyncio.sleep(self.pause)
            sent = await self.post(f"/{ENTITY}/{key}/{handler}", f"wait-{n}")
            woken.append((await self.told.when("woke", f"{key}/{n}"))[0] - sent)
        await self.told.when("closing", key)
        return woken


async def drive_all(story: Story, keys: Iterable[str], at_once: int) -> list[float]:
    """Every key once, so many at a time; all the wakes."""
    room = asyncio.Semaphore(at_once)
    woken: list[float] = []

    async def one(key: str) -> None:
        async with room:
            woken.extend(await story(key))

    await asyncio.gather(*(one(key) for key in keys))
    return woken
