"""A run as its own state shows it: the state and turns rebuilt by folding the published records through the loop."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from replenisher.domain.approval import Approval
from replenisher.domain.hearing import begin
from replenisher.domain.question import Question
from replenisher.domain.requesting import request
from replenisher.domain.state import Assignment, State
from replenisher.harness import loop
from replenisher.harness.decider import Decision
from replenisher.harness.journal import Recorded, StepFailed
from replenisher.harness.loop import Agent, Interrupted, Turn
from replenisher.harness.replay import EndOfRecords, Record, ReplayJournal
from replenisher.tools.approvals import RequestApproval
from replenisher.tools.base import Context
from replenisher.tools.buyer import AskBuyer, question

T = TypeVar("T")


@dataclass(frozen=True)
class Folded:
    """What is known of a run: its last state, the turns behind it, and the decision of the turn under way."""

    state: State
    turns: list[Turn[State]]
    pending: Decision | None

    def approval(self, approval_id: str) -> Approval | None:
        """The request of this id, also one that is just being made: its answer may come before its record."""
        known = self.state.approvals.get(approval_id)
        if known is None and self.pending is not None and self.pending.tool == RequestApproval.name:
            making = request(self.state, self.pending.arguments["po"])
            return making if making.id == approval_id else None
        return known

    def question(self, question_id: str) -> Question | None:
        """The question of this id, also one that is just being asked."""
        known = self.state.questions.get(question_id)
        if known is None and self.pending is not None and self.pending.tool == AskBuyer.name:
            asking = question(self.state, self.pending.arguments["subject"])
            return asking if asking.id == question_id else None
        return known


class _Watching(ReplayJournal):
    """Remembers the last decision read."""

    decision: Decision | None = None

    async def step(self, name: str, action: Callable[[], Awaitable[T]], shape: type[T]) -> Recorded[T]:
        recorded = await super().step(name, action, shape)
        if isinstance(recorded.value, Decision):
            self.decision = recorded.value
        return recorded


async def fold(agent: Agent[State, Context], assignment: Assignment, records: Iterable[Record]) -> Folded:
    """Runs the loop over the records without executing anything. Raises RecordMismatch when today's code no longer
    follows them."""
    turns: list[Turn[State]] = []
    first = begin(assignment)
    journal = _Watching(records)
    pending: Decision | None = None
    try:
        await loop.run(agent, first, journal, _NOTHING, turns.append)
    except (EndOfRecords, Interrupted, StepFailed):
        pending = journal.decision if not turns or journal.decision is not turns[-1].decision else None
    return Folded(turns[-1].after if turns else first, turns, pending)


_NOTHING: Context = None  # type: ignore[assignment]  # no step action runs, so nobody looks at it
