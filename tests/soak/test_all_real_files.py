"""All 214 parts of the real files, unattended: `make soak`."""

from pathlib import Path

import pytest

from support.realworld import all_is_well, real_parts, real_world, watched_to_the_end

DAY = 8.0
"""Real seconds of a business day. Everything at once keeps two cores busy for minutes: a message may be seconds late,
and must not look like days of silence."""
WITHIN = 400.0


@pytest.mark.engine
@pytest.mark.soak
@pytest.mark.timeout(600)
async def test_every_part_of_the_real_files_ends_as_it_must(tmp_path: Path) -> None:
    parts = real_parts()
    assert (len(parts.priced), len(parts.unpriced), len(parts.stocked)) == (39, 167, 8)
    async with real_world(tmp_path, DAY) as world:
        ledger, outcomes = await watched_to_the_end(world, parts, WITHIN)
        await all_is_well(world, parts, ledger, outcomes)
