"""Writing to the supplier and waiting for him: wait for his reply, chase him, answer his questions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from replenisher.domain import limits
from replenisher.domain.conditions import awaiting_goods, awaiting_reply, next_try_due
from replenisher.domain.keys import answer_key, chase_key
from replenisher.domain.order import Order
from replenisher.domain.ports import Letter, Refused
from replenisher.domain.state import State
from replenisher.harness.journal import Journal, StepFailed
from replenisher.harness.tool import Arguments
from replenisher.tools.base import Context, ReplenishAction, ReplenishWait, later


class WaitForSupplierReply(ReplenishWait):
    name = "wait_for_supplier_reply"
    description = "Wait for the supplier's acknowledgement."

    def allowed(self, state: State) -> bool:
        waiting = any(awaiting_reply(o) and o.overdue is None for o in state.orders.values())
        return waiting and not state.unread and not state.ending


def letter(state: State, order: Order, kind: Literal["chase", "answer"], reason: str, n: int) -> Letter:
    return Letter(
        kind,
        order.po,
        order.sku,
        order.supplier,
        order.quantity,
        state.part.unit,
        order.unit_price,
        order.currency,
        order.due,
        reason,
        n,
    )


@dataclass(frozen=True, slots=True)
class Wrote:
    sent: bool
    at: datetime


async def write_and_send(
    order: Order, written: Callable[[], Letter], name: str, key: str, context: Context, journal: Journal, turn: int
) -> Wrote:
    """Writes the mail in one step and sends it in another, so that every attempt to send carries the same words."""
    kind: Literal["chase", "answer"] = "chase" if name == ChaseSupplier.name else "answer"
    try:
        text = (await journal.step(f"write-{turn}", lambda: context.writer.write(written()), str)).value

        async def send() -> bool:
            try:
                await context.channel.message(order.supplier, order.po, kind, text, key=key)
            except Refused:
                return False
            return True

        sent = await journal.step(f"{name}-{turn}", send, bool)
    except StepFailed as failed:
        return Wrote(False, failed.at)
    return Wrote(sent.value, sent.at)


class ChaseSupplier(ReplenishAction[Wrote]):
    name = "chase_supplier"
    description = "Write to the supplier about an overdue acknowledgement or overdue goods."

    def allowed(self, state: State) -> bool:
        return bool(self._overdue(state))

    def choices(self, state: State) -> Mapping[str, tuple[str, ...]]:
        return {"po": tuple(o.po for o in self._overdue(state))}

    def _overdue(self, state: State) -> list[Order]:
        if state.ending or state.unread:
            return []
        return [
            o
            for o in state.orders.values()
            if (o.overdue == "reply" and awaiting_reply(o) and o.reply_chases < limits.MAX_CHASES)
            or (o.overdue == "goods" and awaiting_goods(o) and o.goods_chases < limits.MAX_CHASES)
        ]

    async def execute(self, state: State, arguments: Arguments, context: Context, journal: Journal, turn: int) -> Wrote:
        order = state.orders[arguments["po"]]
        n = order.chases + 1
        about = "reply" if order.overdue == "reply" else "goods"
        return await write_and_send(
            order,
            lambda: letter(state, order, "chase", about, n),
            self.name,
            chase_key(order.po, n),
            context,
            journal,
            turn,
        )

    def apply(self, state: State, arguments: Arguments, result: Wrote) -> State:
        order = state.orders[arguments["po"]]
        chased = replace(order, overdue=None, chased_at=result.at, chases=order.chases + 1)
        if order.overdue == "reply":
            chased = replace(chased, reply_chases=order.reply_chases + 1)
        else:
            chased = replace(chased, goods_chases=order.goods_chases + 1)
        return later(state.with_order(chased), result.at)


class AnswerSupplier(ReplenishAction[Wrote]):
    name = "answer_supplier"
    description = "Answer the supplier's question from master data or with what the buyer said."

    def allowed(self, state: State) -> bool:
        return bool(self._answerable(state))

    def choices(self, state: State) -> Mapping[str, tuple[str, ...]]:
        return {"po": tuple(o.po for o in self._answerable(state))}

    def _answerable(self, state: State) -> list[Order]:
        if state.stopping:
            return []
        return [
            o
            for o in state.orders.values()
            if o.question is not None
            and o.unwanted is None
            and (o.question.answer is not None or o.question.topic in state.answerable)
            and next_try_due(state, o)
        ]

    async def execute(self, state: State, arguments: Arguments, context: Context, journal: Journal, turn: int) -> Wrote:
        order = state.orders[arguments["po"]]
        question = order.question
        assert question is not None
        key = answer_key(order.po, order.answers + 1)

        def written() -> Letter:
            answer = question.answer or context.company.answers[question.topic]
            return letter(state, order, "answer", answer, order.answers + 1)

        return await write_and_send(order, written, self.name, key, context, journal, turn)

    def apply(self, state: State, arguments: Arguments, result: Wrote) -> State:
        order = state.orders[arguments["po"]]
        if result.sent:
            told = replace(order, question=None, answers=order.answers + 1, chased_at=result.at, tried_at=None)
        else:
            told = replace(order, tried_at=result.at)
        return later(state.with_order(told), result.at)
