"""`python -m journals.record [NAME ...]`: plays scenarios on the real engine and keeps the journals of their
replenishments. Done once for every released shape; recorded files are never changed afterwards."""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from journals import wire
from journals.kept import FOLDER, Kept, Recording, file_name, write
from replenisher.cli.world import World
from replenisher.engine.admin import Admin, Row, literal
from sandbox.scenarios import SCENARIOS
from sandbox.scenarios.common import Scenario, ends, one
from sandbox.scenarios.stage import Stage, confirm, goods

DAY = 3.0
"""Real seconds of a business day while recording."""
AT_ONCE = 3
LEFT_OUT = {"second-check", "engine-killed", "renamed-step"}
"""Their replenishments go the way of the happy path."""


async def cancelled(stage: Stage) -> None:
    """The operator cancels while the order is with the supplier."""
    await stage.script("A", on_order=[], on_cancel="accept")
    await stage.begin()
    approval = (await stage.wait("approval"))[0]["approval"]
    await stage.decide(approval, True)
    await stage.waits("wait_for_supplier_reply")
    (await stage.post("cancel", {"id": "c-1", "reason": "the line is closed"})).raise_for_status()
    await ends(stage, "cancelled")


async def cancelled_in_engine(stage: Stage) -> None:
    """Somebody cancels the run in the engine while the manager thinks."""
    await stage.script("A", on_order=[confirm()], on_confirmed=[goods()])
    await stage.begin()
    await stage.waits("wait_for_approval")
    assert isinstance(stage.house, World)
    async with Admin(stage.house.supervisor.admin) as admin:
        [run] = await _invocations(admin, "target_handler_name = 'run' AND status <> 'completed'")
        await admin.cancel(run["id"])
    await ends(stage, "cancelled")


OWN = (
    Scenario("cancelled", "the operator cancels", {None: one(cancelled)}),
    Scenario("cancelled-in-engine", "the run is cancelled in the engine", {None: one(cancelled_in_engine)}),
)
CHOSEN = [s for s in (*SCENARIOS, *OWN) if s.name not in LEFT_OUT]


async def record(scenario: Scenario, variant: str | None) -> Recording:
    """Plays one variant; what its replenishments left in the engine. Raises AssertionError when a check did not hold:
    only stories that went as they should are kept."""
    with TemporaryDirectory(prefix=f"{scenario.name}-") as folder:
        world = World(Path(folder), scenario.skus, DAY, 1.0, suppliers=scenario.suppliers, env=scenario.env)
        async with world.stages(lambda _: None) as stages, Admin(world.supervisor.admin) as admin:
            await scenario.variants[variant](stages)
            failed = [c for s in stages for c in s.checks if not c.held]
            assert not failed, f"{scenario.name}: {failed}"
            by = {
                "engine": await admin.version(),
                "sdk": version("restate-sdk"),
                "product": version("stock-replenisher"),
            }
            ours = "target_service_name = 'Replenish' AND target_handler_name = 'run' OR target_service_name = 'Relay'"
            rows = [row for row in await _invocations(admin, ours) if row["status"] == "completed"]
            runs = [await _kept(admin, row) for row in rows]
            states = [state for s in stages for state in await _entities(admin, s.sku)]
            return Recording(scenario.name, variant, by, runs, states)


async def _invocations(admin: Admin, where: str) -> list[Row]:
    return await admin.query(f"SELECT * FROM sys_invocation WHERE {where} ORDER BY created_at, id")


async def _kept(admin: Admin, row: Row) -> Kept:
    entries: list[wire.Entry] = []
    where = f"WHERE id = {literal(row['id'])}"
    for raw in await admin.query(f'SELECT entry_json, raw FROM sys_journal {where} ORDER BY "index"'):
        entry = wire.from_engine(raw["entry_json"])
        if wire.encoded(entry).hex() != raw["raw"]:
            raise wire.NotKept(f"this entry would not come back as it was: {entry}")
        entries.append(entry)
    rules = entries[0]["value"].get("rules_version")
    names: dict[str, Any] = {
        "target": row["target"],
        "service": row["target_service_name"],
        "handler": row["target_handler_name"],
        "key": row.get("target_service_key"),
    }
    return Kept(**names, id=row["id"], rules_version=rules, journal=entries)


async def _entities(admin: Admin, sku: str) -> list[wire.Json]:
    """The fullest and the last state that the part's entity had."""
    rows = await admin.query(
        "SELECT entry_json FROM sys_journal j JOIN sys_invocation i ON j.id = i.id WHERE i.target_service_name = "
        f"'SkuAgent' AND i.target_service_key = {literal(sku)} AND j.entry_type = 'Command: SetState' "
        "ORDER BY j.appended_at"
    )
    states = [e["value"] for row in rows if (e := wire.from_engine(row["entry_json"]))["key"] == "entity"]
    fullest = max(states, key=lambda state: len(wire.dumped(state)))
    return [fullest, states[-1]] if fullest != states[-1] else [fullest]


async def record_all(chosen: Sequence[tuple[Scenario, str | None]], folder: Path) -> int:
    """Records these; how many did not go as they should."""
    room = asyncio.Semaphore(AT_ONCE)

    async def each(scenario: Scenario, variant: str | None) -> bool:
        async with room:
            name = file_name(scenario.name, variant)
            try:
                recording = await record(scenario, variant)
            except (AssertionError, wire.NotKept) as failed:
                say(f"FAILED {name}: {failed}")
                return False
            path = write(recording, folder)
            say(f"{path.name}: {len(recording.runs)} runs and relays, {path.stat().st_size // 1024} KiB")
            return True

    return (await asyncio.gather(*(each(*one) for one in chosen))).count(False)


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(prog="journals.record", description=__doc__)
    parser.add_argument("names", nargs="*", help="scenarios; all when none is named")
    parser.add_argument("--shape", default=version("stock-replenisher"), help="the folder: the released version")
    asked = parser.parse_args()
    chosen = [(s, v) for s in CHOSEN for v in s.variants if not asked.names or s.name in asked.names]
    return 1 if asyncio.run(record_all(chosen, FOLDER / asked.shape)) else 0


if __name__ == "__main__":
    raise SystemExit(main())
