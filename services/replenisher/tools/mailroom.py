"""What a replenishment listens to while it waits, and the agent put together: goal, tools, mailroom, decider."""

from dataclasses import replace
from datetime import datetime

from replenisher.domain import limits
from replenisher.domain.approval import ApprovalStatus, Verdict
from replenisher.domain.conditions import open_requests
from replenisher.domain.hearing import supersede_unwanted, take_in, verdict_heard
from replenisher.domain.message import STREAMS, Message
from replenisher.domain.order import OrderStatus
from replenisher.domain.state import State
from replenisher.harness.decider import Decider
from replenisher.harness.journal import Ended
from replenisher.harness.loop import Agent, Budget
from replenisher.harness.shape import load
from replenisher.harness.tool import Mailroom
from replenisher.tools import TOOLS
from replenisher.tools.base import Context
from replenisher.tools.view import GOAL, view


class ReplenishmentMail(Mailroom[State]):
    """Numbered messages of four kinds, and one promise for each approval request, named after its id."""

    streams = STREAMS

    def promises(self, state: State) -> tuple[str, ...]:
        return tuple(a.id for a in open_requests(state))

    def hear(self, state: State, ended: Ended) -> State:
        if ended.event in state.approvals:
            return verdict_heard(state, ended.event, load(Verdict, ended.payload), ended.at)
        return supersede_unwanted(take_in(state, load(Message, ended.payload)))

    def withdrawn(self, state: State) -> tuple[tuple[str, str], ...]:
        if state.ended:
            return tuple((a.id, "the replenishment has ended") for a in state.approvals.values() if not a.withdrawn)
        return tuple(
            (a.id, _why(a.status, a.expires_at))
            for a in state.approvals.values()
            if a.status in (ApprovalStatus.UNANSWERED, ApprovalStatus.SUPERSEDED) and not a.withdrawn
        )

    def settled(self, state: State, promise: str, late: Ended | None) -> State:
        approval = state.approvals[promise]
        state = state.with_approval(replace(approval, withdrawn=True))
        if late is None or state.ended:
            return state
        if approval.status is ApprovalStatus.UNANSWERED:
            state = state.with_approval(replace(approval, status=ApprovalStatus.OPEN))
        return verdict_heard(state, promise, load(Verdict, late.payload), late.at)


def _why(status: ApprovalStatus, expired: datetime) -> str:
    if status is ApprovalStatus.UNANSWERED:
        return f"it could be decided until {expired:%Y-%m-%d %H:%M} UTC"
    return "it was superseded: the terms it asked for are no longer on the table"


def wind_down(state: State) -> State:
    return replace(state, winding_down=True)


def replenishment(decider: Decider, rules: Decider, budget: Budget | None = None) -> Agent[State, Context]:
    """The agent that keeps one SKU in stock."""
    return Agent(
        goal=GOAL,
        tools=TOOLS,
        mailroom=ReplenishmentMail(),
        decider=decider,
        rules=rules,
        view=view,
        wind_down=wind_down,
        quiet_turns=limits.QUIET_TURNS,
        all_turns=limits.ALL_TURNS,
        budget=budget or Budget(),
    )


def left_behind(state: State) -> list[str]:
    """Drafts of this run that an interrupted run must still cancel."""
    drafts = (OrderStatus.DRAFT, OrderStatus.REFUSED)
    return [o.po for o in state.orders.values() if o.status in drafts]
