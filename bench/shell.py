"""The product's shape without its content: an entity, a workflow, a relay and an archive that make the invocations,
steps, waits and writes of one replenishment of happy-path, and do nothing in them. What the product costs beyond it is
its own code and values; what this costs beyond the bare workflow is the price of the shape."""

from datetime import timedelta
from typing import Any

from restate import (
    Context,
    ObjectContext,
    RunOptions,
    Service,
    VirtualObject,
    Workflow,
    WorkflowContext,
    WorkflowSharedContext,
)
from restate.asyncio import wait_completed

from bench.telling import Teller
from replenisher.engine.retry import RETRY_POLICY
from replenisher.handlers.serde import RAW
from replenisher.settings import Settings

ENTITY, RUN, RELAY, ARCHIVE = "ShellEntity", "ShellRun", "ShellRelay", "ShellArchive"
VALUE = {"at": "2026-12-01T08:00:00+00:00", "result": "done"}
PARTS = (10, 3, 4, 3)
"""Steps of the run before, between and after its three waits."""
LATER = timedelta(days=3000)


async def nothing() -> Any:
    return VALUE


async def step(ctx: Any, name: str) -> Any:
    return await ctx.run_typed(name, nothing, RunOptions(serde=RAW))


def shell(settings: Settings, teller: Teller) -> list[Any]:
    """The four services."""
    common: dict[str, Any] = {
        "inactivity_timeout": timedelta(seconds=settings.inactivity),
        "invocation_retry_policy": RETRY_POLICY,
    }
    io: dict[str, Any] = {"input_serde": RAW, "output_serde": RAW, "accept": "*/*"}
    entity = VirtualObject(ENTITY, **common)
    run = Workflow(RUN, **common)
    relay = Service(RELAY, **common)
    archive = VirtualObject(ARCHIVE, enable_lazy_state=True, **common)

    def send(ctx: Any, service: str, handler: str, body: Any = None, key: str | None = None, **more: Any) -> Any:
        return ctx.generic_send(service, handler, RAW.serialize(body), key=key, **more)

    @entity.handler("watch", **io)
    async def watch(ctx: ObjectContext, body: Any) -> Any:
        await step(ctx, "actor")
        await ctx.get("entity", serde=RAW)
        await step(ctx, "stock")
        send(ctx, ENTITY, "tick", key=ctx.key())
        ctx.set("entity", VALUE, serde=RAW)
        return VALUE

    @entity.handler("tick", **io)
    async def tick(ctx: ObjectContext, body: Any) -> Any:
        await ctx.get("entity", serde=RAW)
        send(ctx, ENTITY, "tick", key=ctx.key(), send_delay=LATER)
        await step(ctx, "stock")
        invocation = await send(ctx, RUN, "run", key=ctx.key()).invocation_id()
        await send(ctx, RELAY, "follow", {"key": ctx.key(), "invocation": invocation}).invocation_id()
        ctx.set("entity", VALUE, serde=RAW)

    @entity.handler("approve", **io)
    async def approve(ctx: ObjectContext, body: Any) -> Any:
        await step(ctx, "actor")
        await ctx.get("entity", serde=RAW)
        await ctx.generic_call(RUN, "settle", RAW.serialize(body), key=ctx.key())
        ctx.set("entity", VALUE, serde=RAW)
        return VALUE

    @entity.handler("deliver", **io)
    async def deliver(ctx: ObjectContext, body: Any) -> Any:
        await step(ctx, "actor")
        await ctx.get("entity", serde=RAW)
        await step(ctx, "stock")
        if body == "wait-2":
            await step(ctx, "receive")
        send(ctx, RUN, "settle", body, key=ctx.key())
        ctx.set("entity", VALUE, serde=RAW)
        return VALUE

    @entity.handler("finished", **io)
    async def finished(ctx: ObjectContext, body: Any) -> Any:
        await ctx.get("entity", serde=RAW)
        send(ctx, ARCHIVE, "keep", body, key=ctx.key())
        ctx.set("entity", VALUE, serde=RAW)

    @run.main("run", workflow_retention=timedelta(days=settings.retention_days), **io)
    async def main(ctx: WorkflowContext, body: Any) -> Any:
        key, n = ctx.key(), 0
        ctx.set("assignment", VALUE, serde=RAW)
        for part, steps in enumerate(PARTS):
            for _ in range(steps):
                n += 1
                await step(ctx, f"step-{n}")
            if part < len(PARTS) - 1:
                ctx.set(f"records-{part}", VALUE, serde=RAW)
                promise = ctx.promise(f"wait-{part}", serde=RAW).value()
                timer = ctx.sleep(timedelta(days=7))
                teller.tell("waits", f"{key}/{part}")
                await wait_completed(promise, timer)
                teller.tell("woke", f"{key}/{part}")
        ctx.set("records-3", VALUE, serde=RAW)
        ctx.set("ended", True, serde=RAW)
        teller.tell("closing", key)
        return VALUE

    @run.handler("settle", **io)
    async def settle(ctx: WorkflowSharedContext, body: Any) -> Any:
        await ctx.promise(body, serde=RAW).resolve(VALUE)

    @relay.handler("follow", **io)
    async def follow(ctx: Context, body: Any) -> Any:
        result = await ctx.attach_invocation(body["invocation"], serde=RAW)
        send(ctx, ENTITY, "finished", result, key=body["key"])

    @archive.handler("keep", **io)
    async def keep(ctx: ObjectContext, body: Any) -> Any:
        ctx.set("outcome-1", body, serde=RAW)

    return [entity, run, relay, archive]
