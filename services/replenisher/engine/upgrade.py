"""What the supervisor does for `replenisher upgrade`: takes its requests, and ends older agents once nothing is bound
to them. How agents start and end is agents.py's part."""

from __future__ import annotations

import asyncio
from itertools import count

from replenisher.engine.admin import Admin, AdminError
from replenisher.engine.older import Ask, Done, bound, only_there
from replenisher.engine.process import ProcessError
from replenisher.engine.supervisor import Say, Supervisor

_EVERY_SECONDS = 0.2
_LOOKS_EVERY = 5
"""Every so many rounds the engine is asked what is left."""


async def tend(supervisor: Supervisor, say: Say) -> None:
    """Until cancelled. An engine that does not answer for a while is asked again."""
    Ask.take(supervisor.plan.data)  # one that nobody waits for any more
    refused = ""
    for n in count():
        await answer(supervisor, say)
        if n % _LOOKS_EVERY == 0:
            try:
                await end_drained(supervisor, say)
            except AdminError as error:
                if error.status is not None and str(error) != refused:
                    refused = str(error)
                    say(f"an older agent stays: {refused}")
        await asyncio.sleep(_EVERY_SECONDS)


async def answer(supervisor: Supervisor, say: Say) -> None:
    """Does what was asked, if anything was, and writes down what became of it."""
    ask = Ask.take(supervisor.plan.data)
    if ask is None:
        return
    try:
        new = await supervisor.upgrade(ask.argv, ask.env)
    except (ProcessError, AdminError, TimeoutError) as error:
        say(f"no upgrade: {error}")
        Done(ask.id, error=str(error)).put(supervisor.plan.data)
        return
    say(f"agent healthy: {supervisor.agent_url}, registered as {new.id}: what begins from now on goes there")
    Done(ask.id, new.id, new.uri).put(supervisor.plan.data)


async def end_drained(supervisor: Supervisor, say: Say) -> None:
    """Ends each older agent that nothing is bound to, its process and its deployment."""
    for each in list(supervisor.older):
        deployment = each.agent.deployment
        async with Admin(supervisor.admin) as admin:
            if await bound(admin, deployment) or await only_there(admin, deployment):
                continue
        await supervisor.retire(each)
        say(f"{deployment} ended: nothing was left on it")
