"""The end of things: close purchase orders in the records, wait for the next try, be done."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal

from replenisher.domain.clockwork import retries
from replenisher.domain.concluding import conclude
from replenisher.domain.conditions import next_try_due, settled
from replenisher.domain.order import Order, OrderStatus
from replenisher.domain.question import Subject
from replenisher.domain.state import State
from replenisher.harness.journal import Journal, StepFailed
from replenisher.harness.tool import ENDING, RETRYING, Arguments
from replenisher.tools.base import Context, Failed, ReplenishAction, ReplenishWait, later


@dataclass(frozen=True, slots=True)
class Closed:
    on_hand: Decimal | None
    """On hand after booking an agreed excess; None when there was none."""
    at: datetime


class ClosePurchaseOrder(ReplenishAction[Closed | Failed]):
    name = "close_purchase_order"
    description = "Close a purchase order on which nothing is outstanding."

    def allowed(self, state: State) -> bool:
        return bool(self._closable(state))

    def choices(self, state: State) -> Mapping[str, tuple[str, ...]]:
        return {"po": tuple(o.po for o in self._closable(state))}

    def _closable(self, state: State) -> list[Order]:
        undecided = {
            q.po
            for q in state.questions.values()
            if q.open and q.subject in (Subject.OVER_DELIVERY, Subject.UNREADABLE)
        }
        undecided |= {h.po for h in state.held if not h.agreed and not _left(state, h.note)}
        return [
            o
            for o in state.orders.values()
            if settled(o)
            and not o.closed
            and next_try_due(state, o)
            and (state.stopping or (o.counter is None and o.po not in undecided))
        ]

    async def execute(
        self, state: State, arguments: Arguments, context: Context, journal: Journal, turn: int
    ) -> Closed | Failed:
        po = arguments["po"]
        order = state.orders[po]

        async def close() -> Decimal | None:
            on_hand: Decimal | None = None
            if order.unrecorded and order.acknowledged_at is not None:
                await context.records.confirm(
                    po, order.quantity, order.unit_price, order.currency, order.due, order.acknowledged_at
                )
            for held in state.held:
                if held.po == po and held.agreed:
                    receipt = await context.records.receive(po, state.sku, held.note, held.excess, excess=True)
                    on_hand = receipt.on_hand
            await context.records.close(po)
            return on_hand

        try:
            done = await journal.step(f"{self.name}-{turn}", close, Decimal | None)  # type: ignore[arg-type]
        except StepFailed as failed:
            return Failed(failed.error[:300], failed.at)
        return Closed(done.value, done.at)

    def apply(self, state: State, arguments: Arguments, result: Closed | Failed) -> State:
        order = state.orders[arguments["po"]]
        if isinstance(result, Failed):
            return later(state.with_order(replace(order, tried_at=result.at)), result.at)
        if result.on_hand is not None:
            state = replace(state, on_hand=result.on_hand)
        return later(state.with_order(replace(order, closed=True, unrecorded=False, tried_at=None)), result.at)


def _left(state: State, note: str) -> bool:
    """The buyer was asked about this note's excess and gave no yes."""
    return any(q.message == note and not q.open for q in state.questions.values())


class WaitToRetry(ReplenishWait):
    name = "wait_to_retry"
    description = "Wait until what failed may be tried again."

    def rank(self, state: State) -> int:
        return RETRYING

    def allowed(self, state: State) -> bool:
        return bool(retries(state)) and not state.winding_down and not state.unread


@dataclass(frozen=True, slots=True)
class Finished:
    pass


class Done(ReplenishAction[Finished]):
    name = "done"
    description = "End the replenishment: nothing else can help."

    def rank(self, state: State) -> int:
        return ENDING

    def allowed(self, state: State) -> bool:
        """No draft is left; one that the records would not cancel is left to the entity when the turns are spent."""
        drafts = [o for o in state.orders.values() if o.status in (OrderStatus.DRAFT, OrderStatus.REFUSED)]
        return not drafts or (state.winding_down and all(o.tried_at is not None for o in drafts))

    async def execute(
        self, state: State, arguments: Arguments, context: Context, journal: Journal, turn: int
    ) -> Finished:
        return Finished()

    def apply(self, state: State, arguments: Arguments, result: Finished) -> State:
        return replace(state, outcome=conclude(state))
