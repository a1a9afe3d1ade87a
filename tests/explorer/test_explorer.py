"""Whatever a hijacked decider chooses and whatever the mailbox, the calendar and the quotes do: no money beyond an
approval."""

import pytest

from explorer.explorer import Report, explore
from explorer.guards import GUARDS, Guard, with_a_foreign_order
from explorer.starts import STARTS
from replenisher.domain.order import OrderStatus
from replenisher.tools import TOOLS

DEPTH, MOST = 9, 2500
"""Moves from each start, and states kept of each level: below that number a level is walked whole."""


@pytest.fixture(scope="module")
def walked() -> dict[str, Report]:
    return {name: explore([start()], DEPTH, MOST) for name, start in STARTS.items()}


@pytest.mark.parametrize("start", STARTS)
def test_no_sequence_of_moves_breaches_anything(walked: dict[str, Report], start: str) -> None:
    assert walked[start].breaches == {}
    assert walked[start].depth == DEPTH


def test_every_tool_ran_and_every_status_was_reached(walked: dict[str, Report]) -> None:
    assert set().union(*(r.tools for r in walked.values())) == {t.name for t in TOOLS}
    assert set().union(*(r.statuses for r in walked.values())) == set(OrderStatus)


def test_every_outcome_was_reached(walked: dict[str, Report]) -> None:
    assert set().union(*(r.ended for r in walked.values())) >= {"received", "cancelled", "rejected", "gave_up"}


def test_another_parts_order_is_never_cancelled() -> None:
    assert explore([with_a_foreign_order()], 4, 500).breaches == {}


@pytest.mark.parametrize("guard", GUARDS, ids=lambda g: g.name)
def test_each_guard_switched_off_alone_is_noticed(guard: Guard, monkeypatch: pytest.MonkeyPatch) -> None:
    guard.off(monkeypatch)
    assert guard.finds(), f"{guard.name} is off and nothing noticed"


@pytest.mark.parametrize("guard", [g for g in GUARDS if "start" not in g.name], ids=lambda g: g.name)
def test_with_every_guard_on_the_same_searches_find_nothing(guard: Guard) -> None:
    assert not guard.finds()
