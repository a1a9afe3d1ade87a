"""Control, right now: a mail, goods, a decision or an answer on its way to the agent at once: /control/... ."""

from typing import Annotated, Literal

from aiohttp import web
from pydantic import AliasChoices, Field

from sandbox.answers import Decision
from sandbox.controlling import body
from sandbox.scripts import Delivery, Free, Saying
from sandbox.sender import Outgoing
from sandbox.serving import answer, wanted, world
from sandbox.wire import Body, Json, Name, Positive, Problem, loads

routes = web.RouteTableDef()
LONGEST = 600.0
"""Real seconds a request of the control interface may wait."""
PATIENCE = 120.0


class MailNow(Saying):
    po: Name | None = None
    sku: Name | None = None
    id: Name | None = None
    send: Annotated[
        Literal["confirm", "decline", "ask", "partial", "shipped", "receipt", "silent"] | Free,
        Field(validation_alias=AliasChoices("send", "kind")),
    ] = "confirm"
    mime: str | None = None
    subject: str | None = None


class DeliverNow(Delivery):
    po: Name
    sku: Name | None = None
    supplier: Name | None = None
    id: Name | None = None


class DecideNow(Body):
    approval: Name
    approved: bool
    sku: Name | None = None
    ceiling: Positive | None = None
    reason: str = ""
    another: str | None = None
    id: Name | None = None


class AnswerNow(Body):
    question: Name
    choice: Name
    sku: Name | None = None
    text: str = ""
    id: Name | None = None


@routes.post("/control/suppliers/{name}/mail")
async def mail(request: web.Request) -> web.StreamResponse:
    here, name = world(request), request.match_info["name"]
    said = await body(request, MailNow)
    saying = _saying(said)
    order = None if said.po is None else here.books.get(name, said.po)
    with here.store.together():
        if order is not None and said.sku in (None, order.sku):
            number = here.suppliers.say(order, saying, said.id)
        elif said.sku is None:
            raise Problem(404, f"{name} has no order {said.po}: give the sku as well, and the mail as text or mime")
        elif not isinstance(saying.send, Free):
            raise Problem(409, f"{name} has no order {said.po}: only a mail in text or mime can be about it")
        else:
            number = here.suppliers.write(name, said.sku, said.po, saying, said.id)
    return await _on_its_way(request, [number or ""], PATIENCE)


def _saying(said: MailNow) -> Saying:
    """`text` and `mime` beside the other fields are a mail in those words; with `ask` the text is the question."""
    given = said.model_dump(exclude={"po", "sku", "id", "mime", "subject"}, by_alias=False)
    if said.mime is not None or (said.text is not None and said.send == "confirm"):
        given |= {"send": Free(text=said.text, mime=said.mime, subject=said.subject), "text": None}
    return Saying.model_validate(given)


@routes.post("/control/warehouse/deliver")
async def deliver(request: web.Request) -> web.StreamResponse:
    here = world(request)
    said = await body(request, DeliverNow)
    known = [o for o in here.books.orders.values() if o.po == said.po and said.supplier in (None, o.supplier)]
    order = known[0] if len(known) == 1 and said.sku in (None, known[0].sku) else None
    with here.store.together():
        if order is not None and said.id is None:
            delivery = Delivery.model_validate(said.model_dump(exclude={"po", "sku", "supplier", "id"}))
            numbers = here.warehouse.deliver(order, delivery, here.now())
        elif said.sku is None and order is None:
            raise Problem(404, f"no one supplier has {said.po} in his book: give the sku, the quantity and the note")
        elif said.quantity is None or said.note is None:
            raise Problem(400, "a report of goods in words of your own needs quantity and note")
        else:
            sku = said.sku or (order.sku if order else "")
            who = order.supplier if order else said.supplier
            numbers = [here.warehouse.report(sku, said.po, said.note, said.quantity, said.id, who, here.now())]
    return await _on_its_way(request, numbers, PATIENCE)


@routes.post("/control/people/manager/decide")
async def decide(request: web.Request) -> web.StreamResponse:
    here = world(request)
    said = await body(request, DecideNow)
    asked = here.people.approvals.get(said.approval)
    sku = said.sku or (asked.sku if asked else None)
    if sku is None:
        raise Problem(404, f"the manager was not asked {said.approval!r}: give the sku to decide on it all the same")
    verdict = Decision(
        decision="approve" if said.approved else "reject",
        ceiling=said.ceiling,
        reason=said.reason,
        another=said.another,
    )
    number = here.people.decide(said.approval, sku, said.approved, verdict, here.now(), said.id)
    return await _on_its_way(request, [number], PATIENCE)


@routes.post("/control/people/buyer/answer")
async def answer_question(request: web.Request) -> web.StreamResponse:
    here = world(request)
    said = await body(request, AnswerNow)
    number = here.people.answer(said.question, said.choice, said.text, here.now(), said.id)
    return await _on_its_way(request, [number], PATIENCE)


@routes.delete("/control/outbox")
async def drop_outbox(request: web.Request) -> web.StreamResponse:
    return answer(200, {"dropped": world(request).sender.drop(request.query.get("sku"))})


async def _on_its_way(request: web.Request, numbers: list[str], patience: float) -> web.StreamResponse:
    """What the ingress answered to the (last) message; status null when it has not within ?wait= real seconds, and then
    the message is sent again until it is heard."""
    # with no ingress to tell there is no answer to wait for
    nobody = world(request).sender.ingress is None
    within = wanted(request.query, "wait", 0 if nobody else patience, LONGEST)
    message: Outgoing | None = None
    for number in numbers:
        message = await world(request).sender.answered(number, within)
    if message is None:
        return answer(200, {"id": None, "state": "silent", "status": None, "body": None})
    return answer(
        200, {"id": message.id, "state": message.state, "status": message.status, "body": _json(message.answer)}
    )


def _json(text: str | None) -> Json:
    try:
        return None if text is None else loads(text.encode())
    except ValueError:
        return text
