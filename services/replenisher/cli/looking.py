"""Commands that look: timeline of a run from the engine's journal, and doctor."""

import asyncio
import json
from dataclasses import asdict
from typing import Annotated, Any

import typer

from replenisher.cli.client import FAILED, UNREACHABLE, reachable, stop
from replenisher.cli.options import AsJson, Data
from replenisher.cli.timeline import as_text, rows
from replenisher.engine import doctor as engine_doctor
from replenisher.engine.admin import Admin, AdminError
from replenisher.engine.journal import NoSuchRunError, read_run
from replenisher.handlers.replenish import NAME as REPLENISH
from replenisher.settings import Settings


def timeline(
    run: Annotated[str, typer.Argument(help="A replenishment, e.g. replenish-SKU-123-1 (see status).")],
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """What happened when in a replenishment, from the engine's own journal.

    Example: replenisher timeline replenish-SKU-123-1
    """
    chosen = reachable(data)

    async def read() -> list[dict[str, Any]]:
        async with Admin(chosen.admin) as admin:
            return rows(await read_run(admin, REPLENISH, run))

    try:
        happened = asyncio.run(read())
    except NoSuchRunError as unknown:
        stop(FAILED, f"{unknown}; `replenisher status SKU` shows the runs of a part")
    except AdminError as error:
        stop(UNREACHABLE, f"{error}: start it with `replenisher run`")
    if as_json:
        for row in happened:
            print(json.dumps(row, ensure_ascii=False, default=str))
    else:
        print(as_text(happened))


def doctor(
    resume: Annotated[bool, typer.Option("--resume", help="Resume what a connection error paused.")] = False,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """What is paused or failing, why, and what to do about it.

    --resume resumes what a connection error paused, and leaves journal mismatches alone: code that no longer
    follows a run would break it again. Exit 1 while something is paused.

    Example: replenisher doctor    or    replenisher doctor --resume
    """
    chosen = reachable(data)
    try:
        found = asyncio.run(_examine(chosen, resume))
    except AdminError as error:
        stop(UNREACHABLE, f"{error}: start it with `replenisher run`")
    if as_json:
        for each in found:
            print(json.dumps({**asdict(each), "advice": each.advice}, default=str))
    else:
        for each in found:
            state = "paused" if each.paused else "failing"
            why = "" if each.failure is None else f": {each.failure.message.splitlines()[0][:200]}"
            print(f"{state}  {each.target}  {each.cause.value}{why}\n        {each.advice}")
        if not found:
            print("the engine answers; nothing is paused, nothing fails")
    raise typer.Exit(FAILED if any(each.paused for each in found) else 0)


async def _examine(chosen: Settings, resume: bool) -> list[engine_doctor.Standing]:
    async with Admin(chosen.admin) as admin:
        if resume:
            for each in await engine_doctor.resume_connection_errors(admin):
                print(f"resumed {each.target} ({each.id})")
        return await engine_doctor.standing(admin)


def add_to(app: typer.Typer) -> None:
    for command in (timeline, doctor):
        app.command()(command)
