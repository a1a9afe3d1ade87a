"""The supplier's side of the conversation: wait for him, chase him, read him, answer him, accept his terms."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from replenisher.domain import limits
from replenisher.domain.conditions import awaiting_goods, awaiting_reply, costs_no_more, live_approval, next_try_due
from replenisher.domain.hearing import covered, supersede_unwanted
from replenisher.domain.judging import Judgement, Meaning, agreed, judge, other_quantity, too_late
from replenisher.domain.keys import accept_key, answer_key, chase_key
from replenisher.domain.message import Message
from replenisher.domain.money import plain, price_text
from replenisher.domain.order import AT_SUPPLIER, Order, Unwanted
from replenisher.domain.ports import Letter, Refused
from replenisher.domain.reading import Books, Reading
from replenisher.domain.state import State, Unreadable
from replenisher.harness.journal import Journal, StepFailed
from replenisher.harness.tool import Arguments
from replenisher.tools.base import Context, ReplenishAction, ReplenishWait, later


class WaitForSupplierReply(ReplenishWait):
    name = "wait_for_supplier_reply"
    description = "Wait for the supplier's acknowledgement."

    def allowed(self, state: State) -> bool:
        waiting = any(awaiting_reply(o) and o.overdue is None for o in state.orders.values())
        return waiting and not state.unread and not state.stopping


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
        if state.stopping or state.unread:
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


@dataclass(frozen=True, slots=True)
class Read:
    reading: Reading | None
    """None when it could not be read at all."""
    judgement: Judgement
    at: datetime


class ReadSupplierReply(ReplenishAction[Read]):
    name = "read_supplier_reply"
    description = "Read a supplier's message into typed facts and, if it acknowledges our own terms, record that."

    def allowed(self, state: State) -> bool:
        return bool(state.unread)

    def choices(self, state: State) -> Mapping[str, tuple[str, ...]]:
        return {"message": tuple(m.id for m in state.unread)}

    async def execute(self, state: State, arguments: Arguments, context: Context, journal: Journal, turn: int) -> Read:
        message = next(m for m in state.unread if m.id == arguments["message"])
        order = order_of(state, message)
        if order is None:
            return Read(None, Judgement(Meaning.NOTHING, None), state.now)
        books = books_of(state, order, message)
        reading, at = message.reading, state.now
        if reading is None:
            try:
                read = await journal.step(
                    f"{self.name}-{turn}", lambda: context.reader.read(message.content, books), Reading
                )
            except StepFailed as failed:
                return Read(None, Judgement(Meaning.NOTHING, order), failed.at)
            reading, at = read.value, read.at
        judgement = judge(state, order, reading, message.id, message.at)
        at = await self._flag(state, order, reading, judgement, context, journal, turn) or at
        kept = judgement.order
        if not judgement.keeps or kept is None:
            return Read(reading, judgement, at)

        async def confirm() -> str:
            await context.records.confirm(kept.po, kept.quantity, kept.unit_price, kept.currency, kept.due, message.at)
            return kept.po

        try:
            at = (await journal.step(f"confirm-{turn}", confirm, str)).at
        except StepFailed as failed:
            judgement = replace(judgement, order=replace(kept, unrecorded=True))
            at = failed.at
        return Read(reading, judgement, at)

    async def _flag(
        self,
        state: State,
        order: Order,
        reading: Reading,
        judgement: Judgement,
        context: Context,
        journal: Journal,
        turn: int,
    ) -> datetime | None:
        """Tells the buyer what he must know and no rule acts on."""
        said: list[str] = []
        if reading.bank_details_changed:
            said.append(
                f"A mail about {order.po} speaks of changed bank details. Check it by telephone; nothing is stored."
            )
        if judgement.meaning is Meaning.SETTLED and not reading.automatic:
            said.append(f"{order.supplier} wrote about {order.po}, which is {order.status.value} already.")
        if not said:
            return None
        text = " ".join(said)

        async def tell() -> str:
            await context.people.notify("buyer", f"{order.po}/flag/{turn}", state.sku, order.po, text)
            return text

        try:
            return (await journal.step(f"tell_buyer-{turn}", tell, str)).at
        except StepFailed as failed:
            return failed.at

    def apply(self, state: State, arguments: Arguments, result: Read) -> State:
        message = next(m for m in state.unread if m.id == arguments["message"])
        state = replace(later(state, result.at), unread=tuple(m for m in state.unread if m.id != message.id))
        order = result.judgement.order
        if result.judgement.meaning is Meaning.NOTHING:
            text = f"{message.content.get('subject', '')}: {message.content.get('text', '')}"[:300]
            note = Unreadable(message.id, None if order is None else order.po, text)
            return replace(state, unreadable=(*state.unreadable, note))
        if order is None:
            return state
        if result.judgement.meaning is Meaning.DECLINES:
            state = replace(state, dropped=(*state.dropped, order.supplier))
        return covered(state.with_order(order))


def order_of(state: State, message: Message) -> Order | None:
    """The order a message is about, if it may be about it: a supplier is heard on his own orders only."""
    mine = [o for o in state.orders.values() if o.supplier == message.actor]
    if message.po is not None:
        return next((o for o in mine if o.po == message.po), None)
    open_orders = [o for o in mine if o.status in AT_SUPPLIER]
    return open_orders[0] if len(open_orders) == 1 else None


def books_of(state: State, order: Order, message: Message) -> Books:
    """What our books say of the order, for the reader to compare with."""
    return Books(
        po=order.po,
        sku=order.sku,
        quantity=order.quantity,
        unit_price=order.unit_price,
        currency=order.currency,
        due=order.due,
        received=message.at.date(),
        other_pos=tuple(o.po for o in state.orders.values() if o.po != order.po),
        pack=next((i.pack for i in state.items if (i.supplier, i.item) == (order.supplier, order.item)), None),
    )


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
            and (costs_no_more(o) or live_approval(state, o) is not None)
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
                return "expired", ""
            try:
                await context.channel.accept(
                    order.supplier, order.po, offer.quantity, offer.unit_price, offer.currency, offer.promised, key=key
                )
            except Refused as refused:
                return "refused", str(refused)[:300]
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
            ceiling = None if approval is None else approval.approved_up_to
            state = state.with_order(agreed(order, ceiling, result.at))
        elif result.result == "failed":
            state = state.with_order(replace(order, tried_at=result.at))
        elif result.result == "refused":
            refused = order.discarded(Unwanted.TERMS_REJECTED, f"our acceptance was refused: {result.detail}")
            state = state.with_order(refused)
        return supersede_unwanted(later(state, result.at))


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
