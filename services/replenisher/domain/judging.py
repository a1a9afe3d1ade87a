"""What a supplier's reply, once read, means for an order. The reading is untrusted: it can make a
counter-offer, never an approval."""

from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import StrEnum

from replenisher.domain import limits
from replenisher.domain.conditions import short
from replenisher.domain.order import CounterOffer, Order, OrderStatus, SupplierQuestion, Unwanted
from replenisher.domain.reading import Reading
from replenisher.domain.state import State


class Meaning(StrEnum):
    AGREES = "agrees"
    """Acknowledged at the order's own terms."""
    COUNTERS = "counters"
    """Acknowledged, or offered, at other terms."""
    DECLINES = "declines"
    ASKS = "asks"
    NOISE = "noise"
    """An automatic answer: nothing was said."""
    NOTHING = "nothing"
    """A person has to read it."""
    SETTLED = "settled"
    """About an order that needs nothing any more."""


@dataclass(frozen=True, slots=True)
class Judgement:
    meaning: Meaning
    order: Order | None
    """The order as it stands after this reply; None when it belongs to none of ours."""
    keeps: bool = False
    """The reply accepts the order at its own terms and we want it: it is confirmed in the records."""


def judge(state: State, order: Order | None, reading: Reading, message: str, at: datetime) -> Judgement:
    """What the reply means. Pure; used by the step that confirms and by what follows from it alike."""
    if reading.automatic:
        return Judgement(Meaning.NOISE, order)
    if order is None or order.status in (OrderStatus.DRAFT, OrderStatus.REFUSED):
        return Judgement(Meaning.NOTHING, order)
    if order.status in (OrderStatus.CANCELLED, OrderStatus.RECEIVED) or order.written_off:
        return Judgement(Meaning.SETTLED, order)
    if reading.declined:
        return Judgement(Meaning.DECLINES, replace(_declined(order), question=None))
    question = _question(reading, message) if reading.question else None
    committed = reading.accepted or reading.shipped
    offer = _counter(order, reading, message, at)
    if (committed or (reading.question and reading.unit_price is not None)) and offer is not None:
        wanted = _known(state, _other_acceptance(order, offer))
        price_asked = not committed and question is not None and question.topic == "other"
        asked = None if price_asked else question
        if wanted.unwanted is not None:
            return Judgement(Meaning.COUNTERS, replace(wanted, question=asked))
        return Judgement(Meaning.COUNTERS, replace(wanted, counter=offer, question=asked, overdue=None))
    if committed:
        wanted = _known(state, _other_acceptance(order, None))
        if wanted.unwanted is not None:
            return Judgement(Meaning.AGREES, replace(wanted, question=question))
        accepted = replace(
            wanted.to(OrderStatus.ACCEPTED),
            acknowledged_at=order.acknowledged_at or at,
            due=_due(order, reading.promised_date, at),
            question=question,
            counter=None,
            overdue=None,
        )
        return Judgement(Meaning.AGREES, accepted, keeps=True)
    if question is not None:
        known = replace(order, question=question, overdue=None)
        return Judgement(Meaning.ASKS, known)
    return Judgement(Meaning.NOTHING, order)


def confirmed(state: State, order: Order) -> Order:
    """An order of unknown outcome that turns out to be in the supplier's book: wanted while the position is short
    without it and without drafts, else a duplicate to be cancelled."""
    return _known(state, order)


def _known(state: State, order: Order) -> Order:
    if order.status is not OrderStatus.UNKNOWN:
        return order
    taken = replace(order.to(OrderStatus.SENT), tried_at=None, overdue=None)
    if state.cancel_requested is not None:
        return taken.discarded(Unwanted.OPERATOR, state.cancel_requested)
    if short(state, without=order.po, drafts=False):
        return taken
    instead = [o.po for o in state.orders.values() if o.live and o.po != order.po]
    covered = f"it was ordered again as {', '.join(instead)}" if instead else "the need is covered"
    return taken.discarded(Unwanted.DUPLICATE, f"its outcome was unknown and {covered}")


def _declined(order: Order) -> Order:
    declined = order if order.status is OrderStatus.DECLINED else order.to(OrderStatus.DECLINED)
    return declined.discarded(Unwanted.CANNOT_DELIVER, f"{order.supplier} cannot deliver")


def _counter(order: Order, reading: Reading, message: str, at: datetime) -> CounterOffer | None:
    """The terms that are not the order's own; None when there is no difference in price, currency, quantity or date.
    Those on the table said again stay, with what a person agreed to of them."""
    price = order.unit_price if reading.unit_price is None else reading.unit_price
    currency = order.currency if reading.currency is None else reading.currency
    quantity = order.quantity if reading.quantity is None else reading.quantity
    promised = reading.promised_date
    moved = promised is not None and order.due is not None and promised != order.due
    if (price, currency, quantity) == (order.unit_price, order.currency, order.quantity) and not moved:
        return None
    known = order.counter
    if known is not None and (price, currency, quantity, promised) == (
        known.unit_price,
        known.currency,
        known.quantity,
        known.promised,
    ):
        return known
    return CounterOffer(
        price, currency, quantity, promised, message, at, after_acceptance=order.status is OrderStatus.ACCEPTED
    )


def _other_acceptance(order: Order, offer: CounterOffer | None) -> Order:
    """The order when its counter-offer gives way: an acceptance of it that failed may
    have arrived, so its key is spent."""
    if order.counter is None or order.counter == offer or order.tried_at is None:
        return order
    return replace(order, acceptances=order.acceptances + 1, accept_tries=0)


def _question(reading: Reading, message: str) -> SupplierQuestion:
    return SupplierQuestion(reading.question_topic or "other", reading.question_text or "", message)


def _due(order: Order, promised: date | None, at: datetime) -> date:
    """The promised date; without one the acknowledgement plus the lead time, and an earlier agreement stands."""
    if promised is not None:
        return promised
    if order.acknowledged_at is not None and order.due is not None:
        return order.due
    return (at + timedelta(days=order.lead_time_days)).date()


def too_late(order: Order) -> bool:
    """The offered date is later than due by more than the tolerance: the buyer's decision."""
    c = order.counter
    return (
        c is not None
        and c.promised is not None
        and order.due is not None
        and c.promised > order.due + limits.LATE_TOLERANCE
        and not c.date_agreed
    )


def other_quantity(order: Order) -> bool:
    """Another quantity is offered, and nobody has agreed to it: a quantity read from a
    mail is never acted upon unseen."""
    return order.counter is not None and order.counter.quantity != order.quantity and not order.counter.quantity_agreed


def agreed(order: Order, ceiling: Decimal | None, at: datetime) -> Order:
    """The order after its counter-offer was accepted: the offered terms are its own now."""
    c = order.counter
    if c is None:
        return order
    ceilings = (ceiling, order.ceiling if c.currency == order.currency else None)
    standing = order.to(OrderStatus.ACCEPTED) if order.status is not OrderStatus.RECEIVED else order
    due = c.promised or order.due if order.acknowledged_at else c.promised
    return replace(
        standing,
        unit_price=c.unit_price,
        currency=c.currency,
        quantity=c.quantity,
        ceiling=max((x for x in ceilings if x is not None), default=None),
        due=due or (at + timedelta(days=order.lead_time_days)).date(),
        acknowledged_at=order.acknowledged_at or at,
        counter=None,
        overdue=None,
        acceptances=order.acceptances + 1,
        accept_tries=0,
        tried_at=None,
    )
