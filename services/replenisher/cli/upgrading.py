"""The command upgrade: new code beside the old, what still runs on the old, and its end."""

import asyncio
import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from replenisher.cli.client import FAILED, UNREACHABLE, USAGE, reachable, settings, stop
from replenisher.cli.options import AsJson, Data
from replenisher.domain.rules import VERSIONS
from replenisher.engine.admin import Admin, AdminError, Deployment
from replenisher.engine.older import Ask, Bound, Done, bound
from replenisher.engine.process import Deadline
from replenisher.engine.running import Running
from replenisher.engine.service import AGENT
from replenisher.handlers.replenish import NAME as REPLENISH

ANSWERED_WITHIN = 120.0
"""Seconds within which the supervisor must have started and registered the new agent."""
SHOWN = 10
"""Invocations shown of each deployment; the others are counted."""
OURS = {"DATA", "INGRESS", "ADMIN", "AGENT_HOST", "AGENT_PORT", "SUPPLIER_BASE", "PEOPLE_URL", "DAY", "EPOCH"}
"""Settings that belong to the whole that runs: a new agent cannot have its own."""
PREFIX = "REPLENISHER_"


def upgrade(
    rules_version: Annotated[
        int | None,
        typer.Option(help="Business rules for new replenishments; else as the environment says."),
    ] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Stay until the old ones have ended.")] = False,
    status: Annotated[bool, typer.Option("--status", help="Start nothing: show what still runs where.")] = False,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Start the code and settings of now beside those that run, and let the old ones end.

    The new agent is run by this command's own Python: `replenisher upgrade --data ...` of another checkout brings that
    checkout's code. What begins from now on goes to it. Replenishments under way stay on the old agent, under its code
    and their rules. When nothing is left there, `replenisher run` ends it; --wait shows that and does not cause it.

    Example: replenisher upgrade --rules-version 2 --wait    or    replenisher upgrade --status
    """
    chosen = reachable(data) if status else settings(data)
    if rules_version is not None and rules_version not in VERSIONS:
        stop(USAGE, f"this code knows the rules versions {', '.join(map(str, VERSIONS))}, not {rules_version}")
    running = Running.find(chosen.data)
    try:
        if not status:
            if running is None:
                stop(UNREACHABLE, f"no `replenisher run` is up on {chosen.data}: there is nothing to upgrade")
            done = asyncio.run(_ask(chosen.data, Ask(AGENT.argv, _own_settings(rules_version))))
            said = f"{done.deployment} at {done.uri} takes what begins from now on"
            print(json.dumps({"registered": done.deployment, "uri": done.uri}) if as_json else said, flush=True)
        asyncio.run(_show(chosen.admin, as_json, running is not None))
        if wait:
            asyncio.run(_until_ended(chosen.data, chosen.admin, as_json))
    except AdminError as error:
        stop(UNREACHABLE, f"the engine does not answer at {chosen.admin} ({error}): start it with `replenisher run`")


def _own_settings(rules_version: int | None) -> dict[str, str]:
    """What the environment of this command sets; `.env` is read by the agent itself."""
    mine = {k: v for k, v in os.environ.items() if k.startswith(PREFIX) and k.removeprefix(PREFIX) not in OURS}
    return mine if rules_version is None else {**mine, f"{PREFIX}RULES_VERSION": str(rules_version)}


async def _ask(data: Path, ask: Ask) -> Done:
    ask.put(data)
    deadline = Deadline(ANSWERED_WITHIN, every=0.1)
    while (done := Done.find(data, ask)) is None:
        try:
            await deadline.tick("an answer")
        except TimeoutError:
            Ask.take(data)
            stop(FAILED, "`replenisher run` did not answer; its output says more")
        if Running.find(data) is None:
            stop(FAILED, "`replenisher run` ended meanwhile")
    if done.error is not None:
        stop(FAILED, f"the new agent does not serve, and nothing has changed: {done.error}")
    return done


async def _show(admin_url: str, as_json: bool, supervised: bool) -> None:
    """Every deployment, the newest last, and what is bound to it."""
    async with Admin(admin_url) as admin:
        deployments = await admin.deployments()
        for n, each in enumerate(deployments):
            here = await bound(admin, each.id)
            print(_as_json(each, here) if as_json else _as_text(each, here, n + 1 == len(deployments)), flush=True)
    if len(deployments) > 1 and supervised and not as_json:
        print("an older one ends by itself when nothing is left on it; `replenisher upgrade --status` shows what is")


def _as_json(deployment: Deployment, here: list[Bound]) -> str:
    rows: list[dict[str, Any]] = [asdict(each) for each in here]
    return json.dumps({"deployment": deployment.id, "uri": deployment.uri, "bound": rows}, default=str)


def _as_text(deployment: Deployment, here: list[Bound], newest: bool) -> str:
    left = _count(here) if here else "nothing under way"
    rows = [f"{deployment.id} ({deployment.uri}, {'newest' if newest else 'older'}): {left}"]
    rows += [f"    {each.target}  {each.status} since {each.since:%Y-%m-%d %H:%M:%S}" for each in here[:SHOWN]]
    if len(here) > SHOWN:
        rows.append(f"    and {len(here) - SHOWN} more")
    if any(each.status == "paused" for each in here):
        rows.append("    what is paused does not end by itself: `replenisher doctor` says why and what to do")
    return "\n".join(rows)


def _count(here: list[Bound]) -> str:
    runs = sum(1 for each in here if each.service == REPLENISH and each.handler == "run")
    others = len(here) - runs
    words = [f"{runs} replenishment{'s' * (runs != 1)}"] if runs else []
    return " and ".join([*words, f"{others} other call{'s' * (others != 1)}"] if others else words)


async def _until_ended(data: Path, admin_url: str, as_json: bool) -> None:
    """Shows the older ones whenever a number changes, until the supervisor has ended them all."""
    shown: dict[str, int] = {}
    while (running := Running.find(data)) is not None and running.older:
        async with Admin(admin_url) as admin:
            left = {each: len(await bound(admin, each)) for each in running.older}
        for gone in shown.keys() - left.keys():
            _progress(gone, None, as_json)
        for each, count in left.items():
            if shown.get(each) != count:
                _progress(each, count, as_json)
        shown = left
        await asyncio.sleep(0.5)
    if running is None:
        stop(FAILED, f"`replenisher run` on {data} ended meanwhile; it goes on with the old ones when it is back")
    for gone in shown:
        _progress(gone, None, as_json)


def _progress(deployment: str, left: int | None, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"deployment": deployment, "left": left, "ended": left is None}), flush=True)
    else:
        print(f"{deployment}: {'ended' if left is None else f'{left} left'}", flush=True)


def add_to(app: typer.Typer) -> None:
    app.command()(upgrade)
