"""`python -m bench.bare`: what the same work costs without a product. A Restate workflow that takes steps which do
nothing and waits three times for a durable promise or a durable timer, served as the product is. Beside it the shape of
the product without content, see shell.py."""

import asyncio
from datetime import timedelta
from typing import Any

import restate
from restate import RunOptions, Workflow, WorkflowContext, WorkflowSharedContext
from restate.asyncio import wait_completed

from bench.shell import shell
from bench.telling import Teller
from replenisher.engine.retry import RETRY_POLICY
from replenisher.serve import serve_until_told
from replenisher.settings import Settings

NAME = "Bare"
WAITS = 3
RESULT = {"at": "2026-12-01T08:00:00+00:00", "result": "done"}


def bare(settings: Settings, teller: Teller) -> Workflow:
    service = Workflow(
        NAME, inactivity_timeout=timedelta(seconds=settings.inactivity), invocation_retry_policy=RETRY_POLICY
    )

    @service.main("run", workflow_retention=timedelta(days=settings.retention_days))
    async def run(ctx: WorkflowContext, body: dict[str, int]) -> dict[str, int]:
        """body: {"steps": n}. A part of the steps, a wait, and so on; the last part after the last wait."""
        key, steps = ctx.key(), body["steps"]
        after = [steps * n // (WAITS + 1) for n in range(1, WAITS + 1)]

        async def step(n: int) -> Any:
            if n - 1 in after:
                teller.tell("woke", f"{key}/{after.index(n - 1)}")
            if n in after:
                teller.tell("waits", f"{key}/{after.index(n)}")
            if n == steps:
                teller.tell("closing", key)
            return RESULT

        for n in range(1, steps + 1):
            await ctx.run_typed(f"step-{n}", step, RunOptions(), n)
            if n in after:
                promise = ctx.promise(f"wait-{after.index(n)}", type_hint=str).value()
                await wait_completed(promise, ctx.sleep(timedelta(days=7)))
        return {"steps": steps}

    @service.handler("settle")
    async def settle(ctx: WorkflowSharedContext, wait: str) -> None:
        await ctx.promise(wait, type_hint=str).resolve("it is so")

    return service


async def main() -> None:
    settings = Settings()
    teller = Teller()
    app: Any = restate.app(services=[bare(settings, teller), *shell(settings, teller)])
    await serve_until_told(app, settings.agent_host, settings.agent_port)


if __name__ == "__main__":
    asyncio.run(main())
