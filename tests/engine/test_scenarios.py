"""The scenarios on the real engine, each seen from the sandbox's ledger. `make replay` runs them with every wait a
replay."""

from typing import Any

import pytest

from replenisher.cli.playing import play_all
from sandbox.scenarios import SCENARIOS
from support.engine import inactivity

IN_TESTS = (
    "happy-path",
    "crash-while-waiting",
    "supplier-silent",
    "supplier-down-once",
    "reply-lost",
    "second-check",
    "engine-killed",
)
CHOSEN = [s for s in SCENARIOS if s.name in IN_TESTS]
AT_ONCE = 5
pytestmark = [pytest.mark.scenario, pytest.mark.engine, pytest.mark.timeout(400)]


@pytest.fixture(scope="module")
async def played() -> dict[tuple[str, str | None], dict[str, Any]]:
    """All of them side by side; each line by scenario and variant."""
    lines: list[dict[str, Any]] = []
    await play_all(CHOSEN, inactivity().total_seconds(), AT_ONCE, lines.append)
    return {(line["scenario"], line["variant"]): line for line in lines}


@pytest.mark.parametrize(
    ("name", "variant"),
    [(s.name, v) for s in CHOSEN for v in s.variants],
    ids=[f"{s.name}-{v}" if v else s.name for s in CHOSEN for v in s.variants],
)
async def test_every_check_of_the_scenario_holds(
    played: dict[tuple[str, str | None], dict[str, Any]], name: str, variant: str | None
) -> None:
    line = played[name, variant]
    assert [c for c in line["checks"] if not c["held"]] == []
    assert line["held"]
    assert line["outcome"] == "received"


async def test_the_happy_path_asks_each_supplier_once_and_a_again_before_ordering(
    played: dict[tuple[str, str | None], dict[str, Any]],
) -> None:
    assert played["happy-path", None]["requests"] == {
        "quotes": 4,
        "orders": 1,
        "messages": 0,
        "cancels": 0,
        "approval_requests": 1,
    }
