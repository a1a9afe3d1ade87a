"""Fixtures of the systems' tests: each adapter of the records port in turn."""

from pathlib import Path

import pytest

from replenisher.domain.ports import Records
from support.recordkeeping import SYSTEMS, System


@pytest.fixture(params=SYSTEMS)
def system(request: pytest.FixtureRequest, tmp_path: Path) -> System:
    return SYSTEMS[request.param](tmp_path)


@pytest.fixture
def records(system: System) -> Records:
    return system.opened()
