"""The operator's and the manager's handles on one entity: watch, unwatch, check, cancel, hold, and the scheduled
check."""

from dataclasses import replace
from datetime import timedelta

from restate import ObjectContext, VirtualObject
from restate.exceptions import TerminalError

from replenisher.domain.message import OPERATOR, Message
from replenisher.handlers.bodies import Cancel, Hold
from replenisher.handlers.desk import Desk, refuse_garbage
from replenisher.handlers.serde import Json, parse
from replenisher.handlers.serving import on_object


def add_operating(service: VirtualObject, desk: Desk) -> None:
    @on_object(service, "watch")
    async def watch(ctx: ObjectContext, body: Json) -> Json:
        """Keeps the part in stock from now on. Said again it begins the chain of checks anew, should that have been
        killed."""
        refuse_garbage(body)
        await desk.admitted(ctx, "operator")
        entity = await desk.remembered(ctx)
        await desk.look(ctx)
        desk.remember(ctx, desk.arm(ctx, replace(entity, watched=True), timedelta(0)))
        return {"status": "watched already" if entity.watched else "watched"}

    @on_object(service, "unwatch")
    async def unwatch(ctx: ObjectContext, body: Json) -> Json:
        """Starts nothing new; a replenishment under way goes on to its end, and is looked after until then."""
        refuse_garbage(body)
        await desk.admitted(ctx, "operator")
        entity = await desk.remembered(ctx)
        desk.remember(ctx, replace(entity, watched=False))
        return {"status": "unwatched", "under_way": None if entity.active is None else entity.active.run}

    @on_object(service, "check")
    async def check(ctx: ObjectContext, body: Json) -> Json:
        """Looks at the stock now."""
        refuse_garbage(body)
        await desk.admitted(ctx, "operator")
        entity = await desk.remembered(ctx)
        if not entity.watched:
            await desk.look(ctx)
            raise TerminalError(f"{ctx.key()} is not watched: POST /SkuAgent/.../watch first", 409)
        if entity.active is not None:
            desk.look_after(ctx, entity.active)
        entity, said = await desk.consider(ctx, entity)
        desk.remember(ctx, entity)
        return said

    @on_object(service, "tick", private=True)
    async def tick(ctx: ObjectContext, body: Json) -> None:
        """The scheduled check. Only this chain arms itself again; one of an older generation ends, and so does that
        of a part that is not watched, once nothing runs any more."""
        entity = await desk.remembered(ctx)
        if body["generation"] != entity.generation or (not entity.watched and entity.active is None):
            return
        # first of all: whatever becomes of this check, there will be another
        desk.tick(ctx, entity.generation, desk.knobs.check_delay)
        if entity.active is not None:
            desk.look_after(ctx, entity.active)
            return
        entity, _ = await desk.consider(ctx, entity)
        desk.remember(ctx, entity)

    @on_object(service, "cancel")
    async def cancel(ctx: ObjectContext, body: Json) -> Json:
        """Ends the active replenishment in order: drafts and orders of it are cancelled."""
        asked = parse(Cancel, {} if body is None else body)
        actor, at = await desk.admitted(ctx, "operator")
        entity = await desk.remembered(ctx)
        if entity.active is None:
            raise TerminalError(f"nothing is being replenished for {ctx.key()}: there is nothing to cancel", 409)
        run = entity.active.run
        name = asked.id or f"cancel-{run}"
        if entity.knows(OPERATOR, name):
            return {"status": "duplicate"}
        message = Message(name, OPERATOR, at, actor.name, text=asked.reason or f"{actor.name} asked")
        desk.remember(ctx, desk.pass_on(ctx, entity, message))
        return {"status": "cancelling", "run": run}

    @on_object(service, "hold")
    async def hold(ctx: ObjectContext, body: Json) -> Json:
        """Changes until when nothing is started by itself."""
        asked = parse(Hold, body)
        _, at = await desk.admitted(ctx, "manager")
        entity = await desk.remembered(ctx)
        until = at + timedelta(days=asked.days) if asked.days else None
        desk.remember(ctx, replace(entity, hold_until=until))
        return {"status": "held" if until else "not held", "until": None if until is None else until.isoformat()}
