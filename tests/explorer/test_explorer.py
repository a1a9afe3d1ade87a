"""Whatever a hijacked decider chooses and whatever the mailbox, the calendar and the quotes do: no money beyond an
approval."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from explorer.explorer import Report, explore
from explorer.guards import GUARDS, Guard, second_verdict_counts, with_a_foreign_order
from explorer.starts import STARTS
from replenisher.domain.approval import Approval
from replenisher.domain.order import OrderStatus
from replenisher.domain.repricing import Repriced
from replenisher.tools import TOOLS, cancelling, ordering, reading, terms

DEPTH, MOST = 9, 2000
"""Moves from each start, and states kept of each level: below that number a level is walked whole."""


@dataclass
class Walk:
    reports: dict[str, Report]
    seen: dict[str, set[bool]]
    """Of each guard, the answers it gave on the way."""


@pytest.fixture(scope="module")
def walk() -> Walk:
    """Every start walked once, with a spy on each guard."""
    seen: dict[str, set[bool]] = {}

    def spied(name: str, guard: Callable[..., Any], says: Callable[[Any], bool] = bool) -> Callable[..., Any]:
        answers = seen.setdefault(name, set())

        def asked(*given: Any, **named: Any) -> Any:
            answer = guard(*given, **named)
            answers.add(says(answer))
            return answer

        return asked

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Approval, "covers", spied("range, currency, PO and quantity", Approval.covers))
        patch.setattr(Approval, "live", spied("expiry", Approval.live))
        orders = spied("quote fetched again", ordering.reprice, lambda meaning: meaning is Repriced.ORDER)
        patch.setattr(ordering, "reprice", orders)
        patch.setattr(cancelling, "to_cancel", spied("cancel list", cancelling.to_cancel))
        patch.setattr(reading, "order_of", spied("channel of a message", reading.order_of))
        patch.setattr(terms, "costs_no_more", spied("accept_terms", terms.costs_no_more))
        patch.setattr(terms, "live_approval", spied("accept_terms under approval", terms.live_approval))
        reports = {name: explore([start()], DEPTH, MOST) for name, start in STARTS.items()}
    return Walk(reports, seen)


@pytest.fixture(scope="module")
def walked(walk: Walk) -> dict[str, Report]:
    return walk.reports


def test_every_guard_was_seen_to_let_pass_and_to_hold_back(walk: Walk) -> None:
    assert {name: answers for name, answers in walk.seen.items() if answers != {True, False}} == {}
    assert len(walk.seen) == 7


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


def test_a_request_is_decided_once() -> None:
    assert not second_verdict_counts()
