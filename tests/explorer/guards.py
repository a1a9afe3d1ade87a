"""The guards that keep money safe, each with the way to switch it off alone. Off, the explorer (or one small check)
must notice."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from itertools import count

import pytest

from explorer.explorer import Report, explore
from explorer.starts import STARTS, Start, empty
from explorer.world import Booked
from replenisher.domain import hearing
from replenisher.domain.approval import Approval, ApprovalStatus, Verdict, decided
from replenisher.domain.message import Message
from replenisher.domain.order import Order, OrderStatus, Unwanted
from replenisher.domain.quote import Quote
from replenisher.domain.repricing import Repriced
from replenisher.domain.state import State
from replenisher.tools import cancelling, ordering, reading, terms
from support.inmemory import D

Patch = Callable[[pytest.MonkeyPatch], None]
Finder = Callable[[], bool]
"""True when something is wrong."""


@dataclass(frozen=True)
class Guard:
    name: str
    off: Patch
    finds: Finder


def from_start(name: str, depth: int = 8, most: int = 1500) -> Finder:
    return lambda: bool(explore([STARTS[name]()], depth, most).breaches)


def covers_without(what: str) -> Patch:
    """Approval.covers with one of its conditions gone."""

    def covers(
        a: Approval, po: str, quantity: Decimal, unit_price: Decimal, currency: str, freight: Decimal, at: datetime
    ) -> bool:
        held = {
            "live": a.live(at),
            "po": a.po == po,
            "quantity": a.quantity == quantity,
            "currency": a.currency == currency,
            "range": a.approved_up_to is not None and unit_price <= a.approved_up_to,
            "freight": freight <= a.freight,
        }
        return a.status is ApprovalStatus.APPROVED and all(ok for name, ok in held.items() if name != what)

    return lambda patch: patch.setattr(Approval, "covers", covers)


def never_expires(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Approval, "live", lambda a, at: a.status is ApprovalStatus.APPROVED)


def no_reprice(patch: pytest.MonkeyPatch) -> None:
    def trusting(state: State, order: Order, approval: Approval, quote: Quote | None, at: datetime) -> Repriced:
        return Repriced.ORDER

    patch.setattr(ordering, "reprice", trusting)


def fresh_keys(patch: pytest.MonkeyPatch) -> None:
    numbers = count(1)
    patch.setattr(ordering, "order_key", lambda po: f"{po}-{next(numbers)}")


def cancels_anything(patch: pytest.MonkeyPatch) -> None:
    def everything(state: State) -> list[Order]:
        sent = (OrderStatus.SENT, OrderStatus.ACCEPTED, OrderStatus.DECLINED)
        return [replace(o, unwanted=Unwanted.BUYER) for o in state.orders.values() if o.status in sent]

    execute = cancelling.CancelOrder.execute

    async def blind(self, state, arguments, context, journal, turn):  # type: ignore[no-untyped-def]
        po = arguments["po"]
        state = state.with_order(replace(state.orders[po], unwanted=Unwanted.BUYER))
        return await execute(self, state, arguments, context, journal, turn)

    patch.setattr(cancelling, "to_cancel", everything)
    patch.setattr(cancelling.CancelOrder, "execute", blind)


def cancels_other_skus(patch: pytest.MonkeyPatch) -> None:
    def of_any_sku(state: State) -> list[Order]:
        return [o for o in state.orders.values() if o.leaving and not o.cancel_refused]

    patch.setattr(cancelling, "to_cancel", of_any_sku)


def hears_anybody(patch: pytest.MonkeyPatch) -> None:
    def of_anybody(state: State, message: Message) -> Order | None:
        return state.orders.get(message.po or "")

    patch.setattr(reading, "order_of", of_anybody)


def accepts_any_terms(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(terms, "costs_no_more", lambda order: True)


def decides_again(patch: pytest.MonkeyPatch) -> None:
    def every_time(state: State, approval_id: str, verdict: Verdict, at: datetime) -> State:
        return state.with_approval(decided(state.approvals[approval_id], verdict, at))

    patch.setattr(hearing, "verdict_heard", every_time)


def second_verdict_counts() -> bool:
    """A request that was rejected and is then approved: the first decision must stand."""
    state, world = STARTS["approval open"]()
    [approval] = state.approvals
    state = hearing.verdict_heard(state, approval, Verdict(False, "boss"), world.time)
    state = hearing.verdict_heard(state, approval, Verdict(True, "boss"), world.time)
    return state.approvals[approval].status is not ApprovalStatus.REJECTED


def with_a_foreign_order() -> Start:
    """By some fault another part's order is among ours; it must never be cancelled."""
    foreign = Order(
        "PO-9000", "SKU-999", "A", "A-999", D(10), D(1), "USD", 7, "replenish-SKU-999-1", status=OrderStatus.SENT
    ).discarded(Unwanted.BUYER, "a fault")
    state, world = empty(orders=(foreign,))
    world.book["PO-9000"] = Booked("A", "SKU-999", D(10), D(1), "USD", "open", told=True)
    return state, world


def carried_over_price() -> Finder:
    """An approval of one PO must not serve another: the second PO of a run, drafted after the first was refused."""
    return lambda: bool(explore([STARTS["approval open"]()], 9, 1500).breaches)


GUARDS: tuple[Guard, ...] = (
    Guard("range", covers_without("range"), from_start("counter-offer open")),
    Guard("currency", covers_without("currency"), from_start("approval open")),
    Guard("expiry", never_expires, from_start("approval open")),
    Guard("binding to PO", covers_without("po"), carried_over_price()),
    Guard("binding to quantity", covers_without("quantity"), from_start("approval open", 9, 1500)),
    Guard("quote fetched again", no_reprice, from_start("approval open")),
    Guard("idempotency key", fresh_keys, from_start("approval open")),
    Guard("cancel list", cancels_anything, from_start("approval open")),
    Guard(
        "cancel list: this part only",
        cancels_other_skus,
        lambda: bool(explore([with_a_foreign_order()], 4, 500).breaches),
    ),
    Guard("channel of a message", hears_anybody, from_start("approval open")),
    Guard("accept_terms under a live approval", accepts_any_terms, from_start("counter-offer open")),
    Guard("one decision per request", decides_again, second_verdict_counts),
)

__all__ = ["GUARDS", "Guard", "Report", "with_a_foreign_order"]
