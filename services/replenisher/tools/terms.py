"""Terms the supplier came back with: accepted only under a live approval, or when they cost no more than what was
sent."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from replenisher.domain.conditions import costs_no_more, live_approval, maybe_accepted, next_try_due
from replenisher.domain.hearing import supersede_unwanted
from replenisher.domain.judging import agreed, other_quantity, too_late
from replenisher.domain.keys import accept_key
from replenisher.domain.money import plain, price_text
from replenisher.domain.order import CounterOffer, Order, Unwanted
from replenisher.domain.ports import Refused
from replenisher.domain.state import State
from replenisher.harness.journal import Journal, StepFailed
from replenisher.harness.tool import Arguments
from replenisher.tools.base import Context, ReplenishAction, later


@dataclass(frozen=True, slots=True)
class Accepted:
    result: Literal["accepted", "expired", "refused", "failed"]
    detail: str
    at: datetime


class AcceptTerms(ReplenishAction[Accepted]):
    name = "accept_terms"
    description = "Accept a supplier's counter-offer that is approved, or costs no more than what was ordered."

    def allowed(self, state: State) -> bool:
        return bool(self._acceptable(state))

    def choices(self, state: State) -> Mapping[str, tuple[str, ...]]:
        return {"po": tuple(o.po for o in self._acceptable(state))}

    def _acceptable(self, state: State) -> list[Order]:
        if state.stopping or state.unread:
            return []
        return [
            o
            for o in state.orders.values()
            if o.counter is not None
            and o.unwanted is None
            and not other_quantity(o)
            and not too_late(o)
            and next_try_due(state, o)
            and (costs_no_more(o) or live_approval(state, o) is not None or maybe_accepted(o))
        ]

    async def execute(
        self, state: State, arguments: Arguments, context: Context, journal: Journal, turn: int
    ) -> Accepted:
        order = state.orders[arguments["po"]]
        offer = order.counter
        assert offer is not None
        approval = live_approval(state, order)
        cheap = costs_no_more(order)
        key = accept_key(order.po, order.acceptances + 1)

        async def accept() -> tuple[Literal["accepted", "expired", "refused"], str]:
            now = context.clock.now()
            if not cheap and (approval is None or not approval.live(now)):
                # an earlier attempt, of this step or of one before, may have arrived while the approval was live
                if not await _agreed_already(order, offer, context):
                    return "expired", ""
                return await record(now)
            try:
                await context.channel.accept(
                    order.supplier, order.po, offer.quantity, offer.unit_price, offer.currency, offer.promised, key=key
                )
            except Refused as refused:
                return "refused", str(refused)[:300]
            return await record(now)

        async def record(now: datetime) -> tuple[Literal["accepted"], str]:
            standing = agreed(order, None, now)
            await context.records.confirm(order.po, offer.quantity, offer.unit_price, offer.currency, standing.due, now)
            return "accepted", ""

        try:
            done = await journal.step(
                f"{self.name}-{turn}", accept, tuple[Literal["accepted", "expired", "refused"], str]
            )
        except StepFailed as failed:
            return Accepted("failed", failed.error[:300], failed.at)
        result, detail = done.value
        if result != "accepted":
            return Accepted(result, detail, done.at)
        text = (
            f"{order.supplier} supplies {plain(offer.quantity)} of {state.sku} on {order.po} at"
            f" {price_text(offer.unit_price)} {offer.currency} (ordered at {price_text(order.unit_price)}"
            f" {order.currency}); accepted."
        )

        async def tell() -> str:
            await context.people.notify("manager", key, state.sku, order.po, text)
            return text

        try:
            return Accepted("accepted", "", (await journal.step(f"tell_manager-{turn}", tell, str)).at)
        except StepFailed as failed:
            return Accepted("accepted", "", failed.at)

    def apply(self, state: State, arguments: Arguments, result: Accepted) -> State:
        order = state.orders[arguments["po"]]
        approval = live_approval(state, order)
        if result.result == "accepted":
            assert order.counter is not None
            # agreed under an approval that has run out since: it went up to this price at least
            once = None if costs_no_more(order) else order.counter.unit_price
            ceiling = once if approval is None else approval.approved_up_to
            state = state.with_order(agreed(order, ceiling, result.at))
        elif result.result == "failed":
            state = state.with_order(replace(order, tried_at=result.at, accept_tries=order.accept_tries + 1))
        elif result.result == "expired":
            state = state.with_order(replace(order, accept_tries=0))
        elif result.result == "refused":
            refused = order.discarded(Unwanted.TERMS_REJECTED, f"our acceptance was refused: {result.detail}")
            state = state.with_order(refused)
        return supersede_unwanted(later(state, result.at))


async def _agreed_already(order: Order, offer: CounterOffer, context: Context) -> bool:
    """The supplier's book shows what was agreed last: the offered terms only when our acceptance of them arrived."""
    try:
        found = await context.channel.find(order.supplier, order.po)
    except Refused as refused:
        raise ConnectionError(f"{order.supplier} does not tell: {refused}") from refused
    terms = (offer.unit_price, offer.currency, offer.quantity)
    return found is not None and (found.unit_price, found.currency, found.quantity) == terms
