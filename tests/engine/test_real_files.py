"""Five parts of the real files, from import to stock, unattended: what `make soak` does with all of them."""

from pathlib import Path

import pytest

from support.realworld import all_is_well, real_parts, real_world, watched_to_the_end

DAY = 2.0
"""Real seconds of a business day: supplier's answers have 7 of them, deliveries arrive after 3."""

CHOSEN = {
    "Silicon Wire 10AWG Red": "a wire in packs of 100 m and 500 m, a space in its SKU",
    "R_550R_0402_1%": "an offer in AUD beats those in USD, CAD and CNY, a percent sign in its SKU",
    "R_4.7K_0603_0.1%": "ten offers in four currencies",
    "M3x5 SHS-ALL": "short, and nobody has a price",
    "Blue Paint": "not short",
}


@pytest.mark.engine
@pytest.mark.timeout(150)
async def test_five_parts_of_the_real_files_end_as_they_must(tmp_path: Path) -> None:
    parts = real_parts().only(CHOSEN)
    assert len(parts.all) == len(CHOSEN)
    assert parts.priced["R_550R_0402_1%"].offer.currency == "AUD"
    async with real_world(tmp_path, DAY) as world:
        ledger, outcomes = await watched_to_the_end(world, parts, 60)
        await all_is_well(world, parts, ledger, outcomes)
