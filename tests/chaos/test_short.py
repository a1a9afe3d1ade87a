"""Twenty replenishments while everything fails and six kills: the short version of `make chaos`."""

from pathlib import Path

import pytest

from chaos.audit import audit
from chaos.course import Setting, play
from chaos.report import breached, table
from support.engine import inactivity

KILLS = 6
SHORT = Setting(
    n=20,
    seed=7,
    kills=KILLS,
    at_once=10,
    day=1.0,
    inactivity=inactivity().total_seconds(),
    gap=(0.5, 2.5),
    within=90,
)


@pytest.mark.engine
@pytest.mark.timeout(150)
async def test_twenty_replenishments_and_six_kills(tmp_path: Path) -> None:
    said: list[str] = []
    course = await play(SHORT, tmp_path, said.append)
    findings = audit(course.seen)
    assert not breached(course, findings), "\n".join([*said, *table(course, findings)])
    assert len(course.kills) == KILLS
    assert course.faults
