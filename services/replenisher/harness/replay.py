"""A run read back from what was recorded of it: nothing is executed, every step gives its record. Status pages,
timelines and the tests over recorded journals fold a run this way. The shape of a record is a published interface."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, TypeVar

from replenisher.harness.journal import Cancelled, Ended, Json, Recorded, StepFailed
from replenisher.harness.shape import load

T = TypeVar("T")

Record = dict[str, Json]
"""One of {"step", "at", "result"}, {"step", "at", "error"}, {"wait", "at", "event", "payload"}, {"withdraw", "late"},
and {"cancelled"}: the engine cancelled the run there, and what follows was done to wind it up."""


class EndOfRecords(Exception):
    """Everything recorded has been read; the run was here when it was last seen."""


class RecordMismatch(Exception):
    """Today's code asks for another step than the one that was recorded: a run in this state would break."""


class ReplayJournal:
    """A Journal over records."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._records = iter(records)

    def _next(self, kind: str, name: str) -> Record:
        record = next(self._records, None)
        if record is None:
            raise EndOfRecords
        if "cancelled" in record:
            raise Cancelled
        if record.get(kind) != name:
            found = next((f"{k} {record[k]!r}" for k in ("step", "wait", "withdraw") if k in record), repr(record))
            raise RecordMismatch(f"the code now asks for {kind} {name!r} where {found} was recorded")
        return record

    async def step(self, name: str, action: Callable[[], Awaitable[T]], shape: type[T]) -> Recorded[T]:
        record = self._next("step", name)
        at = load(datetime, record["at"])
        if "error" in record:
            raise StepFailed(name, record["error"], at)
        return Recorded(understood(name, record["result"], shape), at)

    async def wait(self, name: str, streams: Sequence[str], promises: Sequence[str], until: datetime) -> Ended:
        record = self._next("wait", name)
        return Ended(record.get("event"), record.get("payload"), load(datetime, record["at"]))

    async def withdraw(self, promise: str, reason: str) -> Ended | None:
        late: dict[str, Any] | None = self._next("withdraw", promise).get("late")
        return None if late is None else Ended(promise, late["payload"], load(datetime, late["at"]))

    def publish(self) -> None:
        """What is read back is published already."""

    async def announce(self) -> None:
        self.publish()


def understood(step: str, result: Json, shape: type[T]) -> T:
    """What a step recorded, as today's code knows it. Raises RecordMismatch with the name of the step."""
    try:
        return load(shape, result)
    except ValueError as error:
        why = " ".join(str(error).split())
        raise RecordMismatch(f"the recorded result of {step!r} is no longer understood: {why}") from error
