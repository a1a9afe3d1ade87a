"""The operator's and the manager's handles on one entity: watch, unwatch, check, cancel, hold, and the scheduled
check."""

from dataclasses import replace
from datetime import timedelta

from restate import ObjectContext, VirtualObject
from restate.exceptions import TerminalError

from replenisher.domain.message import OPERATOR, Message
from replenisher.handlers.bodies import Cancel, Hold
from replenisher.handlers.desk import NAME, Desk, refuse_garbage
from replenisher.handlers.serde import RAW, Json, parse
from replenisher.handlers.serving import on_object


def add_operating(service: VirtualObject, desk: Desk) -> None:
    @on_object(service, "watch")
    async def watch(ctx: ObjectContext, body: Json) -> Json:
        """Keeps the part in stock from now on."""
        refuse_garbage(body)
        await desk.admitted(ctx, "operator")
        entity = await desk.remembered(ctx)
        if entity.watched:
            return {"status": "watched already"}
        await desk.look(ctx)
        entity = replace(entity, watched=True, generation=entity.generation + 1)
        desk.remember(ctx, entity)
        ctx.generic_send(NAME, "tick", RAW.serialize({"generation": entity.generation}), key=ctx.key())
        return {"status": "watched"}

    @on_object(service, "unwatch")
    async def unwatch(ctx: ObjectContext, body: Json) -> Json:
        """Starts nothing new; a replenishment under way goes on to its end."""
        refuse_garbage(body)
        await desk.admitted(ctx, "operator")
        entity = await desk.remembered(ctx)
        desk.remember(ctx, replace(entity, watched=False, generation=entity.generation + 1))
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
        entity, said = await desk.consider(ctx, entity)
        desk.remember(ctx, entity)
        return said

    @on_object(service, "tick", private=True)
    async def tick(ctx: ObjectContext, body: Json) -> None:
        """The scheduled check. Only this chain arms itself again; one of an older generation ends."""
        entity = await desk.remembered(ctx)
        if body["generation"] != entity.generation or not entity.watched:
            return
        entity, _ = await desk.consider(ctx, entity)
        desk.remember(ctx, entity)
        if entity.active is not None:
            ctx.generic_send(NAME, "look_after", RAW.serialize({"relay": entity.active.relay}), key=ctx.key())
        ctx.generic_send(NAME, "tick", RAW.serialize(body), key=ctx.key(), send_delay=desk.knobs.check_delay)

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
        if name in entity.seen:
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
