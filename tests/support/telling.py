"""Short stories: what ends each wait of a run, one after the other; then silence."""

from collections.abc import Callable, Generator, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from replenisher.domain.message import STREAMS, Message
from replenisher.domain.order import Order
from replenisher.domain.reading import Reading
from replenisher.domain.state import State
from replenisher.harness.memory import Answer
from support.inmemory import MemoryWorld
from support.simulation import Simulation, Story, Waiting

Part = Callable[[Simulation], Answer]
"""What ends one wait; changes to the world on the way are made in it."""


def told(*parts: Part) -> Story:
    def story(sim: Simulation) -> Generator[Answer, Waiting, None]:
        waiting = yield None
        for part in parts:
            answer = part(sim)
            if answer is not None:
                heard = answer[0] in STREAMS or answer[0] in waiting.promises
                assert heard, f"{answer[0]} is not open: {waiting.promises} after {', '.join(sim.tools)}"
            waiting = yield answer

    return story


def play(
    *parts: Part, world: MemoryWorld | None = None, n: int = 1, orders: Sequence[Order] = (), version: int = 1,
    mailbox: Sequence[Message] = (), decider: Any = None,
) -> tuple[Simulation, State]:  # fmt: skip
    """A run of the product's own agent in which this happens, and how it ended."""
    sim = Simulation(world or MemoryWorld(), decider)
    assignment = sim.world.assignment(n, orders=orders, mailbox=mailbox, rules_version=version)
    return sim, sim.run(told(*parts), assignment)


# --- parts ------------------------------------------------------------------------------------------------------------


def nothing(sim: Simulation) -> Answer:
    return None


def yes(approval: str = "PO-4471/1", after: float = 0.2, **more: Any) -> Part:
    return lambda sim: sim.decide(approval, after=after, **more)


def no(approval: str = "PO-4471/1", after: float = 0.2, **more: Any) -> Part:
    return lambda sim: sim.decide(approval, False, after=after, **more)


def says(reading: Reading, po: str = "PO-4471", supplier: str = "A", after: float = 0.5) -> Part:
    return lambda sim: sim.reply(po, reading, supplier, after)


def confirms(
    price: str | None = None, quantity: str | None = None, promised: date | None = None, currency: str = "USD",
    po: str = "PO-4471", supplier: str = "A", after: float = 0.5,
) -> Part:  # fmt: skip
    reading = Reading(
        accepted=True,
        unit_price=None if price is None else Decimal(price),
        currency=None if price is None else currency,
        quantity=None if quantity is None else Decimal(quantity),
        promised_date=promised,
    )
    return says(reading, po, supplier, after)


def goods(quantity: str = "450", note: str = "DN-1", po: str = "PO-4471", after: float = 1) -> Part:
    return lambda sim: sim.goods(po, quantity, note, after)


def buyer(question: str, choice: str, text: str = "", after: float = 0.5) -> Part:
    return lambda sim: sim.answer(question, choice, text, after)


def operator(after: float = 0.1) -> Part:
    return lambda sim: sim.cancel(after=after)


def also(change: Callable[[Simulation], object], part: Part) -> Part:
    """The part, and before it a change of the world."""

    def both(sim: Simulation) -> Answer:
        change(sim)
        return part(sim)

    return both


# --- what is looked at ------------------------------------------------------------------------------------------------


def ended(state: State) -> str:
    assert state.outcome is not None
    return state.outcome.status.value


def asked(sim: Simulation) -> list[str]:
    return [q.id for q in sim.world.people.questions]


def requested(sim: Simulation) -> list[str]:
    return [r.id for r in sim.world.people.requests]


def calls(sim: Simulation, operation: str) -> list[tuple[str, str]]:
    """What was written to suppliers by this operation: the first argument and the key."""
    return [(what, key) for op, what, key in sim.world.suppliers.calls if op == operation]


def no_draft_left(sim: Simulation, state: State) -> bool:
    drafts = ("draft", "refused")
    known = [o.po for o in state.orders.values() if o.status.value in drafts]
    recorded = [o.po for o in sim.world.records.pos.values() if o.status.value in drafts]
    return not known and not recorded
