"""What suppliers do: partial deliveries, refusals, questions, and orders whose outcome nobody saw."""

import asyncio
from functools import partial

from sandbox.scenarios.common import Scenario, ends, one, one_order_at_a
from sandbox.scenarios.stage import Json, Stage, approve, confirm, goods


async def partial_delivery(stage: Stage, *notes: tuple[str, str]) -> None:
    """Each note with its quantity, as the warehouse reports them one after the other."""
    await stage.manager(approve())
    await stage.script("A", on_order=[confirm()])
    await stage.begin()
    po = (await stage.wait("order"))[0]["po"]
    await stage.waits("wait_for_goods")
    booked: dict[str, int] = {}
    for n, (note, quantity) in enumerate(notes):
        twice = note in booked
        again = {"id": f"{stage.sku}-{po}-{note}-{n}"} if twice else {}
        said = await stage.deliver(po, quantity, note, **again)
        stage.equal(f"{note} is taken", said["status"], 200)
        stage.equal(f"{note} is booked", said["body"]["status"], "booked already" if twice else "booked")
        booked[note] = int(quantity)
        total = sum(booked.values())
        if total < 450:
            seen = await stage.until(f"{total} are received", partial(_received, stage, po, str(total)))
            stage.equal("received so far", seen, str(total))
            stage.equal("outcomes while something is outstanding", len(await stage.ask("outcomes") or []), 0)
    await ends(stage, "received")
    outcome = await stage.outcome()
    total = sum(booked.values())
    stage.equal("received in all", [o["received"] for o in outcome["orders"]], [str(total)])
    status = await stage.ask("status")
    stage.equal("on hand", status["on_hand"], str(60 + total))
    stage.equal("nothing outstanding, never below 0", status["orders"], [])


async def _received(stage: Stage, po: str, quantity: str) -> Json:
    """The quantity, once status shows it: a note is booked before the run that waits for it has woken."""
    status = await stage.ask("status")
    order = next((o for o in status["orders"] if o["po"] == po), None) if status else None
    return quantity if order is not None and order["received"] == quantity else None


async def supplier_declines(stage: Stage) -> None:
    await stage.manager(approve())
    await stage.script("A", on_order=[{"after_days": 0.5, "send": "decline"}])
    await stage.script("B", on_order=[confirm()], on_confirmed=[goods()])
    await stage.begin()
    await ends(stage, "received")
    ledger = await stage.ledger()
    found = [(o["supplier"], o["unit_price"], o["status"]) for o in ledger["orders"]]
    stage.equal("orders", found, [("A", "4.20", "cancelled"), ("B", "4.35", "received")])
    stage.equal("approved anew", [a["supplier"] for a in ledger["approvals"]], ["A", "B"])


async def supplier_asks(stage: Stage, *, topic: str) -> None:
    await stage.manager(approve())
    question = {"topic": "dock"} if topic == "dock" else {"topic": "other", "text": "Which colour do you need?"}
    await stage.script(
        "A",
        on_order=[{"after_days": 0.5, "send": "ask", **question}],
        on_answer=[confirm()],
        on_confirmed=[goods()],
    )
    await stage.buyer({"subject": "question", "choice": "answer", "text": "Grey, RAL 7035.", "after_days": 0.2})
    await stage.begin()
    await ends(stage, "received")
    await one_order_at_a(stage)
    ledger = await stage.ledger()
    answers = [m["text"] for m in ledger["mails"]["in"] if m["kind"] == "answer"]
    stage.equal("answers sent", len(answers), 1)
    expected = "dock 2" if topic == "dock" else "Grey, RAL 7035."
    stage.check("with what was asked", all(expected in a for a in answers), answers)
    stage.equal("questions to the buyer", len(ledger["questions"]), 0 if topic == "dock" else 1)


async def vanish(stage: Stage, *suppliers: str) -> str:
    """A takes the order, its answer is lost, and A is gone: all attempts and three checks. The PO, after `failed`."""
    await stage.manager(approve())
    for other in suppliers:
        await stage.script(other, on_order=[confirm()])
    await stage.script("A", on_order=[], on_cancel="accept")
    await stage.fault("A", "orders", "reply_lost", 1)
    await stage.fault("A", "orders", "refuse_connection", None)
    await stage.fault("A", "find", "refuse_connection", None)
    await stage.begin("A", *suppliers)
    po = (await stage.wait("order"))[0]["po"]
    await stage.fault("A", "quotes", "refuse_connection", None)
    await stage.outcome(1)
    outcome = (await stage.ask("outcomes"))[0]
    stage.equal("the first replenishment", outcome["status"], "failed")
    stage.equal("what it knew of the order", [o["status"] for o in outcome["orders"]], ["unknown"])
    orders = await stage.orders("A")
    stage.equal("A has it once, under one key", [o["idempotency_keys"] for o in orders], [[po]])
    stage.equal("all six attempts", [o["attempts"] for o in orders], [6])
    stage.equal("questions to the buyer", len((await stage.ledger())["questions"]), 0)
    return po


async def outcome_unseen(stage: Stage) -> None:
    po = await vanish(stage, "C")
    second = (await stage.wait("order", supplier="C"))[0]["po"]
    asked = (await stage.ledger())["approvals"]
    stage.equal("the second request names the unknown order", asked[-1]["unknown_orders"], [po])
    await stage.heal("A")
    await stage.mail("A", po, send="confirm")
    await stage.wait("cancel", supplier="A")
    ledger = await stage.ledger()
    found = {o["po"]: (o["supplier"], o["status"]) for o in ledger["orders"]}
    stage.equal("the duplicate", found[po], ("A", "cancelled"))
    stage.check("one open order, at C", found[second] in (("C", "open"), ("C", "confirmed")), found[second])
    reasons = [o["cancel_reason"] for o in ledger["orders"] if o["po"] == po]
    stage.check("with a written reason", all(r and "duplicate" in r for r in reasons), reasons)
    await stage.waits("wait_for_goods")
    await stage.deliver(second, "450", "DN-C")
    await ends(stage, "received", 2)


async def late_message(stage: Stage, *, needed: bool) -> None:
    if needed:
        # unwatched once the order is out, so that no scheduled check starts anything before the mail comes
        unwatching = asyncio.create_task(_unwatch_when_ordered(stage))
        po = await vanish(stage)
        await unwatching
        await stage.heal("A")
        await stage.mail("A", po, send="confirm")
        await stage.waits("wait_for_goods")
        await stage.deliver(po, "450", "DN-A")
        await ends(stage, "received", 2)
        found = [(o["supplier"], o["status"], o["unit_price"]) for o in await stage.orders()]
        stage.equal("the order stands at its own terms", found, [("A", "received", "4.20")])
        stage.equal("requests", (await stage.ledger())["requests"]["approval_requests"], 1)
        return
    po = await vanish(stage, "C")
    second = (await stage.wait("order", supplier="C"))[0]["po"]
    await stage.waits("wait_for_goods")
    await stage.deliver(second, "450", "DN-C")
    await ends(stage, "received", 2)
    await stage.heal("A")
    await stage.mail("A", po, send="confirm")
    await ends(stage, "cancelled", 3)
    found = {o["po"]: o["status"] for o in await stage.orders()}
    stage.equal("the late one is cancelled", found, {po: "cancelled", second: "received"})


async def _unwatch_when_ordered(stage: Stage) -> None:
    await stage.wait("order")
    (await stage.post("unwatch")).raise_for_status()


SUPPLY: tuple[Scenario, ...] = (
    Scenario(
        "partial-delivery",
        "200 arrive, then the rest: closed only when nothing is outstanding, each note booked once",
        {
            None: one(lambda stage: partial_delivery(stage, ("DN-1", "200"), ("DN-2", "250"))),
            "260": one(lambda stage: partial_delivery(stage, ("DN-1", "200"), ("DN-2", "260"))),
            "same-note-twice": one(
                lambda stage: partial_delivery(stage, ("DN-1", "200"), ("DN-1", "200"), ("DN-2", "250"))
            ),
            "two-notes": one(lambda stage: partial_delivery(stage, ("DN-1", "200"), ("DN-2", "200"), ("DN-3", "50"))),
        },
    ),
    Scenario(
        "supplier-declines",
        "A cannot deliver: cancelled there, B drafted and approved anew",
        {None: one(supplier_declines)},
    ),
    Scenario(
        "supplier-asks",
        "A asks for the dock: answered once from master data; what nobody wrote down goes to the buyer",
        {
            None: one(partial(supplier_asks, topic="dock")),
            "not-in-master-data": one(partial(supplier_asks, topic="other")),
        },
    ),
    Scenario(
        "outcome-unseen",
        "an order nobody saw the answer to is unknown; its late confirmation is recognised as a duplicate",
        {None: one(outcome_unseen)},
    ),
    Scenario(
        "late-message",
        "nothing runs and the unknown order is confirmed: a settling run keeps it if needed, else cancels it",
        {
            None: one(partial(late_message, needed=True)),
            "no-longer-needed": one(partial(late_message, needed=False)),
        },
    ),
)
