"""What the loop asks of a durable engine: named steps, waits, withdrawals. The engine's own journal is in handlers/, a
test double in memory.py, and a reader of what was recorded in replay.py."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar

T = TypeVar("T")

Json = Any
"""A value as json.loads gives it."""


@dataclass(frozen=True, slots=True)
class Recorded(Generic[T]):
    """The result of a step and the time at which it was recorded: the only time that rules may know."""

    value: T
    at: datetime


class StepFailed(Exception):
    """Every attempt of a step failed. On a read nothing is known; on a write it may or may not have happened."""

    def __init__(self, name: str, error: str, at: datetime) -> None:
        super().__init__(f"{name}: {error}")
        self.name = name
        self.error = error
        self.at = at


class Cancelled(Exception):
    """The engine was told to cancel the run. Steps may still be taken; nothing may be waited for."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a wait ended: by an event with its payload, or by the clock (`event` None)."""

    event: str | None
    payload: Mapping[str, Json] | None
    at: datetime


class Journal(Protocol):
    """Everything outside the loop's own arithmetic goes through here, in an order that a replay repeats."""

    async def step(self, name: str, action: Callable[[], Awaitable[T]], shape: type[T]) -> Recorded[T]:
        """Runs the action once for good: its result is recorded, and a replay gets the record instead of running it.
        Retried by the journal's policy; raises StepFailed when that is spent, Cancelled when the run is cancelled."""
        ...

    async def wait(self, name: str, streams: Sequence[str], promises: Sequence[str], until: datetime) -> Ended:
        """Waits for the next message of a numbered stream, a promise that resolves
        once, or the time. Raises Cancelled."""
        ...

    async def withdraw(self, promise: str, reason: str) -> Ended | None:
        """Refuses a promise from now on, with the reason. What had been promised first is returned: it came in time."""
        ...

    def publish(self) -> None:
        """Lets readers of the run see everything recorded so far."""
        ...

    async def announce(self) -> None:
        """`publish`, and returns only when readers see it for certain, also when the engine dies the next moment: what
        follows asks somebody whose answer they must understand. Raises Cancelled."""
        ...
