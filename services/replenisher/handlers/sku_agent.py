"""The entity of one SKU: its one address for messages, its schedule of checks, and at most one replenishment at a time.
Exclusive handlers are short and never wait for a run: they validate first, write last, and send one way."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime, timedelta

from restate import ObjectContext, ObjectSharedContext, RunOptions, VirtualObject
from restate.asyncio import wait_completed
from restate.exceptions import TerminalError

from replenisher.domain.approval import Verdict
from replenisher.domain.message import ANSWER, GOODS, OPERATOR, SUPPLIER_REPLY, Message
from replenisher.domain.money import Rates
from replenisher.domain.order import Order
from replenisher.domain.outcome import Outcome, OutcomeStatus
from replenisher.domain.part import SupplierItem
from replenisher.domain.ports import Receipt, Refused, Stock
from replenisher.domain.state import Assignment
from replenisher.engine.retry import RETRY_POLICY
from replenisher.handlers.actor import Actor, ActorCheck
from replenisher.handlers.archive import NAME as ARCHIVE
from replenisher.handlers.bodies import Answer, Approve, Cancel, Goods, Hold, Reply
from replenisher.handlers.entity import (
    Active,
    Entity,
    number,
    open_orders,
    position,
    something_due,
)
from replenisher.handlers.knobs import Knobs
from replenisher.handlers.relay import NAME as RELAY
from replenisher.handlers.replenish import NAME as REPLENISH
from replenisher.handlers.replenish import Result
from replenisher.handlers.serde import RAW, Garbage, Json, parse
from replenisher.harness.shape import dump, load
from replenisher.tools.base import Context

NAME = "SkuAgent"
STATE = "entity"


class Look:
    """What the entity reads of the world for one decision: stock, items, rates and the time, in one step."""

    def __init__(self, stock: Stock, raw: Json, at: datetime) -> None:
        self.stock = stock
        self.raw = raw
        self.at = at


def sku_agent(context: Context, actors: ActorCheck, knobs: Knobs) -> VirtualObject:
    """The virtual object, bound to its world."""
    service = VirtualObject(
        NAME,
        inactivity_timeout=knobs.inactivity,
        invocation_retry_policy=RETRY_POLICY,
        journal_retention=knobs.retention,
    )
    public = {"input_serde": RAW, "output_serde": RAW, "accept": "*/*"}
    private = {**public, "ingress_private": True}

    # --- reading and writing ------------------------------------------------------------------------------------------

    async def remembered(ctx: ObjectContext | ObjectSharedContext) -> Entity:
        raw = await ctx.get(STATE, serde=RAW)
        return Entity() if raw is None else load(Entity, raw)

    def remember(ctx: ObjectContext, entity: Entity) -> None:
        ctx.set(STATE, dump(Entity, entity), serde=RAW)

    async def step(ctx: ObjectContext | ObjectSharedContext, name: str, action: Callable[[], Awaitable[Json]]) -> Json:
        """A step of the entity. It has no attempts to exhaust: whoever waits for the answer is told to wait."""

        async def refusing() -> Json:
            try:
                return await action()
            except Refused as refused:
                raise TerminalError(str(refused), 409) from refused

        return await ctx.run_typed(name, refusing, RunOptions(serde=RAW))

    async def admitted(ctx: ObjectContext, role: str, claimed: str) -> tuple[Actor, datetime]:
        headers = ctx.request().headers

        async def check() -> Json:
            actor = await actors.check(headers, role, claimed)
            return {"role": actor.role, "name": actor.name, "at": knobs.clock.now().isoformat()}

        raw = await step(ctx, "actor", check)
        return Actor(raw["role"], raw["name"]), load(datetime, raw["at"])

    async def look(ctx: ObjectContext | ObjectSharedContext) -> Look:
        sku = ctx.key()

        async def read() -> Json:
            stock = await context.records.stock(sku)
            if stock is None:
                return None
            return {
                "at": knobs.clock.now().isoformat(),
                "stock": dump(Stock, stock),
                "items": dump(list[SupplierItem], list(await context.records.items(sku))),
                "rates": dump(Rates, await context.records.rates()),
            }

        raw = await step(ctx, "stock", read)
        if raw is None:
            raise TerminalError(
                f"nobody knows the part {sku!r}: import it first (replenisher import parts.csv ...)", 404
            )
        return Look(load(Stock, raw["stock"]), raw, load(datetime, raw["at"]))

    async def start(ctx: ObjectContext, entity: Entity, seen: Look) -> Entity:
        """Starts the workflow itself, one way, and the relay that will tell how it ended."""
        n = entity.n + 1
        run = f"replenish-{ctx.key()}-{n}"
        assignment = {
            "run": run,
            "sku": ctx.key(),
            "n": n,
            "at": seen.raw["at"],
            "part": seen.raw["stock"]["part"],
            "on_hand": seen.raw["stock"]["on_hand"],
            "rates": seen.raw["rates"],
            "items": seen.raw["items"],
            "orders": dump(list[Order], open_orders(entity, seen.stock)),
            "mailbox": dump(list[Message], entity.mailbox),
            "rules_version": knobs.rules_version,
            "answerable": list(knobs.answerable),
        }
        load(Assignment, assignment)
        workflow = ctx.generic_send(REPLENISH, "run", RAW.serialize(assignment), key=run)
        invocation = await workflow.invocation_id()
        relay = await follow(ctx, run, invocation, again=0)
        active = Active(run, n, invocation, relay, seen.at)
        return replace(entity, n=n, active=active, mailbox=[], hold_until=None)

    async def follow(ctx: ObjectContext, run: str, invocation: str, again: int) -> str:
        told = {"sku": ctx.key(), "run": run, "invocation": invocation, "again": again}
        return await ctx.generic_send(RELAY, "follow", RAW.serialize(told)).invocation_id()

    async def consider(ctx: ObjectContext, entity: Entity) -> tuple[Entity, Json]:
        """One look at the stock; starts a replenishment when the part is short, or when an open order needs something."""
        if entity.active is not None:
            return entity, {"status": "replenishing", "run": entity.active.run}
        seen = await look(ctx)
        orders = open_orders(entity, seen.stock)
        level, reorder = position(seen.stock, orders), seen.stock.part.reorder_point
        facts = {"position": str(level), "reorder_point": str(reorder), "on_hand": str(seen.stock.on_hand)}
        due = something_due(orders, seen.at)
        held = entity.hold_until is not None and seen.at < entity.hold_until
        if held and entity.hold_until is not None and not entity.mailbox:
            return entity, {"status": "held", "until": entity.hold_until.isoformat(), **facts}
        if level < reorder or due is not None or entity.mailbox:
            entity = await start(ctx, entity, seen)
            assert entity.active is not None
            return entity, {"status": "started", "run": entity.active.run, **facts}
        return replace(entity, hold_until=None), {"status": "stocked", **facts}

    # --- the operator -------------------------------------------------------------------------------------------------

    @service.handler("watch", **public)
    async def watch(ctx: ObjectContext, body: Json) -> Json:
        """Keeps the part in stock from now on."""
        refuse_garbage(body)
        await admitted(ctx, "operator", "")
        entity = await remembered(ctx)
        if entity.watched:
            return {"status": "watched already"}
        await look(ctx)
        entity = replace(entity, watched=True, generation=entity.generation + 1)
        remember(ctx, entity)
        ctx.generic_send(NAME, "tick", RAW.serialize({"generation": entity.generation}), key=ctx.key())
        return {"status": "watched"}

    @service.handler("unwatch", **public)
    async def unwatch(ctx: ObjectContext, body: Json) -> Json:
        """Starts nothing new; a replenishment under way goes on to its end."""
        refuse_garbage(body)
        await admitted(ctx, "operator", "")
        entity = await remembered(ctx)
        remember(ctx, replace(entity, watched=False, generation=entity.generation + 1))
        under_way = None if entity.active is None else entity.active.run
        return {"status": "unwatched", "under_way": under_way}

    @service.handler("check", **public)
    async def check(ctx: ObjectContext, body: Json) -> Json:
        """Looks at the stock now."""
        refuse_garbage(body)
        await admitted(ctx, "operator", "")
        entity = await remembered(ctx)
        if not entity.watched:
            await look(ctx)
            raise TerminalError(f"{ctx.key()} is not watched: POST /SkuAgent/.../watch first", 409)
        entity, said = await consider(ctx, entity)
        remember(ctx, entity)
        return said

    @service.handler("tick", **private)
    async def tick(ctx: ObjectContext, body: Json) -> None:
        """The scheduled check. Only this chain arms itself again."""
        entity = await remembered(ctx)
        if body["generation"] != entity.generation or not entity.watched:
            return
        entity, _ = await consider(ctx, entity)
        remember(ctx, entity)
        if entity.active is not None:
            ctx.generic_send(NAME, "look_after", RAW.serialize({"relay": entity.active.relay}), key=ctx.key())
        ctx.generic_send(NAME, "tick", RAW.serialize(body), key=ctx.key(), send_delay=knobs.check_delay)

    @service.handler("cancel", **public)
    async def cancel(ctx: ObjectContext, body: Json) -> Json:
        """Ends the active replenishment in order: drafts and orders of it are cancelled."""
        asked = parse(Cancel, body or {})
        actor, at = await admitted(ctx, "operator", "")
        entity = await remembered(ctx)
        if entity.active is None:
            raise TerminalError(f"nothing is being replenished for {ctx.key()}: there is nothing to cancel", 409)
        run = entity.active.run
        message = Message(
            asked.id or f"cancel-{run}", OPERATOR, at, actor.name, text=asked.reason or f"{actor.name} asked"
        )
        if message.id in entity.seen:
            return {"status": "duplicate"}
        remember(ctx, pass_on(ctx, entity, message).saw(message.id))
        return {"status": "cancelling", "run": run}

    @service.handler("hold", **public)
    async def hold(ctx: ObjectContext, body: Json) -> Json:
        """Changes until when nothing is started by itself."""
        asked = parse(Hold, body)
        _, at = await admitted(ctx, "manager", "")
        entity = await remembered(ctx)
        until = at + timedelta(days=asked.days) if asked.days else None
        remember(ctx, replace(entity, hold_until=until))
        return {"status": "held" if until else "not held", "until": None if until is None else until.isoformat()}

    # --- messages -----------------------------------------------------------------------------------------------------

    def pass_on(ctx: ObjectContext, entity: Entity, message: Message) -> Entity:
        """To the active run under its number, or into the mailbox."""
        active = entity.active
        if active is None:
            return replace(entity, mailbox=[*entity.mailbox, message])
        told = {"number": number(active.sent, message.event), "message": dump(Message, message)}
        ctx.generic_send(REPLENISH, "deliver", RAW.serialize(told), key=active.run)
        return replace(entity, active=replace(active, sent=[*active.sent, message]))

    async def settle(ctx: ObjectContext, entity: Entity) -> Entity:
        """Nothing runs and something was heard about an open order: a settling run takes it up."""
        if entity.active is not None or not entity.mailbox:
            return entity
        return await start(ctx, entity, await look(ctx))

    @service.handler("deliver", **public)
    async def deliver(ctx: ObjectContext, body: Json) -> Json:
        """A supplier's reply or a goods receipt."""
        event = body.get("event") if isinstance(body, dict) else None
        if event == GOODS:
            return await goods(ctx, parse(Goods, body))
        if event == SUPPLIER_REPLY:
            return await reply(ctx, parse(Reply, body))
        refuse_garbage(body)
        raise TerminalError(f"unknown event {event!r}: send {SUPPLIER_REPLY!r} or {GOODS!r}", 400)

    async def reply(ctx: ObjectContext, body: Reply) -> Json:
        content = {k: v for k, v in body.payload.items() if k in ("subject", "text", "mime", "from")}
        if not all(isinstance(v, str) for v in content.values()) or not ({"text", "mime"} & set(content)):
            raise TerminalError("payload needs text or mime, as strings", 400)
        if sum(len(v) for v in content.values()) > 1_000_000:
            raise TerminalError("the message is larger than 1 MB: leave attachments out", 413)
        actor, at = await admitted(ctx, "supplier", str(content.pop("from", "")))
        entity = await remembered(ctx)
        if body.id in entity.seen:
            return {"status": "duplicate"}
        seen = await look(ctx)
        mine = [o.po for o in seen.stock.orders if o.supplier == actor.name]
        if body.po is not None and body.po not in mine:
            raise TerminalError(f"{body.po} is not an open order of {actor.name or 'this sender'} for {ctx.key()}", 404)
        if not mine:
            raise TerminalError(f"{actor.name or 'this sender'} has no open order for {ctx.key()}", 404)
        message = Message(body.id, SUPPLIER_REPLY, at, actor.name, body.po, content)
        entity = pass_on(ctx, entity.saw(body.id), message)
        remember(ctx, await settle(ctx, entity))
        return {"status": "taken"}

    async def goods(ctx: ObjectContext, body: Goods) -> Json:
        actor, at = await admitted(ctx, "warehouse", "")
        entity = await remembered(ctx)
        if body.id in entity.seen:
            return {"status": "duplicate"}
        sku = ctx.key()

        async def book() -> Json:
            if await context.records.stock(sku) is None:
                raise TerminalError(f"nobody knows the part {sku!r}", 404)
            return dump(Receipt, await context.records.receive(body.po, sku, body.note, body.quantity))

        receipt = load(Receipt, await step(ctx, "receive", book))
        if receipt.duplicate:
            remember(ctx, entity.saw(body.id))
            return {"status": "booked already", "note": body.note, "received": str(receipt.received)}
        message = Message(
            body.id,
            GOODS,
            at,
            actor.name,
            body.po,
            note=body.note,
            booked=receipt.booked,
            received=receipt.received,
            on_hand=receipt.on_hand,
            excess=receipt.excess,
        )
        entity = pass_on(ctx, entity.saw(body.id), message)
        remember(ctx, await settle(ctx, entity))
        return {
            "status": "booked",
            "booked": str(receipt.booked),
            "received": str(receipt.received),
            "not_booked": str(receipt.excess),
        }

    @service.handler("approve", **public)
    async def approve(ctx: ObjectContext, body: Json) -> Json:
        """A manager's decision on an open request."""
        said = parse(Approve, body)
        actor, at = await admitted(ctx, "manager", said.by or "")
        entity = await remembered(ctx)
        if said.id in entity.seen:
            return {"status": "duplicate"}
        if entity.active is None:
            raise TerminalError(f"{said.approval} cannot be decided: nothing is being replenished for {ctx.key()}", 409)
        verdict = Verdict(said.approved, actor.name, said.ceiling, said.reason, said.another)
        told = {"approval": said.approval, "verdict": dump(Verdict, verdict), "at": at.isoformat()}
        answer = RAW.deserialize(
            await ctx.generic_call(REPLENISH, "approve", RAW.serialize(told), key=entity.active.run)
        )
        active = entity.active
        if said.approved:
            active = replace(active, approved=[*active.approved, said.approval])
        remember(ctx, replace(entity, active=active).saw(said.id))
        return {"status": "approved" if said.approved else "rejected", **answer}

    @service.handler("answer", **public)
    async def answer(ctx: ObjectContext, body: Json) -> Json:
        """The buyer's answer to a question."""
        said = parse(Answer, body)
        actor, at = await admitted(ctx, "buyer", said.by or "")
        entity = await remembered(ctx)
        if said.id in entity.seen:
            return {"status": "duplicate"}
        active = entity.active
        if active is None:
            raise TerminalError(f"nobody waits for an answer: nothing is being replenished for {ctx.key()}", 409)
        if said.question in active.answered:
            raise TerminalError(f"{said.question} was answered already", 409)
        told = {"question": said.question, "choice": said.choice}
        await ctx.generic_call(REPLENISH, "check_answer", RAW.serialize(told), key=active.run)
        message = Message(said.id, ANSWER, at, actor.name, question=said.question, choice=said.choice, text=said.text)
        active = replace(active, answered=[*active.answered, said.question])
        remember(ctx, pass_on(ctx, replace(entity, active=active), message).saw(said.id))
        return {"status": "taken", "question": said.question}

    # --- the end of a run ---------------------------------------------------------------------------------------------

    @service.handler("finished", **private)
    async def finished(ctx: ObjectContext, body: Json) -> None:
        """From the relay: how the run ended. Told twice, the second changes nothing."""
        entity = await remembered(ctx)
        if entity.active is None or entity.active.run != body["run"]:
            return
        result = await ended(ctx, entity.active, body)
        entity = entity.ended(result.outcome, result.consumed, result.orders)
        archived = {"n": entity.n, "outcome": dump(Outcome, result.outcome)}
        ctx.generic_send(ARCHIVE, "keep", RAW.serialize(archived), key=ctx.key())
        remember(ctx, await settle(ctx, entity))

    async def ended(ctx: ObjectContext, active: Active, body: Json) -> Result:
        """The run's own result; of a killed one the time, and that nothing it was told counts as taken in."""
        if "result" in body:
            return load(Result, body["result"])

        async def now() -> Json:
            return knobs.clock.now().isoformat()

        at = load(datetime, await step(ctx, "time", now))
        reason = f"the run was killed or broke: {body['failed']}"
        if active.approved:
            reason += f"; {', '.join(active.approved)} had been approved"
        return Result(Outcome(active.run, OutcomeStatus.FAILED, reason, at), {}, [])

    @service.handler("rewatch", **private)
    async def rewatch(ctx: ObjectContext, body: Json) -> None:
        """The relay is gone or was cancelled: another one follows the same run."""
        entity = await remembered(ctx)
        active = entity.active
        if active is None or active.run != body["run"] or body.get("relay", active.relay) != active.relay:
            return
        relay = await follow(ctx, active.run, active.invocation, int(body.get("again", 0)))
        remember(ctx, replace(entity, active=replace(active, relay=relay)))

    @service.handler("look_after", kind="shared", **private)
    async def look_after(ctx: ObjectSharedContext, body: Json) -> None:
        """Attaches to the relay for a second: when it is gone and the run is still active, the entity is told."""
        gone = ctx.attach_invocation(body["relay"], serde=RAW)
        done, _ = await wait_completed(gone, ctx.sleep(timedelta(seconds=1), name="patience"))
        entity = await remembered(ctx)
        if gone in done and entity.active is not None and entity.active.relay == body["relay"]:
            told = {"run": entity.active.run, "relay": body["relay"]}
            ctx.generic_send(NAME, "rewatch", RAW.serialize(told), key=ctx.key())

    # --- looking ------------------------------------------------------------------------------------------------------

    @service.handler("status", kind="shared", **public)
    async def status(ctx: ObjectSharedContext, body: Json) -> Json:
        """What is in stock, what is on order, what runs and what it waits for."""
        entity = await remembered(ctx)
        seen = await look(ctx)
        orders = open_orders(entity, seen.stock)
        part = seen.stock.part
        level = position(seen.stock, orders)
        running = None
        if entity.active is not None:
            running = RAW.deserialize(await ctx.generic_call(REPLENISH, "status", b"", key=entity.active.run))
        return {
            "sku": ctx.key(),
            "watched": entity.watched,
            "status": "replenishing" if entity.active else ("short" if level < part.reorder_point else "stocked"),
            "on_hand": str(seen.stock.on_hand),
            "position": str(level),
            "reorder_point": str(part.reorder_point),
            "target": str(part.target),
            "unit": part.unit,
            "hold_until": None if entity.hold_until is None else entity.hold_until.isoformat(),
            "run": None if entity.active is None else entity.active.run,
            "waiting": None if running is None else running["waiting"],
            "turns": None if running is None else running["turns"],
            "approvals": [] if running is None else list(running["state"]["approvals"].values()),
            "questions": [] if running is None else list(running["state"]["questions"].values()),
            "orders": dump(list[Order], orders),
            "last_outcome": dump(Outcome, entity.outcomes[-1]) if entity.outcomes else None,
        }

    @service.handler("outcomes", kind="shared", **public)
    async def outcomes(ctx: ObjectSharedContext, body: Json) -> Json:
        """The latest outcomes, oldest first; the whole history is kept by OutcomeArchive."""
        return dump(list[Outcome], (await remembered(ctx)).outcomes)

    return service


def refuse_garbage(body: Json) -> None:
    if isinstance(body, Garbage):
        raise TerminalError("the body is not JSON: send one JSON object, or none", 400)
