"""Every recorded replenishment is followed by today's code: the engine's commands name by name and byte by byte, and
the published records through the loop, as status pages of old runs are served by the newest code."""

import asyncio

import pytest

from journals import wire
from journals.kept import Kept, Recording
from journals.recordings import EVERY, runs
from journals.replaying import attempt, lacks, replay, todays_code
from replenisher.domain.state import Assignment
from replenisher.handlers.folding import Folded, fold
from replenisher.harness.shape import dump, load
from replenisher.models.rules_decider import RulesDecider
from replenisher.tools import TOOLS
from replenisher.tools.mailroom import replenishment
from support.recorded import the_agent

NAMED = {
    "happy-path", "price-above-range", "price-above-range+rejected", "outcome-unseen", "supplier-silent",
    "partial-delivery", "supplier-asks", "approval-expired", "manager-silent", "crash-while-waiting", "rule-change",
    "cancelled", "cancelled-in-engine", "late-message",
}  # fmt: skip


def test_what_must_be_recorded_is() -> None:
    have = {r.name.rpartition("/")[2] for r in EVERY}
    assert not NAMED - have


def test_both_rules_versions_and_every_end_are_recorded() -> None:
    every = [run for r in EVERY for run in r.runs if run.service == "Replenish"]
    assert {run.rules_version for run in every} == {1, 2}
    ends = {run.result["outcome"]["status"] for run in every}
    assert ends == {"received", "cancelled", "rejected", "gave_up", "failed"}


def test_every_tool_is_in_some_recorded_run() -> None:
    used = {
        e["value"]["result"]["tool"]
        for r in EVERY
        for run in r.runs
        for e in run.journal
        if e.get("notification") == "Run" and isinstance(e.get("value", {}).get("result"), dict)
        and "tool" in e["value"]["result"]
    }  # fmt: skip
    assert used <= {t.name for t in TOOLS}
    assert {t.name for t in TOOLS} - used == set()


@pytest.mark.parametrize(("recording", "run"), runs())
def test_todays_code_gives_the_engine_the_same_commands(recording: Recording, run: Kept) -> None:
    replay(recording, run)


def cancelled_in_engine(run: Kept) -> bool:
    return any("cancelled" in record for record in run.records)


def folded(run: Kept, records: list[wire.Json]) -> Folded:
    return asyncio.run(fold(the_agent(), load(Assignment, run.assignment), records))


@pytest.mark.parametrize(("recording", "run"), runs("Replenish"))
def test_todays_code_reads_its_records_to_the_recorded_end(recording: Recording, run: Kept) -> None:
    known = folded(run, run.records)
    state = known.state
    assert state.rules_version == run.rules_version
    if cancelled_in_engine(run):
        # what winds it up stands outside the loop; its status shows the decision it was cancelled in
        assert known.pending is not None
        return
    assert state.outcome is not None, f"{run.target} in {recording.name}"
    assert lacks(dump(type(state.outcome), state.outcome), run.result["outcome"]) is None


@pytest.mark.parametrize(("recording", "run"), runs("Replenish"))
def test_what_was_published_at_each_wait_can_be_shown(recording: Recording, run: Kept) -> None:
    """Status of a run in the middle: the turns so far, and the wait that it stands in."""
    records: list[wire.Json] = []
    turns = 0
    for chunk in run.sets("records-")[:-1]:
        records += chunk
        known = folded(run, records)
        assert known.pending is not None, f"{run.target} in {recording.name}"
        assert len(known.turns) >= turns
        turns = len(known.turns)


@pytest.mark.parametrize(("recording", "run"), runs("Replenish"))
def test_a_run_that_waits_goes_on_waiting(recording: Recording, run: Kept) -> None:
    """Cut before what ended each of its waits, it asks for the same and is suspended."""
    app = todays_code()
    ids = {e["id"] for e in run.journal if e.get("command") in ("Sleep", "GetPromise")}
    for n, entry in enumerate(run.journal):
        if entry.get("notification") in ("Sleep", "GetPromise") and entry["id"] in ids:
            known = run.journal[:n]
            if known[-1].get("command") in ("Sleep", "GetPromise"):
                assert [kind for kind, _ in attempt(app, run, known)] == [wire.SUSPENSION], f"{recording.name} {entry}"


def test_a_decider_of_another_kind_follows_recorded_decisions() -> None:
    """Decisions are recorded: a run begun under a model is read by code that only knows the rules, and back."""
    names = [t.name for t in TOOLS]
    agent = replenishment(RulesDecider(list(reversed(names))), RulesDecider(names))
    for recording in EVERY:
        for run in recording.runs:
            if run.service == "Replenish":
                known = asyncio.run(fold(agent, load(Assignment, run.assignment), run.records))
                decided = sum(1 for r in run.records if r.get("step", "").startswith("decide-"))
                assert decided - len(known.turns) == cancelled_in_engine(run)
