"""Reading a supplier's reply: from untrusted words to typed facts, and from those to what they mean for the order."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from replenisher.domain.hearing import covered
from replenisher.domain.judging import Judgement, Meaning, judge
from replenisher.domain.message import Message
from replenisher.domain.order import AT_SUPPLIER, Order
from replenisher.domain.reading import Books, Reading
from replenisher.domain.state import State, Unreadable
from replenisher.harness.journal import Journal, StepFailed
from replenisher.harness.tool import Arguments
from replenisher.tools.base import Context, ReplenishAction, later


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
        if order is None and message.po is not None:
            # it was an open order when this came in, and has been closed since
            said = f"{message.actor} wrote about {message.po}, which is closed already."
            at = await self._tell(state, message.po, said, context, journal, turn)
            return Read(None, Judgement(Meaning.SETTLED, None), at)
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
        return await self._tell(state, order.po, " ".join(said), context, journal, turn)

    @staticmethod
    async def _tell(state: State, po: str, text: str, context: Context, journal: Journal, turn: int) -> datetime:

        async def tell() -> str:
            await context.people.notify("buyer", f"{po}/flag/{state.n}-{turn}", state.sku, po, text)
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
