"""The entity of one SKU: its one address for messages, its schedule of checks, and at most one replenishment at a time.
Exclusive handlers are short and never wait for a run: they validate first, write last, and send one way."""

from dataclasses import replace

from restate import ObjectSharedContext, VirtualObject
from restate.exceptions import TerminalError

from replenisher.domain.order import Order
from replenisher.domain.outcome import Outcome
from replenisher.handlers.desk import NAME, Desk
from replenisher.handlers.ending import add_ending
from replenisher.handlers.entity import open_orders, position
from replenisher.handlers.messaging import add_messaging
from replenisher.handlers.operating import add_operating
from replenisher.handlers.serde import Json
from replenisher.handlers.serving import on_object
from replenisher.harness.shape import dump, load


def sku_agent(desk: Desk) -> VirtualObject:
    """The virtual object, bound to its world."""
    service = VirtualObject(
        NAME,
        inactivity_timeout=desk.knobs.inactivity,
        invocation_retry_policy=desk.knobs.retry,
        journal_retention=desk.knobs.retention,
    )
    add_operating(service, desk)
    add_messaging(service, desk)
    add_ending(service, desk)

    @on_object(service, "status", shared=True)
    async def status(ctx: ObjectSharedContext, body: Json) -> Json:
        """What is in stock and on order, what runs, what it waits for, and what it wants from people."""
        entity = await desk.remembered(ctx)
        seen = await desk.look(ctx)
        active = entity.active
        running = await run_status(ctx, active.run) if active is not None else {}
        state: dict[str, dict[str, Json]] = running.get("state", {})
        # of the orders a run holds it knows more than the entity, which hears of them when it ends; of goods that came
        # since the run's last wait only the records know
        held = {po: load(Order, o) for po, o in state.get("orders", {}).items()}
        orders = open_orders(replace(entity, orders={**entity.orders, **held}), seen.stock)
        part = seen.stock.part
        level = position(seen.stock, orders)
        standing = "short" if level < part.reorder_point else "stocked"
        return {
            "sku": ctx.key(),
            "watched": entity.watched,
            "status": standing if active is None else "replenishing",
            "on_hand": str(seen.stock.on_hand),
            "position": str(level),
            "reorder_point": str(part.reorder_point),
            "target": str(part.target),
            "unit": part.unit,
            "hold_until": None if entity.hold_until is None else entity.hold_until.isoformat(),
            "run": None if active is None else active.run,
            "waiting": running.get("waiting"),
            "turns": running.get("turns", []),
            "approvals": list(state.get("approvals", {}).values()),
            "questions": list(state.get("questions", {}).values()),
            "orders": dump(list[Order], [o for o in orders if not o.closed]),
            "last_outcome": dump(Outcome, entity.outcomes[-1]) if entity.outcomes else None,
        }

    async def run_status(ctx: ObjectSharedContext, run: str) -> dict[str, Json]:
        """What the run says; nothing while it has not begun, or when the engine has forgotten it."""
        try:
            return await desk.ask_run(ctx, run, "status", None)
        except TerminalError as error:
            if error.message == "cancelled":
                raise
            return {}

    @on_object(service, "outcomes", shared=True)
    async def outcomes(ctx: ObjectSharedContext, body: Json) -> Json:
        """The latest outcomes, oldest first; the whole history is kept by OutcomeArchive."""
        return dump(list[Outcome], (await desk.remembered(ctx)).outcomes)

    return service
