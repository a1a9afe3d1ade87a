"""The end of a run, as its entity learns of it: from the relay, which is looked after, and never by waiting for the
run."""

from dataclasses import replace
from datetime import datetime, timedelta

from restate import ObjectContext, ObjectSharedContext, VirtualObject
from restate.asyncio import wait_completed

from replenisher.domain.outcome import Outcome, OutcomeStatus
from replenisher.handlers.archive import NAME as ARCHIVE
from replenisher.handlers.desk import NAME, Desk
from replenisher.handlers.entity import Active
from replenisher.handlers.replenish import Result
from replenisher.handlers.serde import RAW, Json
from replenisher.handlers.serving import on_object
from replenisher.harness.shape import dump, load

PATIENCE = timedelta(seconds=1)
"""How long a relay that is there takes not to answer."""


def add_ending(service: VirtualObject, desk: Desk) -> None:
    @on_object(service, "finished", private=True)
    async def finished(ctx: ObjectContext, body: Json) -> None:
        """From the relay: how the run ended. Told twice, the second changes nothing."""
        entity = await desk.remembered(ctx)
        if entity.active is None or entity.active.run != body["run"]:
            return
        result = await result_of(ctx, entity.active, body)
        entity = entity.ended(result.outcome, result.consumed, result.orders, result.begun_with)
        archived = {"n": entity.n, "outcome": dump(Outcome, result.outcome)}
        ctx.generic_send(ARCHIVE, "keep", RAW.serialize(archived), key=ctx.key())
        desk.remember(ctx, await desk.settle(ctx, entity))

    async def result_of(ctx: ObjectContext, active: Active, body: Json) -> Result:
        """The run's own result; of a killed one the time, and that nothing it was told counts as taken in."""
        if "result" in body:
            return load(Result, body["result"])

        async def now() -> Json:
            return desk.knobs.clock.now().isoformat()

        at = load(datetime, await desk.step(ctx, "time", now))
        reason = f"the run was killed or broke: {body['failed']}"
        if active.approved:
            reason += f"; {', '.join(active.approved)} had been approved"
        return Result(Outcome(active.run, OutcomeStatus.FAILED, reason, at), {}, [], [])

    @on_object(service, "rewatch", private=True)
    async def rewatch(ctx: ObjectContext, body: Json) -> None:
        """The relay is gone or was cancelled: another one follows the same run."""
        entity = await desk.remembered(ctx)
        active = entity.active
        if active is None or active.run != body["run"] or body.get("relay", active.relay) != active.relay:
            return
        relay = await desk.follow(ctx, active.run, active.invocation, int(body.get("again", 0)))
        desk.remember(ctx, replace(entity, active=replace(active, relay=relay)))

    @on_object(service, "look_after", shared=True, private=True)
    async def look_after(ctx: ObjectSharedContext, body: Json) -> None:
        """Attaches to the relay for a second: when it is gone and the run still active, the entity is told."""
        gone = ctx.attach_invocation(body["relay"], serde=RAW)
        done, _ = await wait_completed(gone, ctx.sleep(PATIENCE, name="patience"))
        entity = await desk.remembered(ctx)
        if gone in done and entity.active is not None and entity.active.relay == body["relay"]:
            told = {"run": entity.active.run, "relay": body["relay"]}
            ctx.generic_send(NAME, "rewatch", RAW.serialize(told), key=ctx.key())
