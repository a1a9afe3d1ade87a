"""Committing money: the price is fetched again, the approval checked on the real clock,
and one body sent under one key."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from replenisher.domain import limits
from replenisher.domain.approval import Approval
from replenisher.domain.conditions import is_draft, live_approval, next_try_due, unknown
from replenisher.domain.hearing import covered, supersede_unwanted
from replenisher.domain.judging import confirmed
from replenisher.domain.keys import order_key
from replenisher.domain.order import Order, OrderStatus, Unwanted
from replenisher.domain.ports import OrderBody, Refused, SupplierOrder
from replenisher.domain.quote import Quote
from replenisher.domain.repricing import Repriced, reprice, repriced, requoted
from replenisher.domain.state import State
from replenisher.harness.journal import Journal, StepFailed
from replenisher.harness.tool import Arguments
from replenisher.tools.base import Context, Failed, ReplenishAction, later


@dataclass(frozen=True, slots=True)
class FreshQuote:
    """This supplier item's quote right now, and what it means on the real clock."""

    quote: Quote | None
    meaning: Repriced
    deliver_to: str
    """Recorded with it, so that the body sent is the same on every attempt whatever the settings say then."""


Sent = Literal["taken", "refused", "unknown", "expired", "blocked"]
"""taken: in the supplier's book. refused: not. unknown: the answer never came. expired: not sent, the
approval ran out. blocked: not sent, the records would not have it sent."""


@dataclass(frozen=True, slots=True)
class Placed:
    """What became of an order that was to be sent."""

    result: Sent
    order: Order
    detail: str
    quote: Quote
    at: datetime


@dataclass(frozen=True, slots=True)
class NotOrdered:
    meaning: Repriced
    quote: Quote | None
    at: datetime


class PlaceOrder(ReplenishAction[Placed | NotOrdered | Failed]):
    name = "place_order"
    description = "Fetch the price again and, if it is within the approval, send the order to the supplier."

    def allowed(self, state: State) -> bool:
        return bool(self._placeable(state))

    def choices(self, state: State) -> Mapping[str, tuple[str, ...]]:
        return {"po": tuple(o.po for o in self._placeable(state))}

    def _placeable(self, state: State) -> list[Order]:
        leaving = any(o.leaving for o in state.orders.values())
        if state.stopping or state.cancel_requested is not None or state.unread or leaving:
            return []
        return [
            o
            for o in state.orders.values()
            if is_draft(state, o) and live_approval(state, o) is not None and next_try_due(state, o)
        ]

    async def execute(
        self, state: State, arguments: Arguments, context: Context, journal: Journal, turn: int
    ) -> Placed | NotOrdered | Failed:
        order = state.orders[arguments["po"]]
        approval = live_approval(state, order)
        assert approval is not None

        async def fetch() -> FreshQuote:
            try:
                offered = await context.prices.quotes(order.supplier, state.sku)
            except Refused:
                offered = ()
            quote = next((q for q in offered if q.item == order.item), None)
            meaning = reprice(state, order, approval, quote, context.clock.now())
            return FreshQuote(quote, meaning, context.company.deliver_to)

        try:
            fresh = await journal.step(f"reprice-{turn}", fetch, FreshQuote)
        except StepFailed as failed:
            return Failed(failed.error, failed.at)
        quote, meaning = fresh.value.quote, fresh.value.meaning
        price = None if quote is None else quote.unit_price(order.quantity)
        if meaning is not Repriced.ORDER or quote is None or price is None:
            return await self._not_ordered(order, NotOrdered(meaning, quote, fresh.at), context, journal, turn)
        sent = replace(order, unit_price=price, freight=quote.freight, ceiling=approval.approved_up_to)
        body = OrderBody(
            sent.po, sent.sku, sent.item, sent.quantity, sent.unit_price, sent.currency, fresh.value.deliver_to
        )
        return await self._send(sent, body, approval, quote, context, journal, turn)

    async def _send(
        self,
        order: Order,
        body: OrderBody,
        approval: Approval,
        quote: Quote,
        context: Context,
        journal: Journal,
        turn: int,
    ) -> Placed:

        async def send() -> tuple[Sent, str]:
            if not approval.live(context.clock.now()):
                return await _expired(order, context)
            assert order.ceiling is not None
            try:
                await context.records.begin_sending(order.po, order.unit_price, order.ceiling)
            except Refused as refused:
                return "blocked", str(refused)[:300]
            try:
                await context.channel.order(order.supplier, body, key=order_key(order.po))
            except Refused as refused:
                return "refused", str(refused)[:300]
            await context.records.mark_sent(order.po, context.clock.now())
            return "taken", ""

        try:
            placed = await journal.step(f"{self.name}-{turn}", send, tuple[Sent, str])
        except StepFailed as failed:
            return Placed("unknown", order, failed.error[:300], quote, failed.at)
        result, detail = placed.value
        return Placed(result, order, detail, quote, placed.at)

    async def _not_ordered(
        self, order: Order, result: NotOrdered, context: Context, journal: Journal, turn: int
    ) -> NotOrdered | Failed:
        changed = repriced(order, result.meaning, result.quote)
        if result.meaning is not Repriced.DEARER or changed == order:
            return result

        async def change() -> str:
            await context.records.change_draft(order.po, changed.unit_price, changed.freight)
            return order.po

        try:
            done = await journal.step(f"change_draft-{turn}", change, str)
        except StepFailed as failed:
            return Failed(failed.error, failed.at)
        return replace(result, at=done.at)

    def apply(self, state: State, arguments: Arguments, result: Placed | NotOrdered | Failed) -> State:
        order = state.orders[arguments["po"]]
        state = later(state, result.at)
        if isinstance(result, Failed):
            return state.with_order(replace(order, reprice_failed=True, tried_at=result.at))
        if isinstance(result, NotOrdered):
            if result.meaning is Repriced.EXPIRED:
                return state.with_order(replace(order, reprice_failed=False, tried_at=None))
            state = requoted(state, order, result.quote)
            changed = replace(repriced(order, result.meaning, result.quote), reprice_failed=False, tried_at=None)
            return supersede_unwanted(state.with_order(changed))
        state = requoted(state, order, result.quote)
        order = replace(result.order, reprice_failed=False, tried_at=None)
        due = (result.at + timedelta(days=order.lead_time_days)).date()
        if result.result == "taken":
            return state.with_order(replace(order.to(OrderStatus.SENT), sent_at=result.at, due=due))
        if result.result == "unknown":
            unknown_now = replace(order.to(OrderStatus.UNKNOWN), sent_at=result.at, due=due, tried_at=result.at)
            return state.with_order(unknown_now)
        if result.result == "expired":
            return state
        if result.result == "blocked":
            return state.with_order(replace(state.orders[order.po], reprice_failed=True, tried_at=result.at))
        state = replace(state, dropped=(*state.dropped, order.supplier))
        refused = order.to(OrderStatus.REFUSED).discarded(Unwanted.SUPERSEDED, f"refused: {result.detail}")
        return state.with_order(refused)

    def interrupted(self, state: State, arguments: Arguments) -> State:
        """The cancellation may have come while the order was on its way."""
        order = state.orders[arguments["po"]]
        if order.status is not OrderStatus.DRAFT:
            return state  # what became of it is known: the cancellation came after
        return state.with_order(replace(order.to(OrderStatus.UNKNOWN), sent_at=state.now, tried_at=state.now))


async def _expired(order: Order, context: Context) -> tuple[Sent, str]:
    """The approval ran out. If an earlier attempt had begun to send, only the supplier's
    book can tell what became of it."""
    stock = await context.records.stock(order.sku)
    recorded = next((o for o in stock.orders if o.po == order.po), None) if stock else None
    if recorded is None or recorded.status is OrderStatus.DRAFT:
        return "expired", ""
    if await context.channel.find(order.supplier, order.po) is None:
        await context.records.mark_draft(order.po)
        return "expired", ""
    await context.records.mark_sent(order.po, context.clock.now())
    return "taken", "found in the supplier's book"


@dataclass(frozen=True, slots=True)
class Checked:
    found: SupplierOrder | None
    at: datetime


class CheckOrder(ReplenishAction[Checked | Failed]):
    name = "check_order"
    description = "Ask the supplier, by PO number, whether he has an order of unknown outcome."

    def allowed(self, state: State) -> bool:
        return bool(self._checkable(state))

    def choices(self, state: State) -> Mapping[str, tuple[str, ...]]:
        return {"po": tuple(o.po for o in self._checkable(state))}

    def _checkable(self, state: State) -> list[Order]:
        if state.stopping:
            return []
        return [o for o in unknown(state) if o.checks < limits.ORDER_CHECKS and next_try_due(state, o)]

    async def execute(
        self, state: State, arguments: Arguments, context: Context, journal: Journal, turn: int
    ) -> Checked | Failed:
        order = state.orders[arguments["po"]]

        async def check() -> SupplierOrder | None:
            try:
                found = await context.channel.find(order.supplier, order.po)
            except Refused as refused:
                raise ConnectionError(f"{order.supplier} does not tell: {refused}") from refused
            if found is None:
                await context.records.mark_draft(order.po)
            else:
                await context.records.mark_sent(order.po, context.clock.now())
            return found

        try:
            checked = await journal.step(f"{self.name}-{turn}", check, SupplierOrder | None)  # type: ignore[arg-type]
        except StepFailed as failed:
            return Failed(failed.error, failed.at)
        return Checked(checked.value, checked.at)

    def apply(self, state: State, arguments: Arguments, result: Checked | Failed) -> State:
        order = state.orders[arguments["po"]]
        state = later(state, result.at)
        if isinstance(result, Failed):
            return state.with_order(replace(order, checks=order.checks + 1, tried_at=result.at))
        if result.found is None:
            draft = replace(order.to(OrderStatus.DRAFT), tried_at=None, sent_at=None, ceiling=None)
            if order.run != state.run or state.cancel_requested is not None:
                draft = draft.discarded(Unwanted.LEFT_OVER, "the supplier never had it")
            return state.with_order(draft)
        if result.found.status in _DECLINED:
            state = replace(state, dropped=(*state.dropped, order.supplier))
        return covered(state.with_order(_found(state, order, result.found)))


_DECLINED = ("declined", "cancelled")
"""How a supplier's book shows an order that he will not supply."""


def _found(state: State, order: Order, found: SupplierOrder) -> Order:
    if found.status in _DECLINED:
        declined = replace(order.to(OrderStatus.DECLINED), tried_at=None)
        return declined.discarded(Unwanted.CANNOT_DELIVER, f"{order.supplier} shows it as {found.status}")
    return confirmed(state, order)
