"""The loop's journal on Restate: steps are runs, messages are numbered durable promises, and what was recorded is
published
in the run's own state, so that anybody can fold it. Names of steps, promises and state keys are a published
interface."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from restate import RunOptions, WorkflowContext
from restate.asyncio import wait_completed
from restate.exceptions import RetryableError, TerminalError

from replenisher.clock import Clock
from replenisher.domain.ports import Refused
from replenisher.handlers.knobs import StepPolicy
from replenisher.handlers.serde import RAW
from replenisher.harness.decider import NoAccess, TryLater
from replenisher.harness.journal import Cancelled, Ended, Json, Recorded, StepFailed
from replenisher.harness.replay import Record, understood
from replenisher.harness.shape import dump, load

T = TypeVar("T")

RECORDS = "records-"
"""State keys under which what was recorded is published, in order: records-0, records-1, ..."""
ASSIGNMENT = "assignment"
ANNOUNCED = "announced"


class RestateJournal:
    def __init__(self, ctx: WorkflowContext, clock: Clock, policy: StepPolicy) -> None:
        self._ctx = ctx
        self._clock = clock
        self._policy = policy
        self._futures: dict[str, Any] = {}
        """One future per promise, reused in later waits: made again it would copy its payload each time."""
        self.consumed: dict[str, int] = {}
        """How many messages of each stream were taken in."""
        self._records: list[Record] = []
        self._published = 0
        self._chunks = 0

    async def step(self, name: str, action: Callable[[], Awaitable[T]], shape: type[T]) -> Recorded[T]:
        async def recorded() -> Json:
            try:
                value = await action()
            except (Refused, NoAccess) as refused:
                raise TerminalError(str(refused), 422) from refused
            except TryLater as busy:
                after = None if busy.retry_after is None else timedelta(seconds=busy.retry_after)
                raise RetryableError(str(busy), 503, after) from busy
            return {"at": self._clock.now().isoformat(), "result": dump(shape, value)}

        try:
            raw = await self._run(name, recorded)
        except TerminalError as error:
            self._raise_if_cancelled(name, error)
            failed = await self.failed(name, error.message)
            raise failed from error
        self._records.append({"step": name, **raw})
        return Recorded(understood(name, raw["result"], shape), load(datetime, raw["at"]))

    async def failed(self, name: str, error: str) -> StepFailed:
        """The failure of a step with its time, which a step of its own records."""

        async def now() -> Json:
            return {"at": self._clock.now().isoformat()}

        try:
            raw = await self._run(f"{name}-failed", now)
        except TerminalError as failed:
            self._raise_if_cancelled(name, failed)
            raise
        self._records.append({"step": name, "at": raw["at"], "error": error[:500]})
        return StepFailed(name, error[:500], load(datetime, raw["at"]))

    async def _run(self, name: str, action: Callable[[], Awaitable[Json]]) -> Json:
        first = timedelta(seconds=self._policy.first)
        options: RunOptions[Json] = RunOptions(
            serde=RAW,
            max_attempts=self._policy.attempts,
            initial_retry_interval=first,
            max_retry_interval=first * 2**self._policy.attempts,
            retry_interval_factor=2,
        )
        return await self._ctx.run_typed(name, action, options)

    async def wait(self, name: str, streams: Sequence[str], promises: Sequence[str], until: datetime) -> Ended:
        numbered = {f"{s}-{self.consumed.get(s, 0) + 1}": s for s in streams}
        names = [*promises, *numbered]
        seconds = max(0.0, (self._clock.real(until) - datetime.now(UTC)).total_seconds())
        timer = self._ctx.sleep(timedelta(seconds=seconds), name=f"{name}-timeout")
        futures = [self._future(n) for n in names]
        try:
            done, _ = await wait_completed(*futures, timer)
            first = done[0]
            if first is timer:
                ended = Ended(None, None, until)
            else:
                event = names[futures.index(first)]
                payload = await first
                ended = Ended(numbered.get(event, event), payload, load(datetime, payload["at"]))
        except TerminalError as error:
            self._raise_if_cancelled(name, error)
            raise
        if ended.event is not None and ended.event in streams:
            self.consumed[ended.event] = self.consumed.get(ended.event, 0) + 1
        self._records.append({"wait": name, "at": ended.at.isoformat(), "event": ended.event, "payload": ended.payload})
        return ended

    def _future(self, promise: str) -> Any:
        if promise not in self._futures:
            self._futures[promise] = self._ctx.promise(promise, serde=RAW).value()
        return self._futures[promise]

    async def withdraw(self, promise: str, reason: str) -> Ended | None:
        late: Json = None
        try:
            await self._ctx.promise(promise, serde=RAW).reject(reason, 410)
        except TerminalError as error:
            self._raise_if_cancelled(promise, error)
            late = await self._future(promise)
        record: Record = {"withdraw": promise, "late": None if late is None else {"payload": late, "at": late["at"]}}
        self._records.append(record)
        return None if late is None else Ended(promise, late, load(datetime, late["at"]))

    def _raise_if_cancelled(self, name: str, error: TerminalError) -> None:
        """Published as well: whoever folds the run sees that the loop ended here and others wound it up."""
        if is_cancellation(error):
            self._records.append({"cancelled": name})
            raise Cancelled from error

    def publish(self) -> None:
        chunk = self._records[self._published :]
        if chunk:
            self._ctx.set(f"{RECORDS}{self._chunks}", chunk, serde=RAW)
            self._published = len(self._records)
            self._chunks += 1

    async def announce(self) -> None:
        """State is set without an answer from the engine, which may die before it is kept: then the step that follows
        would have asked somebody whose answer the run's readers refuse. A look at a promise that nobody makes is
        answered in its turn, after what was set."""
        self.publish()
        try:
            await self._ctx.promise(ANNOUNCED, serde=RAW).peek()
        except TerminalError as error:
            self._raise_if_cancelled(ANNOUNCED, error)
            raise


def is_cancellation(error: TerminalError) -> bool:
    """Restate tells a cancellation as a 409 of this message; a promise settled before is a 409 of another."""
    return error.status_code == 409 and error.message == "cancelled"
