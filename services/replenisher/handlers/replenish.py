"""The workflow of one replenishment: it builds the state from its assignment, runs the loop, and answers to the
entity."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

from restate import Workflow, WorkflowContext, WorkflowSharedContext
from restate.exceptions import TerminalError

from replenisher.domain.approval import ApprovalStatus, Verdict, objection
from replenisher.domain.concluding import conclude, handed_over
from replenisher.domain.hearing import begin
from replenisher.domain.order import Order, OrderStatus
from replenisher.domain.outcome import Outcome, OutcomeStatus
from replenisher.domain.state import Assignment, State
from replenisher.handlers.folding import Folded, fold
from replenisher.handlers.journal import ASSIGNMENT, RECORDS, RestateJournal
from replenisher.handlers.knobs import Knobs
from replenisher.handlers.serde import RAW, Json
from replenisher.handlers.serving import on_workflow
from replenisher.harness import loop
from replenisher.harness.journal import Cancelled, StepFailed
from replenisher.harness.loop import Agent, Interrupted, Turn
from replenisher.harness.replay import RecordMismatch
from replenisher.harness.shape import dump, load
from replenisher.tools.base import Context
from replenisher.tools.mailroom import left_behind

NAME = "Replenish"
ENDED = "ended"
PERSISTENCE = 3
"""Tries of a run that is being cancelled to clear its drafts away."""


@dataclass(frozen=True)
class Result:
    """What a run leaves to the entity. A published shape."""

    outcome: Outcome
    consumed: dict[str, int]
    orders: list[Order]
    """Orders still open: the entity keeps them."""
    begun_with: list[str] | None = None
    """Ids of the messages it was started with."""


def replenish(agent: Agent[State, Context], context: Context, knobs: Knobs) -> Workflow:
    """The workflow service, bound to its world."""
    service = Workflow(
        NAME,
        inactivity_timeout=knobs.inactivity,
        invocation_retry_policy=knobs.retry,
        journal_retention=knobs.retention,
    )

    @service.main(
        "run", input_serde=RAW, output_serde=RAW, accept="*/*", workflow_retention=knobs.retention, ingress_private=True
    )
    async def run(ctx: WorkflowContext, body: Json) -> Json:
        ctx.set(ASSIGNMENT, body, serde=RAW)
        journal = RestateJournal(ctx, knobs.clock, knobs.steps)
        assignment = load(Assignment, body)
        state = begin(assignment)

        def observe(turn: Turn[State]) -> None:
            nonlocal state
            state = turn.after

        try:
            state = await loop.run(agent, state, journal, context, observe)
        except Interrupted as interrupted:
            state = await _wind_up(
                interrupted.state, journal, context, OutcomeStatus.CANCELLED, "cancelled in the engine"
            )
        except StepFailed as broken:
            state = await _wind_up(state, journal, context, OutcomeStatus.FAILED, f"broken: {broken}")
        assert state.outcome is not None
        ctx.set(ENDED, True, serde=RAW)
        begun_with = [m.id for m in assignment.mailbox]
        return dump(Result, Result(state.outcome, journal.consumed, handed_over(state), begun_with))

    async def _folded(ctx: WorkflowSharedContext) -> Folded:
        assignment = await ctx.get(ASSIGNMENT, serde=RAW)
        if assignment is None:
            raise TerminalError("this replenishment has not begun; try again in a moment", 409)
        records: list[Any] = []
        for n in range(len([k for k in await ctx.state_keys() if k.startswith(RECORDS)])):
            records += await ctx.get(f"{RECORDS}{n}", serde=RAW) or []
        try:
            return await fold(agent, load(Assignment, assignment), records)
        except RecordMismatch as mismatch:
            raise TerminalError(f"this code no longer follows the run: {mismatch}", 500) from mismatch

    @on_workflow(service, "deliver", private=True)
    async def deliver(ctx: WorkflowSharedContext, body: Json) -> None:
        """A message for a numbered promise of the run. Delivered twice, the first stays."""
        try:
            await ctx.promise(f"{body['message']['event']}-{body['number']}", serde=RAW).resolve(body["message"])
        except TerminalError as error:
            if error.status_code != 409:
                raise

    @on_workflow(service, "approve", private=True)
    async def approve(ctx: WorkflowSharedContext, body: Json) -> Json:
        """Settles an approval request. The promise is the arbiter; this only says no where the answer is known
        already."""
        approval_id: str = body["approval"]
        verdict = load(Verdict, body["verdict"])
        known = await _folded(ctx)
        approval = known.approval(approval_id)
        if approval is None:
            raise TerminalError(f"{approval_id} was never asked for: see status for the requests that are open", 404)
        if await ctx.get(ENDED, serde=RAW) or known.state.ended:
            raise TerminalError(f"{approval_id} cannot be decided any more: the replenishment has ended", 409)
        if not approval.open:
            raise TerminalError(_too_late(known.state, approval_id), 409)
        wrong = objection(approval, verdict)
        if wrong is not None:
            raise TerminalError(wrong, 400)
        if verdict.another is not None and verdict.another not in {q.id for q in known.state.quotes}:
            quotes = ", ".join(q.id for q in known.state.quotes)
            raise TerminalError(f"{verdict.another} is not one of the quotes: {quotes}", 400)
        try:
            await ctx.promise(approval_id, serde=RAW).resolve({**dump(Verdict, verdict), "at": body["at"]})
        except TerminalError as error:
            if error.status_code != 409:
                raise
            raise TerminalError(await _why_settled(ctx, approval_id), 409) from error
        return {"approval": approval_id, "approved": verdict.approved}

    @on_workflow(service, "check_answer", private=True)
    async def check_answer(ctx: WorkflowSharedContext, body: Json) -> Json:
        """Whether the buyer's answer fits an open question."""
        known = await _folded(ctx)
        asked = known.question(body["question"])
        if asked is None:
            raise TerminalError(f"{body['question']} was never asked: see status for the questions that are open", 404)
        if not asked.open:
            raise TerminalError(f"{asked.id} is closed: {asked.choice or 'it went unanswered'}", 409)
        if body["choice"] not in asked.choices:
            raise TerminalError(f"{body['choice']!r} is not one of {', '.join(asked.choices)}", 400)
        return {"question": asked.id}

    @on_workflow(service, "status")
    async def status(ctx: WorkflowSharedContext, body: Json) -> Json:
        """The state, the turns so far and what is waited for, as published at the last wait."""
        known = await _folded(ctx)
        return {
            "state": dump(State, known.state),
            "turns": [
                {"turn": t.number, "tool": t.decision.tool, "arguments": t.decision.arguments, "why": t.decision.why}
                for t in known.turns
            ],
            "waiting": None if known.pending is None else _waiting(asdict(known.pending)),
        }

    return service


def _waiting(decision: Mapping[str, Any]) -> Json:
    until = decision["until"]
    return {
        "tool": decision["tool"],
        "arguments": decision["arguments"],
        "until": None if until is None else until.isoformat(),
    }


def _too_late(state: State, approval_id: str) -> str:
    approval = state.approvals[approval_id]
    newer = [a.id for a in state.approvals.values() if a.po == approval.po and a.open]
    instead = f"; {newer[-1]} is open now" if newer else ""
    if approval.status is ApprovalStatus.UNANSWERED:
        return f"{approval_id} expired on {approval.expires_at:%Y-%m-%d}{instead}"
    if approval.status is ApprovalStatus.SUPERSEDED:
        return f"{approval_id} was superseded{instead}"
    return f"{approval_id} was {approval.status.value} by {approval.by} already{instead}"


async def _why_settled(ctx: WorkflowSharedContext, approval_id: str) -> str:
    """Why the promise did not take the verdict: it was withdrawn with a reason, or decided before."""
    try:
        earlier = await ctx.promise(approval_id, serde=RAW).peek()
    except TerminalError as withdrawn:
        return f"{approval_id} cannot be decided any more: {withdrawn.message}"
    decided = "approved" if earlier and earlier.get("approved") else "rejected"
    return f"{approval_id} was {decided} already"


async def _wind_up(state: State, journal: RestateJournal, context: Context, status: OutcomeStatus, why: str) -> State:
    """Ends an interrupted run in order: open requests are withdrawn, drafts cancelled. Steps only: nothing may be
    waited for. Cancelled once more, it goes on all the same."""
    if state.outcome is not None:
        return state
    for approval in state.approvals.values():
        if approval.open:
            with suppress(Cancelled):
                await journal.withdraw(approval.id, f"the replenishment was {why}")
    for po in left_behind(state):

        async def cancel(po: str = po) -> str:
            await context.records.cancel(po, why)
            return po

        for _ in range(PERSISTENCE):
            with suppress(StepFailed, Cancelled):
                await journal.step(f"cancel_draft-{po}", cancel, str)
                state = state.with_order(replace(state.orders[po].to(OrderStatus.CANCELLED), closed=True))
                break
    journal.publish()
    known = conclude(state)
    reason = why if known.status is not OutcomeStatus.FAILED else f"{why}; {known.reason}"
    ended = replace(known, status=known.status if known.status is OutcomeStatus.FAILED else status, reason=reason)
    return replace(state, outcome=ended)
