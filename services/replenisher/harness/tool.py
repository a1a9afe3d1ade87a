"""What an agent can do. A tool is one class: when it is allowed, which arguments it may
get, what it does, what follows."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Generic, TypeVar

from replenisher.harness.journal import Ended, Journal

S = TypeVar("S")
C = TypeVar("C")
R = TypeVar("R")

WAITING = 1
RETRYING = 2
NOTHING_ELSE = 3
ENDING = 4
"""Ranks above 0."""

Arguments = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Option:
    """A tool as the decider sees it: each argument with the closed list of values it may take, best first."""

    tool: str
    description: str
    arguments: Mapping[str, tuple[str, ...]]

    @property
    def forced(self) -> bool:
        """There is nothing to choose."""
        return all(len(values) == 1 for values in self.arguments.values())


class Tool(ABC, Generic[S, C]):
    """One thing the agent can do. `allowed` and `choices` are pure: no I/O, no clock, no randomness."""

    name: ClassVar[str]
    description: ClassVar[str]

    @abstractmethod
    def allowed(self, state: S) -> bool: ...

    def rank(self, state: S) -> int:
        """Of the allowed tools those of the lowest rank are offered: waits come after
        actions, and ends after everything."""
        return 0

    def choices(self, state: S) -> Mapping[str, tuple[str, ...]]:
        """For each argument the values it may take; none of them empty when the tool is allowed."""
        return {}

    def option(self, state: S) -> Option:
        return Option(self.name, self.description, self.choices(state))


class Action(Tool[S, C], Generic[S, C, R]):
    """A tool that does something, in one or more steps of the journal."""

    announces: ClassVar[bool] = False
    """It asks somebody who may answer at once: what was recorded is published before it runs."""

    @abstractmethod
    async def execute(self, state: S, arguments: Arguments, context: C, journal: Journal, turn: int) -> R:
        """Does it. Steps are named `{name}-{turn}` or `{name of the step}-{turn}`."""

    @abstractmethod
    def apply(self, state: S, arguments: Arguments, result: R) -> S:
        """What follows: the only thing that changes the state. Pure."""

    def interrupted(self, state: S, arguments: Arguments) -> S:
        """What is known when the run was cancelled while this was running. Pure. A
        write must say that it is unknown."""
        return state


class Wait(Tool[S, C]):
    """A tool that waits for what may come, or for the clock."""

    def rank(self, state: S) -> int:
        return WAITING

    @abstractmethod
    def until(self, state: S) -> datetime: ...

    @abstractmethod
    def timed_out(self, state: S, at: datetime) -> S:
        """What follows when nothing came. Pure."""


class Mailroom(ABC, Generic[S]):
    """What a waiting agent listens to, and how it takes in what it hears."""

    streams: tuple[str, ...]
    """Numbered kinds of message: every wait ends on the next of any of them."""

    @abstractmethod
    def promises(self, state: S) -> tuple[str, ...]:
        """Names that somebody may settle once, as things stand."""

    @abstractmethod
    def hear(self, state: S, ended: Ended) -> S:
        """Takes in a message or a settled promise. Pure."""

    @abstractmethod
    def withdrawn(self, state: S) -> tuple[tuple[str, str], ...]:
        """Promises the state no longer stands behind, each with the reason; each is withdrawn before the next turn."""

    @abstractmethod
    def settled(self, state: S, promise: str, late: Ended | None) -> S:
        """After a withdrawal: `late` is what had been promised first. Pure."""
