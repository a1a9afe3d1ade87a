"""A small Restate application of the tests' own, run as a child process: `python lab.py VARIANT [PORT]`.
VARIANT names the first step of Trip, so that two variants are two versions of the code; those whose name begins with
`hurried` give up after three attempts."""

import asyncio
import os
import sys
from datetime import timedelta

import hypercorn.asyncio
import hypercorn.config
import restate
from restate.exceptions import TerminalError
from restate.server import install_shutdown_hook

from replenisher.engine.retry import RETRY_POLICY

VARIANT = sys.argv[1]
PORT = int(sys.argv[2] if len(sys.argv) > 2 else os.environ["REPLENISHER_AGENT_PORT"])
HURRIED = restate.InvocationRetryPolicy(
    initial_interval=timedelta(milliseconds=20), max_interval=timedelta(milliseconds=40), max_attempts=3
)
POLICY = HURRIED if VARIANT.startswith("hurried") else RETRY_POLICY

counter = restate.VirtualObject("Counter", invocation_retry_policy=POLICY)
trip = restate.Workflow("Trip", invocation_retry_policy=POLICY)
broken: set[str] = set()


@counter.handler()
async def add(ctx: restate.ObjectContext, amount: int) -> int:
    total = (await ctx.get("total", type_hint=int) or 0) + amount
    ctx.set("total", total)
    return total


@trip.main()
async def run(ctx: restate.WorkflowContext, ask: dict[str, str]) -> dict[str, str]:
    async def leave() -> dict[str, str]:
        if ask.get("stumble") and ctx.key() not in broken:
            broken.add(ctx.key())
            raise ConnectionError("the road is closed")
        return {"from": ask["from"]}

    left = await ctx.run_typed(
        VARIANT, leave, restate.RunOptions(max_attempts=3, initial_retry_interval=timedelta(milliseconds=20))
    )
    ctx.set("left", left)
    ctx.generic_send("Counter", "add", b"1", key=ctx.key())
    match await restate.select(ticket=ctx.promise("ticket", type_hint=str).value(), late=ctx.sleep(timedelta(hours=1))):
        case ["ticket", number]:
            ticket = number
        case _:
            ticket = "none"

    async def no_seat() -> str:
        raise TerminalError("no seat", status_code=409)

    try:
        await ctx.run_typed("seat", no_seat)
    except TerminalError as error:
        return {"ticket": ticket, "seat": error.message}
    return {"ticket": ticket}


@trip.handler()
async def ticket(ctx: restate.WorkflowSharedContext, number: str) -> None:
    await ctx.promise("ticket", type_hint=str).resolve(number)


async def main() -> None:
    stop = asyncio.Event()
    # the SDK takes SIGTERM for itself at the first request; a handler of the loop's own would be lost then
    install_shutdown_hook(asyncio.get_running_loop(), stop.set)
    config = hypercorn.config.Config()
    config.bind = [f"127.0.0.1:{PORT}"]

    async def stopped() -> None:
        await stop.wait()

    await hypercorn.asyncio.serve(restate.app([counter, trip]), config, shutdown_trigger=stopped)


asyncio.run(main())
