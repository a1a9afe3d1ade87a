"""The decider's contract and the guard around it: code has the last word on every choice."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from replenisher.harness.journal import Json
from replenisher.harness.tool import Option


@dataclass(frozen=True, slots=True)
class Choice:
    """What a decider answers: one of the options, its arguments filled from their lists."""

    tool: str
    arguments: Mapping[str, str] = field(default_factory=dict[str, str])
    why: str = ""
    by: str = ""
    """The model's id or the rules' version."""
    tokens_in: int = 0
    tokens_out: int = 0


class Decider(Protocol):
    async def decide(self, goal: str, view: Mapping[str, Json], options: Sequence[Option]) -> Choice:
        """Chooses one of the options. Raises Unusable when no answer could be made of what the model said."""
        ...


class TryLater(Exception):
    """The model could not answer now: overloaded, rate-limited, unreachable. The journal tries again, and waits for
    as long
    as the other side asked for; nothing sleeps unseen inside a step."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        """Real seconds; None leaves it to the journal's policy."""


class NoAccess(Exception):
    """Asking again does not help: no key, no rights, a request the other side will never take. The rules decide."""


class Unusable(Exception):
    """The model answered, but not with a choice: a refusal, a truncation, a value off the menu."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A choice as it is journaled, with what was on offer. A published shape: fields are
    added, with defaults, never renamed."""

    tool: str
    arguments: dict[str, str]
    why: str
    by: str
    options: list[dict[str, Json]]
    until: datetime | None = None
    """For a wait: when it ends by itself."""
    rejected: list[str] = field(default_factory=list[str])
    """Answers of the decider that the guard did not take, with the reason."""
    tokens_in: int = 0
    tokens_out: int = 0


def flaw(choice: Choice, options: Sequence[Option]) -> str | None:
    """Why this choice is not on the menu; None when it is. Every argument must come from its list."""
    option = next((o for o in options if o.tool == choice.tool), None)
    if option is None:
        return f"{choice.tool!r} is not one of {', '.join(o.tool for o in options)}"
    if set(choice.arguments) != set(option.arguments):
        return f"{choice.tool} takes {sorted(option.arguments)}, got {sorted(choice.arguments)}"
    for name, value in choice.arguments.items():
        if value not in option.arguments[name]:
            return f"{name}={value!r} is not one of {', '.join(option.arguments[name])}"
    return None


ASKED_TWICE = 2


async def choose(
    decider: Decider, rules: Decider, goal: str, view: Mapping[str, Json], options: Sequence[Option]
) -> tuple[Choice, list[str]]:
    """One choice from the options. Nothing to choose costs no model; two answers off the menu, and the rules choose."""
    rejected: list[str] = []
    if len(options) == 1 and options[0].forced:
        arguments = {name: values[0] for name, values in options[0].arguments.items()}
        return Choice(options[0].tool, arguments, "the only option", "rules"), rejected
    for _ in range(ASKED_TWICE):
        try:
            choice = await decider.decide(goal, {**view, "not_taken": list(rejected)} if rejected else view, options)
        except Unusable as unusable:
            rejected.append(str(unusable)[:300])
            continue
        wrong = flaw(choice, options)
        if wrong is None:
            return choice, rejected
        rejected.append(wrong[:300])
    choice = await rules.decide(goal, view, options)
    wrong = flaw(choice, options)
    if wrong is not None:
        raise AssertionError(f"the rules chose what is not allowed: {wrong}")
    return choice, rejected
