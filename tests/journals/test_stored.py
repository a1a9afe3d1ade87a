"""What is stored outside journals for long: the entity's state, a run's assignment and its result. Written by older
code, read by today's without losing a field."""

import pytest

from journals.kept import Kept, Recording
from journals.recordings import EVERY, runs
from journals.replaying import lacks
from journals.wire import Json
from replenisher.domain.state import Assignment
from replenisher.handlers.entity import Entity
from replenisher.handlers.replenish import Result
from replenisher.harness.shape import dump, load

ENTITIES = [pytest.param(r.name, state, id=f"{r.name}-{n}") for r in EVERY for n, state in enumerate(r.entities)]


@pytest.mark.parametrize(("name", "state"), ENTITIES)
def test_the_entitys_state_is_read_and_nothing_of_it_is_lost(name: str, state: Json) -> None:
    kept = dump(Entity, load(Entity, state))
    lost = lacks(kept, state)
    assert lost is None, f"an entity as stored in {name} would lose what it knows: {lost}"


@pytest.mark.parametrize(("recording", "run"), runs("Replenish"))
def test_its_assignment_and_result_are_read_and_nothing_is_lost(recording: Recording, run: Kept) -> None:
    for shape, value in ((Assignment, run.assignment), (Result, run.result)):
        lost = lacks(dump(shape, load(shape, value)), value)
        assert lost is None, f"{run.target} in {recording.name}: {shape.__name__} would lose {lost}"


@pytest.mark.parametrize(("recording", "run"), runs("Relay"))
def test_what_a_relay_tells_is_what_the_run_returned(recording: Recording, run: Kept) -> None:
    """The relay of old code reports to the entity of new code, in the old shape."""
    told = next(e["value"] for e in run.journal if e.get("command") == "OneWayCall")
    if "result" in told:
        assert lacks(dump(Result, load(Result, told["result"])), told["result"]) is None
    else:
        assert set(told) <= {"run", "failed", "again"}, recording.name


def test_both_a_resting_and_a_busy_entity_are_recorded() -> None:
    states = [state for r in EVERY for state in r.entities]
    assert any(state["active"] and state["active"]["sent"] for state in states)
    assert any(state["active"] is None and state["outcomes"] for state in states)
    assert any(state["orders"] for state in states)
