"""A journal in memory: a test double behind the same Protocol, never a second engine. Steps run at
once, waits are answered by a script."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from replenisher.harness.journal import Ended, Json, Recorded, StepFailed
from replenisher.harness.replay import Record
from replenisher.harness.shape import dump, load

T = TypeVar("T")

Answer = tuple[str, Mapping[str, Json]] | None
"""An event with its payload, or None: let the wait run out."""


@dataclass
class MemoryJournal:
    """now: tells the time at which a step's result is recorded. answer: what ends a wait, given streams, promises and
    until. retried: the errors after which a step is tried again; any other is a fault of the program and raised."""

    now: Callable[[], datetime]
    answer: Callable[[Sequence[str], Sequence[str], datetime], Answer]
    pass_time: Callable[[datetime], None] = lambda until: None
    """Called when a wait runs out, with the time it ran out."""
    attempts: int = 6
    retried: tuple[type[Exception], ...] = (ConnectionError, TimeoutError)
    promised: dict[str, Mapping[str, Json]] = field(default_factory=dict[str, Mapping[str, Json]])
    """Promises settled before they are withdrawn."""
    withdrawn: dict[str, str] = field(default_factory=dict[str, str])
    records: list[Record] = field(default_factory=list[Record])

    async def step(self, name: str, action: Callable[[], Awaitable[T]], shape: type[T]) -> Recorded[T]:
        error = ""
        for _ in range(self.attempts):
            try:
                raw = dump(shape, await action())
            except self.retried as failed:
                error = repr(failed)
                continue
            at = self.now()
            self.records.append({"step": name, "at": at.isoformat(), "result": raw})
            return Recorded(load(shape, raw), at)
        at = self.now()
        self.records.append({"step": name, "at": at.isoformat(), "error": error})
        raise StepFailed(name, error, at)

    async def wait(self, name: str, streams: Sequence[str], promises: Sequence[str], until: datetime) -> Ended:
        answer = self.answer(streams, promises, until)
        if answer is None:
            self.pass_time(until)
            ended = Ended(None, None, max(until, self.now()))
        else:
            ended = Ended(answer[0], answer[1], self.now())
        self.records.append({"wait": name, "at": ended.at.isoformat(), "event": ended.event, "payload": ended.payload})
        return ended

    async def withdraw(self, promise: str, reason: str) -> Ended | None:
        late = self.promised.pop(promise, None)
        self.withdrawn[promise] = reason
        at = self.now()
        self.records.append(
            {"withdraw": promise, "late": None if late is None else {"payload": late, "at": at.isoformat()}}
        )
        return None if late is None else Ended(promise, late, at)

    def publish(self) -> None:
        """Everything in memory is seen at once."""

    async def announce(self) -> None:
        self.publish()
