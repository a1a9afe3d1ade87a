"""Any story with any decider: whatever happens and whatever is chosen, a run ends in order
and nothing is spent unapproved."""

import os
from collections.abc import Mapping, Sequence
from decimal import Decimal
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from replenisher.domain.order import AT_SUPPLIER, OrderStatus
from replenisher.domain.outcome import OutcomeStatus
from replenisher.domain.ports import OrderBody
from replenisher.domain.reading import Reading
from replenisher.domain.state import State
from replenisher.harness.decider import Choice, Unusable
from replenisher.harness.loop import Turn
from replenisher.harness.memory import Answer
from replenisher.harness.tool import Option
from support.inmemory import MemoryWorld
from support.making import EARLIER, order
from support.simulation import Simulation
from support.telling import Part, play

D = Decimal
S = OrderStatus
OLD = "PO-4400"
OLD_TERMS = (D(450), "USD", D("4.20"))
"""An order of an earlier run, and what it was sent at."""


class Whim:
    """A decider that picks anything on the menu, and now and then something off it."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    async def decide(self, goal: str, view: Mapping[str, Any], options: Sequence[Option]) -> Choice:
        roll = self.random.random()
        if roll < 0.05:
            raise Unusable("no answer")
        if roll < 0.08:
            raise ConnectionError("the model is away")
        if roll < 0.12:
            return Choice("transfer_money", {"amount": "1000000"})
        one = self.random.choice(options)
        return Choice(one.tool, {k: self.random.choice(v) for k, v in one.arguments.items()}, by="whim")


READINGS = (
    Reading(accepted=True),
    Reading(accepted=True, unit_price=D("4.35"), currency="USD"),
    Reading(accepted=True, unit_price=D("4.90"), currency="USD"),
    Reading(accepted=True, unit_price=D("4.20"), currency="EUR"),
    Reading(accepted=True, unit_price=D("0.01"), currency="GBP"),
    Reading(accepted=True, quantity=D(200)),
    Reading(accepted=True, quantity=D(9000)),
    Reading(shipped=True),
    Reading(declined=True),
    Reading(question=True, question_topic="dock"),
    Reading(question=True, question_topic="other", question_text="colour?"),
    Reading(automatic=True),
    Reading(),
)
SWITCHES = (
    *(f"{s}:{op}" for s in "AB" for op in ("quotes", "orders", "find", "messages", "accept", "cancel")),
    "records",
    "people",
)


def happen(kind: str, pick: int, days: float) -> Part:
    """Something of this kind, picked from what is possible as things stand; else nothing, and the wait runs out."""

    def part(sim: Simulation) -> Answer:
        state = sim.turns[-1].after if sim.turns else None
        world = sim.world
        at_supplier = (
            [o for o in state.orders.values() if o.status in AT_SUPPLIER or o.status is S.CANCELLED] if state else []
        )
        if kind in ("yes", "no") and state:
            # what is being asked in the turn under way is open as well
            known = [a.id for a in state.approvals.values() if a.open and not a.withdrawn]
            return sim.decide(known[pick % len(known)], kind == "yes", days) if known else None
        if kind == "reply" and at_supplier:
            one = at_supplier[pick % len(at_supplier)]
            return sim.reply(one.po, READINGS[pick % len(READINGS)], one.supplier if pick % 7 else "C", days)
        if kind == "goods" and at_supplier and not world.records.down:
            one = at_supplier[pick % len(at_supplier)]
            return sim.goods(one.po, ("200", "250", "450", "600")[pick % 4], f"DN-{pick % 5}", days)
        if kind == "answer" and state:
            open_ones = [q for q in state.questions.values() if q.open]
            if open_ones:
                asked = open_ones[pick % len(open_ones)]
                return sim.answer(asked.id, asked.choices[pick % len(asked.choices)], "yes", days)
        if kind == "operator":
            return sim.cancel(after=days)
        if kind == "switch":
            toggle(world, SWITCHES[pick % len(SWITCHES)])
        if kind == "price":
            world.suppliers.prices["ABC"[pick % 3]] = (D("4.10"), D("4.38"), D("4.80"), None)[pick % 4]
        if kind == "lose":
            world.suppliers.lost ^= {("A:orders", "B:orders", "A:cancel")[pick % 3]}
        return None

    return part


def toggle(world: MemoryWorld, what: str) -> None:
    if what == "records":
        world.records.down = not world.records.down
    elif what == "people":
        world.people.down = not world.people.down
    else:
        world.suppliers.down ^= {what}


KINDS = (
    "yes",
    "yes",
    "yes",
    "no",
    "reply",
    "reply",
    "goods",
    "answer",
    "operator",
    "switch",
    "price",
    "lose",
    "nothing",
)
EXAMPLES = int(os.environ.get("REPLENISHER_TEST_EXAMPLES", "60"))
PARTS = st.builds(
    happen, st.sampled_from(KINDS), st.integers(0, 999), st.sampled_from([0.1, 0.5, 1.0, 3.0, 8.0])
)  # fmt: skip


def approved_prices(turns: Sequence[Turn[State]]) -> dict[str, list[tuple[Decimal, str, Decimal]]]:
    """For each PO what the manager said yes to: quantity, currency and highest price."""
    said: dict[str, list[tuple[Decimal, str, Decimal]]] = {}
    for approval in turns[-1].after.approvals.values():
        if approval.approved_up_to is not None:
            said.setdefault(approval.po, []).append((approval.quantity, approval.currency, approval.approved_up_to))
    return said


def check(sim: Simulation, last: State) -> None:
    outcome = last.outcome
    assert outcome is not None
    assert outcome.status in set(OutcomeStatus)
    assert outcome.reason
    assert {o.po for o in outcome.orders} == set(last.orders)
    assert len(sim.turns) <= 205
    drafts = [o for o in last.orders.values() if o.status in (S.DRAFT, S.REFUSED)]
    assert not drafts or (sim.world.records.down and last.winding_down)
    for one in last.orders.values():
        assert one.outstanding >= 0
        assert one.received >= 0
    said = approved_prices(sim.turns)
    for po, booked in sim.world.suppliers.book.items():
        yes = [*said.get(po, []), *([OLD_TERMS] if po == OLD else [])]
        covered = any(
            booked.unit_price <= price and booked.currency == currency and booked.quantity <= quantity
            for quantity, currency, price in yes
        )
        assert covered, f"{po}: {booked} under {yes}"
    assert sim.journal is not None
    open_ones = [a.id for a in last.approvals.values() if a.open and a.id not in sim.journal.withdrawn]
    assert open_ones == []
    live = [o for o in last.orders.values() if o.run == last.run and o.live]
    assert len(live) <= 1


@settings(max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(parts=st.lists(PARTS, max_size=25), seed=st.integers(0, 2**16), carried=st.sampled_from([None, *AT_SUPPLIER]))
def test_any_story_with_any_decider_ends_in_order(parts: list[Part], seed: int, carried: OrderStatus | None) -> None:
    world = MemoryWorld()
    old = [] if carried is None else [order(carried, po=OLD, run=EARLIER)]
    for one in old:
        world.records.pos[one.po] = one
        world.suppliers.book[one.po] = OrderBody(one.po, one.sku, one.item, one.quantity, one.unit_price, "USD", "dock")
        world.suppliers.status[one.po] = "open"
    sim, last = play(*parts, world=world, orders=old, decider=Whim(seed))
    check(sim, last)


@pytest.mark.parametrize("seed", range(15))
def test_a_whimsical_decider_buys_all_the_same(seed: int) -> None:
    """Nothing goes wrong but the decider: the need is covered by one order of an approved supplier."""

    def manager(sim: Simulation) -> Answer:
        state = sim.turns[-1].after
        asked = [a.id for a in state.approvals.values() if a.open]
        sent = [o for o in state.orders.values() if o.status is S.SENT]
        due = [o for o in state.orders.values() if o.status is S.ACCEPTED]
        if asked:
            return sim.decide(asked[0])
        if sent:
            return sim.reply(sent[0].po, Reading(accepted=True), sent[0].supplier)
        return sim.goods(due[0].po, str(due[0].outstanding)) if due else None

    sim, last = play(*[manager] * 12, decider=Whim(seed))
    check(sim, last)
    assert last.outcome is not None
    assert last.outcome.status is OutcomeStatus.RECEIVED
    assert len(sim.world.suppliers.book) == 1
