"""Taking back: a draft in the records, an order at the supplier. The list of what may be
cancelled is built here, not chosen."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from replenisher.domain import limits
from replenisher.domain.conditions import next_try_due, people_said_no, to_cancel, unanswered_request
from replenisher.domain.keys import cancel_key
from replenisher.domain.order import Order, OrderStatus
from replenisher.domain.ports import Refused
from replenisher.domain.state import State
from replenisher.harness.journal import Journal, StepFailed
from replenisher.harness.tool import NOTHING_ELSE, Arguments
from replenisher.tools.base import Context, Failed, ReplenishAction, later


@dataclass(frozen=True, slots=True)
class Cancelled:
    result: Literal["cancelled", "refused"]
    detail: str
    at: datetime


class CancelOrder(ReplenishAction[Cancelled | Failed]):
    name = "cancel_order"
    description = "Cancel an unwanted order at the supplier, and tell him why."

    def allowed(self, state: State) -> bool:
        return bool(self._cancellable(state))

    def choices(self, state: State) -> Mapping[str, tuple[str, ...]]:
        return {"po": tuple(o.po for o in self._cancellable(state))}

    def _cancellable(self, state: State) -> list[Order]:
        return [o for o in to_cancel(state) if o.cancel_tries < limits.CANCEL_TRIES and next_try_due(state, o)]

    async def execute(
        self, state: State, arguments: Arguments, context: Context, journal: Journal, turn: int
    ) -> Cancelled | Failed:
        order = state.orders[arguments["po"]]
        assert order.unwanted is not None
        reason = order.unwanted.for_supplier

        async def cancel() -> tuple[Literal["cancelled", "refused"], str]:
            try:
                await context.channel.cancel(order.supplier, order.po, reason, key=cancel_key(order.po))
            except Refused as refused:
                return "refused", str(refused)[:300]
            await context.records.cancel(order.po, order.unwanted_why or reason)
            return "cancelled", reason

        try:
            done = await journal.step(f"{self.name}-{turn}", cancel, tuple[Literal["cancelled", "refused"], str])
        except StepFailed as failed:
            return Failed(failed.error[:300], failed.at)
        return Cancelled(done.value[0], done.value[1], done.at)

    def apply(self, state: State, arguments: Arguments, result: Cancelled | Failed) -> State:
        order = state.orders[arguments["po"]]
        if isinstance(result, Failed):
            order = replace(order, cancel_tries=order.cancel_tries + 1, tried_at=result.at)
        elif result.result == "cancelled":
            order = replace(order.to(OrderStatus.CANCELLED), tried_at=None, counter=None, question=None, overdue=None)
        else:
            order = replace(order, cancel_refused=True, tried_at=None)
        return later(state.with_order(order), result.at)


class CancelDraft(ReplenishAction[Cancelled | Failed]):
    name = "cancel_draft"
    description = "Cancel a draft in the system of record that is not going to be ordered."

    def allowed(self, state: State) -> bool:
        return bool(self._dead(state) or self._all(state))

    def rank(self, state: State) -> int:
        return 0 if self._dead(state) else NOTHING_ELSE

    def choices(self, state: State) -> Mapping[str, tuple[str, ...]]:
        return {"po": tuple(o.po for o in self._dead(state) or self._all(state))}

    def _all(self, state: State) -> list[Order]:
        drafts = (OrderStatus.DRAFT, OrderStatus.REFUSED)
        return [o for o in state.orders.values() if o.status in drafts and next_try_due(state, o)]

    def _dead(self, state: State) -> list[Order]:
        """Drafts that were rejected or superseded, or whose request ended unanswered; all
        of them when nothing new is begun."""
        over = state.stopping or state.cancel_requested is not None or people_said_no(state)
        return [o for o in self._all(state) if over or o.unwanted is not None or unanswered_request(state, o)]

    async def execute(
        self, state: State, arguments: Arguments, context: Context, journal: Journal, turn: int
    ) -> Cancelled | Failed:
        order = state.orders[arguments["po"]]

        async def cancel() -> str:
            await context.records.cancel(order.po, order.unwanted_why or "not ordered")
            return order.po

        try:
            return Cancelled("cancelled", "", (await journal.step(f"{self.name}-{turn}", cancel, str)).at)
        except StepFailed as failed:
            return Failed(failed.error[:300], failed.at)

    def apply(self, state: State, arguments: Arguments, result: Cancelled | Failed) -> State:
        order = state.orders[arguments["po"]]
        if isinstance(result, Failed):
            return later(state.with_order(replace(order, tried_at=result.at)), result.at)
        cancelled = replace(order.to(OrderStatus.CANCELLED), closed=True, tried_at=None)
        return later(state.with_order(cancelled), result.at)
