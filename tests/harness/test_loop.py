"""The loop on a toy job: what is offered, in which order, for how many turns, and what a cancellation leaves behind."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar

import pytest

from replenisher.harness import loop
from replenisher.harness.decider import Choice, Decision
from replenisher.harness.journal import Cancelled, Ended, Recorded, StepFailed
from replenisher.harness.loop import Interrupted, Stuck, Turn, offers
from replenisher.harness.memory import Answer
from replenisher.harness.replay import RecordMismatch, ReplayJournal
from support.toy import DAY, NOON, TOOLS, Days, Garden, Plant, Scripted, gardener

T = TypeVar("T")


@dataclass
class Ran:
    last: Plant
    turns: list[Turn[Plant]]
    garden: Garden
    steps: list[str]
    days: Days

    @property
    def tools(self) -> list[str]:
        return [t.decision.tool for t in self.turns]


def run(
    plant: Plant, days: Days | None = None, decider: Scripted | None = None, quiet: int = 30, in_all: int = 200
) -> Ran:
    days, garden, turns = days or Days(), Garden(), list[Turn[Plant]]()
    journal = days.journal()
    agent = gardener(decider, quiet, in_all)
    last = asyncio.run(loop.run(agent, plant, journal, garden, turns.append))
    return Ran(last, turns, garden, [r.get("step") or r.get("wait") or r["withdraw"] for r in journal.records], days)


def comes(*events: tuple[int, str]) -> Days:
    return Days({n: (event, {}) for n, event in events})


# --- turns ------------------------------------------------------------------------------------------------------------


def test_it_acts_then_waits_then_ends() -> None:
    ran = run(Plant(), comes((2, "rain")))
    assert ran.tools == ["water", "water", "wait_for_rain", "wait_for_rain", "stop"]
    assert [t.number for t in ran.turns] == [1, 2, 3, 4, 5]
    assert ran.last.ended


def test_steps_are_named_by_turn() -> None:
    assert run(Plant(1), comes((1, "rain"))).steps == [
        "decide-1", "water-1", "decide-2", "wait_for_rain-2", "decide-3",
    ]  # fmt: skip


@pytest.mark.parametrize("quiet", [1, 3, 30])
def test_quiet_turns_are_counted_since_the_last_message(quiet: int) -> None:
    ran = run(Plant(0), quiet=quiet)
    assert ran.tools == ["wait_for_rain"] * quiet + ["stop"]


def test_a_message_begins_the_count_anew() -> None:
    ran = run(Plant(0), comes((2, "sun"), (4, "sun"), (6, "sun")), quiet=3)
    assert ran.tools == ["wait_for_rain"] * 9 + ["stop"]


def test_thirty_quiet_turns_and_two_hundred_in_all() -> None:
    assert len(run(Plant(0)).turns) == 31
    chatty = Days({n: ("sun", {}) for n in range(1, 500)})
    assert len(run(Plant(0), chatty).turns) == 201


@pytest.mark.parametrize("in_all", [1, 7])
def test_all_turns_are_counted_whatever_comes(in_all: int) -> None:
    chatty = Days({n: ("sun", {}) for n in range(1, 100)})
    assert run(Plant(0), chatty, in_all=in_all).tools == ["wait_for_rain"] * in_all + ["stop"]


# --- what is offered --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plant", "offered"),
    [
        (Plant(), ["water"]),
        (Plant(0), ["wait_for_rain"]),
        (Plant(0, rained=1), ["wait_for_rain"]),
        (Plant(0, rained=1, stopping=True), ["stop"]),
        (Plant(2, rained=1, stopping=True), ["stop"]),
    ],
)
def test_actions_come_before_waits_and_the_end_last(plant: Plant, offered: list[str]) -> None:
    assert [t.name for t in offers(TOOLS, plant)] == offered


def test_a_state_without_any_tool_is_a_fault_of_the_rules() -> None:
    agent = replace(gardener(), tools=())
    with pytest.raises(Stuck, match="no tool is allowed"):
        asyncio.run(loop.run(agent, Plant(), Days().journal(), Garden()))


# --- waits ------------------------------------------------------------------------------------------------------------


def test_a_wait_listens_to_every_stream_and_open_promise_until_its_end() -> None:
    ran = run(Plant(0, offers=("shade", "fence")), comes((1, "rain")))
    assert ran.days.waits == [(("rain", "sun"), ("shade", "fence"), NOON + DAY)]


def test_the_end_of_a_wait_is_in_its_decision() -> None:
    ran = run(Plant(1), comes((1, "rain")))
    assert [t.decision.until for t in ran.turns] == [None, NOON + DAY, None]


def test_when_nothing_comes_the_clock_is_what_the_state_hears() -> None:
    assert run(Plant(0), quiet=2).last.now == NOON + 2 * DAY


def test_promises_the_state_no_longer_stands_behind_are_withdrawn() -> None:
    days = comes((1, "rain"))
    journal = days.journal(promised={"fence": {"yes": True}})
    last = asyncio.run(loop.run(gardener(), Plant(0, offers=("shade", "fence")), journal, Garden()))
    assert journal.withdrawn == {"shade": "it rained", "fence": "it rained"}
    assert (last.refused, last.late) == (("shade", "fence"), ("fence",))


# --- the decider ------------------------------------------------------------------------------------------------------


def test_what_was_on_offer_is_journaled_with_the_choice() -> None:
    decision = run(Plant(1), comes((1, "rain"))).turns[0].decision
    assert decision.options == [
        {"tool": "water", "description": "Pour a can.", "arguments": {"can": ["green", "blue"]}}
    ]
    assert (decision.arguments, decision.by) == ({"can": "blue"}, "rules")


def test_a_forced_move_costs_no_model() -> None:
    decider = Scripted()
    ran = run(Plant(1, cans=("green",)), comes((1, "rain")), decider)
    assert ran.tools == ["water", "wait_for_rain", "stop"]
    assert decider.seen == []
    assert {t.decision.by for t in ran.turns} == {"rules"}
    assert ran.garden.poured == ["green"]


def test_a_decider_that_fails_leaves_it_to_the_rules_in_a_step_of_their_own() -> None:
    down: list[Choice | Exception] = [ConnectionError("no model")] * 6
    ran = run(Plant(1), comes((1, "rain")), Scripted(down))
    assert ran.steps[:3] == ["decide-1", "decide-1-rules", "water-1"]
    assert ran.turns[0].decision.by == "rules"


def test_a_decider_that_fails_once_is_asked_again() -> None:
    ran = run(Plant(1), comes((1, "rain")), Scripted([ConnectionError("busy")]))
    assert (ran.steps[:2], ran.turns[0].decision.by) == (["decide-1", "water-1"], "scripted")


# --- cancellation -----------------------------------------------------------------------------------------------------


class CancelledAt:
    """A journal in which the run is cancelled at a step or wait of this name."""

    def __init__(self, name: str) -> None:
        self.name, self.inner = name, Days().journal()

    async def step(self, name: str, action: Callable[[], Awaitable[T]], shape: type[T]) -> Recorded[T]:
        if name == self.name:
            raise Cancelled
        return await self.inner.step(name, action, shape)

    async def wait(self, name: str, streams: Sequence[str], promises: Sequence[str], until: datetime) -> Ended:
        if name == self.name:
            raise Cancelled
        return await self.inner.wait(name, streams, promises, until)

    async def withdraw(self, promise: str, reason: str) -> Ended | None:
        return await self.inner.withdraw(promise, reason)

    def publish(self) -> None: ...

    async def announce(self) -> None: ...


@pytest.mark.parametrize(
    ("name", "thirst"), [("decide-1", 2), ("water-1", -1), ("decide-2", 1), ("water-2", -1), ("wait_for_rain-3", 0)]
)
def test_a_cancelled_run_says_what_is_known(name: str, thirst: int) -> None:
    """A write that was under way is said to be so by its tool."""
    with pytest.raises(Interrupted) as interrupted:
        asyncio.run(loop.run(gardener(), Plant(), CancelledAt(name), Garden()))
    assert interrupted.value.state.thirst == thirst


def test_a_step_whose_attempts_are_spent_is_the_tools_to_handle() -> None:
    with pytest.raises(StepFailed, match=r"water-1: .*no water"):
        asyncio.run(loop.run(gardener(), Plant(), Days().journal(), Garden(dry=6)))


# --- a tool that is gone ----------------------------------------------------------------------------------------------


def test_a_decision_for_a_tool_this_code_does_not_have_is_a_mismatch() -> None:
    decided = {"tool": "prune", "arguments": {}, "why": "", "by": "rules", "options": []}
    journal = ReplayJournal([{"step": "decide-1", "at": NOON.isoformat(), "result": decided}])
    with pytest.raises(RecordMismatch, match="'prune'"):
        asyncio.run(loop.run(gardener(), Plant(), journal, Garden()))


def test_an_answer_is_an_event_or_nothing() -> None:
    nothing: Answer = None
    assert run(Plant(0), Days({1: nothing, 2: ("rain", {})})).tools == ["wait_for_rain", "wait_for_rain", "stop"]


def test_a_decision_is_the_same_read_back() -> None:
    decision: Decision = run(Plant(1), comes((1, "rain"))).turns[1].decision
    assert (decision.tool, decision.rejected, decision.tokens_in) == ("wait_for_rain", [], 0)
