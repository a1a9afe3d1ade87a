"""A reply that nobody had taken in when its order was closed: the next replenishment reads it."""

from collections.abc import Generator
from dataclasses import replace
from decimal import Decimal

from replenisher.domain.message import SUPPLIER_REPLY, Message
from replenisher.domain.outcome import OutcomeStatus
from replenisher.harness.memory import Answer
from support.inmemory import START
from support.simulation import Simulation, Waiting


def test_the_buyer_is_told_and_not_asked_what_it_says() -> None:
    sim = Simulation()
    mail = Message("m-1", SUPPLIER_REPLY, START, "A", "PO-4471", {"subject": "Re: PO-4471", "text": "confirmed"})
    stocked = replace(sim.world.assignment(), on_hand=Decimal(510), mailbox=[mail])

    def nothing(sim: Simulation) -> Generator[Answer, Waiting]:
        raise AssertionError("there is nothing to wait for")
        yield

    state = sim.run(nothing, stocked)
    assert state.outcome is not None
    assert state.outcome.status is OutcomeStatus.CANCELLED
    assert state.questions == {}
    assert state.unread == state.unreadable == ()
    assert sim.steps == ["decide-1", "tell_buyer-1", "decide-2"]
