"""The entity's desk: what its handlers share. Its memory, its steps, the start of a replenishment, the way of a
message."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from restate import ObjectContext, ObjectSharedContext, RunOptions
from restate.exceptions import TerminalError

from replenisher.domain.message import SUPPLIER_REPLY, Message
from replenisher.domain.money import Rates
from replenisher.domain.part import SupplierItem
from replenisher.domain.ports import Refused, Stock
from replenisher.domain.rules import FIRST
from replenisher.domain.state import Assignment
from replenisher.handlers.actor import Actor, ActorCheck
from replenisher.handlers.entity import Active, Entity, number, open_orders, position, something_due
from replenisher.handlers.knobs import Knobs
from replenisher.handlers.relay import NAME as RELAY
from replenisher.handlers.replenish import NAME as REPLENISH
from replenisher.handlers.serde import RAW, Garbage, Json
from replenisher.harness.shape import dump, load
from replenisher.tools.base import Context

NAME = "SkuAgent"
STATE = "entity"
# the engine gives the first answer again under an idempotency key, this one too
_FULL = "too many messages wait to be taken in: send this one again later, same id, another idempotency-key"


@dataclass(frozen=True, slots=True)
class Seen:
    """What the entity reads of the world for one decision, in one step."""

    at: datetime
    stock: Stock
    items: list[SupplierItem]
    rates: Rates
    rules_version: int = FIRST
    """Recorded with the rest: what a replenishment is started with is compared when the handler is replayed, and the
    settings may be others by then."""
    answerable: list[str] = field(default_factory=list[str])


@dataclass(frozen=True)
class Desk:
    context: Context
    actors: ActorCheck
    knobs: Knobs

    # --- memory and steps ---------------------------------------------------------------------------------------------

    async def remembered(self, ctx: ObjectContext | ObjectSharedContext) -> Entity:
        raw = await ctx.get(STATE, serde=RAW)
        return Entity() if raw is None else load(Entity, raw)

    def remember(self, ctx: ObjectContext, entity: Entity) -> None:
        ctx.set(STATE, dump(Entity, entity), serde=RAW)

    async def step(
        self, ctx: ObjectContext | ObjectSharedContext, name: str, action: Callable[[], Awaitable[Json]]
    ) -> Json:
        """A step of the entity. Its attempts are not counted: whoever waits for the answer waits until it is known."""

        async def refusing() -> Json:
            try:
                return await action()
            except Refused as refused:
                raise TerminalError(str(refused), 409) from refused

        options: RunOptions[Json] = RunOptions(serde=RAW)
        return await ctx.run_typed(name, refusing, options)

    async def admitted(self, ctx: ObjectContext, role: str, claimed: str = "") -> tuple[Actor, datetime]:
        """Who sent this and when, as a step: a replay decides the same. Raises TerminalError 401 or 403."""
        headers = ctx.request().headers

        async def check() -> Json:
            actor = await self.actors.check(headers, role, claimed)
            return {"role": actor.role, "name": actor.name, "at": self.knobs.clock.now().isoformat()}

        raw = await self.step(ctx, "actor", check)
        return Actor(raw["role"], raw["name"]), load(datetime, raw["at"])

    async def look(self, ctx: ObjectContext | ObjectSharedContext) -> Seen:
        """Stock, items and rates. Raises TerminalError 404 for a part nobody knows."""
        sku = ctx.key()

        async def read() -> Json:
            stock = await self.context.records.stock(sku)
            if stock is None:
                return None
            items = list(await self.context.records.items(sku))
            rates = await self.context.records.rates()
            knobs = self.knobs
            seen = Seen(knobs.clock.now(), stock, items, rates, knobs.rules_version, list(knobs.answerable))
            return dump(Seen, seen)

        raw = await self.step(ctx, "stock", read)
        if raw is None:
            said = f"nobody knows the part {sku!r}: import it first (replenisher import parts.csv ...)"
            raise TerminalError(said, 404)
        return load(Seen, raw)

    # --- replenishments -----------------------------------------------------------------------------------------------

    async def consider(self, ctx: ObjectContext, entity: Entity) -> tuple[Entity, Json]:
        """One look at the stock; starts a replenishment when it is short, or when an open order needs something."""
        if entity.active is not None:
            return entity, {"status": "replenishing", "run": entity.active.run}
        seen = await self.look(ctx)
        orders = open_orders(entity, seen.stock)
        level, reorder = position(seen.stock, orders), seen.stock.part.reorder_point
        facts = {"position": str(level), "reorder_point": str(reorder), "on_hand": str(seen.stock.on_hand)}
        if entity.hold_until is not None and seen.at < entity.hold_until and not entity.mailbox:
            return entity, {"status": "held", "until": entity.hold_until.isoformat(), **facts}
        if level < reorder or something_due(orders, seen.at) is not None or entity.mailbox:
            entity, active = await self.start(ctx, entity, seen)
            return entity, {"status": "started", "run": active.run, **facts}
        return replace(entity, hold_until=None), {"status": "stocked", **facts}

    async def start(self, ctx: ObjectContext, entity: Entity, seen: Seen) -> tuple[Entity, Active]:
        """Starts the workflow itself, one way, and the relay that will tell how it ended."""
        n = entity.n + 1
        run = f"replenish-{ctx.key()}-{n}"
        assignment = Assignment(
            run=run,
            sku=ctx.key(),
            n=n,
            at=seen.at,
            part=seen.stock.part,
            on_hand=seen.stock.on_hand,
            rates=seen.rates,
            items=seen.items,
            orders=open_orders(entity, seen.stock),
            mailbox=entity.mailbox,
            rules_version=seen.rules_version,
            answerable=seen.answerable,
            buys=entity.watched,
        )
        workflow = ctx.generic_send(REPLENISH, "run", RAW.serialize(dump(Assignment, assignment)), key=run)
        invocation = await workflow.invocation_id()
        relay = await self.follow(ctx, run, invocation, again=0)
        active = Active(run, n, invocation, relay, seen.at, handed=entity.mailbox)
        if not entity.watched:
            entity = self.arm(ctx, entity)
        return replace(entity, n=n, active=active, mailbox=[], hold_until=None), active

    def arm(self, ctx: ObjectContext, entity: Entity, delay: timedelta | None = None) -> Entity:
        """A new chain of scheduled checks; the one before, if any, ends by itself."""
        entity = replace(entity, generation=entity.generation + 1)
        self.tick(ctx, entity.generation, self.knobs.check_delay if delay is None else delay)
        return entity

    def tick(self, ctx: ObjectContext, generation: int, delay: timedelta) -> None:
        """The next check of a chain."""
        told = RAW.serialize({"generation": generation})
        ctx.generic_send(NAME, "tick", told, key=ctx.key(), send_delay=delay or None)

    def look_after(self, ctx: ObjectContext, active: Active) -> None:
        """Sends somebody to see whether the run's relay is still there."""
        ctx.generic_send(NAME, "look_after", RAW.serialize({"relay": active.relay}), key=ctx.key())

    async def follow(self, ctx: ObjectContext, run: str, invocation: str, again: int) -> str:
        """Sends a relay after a run; its invocation id."""
        told = {"sku": ctx.key(), "run": run, "invocation": invocation, "again": again}
        return await ctx.generic_send(RELAY, "follow", RAW.serialize(told)).invocation_id()

    async def settle(self, ctx: ObjectContext, entity: Entity) -> Entity:
        """Nothing runs and something was heard about an open order: a settling run takes it up. Where that fails, the
        message waits for the next check; what is known already is not lost over it."""
        if entity.active is not None or not entity.mailbox:
            return entity
        try:
            settling, _ = await self.start(ctx, entity, await self.look(ctx))
        except TerminalError:
            return entity
        return settling

    # --- messages -----------------------------------------------------------------------------------------------------

    def room_for(self, entity: Entity, event: str, text: int = 0) -> None:
        """Raises TerminalError 429 when too much waits already: nothing is written, and the sender tries again."""
        if entity.full(event, text):
            raise TerminalError(_FULL, 429)

    def pass_on(self, ctx: ObjectContext, entity: Entity, message: Message) -> Entity:
        """To the active run under its number, or into the mailbox. Remembered by id: it applies once."""
        sender = sender_of(message.event, message.actor)
        named, entity = entity.named(sender, message.id), entity.saw(sender, message.id)
        message = replace(message, id=named)
        active = entity.active
        if active is None:
            return replace(entity, mailbox=[*entity.mailbox, message])
        told = {"number": number(active.sent, message.event), "message": dump(Message, message)}
        ctx.generic_send(REPLENISH, "deliver", RAW.serialize(told), key=active.run)
        return replace(entity, active=replace(active, sent=[*active.sent, message]))

    async def ask_run(self, ctx: ObjectContext | ObjectSharedContext, run: str, handler: str, body: Json) -> Json:
        """A short call of the run's shared handler; its refusals are the caller's."""
        sent = b"" if body is None else RAW.serialize(body)
        return RAW.deserialize(await ctx.generic_call(REPLENISH, handler, sent, key=run))


def sender_of(event: str, actor: str) -> str:
    """Whose ids are unlike: every supplier's, and those of each kind of message from our own people."""
    return f"{event}/{actor}" if event == SUPPLIER_REPLY else event


def refuse_garbage(body: Json) -> None:
    """Raises TerminalError 400 for a body that is no JSON."""
    if isinstance(body, Garbage):
        raise TerminalError("the body is not JSON: send one JSON object, or none", 400)
