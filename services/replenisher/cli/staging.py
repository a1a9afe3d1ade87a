"""Setting the sandbox up beside the product: what a data directory's records hold, told to the sandbox's suppliers."""

from datetime import UTC, datetime
from pathlib import Path

import httpx

from replenisher.cli.client import FAILED, sandbox_address, stop
from replenisher.settings import Settings
from replenisher.systems.records.master import MasterData


def tell_world(chosen: Settings) -> int:
    """Gives the sandbox's suppliers the price list of the records. The number of items; 0 when no sandbox runs."""
    address = sandbox_address(chosen)
    if address is None:
        return 0
    items = MasterData(chosen.records_file).catalogue_for_world()
    answer = httpx.put(f"{address}/control/catalogue", json={"items": items}, timeout=60, trust_env=False)
    if not answer.is_success:
        stop(FAILED, f"the sandbox did not take the price list: {answer.text[:300]}")
    return len(items)


def epoch(data: Path) -> datetime:
    """The epoch of business time on this data directory: the instant of its first use, kept for later runs."""
    data.mkdir(parents=True, exist_ok=True)
    kept = data / "epoch"
    if not kept.exists():
        kept.write_text(datetime.now(UTC).isoformat())
    return datetime.fromisoformat(kept.read_text().strip())
