"""SIGKILL at random moments to the agent, the engine or both; each is started again after a while."""

import asyncio
from collections.abc import Callable
from random import Random

from sandbox.scenarios.stage import House

KINDS = {"agent": 55, "engine": 30, "both": 15}
DOWN = (0.0, 1.5)
"""Real seconds until it is started again."""


class Havoc:
    def __init__(self, house: House, seed: int, gap: tuple[float, float], say: Callable[[str], None]) -> None:
        self._house = house
        self._rng = Random(f"{seed}/havoc")
        self._gap = gap
        self._say = say
        self.kills: list[str] = []

    async def wreak(self, kills: int, over: asyncio.Event) -> None:
        """So many kills, fewer when it is over before; everything is up when it returns."""
        while len(self.kills) < kills and not over.is_set():
            await self._pause(self._rng.uniform(*self._gap), over)
            if over.is_set():
                return
            await self._kill(self._rng.choices(tuple(KINDS), tuple(KINDS.values()))[0])

    async def _kill(self, what: str) -> None:
        self.kills.append(what)
        self._say(f"kill {len(self.kills)}: {what}")
        if what in ("engine", "both"):
            await self._house.kill_engine()
        if what in ("agent", "both"):
            await self._house.kill_agent()
        await asyncio.sleep(self._rng.uniform(*DOWN))
        if what in ("engine", "both"):
            await self._house.start_engine()
        if what in ("agent", "both"):
            await self._house.start_agent()

    @staticmethod
    async def _pause(seconds: float, over: asyncio.Event) -> None:
        try:
            async with asyncio.timeout(seconds):
                await over.wait()
        except TimeoutError:
            pass
