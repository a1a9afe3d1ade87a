"""What the tools share: their context, their common base classes, and how the calendar ends a wait."""

from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from replenisher.domain.clockwork import next_deadline, time_passes
from replenisher.domain.hearing import supersede_unwanted
from replenisher.domain.ports import (
    BusinessClock,
    Channel,
    Company,
    People,
    PriceSource,
    Reader,
    Records,
    Writer,
)
from replenisher.domain.state import State
from replenisher.harness.tool import Action, Tool, Wait

R = TypeVar("R")


@dataclass(frozen=True)
class Context:
    """The outside world. Only step actions touch it."""

    records: Records
    prices: PriceSource
    channel: Channel
    people: People
    reader: Reader
    writer: Writer
    clock: BusinessClock
    company: Company
    approver: str = "manager"


ReplenishTool = Tool[State, Context]


class ReplenishAction(Action[State, Context, R]):
    """An action of the replenishment."""


class ReplenishWait(Wait[State, Context]):
    """A wait of the replenishment. Whichever is chosen, it ends at the first deadline
    there is, and time passes for all."""

    def until(self, state: State) -> datetime:
        return next_deadline(state)

    def timed_out(self, state: State, at: datetime) -> State:
        return later(state, at)


def later(state: State, at: datetime) -> State:
    """The state at a later recorded time."""
    return supersede_unwanted(time_passes(state, at))


@dataclass(frozen=True, slots=True)
class Failed:
    """A step whose attempts are spent: on a read nothing is known, on a write it may or may not have happened."""

    error: str
    at: datetime
