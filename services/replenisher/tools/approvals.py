"""The manager's decision: ask for it, wait for it, remind him of it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from replenisher.domain import limits
from replenisher.domain.approval import Approval
from replenisher.domain.conditions import need, open_requests, unknown
from replenisher.domain.money import price_text, total
from replenisher.domain.ports import ApprovalRequest, OtherQuote, PaidPrice
from replenisher.domain.quote import purchase
from replenisher.domain.requesting import approvable, request
from replenisher.domain.state import State
from replenisher.harness.journal import Journal, StepFailed
from replenisher.harness.tool import Arguments
from replenisher.tools.base import Context, ReplenishAction, ReplenishWait, later


@dataclass(frozen=True, slots=True)
class Requested:
    approver: str
    delivered: bool
    at: datetime


class RequestApproval(ReplenishAction[Requested]):
    name = "request_approval"
    description = "Ask the manager to approve a price range for a draft, or a supplier's counter-offer."
    announces = True

    def allowed(self, state: State) -> bool:
        return bool(approvable(state))

    def choices(self, state: State) -> Mapping[str, tuple[str, ...]]:
        return {"po": tuple(o.po for o in approvable(state))}

    async def execute(
        self, state: State, arguments: Arguments, context: Context, journal: Journal, turn: int
    ) -> Requested:
        approval = request(state, arguments["po"])

        async def ask() -> str:
            paid = tuple(await context.records.last_prices(state.sku))
            await context.people.request_approval(shown(state, approval, context.approver, paid))
            return context.approver

        try:
            asked = await journal.step(f"{self.name}-{turn}", ask, str)
        except StepFailed as failed:
            return Requested("", False, failed.at)
        return Requested(asked.value, True, asked.at)

    def apply(self, state: State, arguments: Arguments, result: Requested) -> State:
        approval = request(state, arguments["po"])
        approval = replace(approval, approver=result.approver or approval.approver, delivered=result.delivered)
        return later(state.with_approval(approval), result.at)


def shown(state: State, approval: Approval, approver: str, paid: tuple[PaidPrice, ...]) -> ApprovalRequest:
    """What the manager sees: the price and its range, the other quotes at the quantity
    needed, and orders nobody knows about."""
    order = state.orders[approval.po]
    wanted = need(state) + order.outstanding
    others = [
        OtherQuote(p.quote.supplier, p.quote.item, p.quantity, p.unit_price, p.quote.currency, p.landed)
        for q in state.quotes
        if (q.supplier, q.item) != (order.supplier, order.item) and (p := purchase(q, wanted, state.rates)) is not None
    ]
    return ApprovalRequest(
        id=approval.id,
        sku=state.sku,
        part=state.part.name,
        unit=state.part.unit,
        po=approval.po,
        reason=approval.reason,
        quantity=approval.quantity,
        supplier=order.supplier,
        unit_price=approval.unit_price,
        currency=approval.currency,
        ceiling=approval.ceiling,
        freight=order.freight,
        total_at_ceiling=total(approval.ceiling, approval.quantity) + order.freight,
        expires_at=approval.expires_at,
        approver=approver,
        other_quotes=tuple(others),
        unknown_orders=tuple(o.po for o in unknown(state)),
        last_prices=paid,
    )


class WaitForApproval(ReplenishWait):
    name = "wait_for_approval"
    description = "Wait for the manager's decision."

    def allowed(self, state: State) -> bool:
        return bool(open_requests(state)) and not state.unread and not state.ending


@dataclass(frozen=True, slots=True)
class Reminded:
    at: datetime


class RemindManager(ReplenishAction[Reminded]):
    name = "remind_manager"
    description = "Remind the manager of an open request; the second reminder goes to the escalation contact."

    def allowed(self, state: State) -> bool:
        return bool(self._overdue(state))

    def choices(self, state: State) -> Mapping[str, tuple[str, ...]]:
        return {"approval": tuple(a.id for a in self._overdue(state))}

    def _overdue(self, state: State) -> list[Approval]:
        if state.stopping:
            return []
        return [a for a in open_requests(state) if a.overdue and a.reminders < limits.MAX_REMINDERS]

    async def execute(
        self, state: State, arguments: Arguments, context: Context, journal: Journal, turn: int
    ) -> Reminded:
        approval = state.approvals[arguments["approval"]]
        n = approval.reminders + 1
        to: Literal["manager", "escalation"] = "manager" if n < limits.MAX_REMINDERS else "escalation"
        text = (
            f"{approval.id} still waits for a decision: {price_text(approval.unit_price)} {approval.currency}"
            f" for {approval.quantity} of {state.sku}, up to {price_text(approval.ceiling)}."
            f" It ends on {approval.expires_at:%Y-%m-%d}."
        )

        async def remind() -> int:
            await context.people.remind(approval.id, n, to, text)
            return n

        try:
            return Reminded((await journal.step(f"{self.name}-{turn}", remind, int)).at)
        except StepFailed as failed:
            return Reminded(failed.at)

    def apply(self, state: State, arguments: Arguments, result: Reminded) -> State:
        approval = state.approvals[arguments["approval"]]
        reminded = replace(approval, reminders=approval.reminders + 1, reminded_at=result.at, overdue=False)
        return later(state.with_approval(reminded), result.at)
