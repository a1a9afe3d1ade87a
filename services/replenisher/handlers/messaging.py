"""Messages from outside: validated first, the actor checked, known ones dropped, and only then anything is written."""

from dataclasses import replace
from typing import cast

from restate import ObjectContext, VirtualObject
from restate.exceptions import TerminalError

from replenisher.domain.approval import Verdict
from replenisher.domain.message import ANSWER, GOODS, SUPPLIER_REPLY, Message
from replenisher.domain.ports import Receipt
from replenisher.handlers.bodies import Answer, Approve, Goods, Reply
from replenisher.handlers.desk import Desk, refuse_garbage, sender_of
from replenisher.handlers.entity import Entity
from replenisher.handlers.serde import Json, parse
from replenisher.handlers.serving import on_object
from replenisher.harness.shape import dump, load

LARGEST = 1_000_000
"""Characters of one supplier's message."""
APPROVAL = "approval"
"""The kind of a decision, whose ids are unlike those of other messages."""


def add_messaging(service: VirtualObject, desk: Desk) -> None:
    @on_object(service, "deliver")
    async def deliver(ctx: ObjectContext, body: Json) -> Json:
        """A supplier's reply or a goods receipt."""
        refuse_garbage(body)
        event = cast("dict[str, Json]", body).get("event") if isinstance(body, dict) else None
        if event == GOODS:
            return await goods(ctx, parse(Goods, body))
        if event == SUPPLIER_REPLY:
            return await reply(ctx, parse(Reply, body))
        raise TerminalError(f"unknown event {event!r}: send {SUPPLIER_REPLY!r} or {GOODS!r}", 400)

    async def reply(ctx: ObjectContext, body: Reply) -> Json:
        content = body.content()
        if sum(len(v) for v in content.values()) > LARGEST:
            raise TerminalError("the message is larger than 1 MB: leave attachments out", 413)
        actor, at = await desk.admitted(ctx, "supplier", content.pop("from", ""))
        entity = await desk.remembered(ctx)
        if entity.knows(sender_of(SUPPLIER_REPLY, actor.name), body.id):
            return {"status": "duplicate"}
        desk.room_for(entity, SUPPLIER_REPLY, sum(len(v) for v in content.values()))
        seen = await desk.look(ctx)
        mine = [o.po for o in seen.stock.orders if o.supplier == actor.name]
        sender = actor.name or "this sender"
        if body.po is not None and body.po not in mine:
            raise TerminalError(f"{body.po} is not an open order of {sender} for {ctx.key()}", 404)
        if not mine:
            raise TerminalError(f"{sender} has no open order for {ctx.key()}", 404)
        message = Message(body.id, SUPPLIER_REPLY, at, actor.name, body.po, content)
        entity = desk.pass_on(ctx, entity, message)
        desk.remember(ctx, await desk.settle(ctx, entity))
        return {"status": "taken"}

    async def goods(ctx: ObjectContext, body: Goods) -> Json:
        actor, at = await desk.admitted(ctx, "warehouse")
        entity = await desk.remembered(ctx)
        if entity.knows(GOODS, body.id):
            return {"status": "duplicate"}
        desk.room_for(entity, GOODS)
        sku = ctx.key()
        seen = await desk.look(ctx)

        async def book() -> Json:
            return dump(Receipt, await desk.context.records.receive(body.po, sku, body.note, body.quantity))

        receipt = load(Receipt, await desk.step(ctx, "receive", book))
        booked_already = {"status": "booked already", "note": body.note, "received": str(receipt.received)}
        if receipt.duplicate and entity.active is None and body.po not in {o.po for o in seen.stock.orders}:
            desk.remember(ctx, entity.saw(GOODS, body.id))
            return booked_already
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
        # also a note that was booked before: it may have been by this very step, dying before it was journaled.
        # The figures are absolute, so that hearing them twice changes nothing
        entity = desk.pass_on(ctx, entity, message)
        desk.remember(ctx, await desk.settle(ctx, entity))
        if receipt.duplicate:
            return booked_already
        return {
            "status": "booked",
            "booked": str(receipt.booked),
            "received": str(receipt.received),
            "not_booked": str(receipt.excess),
        }

    @on_object(service, "approve")
    async def approve(ctx: ObjectContext, body: Json) -> Json:
        """A manager's decision on an open request; the run's own promise is the arbiter."""
        said = parse(Approve, body)
        actor, at = await desk.admitted(ctx, "manager", said.by or "")
        entity = await desk.remembered(ctx)
        if entity.knows(APPROVAL, said.id):
            return {"status": "duplicate"}
        active = entity.active
        if active is None:
            raise TerminalError(f"{said.approval} cannot be decided: nothing is being replenished for {ctx.key()}", 409)
        verdict = Verdict(said.approved, actor.name, said.ceiling, said.reason, said.another)
        told = {"approval": said.approval, "verdict": dump(Verdict, verdict), "at": at.isoformat()}
        answer = await ask(ctx, entity, active.run, "approve", said.approval, told)
        if said.approved:
            active = replace(active, approved=[*active.approved, said.approval])
        desk.remember(ctx, replace(entity, active=active).saw(APPROVAL, said.id))
        return {"status": "approved" if said.approved else "rejected", **answer}

    async def ask(ctx: ObjectContext, entity: Entity, run: str, handler: str, name: str, told: Json) -> Json:
        """The run about one of its requests or questions; of an earlier run's it knows nothing, but the entity does."""
        try:
            return await desk.ask_run(ctx, run, handler, told)
        except TerminalError as refused:
            if refused.status_code == 404 and entity.asked_before(name):
                said = f"{name} cannot be decided any more: the replenishment that asked has ended"
                raise TerminalError(said, 409) from refused
            raise

    @on_object(service, "answer")
    async def answer(ctx: ObjectContext, body: Json) -> Json:
        """The buyer's answer to a question the agent asked."""
        said = parse(Answer, body)
        actor, at = await desk.admitted(ctx, "buyer", said.by or "")
        entity = await desk.remembered(ctx)
        if entity.knows(ANSWER, said.id):
            return {"status": "duplicate"}
        active = entity.active
        if active is None:
            raise TerminalError(f"nobody waits for an answer: nothing is being replenished for {ctx.key()}", 409)
        if said.question in active.answered:
            raise TerminalError(f"{said.question} was answered already", 409)
        told = {"question": said.question, "choice": said.choice}
        await ask(ctx, entity, active.run, "check_answer", said.question, told)
        message = Message(
            said.id,
            ANSWER,
            at,
            actor.name,
            question=said.question,
            choice=said.choice,
            text=said.text,
            reading=None if said.reading is None else said.reading.reading(),
        )
        active = replace(active, answered=[*active.answered, said.question])
        desk.remember(ctx, desk.pass_on(ctx, replace(entity, active=active), message))
        return {"status": "taken", "question": said.question}
