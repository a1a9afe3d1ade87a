"""What happened, numbered: scenario scripts wait here for the world to move instead of sleeping."""

import asyncio
from collections.abc import Callable, Mapping
from datetime import datetime

from sandbox.store import Store, Table
from sandbox.wire import Body, Json, dump


class Event(Body):
    what: str
    at: datetime
    """Business time."""
    about: dict[str, str]

    def matches(self, what: str | None, about: Mapping[str, str]) -> bool:
        return what in (None, self.what) and all(self.about.get(k) == v for k, v in about.items())


class Events:
    def __init__(self, store: Store, now: Callable[[], datetime]) -> None:
        self._table = Table(store, "event", Event)
        self._now = now
        self._waiting: set[asyncio.Future[None]] = set()

    def tell(self, what: str, **about: object) -> None:
        """Something happened; absent facts are left out."""
        known = {k: str(v) for k, v in about.items() if v is not None}
        self._table.add(Event(what=what, at=self._now(), about=known))
        for future in self._waiting:
            if not future.done():
                future.set_result(None)

    def after(self, n: int, what: str | None = None, about: Mapping[str, str] | None = None) -> list[Json]:
        """Events numbered above n that match, oldest first."""
        found: list[Json] = []
        for key, event in reversed(list(self._table.items())):
            if int(key) <= n:
                break
            if event.matches(what, about or {}):
                found.append({"n": int(key), "what": event.what, "at": dump(event)["at"], **event.about})
        return found[::-1]

    @property
    def last(self) -> int:
        return len(self._table)

    async def wait(
        self, n: int, count: int, within: float, what: str | None = None, about: Mapping[str, str] | None = None
    ) -> list[Json]:
        """The matching events above n, as soon as there are `count`; fewer when the time (real seconds) is over."""
        try:
            async with asyncio.timeout(within):
                while len(found := self.after(n, what, about)) < count:
                    future = asyncio.get_running_loop().create_future()
                    self._waiting.add(future)
                    try:
                        await future
                    finally:
                        self._waiting.discard(future)
                return found
        except TimeoutError:
            return self.after(n, what, about)
