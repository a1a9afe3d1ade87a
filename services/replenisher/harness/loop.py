"""The agentic loop: decide, act or wait, apply, until the state says that it has ended."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar, cast

from replenisher.harness.decider import Decider, Decision, choose
from replenisher.harness.journal import Cancelled, Journal, Json, StepFailed
from replenisher.harness.replay import RecordMismatch
from replenisher.harness.tool import Action, Mailroom, Tool, Wait


class Stateful(Protocol):
    @property
    def ended(self) -> bool: ...


S = TypeVar("S", bound=Stateful)
C = TypeVar("C")


@dataclass(frozen=True)
class Budget:
    """What one run may spend on a model, counted over recorded decisions; beyond it the rules decide."""

    decisions: int = 100
    tokens: int = 500_000

    def spent(self, decisions: int, tokens: int) -> bool:
        return decisions >= self.decisions or tokens >= self.tokens


@dataclass(frozen=True)
class Agent(Generic[S, C]):
    """Everything the loop needs to know of one job."""

    goal: str
    tools: Sequence[Tool[S, C]]
    mailroom: Mailroom[S]
    decider: Decider
    rules: Decider
    view: Callable[[S], Mapping[str, Json]]
    """What the decider sees: typed facts only."""
    wind_down: Callable[[S], S]
    """Called when the turns are spent: from then on only what ends the run in order is allowed."""
    quiet_turns: int
    """Turns since the last message from outside."""
    all_turns: int
    budget: Budget = Budget()


@dataclass(frozen=True)
class Turn(Generic[S]):
    """One turn, as an observer sees it."""

    number: int
    decision: Decision
    after: S


class Stuck(RuntimeError):
    """No tool is allowed in a state that has not ended: a fault of the rules, never of the world."""


async def run(
    agent: Agent[S, C], state: S, journal: Journal, context: C, observe: Callable[[Turn[S]], None] | None = None
) -> S:
    """Runs the job to its end and returns the last state. Raises Interrupted when the engine cancels it."""
    turn = quiet = asked = tokens = 0
    while not state.ended:
        turn, quiet = turn + 1, quiet + 1
        if quiet > agent.quiet_turns or turn > agent.all_turns:
            state = agent.wind_down(state)
        try:
            decision = await decide(agent, state, journal, turn, agent.budget.spent(asked, tokens))
            asked += bool(decision.tokens_in)
            tokens += decision.tokens_in + decision.tokens_out
        except Cancelled as cancelled:
            raise Interrupted(state) from cancelled
        tool = named(agent.tools, decision.tool)
        try:
            if isinstance(tool, Wait):
                state, heard = await wait(agent, tool, state, decision, journal, turn)
                quiet = 0 if heard else quiet
            elif isinstance(tool, Action):
                state = await act(cast("Action[S, C, Any]", tool), state, decision, journal, context, turn)
            for promise, reason in agent.mailroom.withdrawn(state):
                state = agent.mailroom.settled(state, promise, await journal.withdraw(promise, reason))
        except Cancelled as cancelled:
            known = tool.interrupted(state, decision.arguments) if isinstance(tool, Action) else state
            raise Interrupted(known) from cancelled
        if observe:
            observe(Turn(turn, decision, state))
    journal.publish()
    return state


class Interrupted(Exception):
    """The run was cancelled; `state` is what is known, and may be of the type of the job."""

    def __init__(self, state: Any) -> None:
        super().__init__("the run was cancelled")
        self.state = state


async def decide(agent: Agent[S, C], state: S, journal: Journal, turn: int, broke: bool = False) -> Decision:
    """Filters the tools, lets the decider pick and checks the pick, all within the decide step. When the budget is
    spent (`broke`) the rules pick."""

    async def with_decider(decider: Decider) -> Decision:
        offered = offers(agent.tools, state)
        if not offered:
            raise Stuck(f"no tool is allowed: {agent.view(state)}")
        options = [t.option(state) for t in offered]
        choice, rejected = await choose(decider, agent.rules, agent.goal, agent.view(state), options)
        tool = next(t for t in offered if t.name == choice.tool)
        return Decision(
            choice.tool,
            dict(choice.arguments),
            choice.why,
            choice.by,
            [asdict(option) for option in options],
            tool.until(state) if isinstance(tool, Wait) else None,
            rejected,
            choice.tokens_in,
            choice.tokens_out,
        )

    try:
        return (
            await journal.step(
                f"decide-{turn}", lambda: with_decider(agent.rules if broke else agent.decider), Decision
            )
        ).value
    except StepFailed:
        return (await journal.step(f"decide-{turn}-rules", lambda: with_decider(agent.rules), Decision)).value


def offers(tools: Sequence[Tool[S, C]], state: S) -> list[Tool[S, C]]:
    """The allowed tools of the lowest rank that has any."""
    allowed = [t for t in tools if t.allowed(state)]
    rank = min((t.rank(state) for t in allowed), default=0)
    return [t for t in allowed if t.rank(state) == rank]


def named(tools: Sequence[Tool[S, C]], name: str) -> Tool[S, C]:
    """The tool a decision is for. Raises RecordMismatch when it was recorded by code that had one of that name."""
    found = next((t for t in tools if t.name == name), None)
    if found is None:
        raise RecordMismatch(f"the run decided for {name!r}, which is not a tool of this code")
    return found


async def act(tool: Action[S, C, Any], state: S, decision: Decision, journal: Journal, context: C, turn: int) -> S:
    if tool.announces:
        await journal.announce()
    return tool.apply(state, decision.arguments, await tool.execute(state, decision.arguments, context, journal, turn))


async def wait(
    agent: Agent[S, C], tool: Wait[S, C], state: S, decision: Decision, journal: Journal, turn: int
) -> tuple[S, bool]:
    until: datetime = decision.until or tool.until(state)
    journal.publish()
    ended = await journal.wait(f"{tool.name}-{turn}", agent.mailroom.streams, agent.mailroom.promises(state), until)
    if ended.event is None:
        return tool.timed_out(state, ended.at), False
    return agent.mailroom.hear(state, ended), True
