"""Things that happen at a later business time: kept as data, so that they survive a restart, and done once."""

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta

from replenisher.clock import Clock
from sandbox.store import Store, Table
from sandbox.wire import Body, Json


class Action(Body):
    at: datetime
    kind: str
    what: dict[str, Json]


class Schedule:
    """`run` hands out every action when it is due, in the order of their times; at a start what is overdue, at once."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._table = Table(store, "action", Action)
        self._changed = asyncio.Event()
        self._last = max((int(k) for k, _ in self._table.items()), default=0)

    def after(self, days: float, kind: str, **what: Json) -> None:
        """An action this many business days from now."""
        self.at(self._clock.now() + timedelta(days=days), kind, **what)

    def at(self, moment: datetime, kind: str, **what: Json) -> None:
        # numbers are never reused, unlike those of a table whose last row may have gone
        self._last += 1
        self._table.put(str(self._last), Action(at=moment, kind=kind, what=what))
        self._changed.set()

    def drop(self, gone: Callable[[Action], bool]) -> None:
        for key, action in self._table.items():
            if gone(action):
                self._table.drop(key)
        self._changed.set()

    async def run(self, do: Callable[[Action], None]) -> None:
        while True:
            self._changed.clear()
            first = min(self._table.items(), key=lambda row: (row[1].at, int(row[0])), default=None)
            if first is None:
                await self._changed.wait()
                continue
            key, action = first
            left = self._clock.real_seconds(action.at - self._clock.now())
            if left > 0:
                try:
                    async with asyncio.timeout(left):
                        await self._changed.wait()
                except TimeoutError:
                    pass
                continue
            with self._store.together():
                self._table.drop(key)
                do(action)
