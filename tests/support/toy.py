"""A toy job for the harness: water a plant until it has had enough. Nothing of stock or orders in it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from replenisher.harness.decider import Choice, Decider
from replenisher.harness.journal import Ended, Journal, Json
from replenisher.harness.loop import Agent
from replenisher.harness.memory import Answer, MemoryJournal
from replenisher.harness.tool import ENDING, Action, Arguments, Mailroom, Option, Tool, Wait

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Plant:
    thirst: int = 2
    cans: tuple[str, ...] = ("green", "blue")
    now: datetime = NOON
    rained: int = 0
    stopping: bool = False
    ended: bool = False
    offers: tuple[str, ...] = ()
    """Promises that are open."""
    refused: tuple[str, ...] = ()
    late: tuple[str, ...] = ()


@dataclass
class Garden:
    """The outside world."""

    poured: list[str] = field(default_factory=list[str])
    dry: int = 0
    """So many attempts find no water."""

    async def pour(self, can: str) -> int:
        if self.dry:
            self.dry -= 1
            raise ConnectionError("no water")
        self.poured.append(can)
        return len(self.poured)


@dataclass(frozen=True, slots=True)
class Poured:
    count: int
    can: str
    at: datetime


class Water(Action[Plant, Garden, Poured]):
    name = "water"
    description = "Pour a can."

    def allowed(self, state: Plant) -> bool:
        return state.thirst > 0 and not state.stopping

    def choices(self, state: Plant) -> Mapping[str, tuple[str, ...]]:
        return {"can": state.cans}

    async def execute(self, state: Plant, arguments: Arguments, context: Garden, journal: Journal, turn: int) -> Poured:
        can = arguments["can"]
        done = await journal.step(f"water-{turn}", lambda: context.pour(can), int)
        return Poured(done.value, can, done.at)

    def apply(self, state: Plant, arguments: Arguments, result: Poured) -> Plant:
        return replace(state, thirst=state.thirst - 1, now=result.at)

    def interrupted(self, state: Plant, arguments: Arguments) -> Plant:
        return replace(state, thirst=-1)


class WaitForRain(Wait[Plant, Garden]):
    name = "wait_for_rain"
    description = "Wait a day."

    def allowed(self, state: Plant) -> bool:
        return not state.stopping

    def until(self, state: Plant) -> datetime:
        return state.now + DAY

    def timed_out(self, state: Plant, at: datetime) -> Plant:
        return replace(state, now=at)


class Stop(Action[Plant, Garden, None]):
    name = "stop"
    description = "Go inside."

    def rank(self, state: Plant) -> int:
        return ENDING

    def allowed(self, state: Plant) -> bool:
        return state.stopping or state.rained > 0

    async def execute(
        self, state: Plant, arguments: Arguments, context: Garden, journal: Journal, turn: int
    ) -> None: ...

    def apply(self, state: Plant, arguments: Arguments, result: None) -> Plant:
        return replace(state, ended=True)


class Letterbox(Mailroom[Plant]):
    streams = ("rain", "sun")

    def promises(self, state: Plant) -> tuple[str, ...]:
        return tuple(o for o in state.offers if o not in state.refused)

    def hear(self, state: Plant, ended: Ended) -> Plant:
        if ended.event == "rain":
            return replace(state, rained=state.rained + 1, stopping=True, now=ended.at)
        return replace(state, now=ended.at)

    def withdrawn(self, state: Plant) -> tuple[tuple[str, str], ...]:
        if not state.rained:
            return ()
        return tuple((o, "it rained") for o in state.offers if o not in state.refused)

    def settled(self, state: Plant, promise: str, late: Ended | None) -> Plant:
        state = replace(state, refused=(*state.refused, promise))
        return state if late is None else replace(state, late=(*state.late, promise))


TOOLS: tuple[Tool[Plant, Garden], ...] = (Water(), WaitForRain(), Stop())


@dataclass
class Scripted:
    """A decider that says what it was told to, then the first option."""

    answers: list[Choice | Exception] = field(default_factory=list["Choice | Exception"])
    seen: list[tuple[Mapping[str, Json], list[str]]] = field(default_factory=list[tuple[Mapping[str, Json], list[str]]])
    by: str = "scripted"

    async def decide(self, goal: str, view: Mapping[str, Json], options: Sequence[Option]) -> Choice:
        self.seen.append((dict(view), [o.tool for o in options]))
        if self.answers:
            answer = self.answers.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer
        first = options[0]
        return Choice(first.tool, {k: v[-1] for k, v in first.arguments.items()}, "", self.by)


def gardener(decider: Decider | None = None, quiet: int = 30, in_all: int = 200) -> Agent[Plant, Garden]:
    rules = Scripted(by="rules")
    return Agent(
        "Keep it alive.",
        TOOLS,
        Letterbox(),
        decider or rules,
        rules,
        lambda s: {"thirst": s.thirst},
        lambda s: replace(s, stopping=True),
        quiet,
        in_all,
    )


@dataclass
class Days:
    """A clock and what comes while somebody waits: by the number of the wait, else nothing."""

    coming: Mapping[int, Answer] = field(default_factory=dict[int, Answer])
    time: datetime = NOON
    waits: list[tuple[tuple[str, ...], tuple[str, ...], datetime]] = field(
        default_factory=list[tuple[tuple[str, ...], tuple[str, ...], datetime]]
    )

    def journal(self, **more: object) -> MemoryJournal:
        return MemoryJournal(lambda: self.time, self._answer, self._pass, **more)  # type: ignore[arg-type]

    def _answer(self, streams: Sequence[str], promises: Sequence[str], until: datetime) -> Answer:
        self.waits.append((tuple(streams), tuple(promises), until))
        return self.coming.get(len(self.waits))

    def _pass(self, until: datetime) -> None:
        self.time = max(self.time, until)


def every(event: str, n: int) -> Callable[[int], Answer]:
    return lambda wait: (event, {}) if wait % n == 0 else None
