"""Commands that start things: run, demo, scenario."""

import asyncio
import json
import shutil
import sys
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from replenisher.cli.client import FAILED, USAGE, settings, stop
from replenisher.cli.narrating import demo as narrated_demo
from replenisher.cli.options import AsJson, Data
from replenisher.cli.playing import as_text, play_all
from replenisher.cli.staging import epoch, tell_world
from replenisher.engine.ports import is_free
from replenisher.engine.run import run as run_in_foreground
from replenisher.engine.supervisor import AGENT, SANDBOX, Plan
from replenisher.systems.records.master import MasterData
from sandbox.scenarios import SCENARIOS

INGRESS_PORT, ADMIN_PORT = 8080, 9070
"""Where Restate is usually found; taken when they are free."""
DEMO_SKU = "SKU-123"

IngressPort = Annotated[
    int | None, typer.Option(help=f"The ingress, where messages go. Default {INGRESS_PORT}, or a free one if taken.")
]
AdminPort = Annotated[
    int | None, typer.Option(help=f"The engine's admin API. Default {ADMIN_PORT}, or a free one if taken.")
]


def run(
    data: Data = None,
    auto: Annotated[bool, typer.Option("--auto", help="The sandbox's world answers by itself.")] = False,
    day: Annotated[float | None, typer.Option(help="Real seconds in a business day; 86400 is real time.")] = None,
    sandbox: Annotated[bool, typer.Option(help="With the sandbox of suppliers and people beside it.")] = True,
    ingress_port: IngressPort = None,
    admin_port: AdminPort = None,
) -> None:
    """Start engine, agent and sandbox, and stay up until Ctrl-C.

    Empty records get the part SKU-123, so that there is something to try.

    Example: replenisher run    or    replenisher run --auto --day 5
    """
    chosen = settings(data)
    seconds = chosen.day if day is None else day
    if not seconds > 0:
        stop(USAGE, f"--day {seconds:g}: a business day must last longer than 0 seconds")
    master = MasterData(chosen.records_file)
    if not master.skus():
        master.seed_demo(DEMO_SKU)
    first = DEMO_SKU if DEMO_SKU in master.skus() else "--all"
    began = epoch(chosen.data).isoformat()
    env = {
        "REPLENISHER_DAY": str(seconds),
        "REPLENISHER_EPOCH": began,
        "SANDBOX_DAY": str(seconds),
        "SANDBOX_EPOCH": began,
        "SANDBOX_AUTO": "1" if auto else "",
    }
    plan = Plan(
        chosen.data,
        AGENT,
        SANDBOX if sandbox else None,
        ingress_port=ingress_port or usual(INGRESS_PORT),
        admin_port=admin_port or usual(ADMIN_PORT),
        inactivity=timedelta(seconds=chosen.inactivity),
        env=env,
    )

    def ready() -> None:
        items = tell_world(settings(data))
        if sandbox:
            print(f"the sandbox's suppliers quote {items} items; a business day lasts {seconds:g} seconds")
        then = f"{called()} watch {first}" + ("" if data is None else f" --data {data}")
        print(f"up. Ctrl-C ends everything. Next, in another terminal: {then}", flush=True)

    raise typer.Exit(asyncio.run(run_in_foreground(plan, lambda text: print(text, flush=True), ready)))


def called() -> str:
    """This command as it may be typed again: by its name where that finds it, else as it was called."""
    path = Path(sys.argv[0])
    found = shutil.which(path.name)
    return path.name if found and Path(found).resolve() == path.resolve() else str(path)


def usual(port: int) -> int | None:
    """The usual port when nobody has it; else a free one is found and kept."""
    return port if is_free(port) else None


def demo() -> None:
    """SKU-123 from shortage to goods received before your eyes; everything is ended again.

    Example: replenisher demo
    """
    raise typer.Exit(asyncio.run(narrated_demo(lambda line: print(line, flush=True))))


def scenario(
    name: Annotated[str, typer.Argument(help="A scenario, `list` or `all`.")],
    as_json: AsJson = False,
    at_once: Annotated[int, typer.Option(min=1, help="How many are played at a time.")] = 6,
) -> None:
    """Play what can go wrong, by name, on a real engine with a sandbox of its own. `list` shows the names.

    With --json one line per variant: scenario, variant, held, outcome, orders, approvals, requests, checks.
    Exit 0 only when every check held.

    Example: replenisher scenario happy-path    or    replenisher scenario all
    """
    if name == "list":
        for each in SCENARIOS:
            variants = [v for v in each.variants if v]
            print(f"{each.name:28} {each.shows}" + (f" (variants: {', '.join(variants)})" if variants else ""))
        return
    chosen = [s for s in SCENARIOS if name in (s.name, "all")]
    if not chosen:
        stop(USAGE, f"no scenario {name!r}: `replenisher scenario list` shows them")
    lines: list[dict[str, Any]] = []

    def finished(played: dict[str, Any]) -> None:
        lines.append(played)
        print(json.dumps(played, ensure_ascii=False) if as_json else as_text(played), flush=True)

    if not as_json:
        count = sum(len(s.variants) for s in chosen)
        print(f"playing {count}, each on an engine of its own, {at_once} at a time; a line as one ends", flush=True)
    held = asyncio.run(play_all(chosen, settings(None).inactivity, at_once, finished))
    if not as_json and len(lines) > 1:
        _table(lines)
    raise typer.Exit(0 if held else FAILED)


def _table(lines: list[dict[str, Any]]) -> None:
    table = Table("scenario", "variant", "held", "outcome", "orders", "checks")
    for played in sorted(lines, key=lambda p: (p["scenario"], p["variant"] or "")):
        held = sum(c["held"] for c in played["checks"])
        table.add_row(
            played["scenario"],
            played["variant"] or "",
            "yes" if played["held"] else "NO",
            played["outcome"] or "",
            str(len(played["orders"])),
            f"{held}/{len(played['checks'])}",
        )
    Console().print(table)


def add_to(app: typer.Typer) -> None:
    for command in (run, demo, scenario):
        app.command()(command)
