"""From a need to a draft: ask the approved suppliers, choose a quote, draft the
purchase order in the system of record."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from replenisher.domain import limits
from replenisher.domain.conditions import (
    another_round_helps,
    enough_quotes,
    need_uncovered,
    purchases,
    round_due,
)
from replenisher.domain.order import Order
from replenisher.domain.part import SupplierItem
from replenisher.domain.ports import Draft, Refused
from replenisher.domain.quote import NoQuote, Purchase, Quote
from replenisher.domain.state import State
from replenisher.harness.journal import Journal, StepFailed
from replenisher.harness.tool import Arguments
from replenisher.tools.base import Context, Failed, ReplenishAction, later


@dataclass(frozen=True, slots=True)
class Quoted:
    """What one supplier answered."""

    quotes: list[Quote]
    refused: str | None = None


@dataclass(frozen=True, slots=True)
class QuoteRound:
    quotes: tuple[Quote, ...]
    unquoted: tuple[NoQuote, ...]
    at: datetime


class GetQuotes(ReplenishAction[QuoteRound]):
    name = "get_quotes"
    description = "Ask every approved supplier of this part for price and terms."

    def allowed(self, state: State) -> bool:
        return need_uncovered(state) and not enough_quotes(state) and another_round_helps(state) and round_due(state)

    async def execute(
        self, state: State, arguments: Arguments, context: Context, journal: Journal, turn: int
    ) -> QuoteRound:
        quotes: list[Quote] = []
        unquoted: list[NoQuote] = []
        at = state.now
        for supplier, items in _by_supplier(state.items).items():

            async def ask(supplier: str = supplier, items: list[SupplierItem] = items) -> Quoted:
                try:
                    offers = await context.prices.quotes(supplier, state.sku)
                    # of what else he sells nothing is recorded; an item named twice is taken at its first mention
                    first = {q.item: q for q in reversed(offers)}
                    return Quoted([first[i.item] for i in items if i.item in first])
                except Refused as refused:
                    return Quoted([], str(refused)[:300])

            try:
                answer = await journal.step(f"{self.name}-{turn}-{supplier}", ask, Quoted)
            except StepFailed as failed:
                unquoted += [NoQuote(supplier, i.item, failed.error[:200], failed=True) for i in items]
                at = failed.at
                continue
            at = answer.at
            offered = {q.item: q for q in answer.value.quotes}
            quotes += [offered[i.item] for i in items if i.item in offered]
            reason = answer.value.refused or "has no price"
            unquoted += [NoQuote(supplier, i.item, reason, failed=False) for i in items if i.item not in offered]
        return QuoteRound(tuple(quotes), tuple(unquoted), at)

    def apply(self, state: State, arguments: Arguments, result: QuoteRound) -> State:
        state = replace(
            later(state, result.at),
            quotes=result.quotes,
            unquoted=result.unquoted,
            quoted_at=result.at,
            quote_rounds=state.quote_rounds + 1,
        )
        return replace(state, quote_rounds=0) if enough_quotes(state) else state


def _by_supplier(items: tuple[SupplierItem, ...]) -> dict[str, list[SupplierItem]]:
    grouped: dict[str, list[SupplierItem]] = {}
    for item in items:
        grouped.setdefault(item.supplier, []).append(item)
    return grouped


@dataclass(frozen=True, slots=True)
class Drafted:
    po: str
    bought: Purchase
    at: datetime


class DraftPurchaseOrder(ReplenishAction[Drafted | Failed]):
    name = "draft_purchase_order"
    description = "Draft a purchase order in the system of record from one of the valid quotes."

    def allowed(self, state: State) -> bool:
        due = state.draft_failed_at is None or state.draft_failed_at + limits.RETRY_AFTER <= state.now
        return due and need_uncovered(state) and enough_quotes(state)

    def choices(self, state: State) -> Mapping[str, tuple[str, ...]]:
        return {"quote": tuple(p.quote.id for p in purchases(state))}

    async def execute(
        self, state: State, arguments: Arguments, context: Context, journal: Journal, turn: int
    ) -> Drafted | Failed:
        bought = next(p for p in purchases(state) if p.quote.id == arguments["quote"])
        draft = Draft(
            key=f"{state.run}/{state.drafts + 1}",
            run=state.run,
            sku=state.sku,
            supplier=bought.quote.supplier,
            item=bought.quote.item,
            quantity=bought.quantity,
            unit_price=bought.unit_price,
            currency=bought.quote.currency,
            freight=bought.quote.freight,
            lead_time_days=bought.quote.lead_time_days,
        )
        try:
            made = await journal.step(f"{self.name}-{turn}", lambda: context.records.ensure_draft(draft), str)
        except StepFailed as failed:
            return Failed(failed.error, failed.at)
        return Drafted(made.value, bought, made.at)

    def apply(self, state: State, arguments: Arguments, result: Drafted | Failed) -> State:
        state = later(state, result.at)
        if isinstance(result, Failed):
            return replace(state, draft_failed_at=result.at)
        bought = result.bought
        order = Order(
            po=result.po,
            sku=state.sku,
            supplier=bought.quote.supplier,
            item=bought.quote.item,
            quantity=bought.quantity,
            unit_price=bought.unit_price,
            currency=bought.quote.currency,
            lead_time_days=bought.quote.lead_time_days,
            run=state.run,
            freight=bought.quote.freight,
        )
        return replace(
            state.with_order(order),
            drafts=state.drafts + 1,
            draft_failed_at=None,
            wanted_quote=None,
            excess_agreed=False,
        )
