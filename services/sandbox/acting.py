"""What suppliers do about their orders, as scripts or control tell them: mails in time, goods, answers to messages."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta

from replenisher.clock import Clock
from sandbox import mails
from sandbox.books import Books, Order, Terms
from sandbox.contract import AcceptBody, CancelBody, MessageBody, OrderBody
from sandbox.events import Events
from sandbox.mails import Facts
from sandbox.schedule import Action, Schedule
from sandbox.scripts import Delivery, Free, Saying, Scripts, Step
from sandbox.sender import Sender
from sandbox.warehouse import Warehouse
from sandbox.wire import Json, dump

SAY = "supplier-says"
DELIVER = "supplier-delivers"


class Suppliers:
    """`lead` caps how long goods without a time of their own take, in days; None leaves them the quoted lead time."""

    def __init__(
        self,
        clock: Clock,
        books: Books,
        scripts: Scripts,
        schedule: Schedule,
        sender: Sender,
        warehouse: Warehouse,
        events: Events,
        lead: float | None,
    ) -> None:
        self._clock = clock
        self._books = books
        self._scripts = scripts
        self._schedule = schedule
        self._sender = sender
        self._warehouse = warehouse
        self._events = events
        self._lead = lead

    # --- what the agent asks of them ----------------------------------------------------------------------------------

    def take(self, supplier: str, body: OrderBody) -> Order:
        order = self._books.take(supplier, body, self._clock.now())
        script = self._scripts.of(supplier, order.sku)
        self._plan(order, script.on_order, 1)
        if script.deliver_from == "order":
            self._plan_goods(order)
        return order

    def hear(self, order: Order, body: MessageBody, header: str) -> None:
        order = self._books.hear(order, body, header, self._clock.now())
        script = self._scripts.of(order.supplier, order.sku)
        steps = {"chase": script.on_chase, "answer": script.on_answer}.get(body.kind, [])
        self._plan(order, steps, order.heard[body.kind])

    def accept(self, order: Order, body: AcceptBody) -> Order:
        order = self._books.accept(order, body, self._clock.now())
        self._plan(order, self._scripts.of(order.supplier, order.sku).on_accept, len(order.accepted))
        self._plan_goods(order)
        return order

    def cancel(self, order: Order, body: CancelBody) -> Order:
        return self._books.cancel(order, body.reason, self._scripts.of(order.supplier, order.sku).on_cancel)

    # --- what they do -------------------------------------------------------------------------------------------------

    def do(self, action: Action) -> None:
        """Something planned is due."""
        order = self._books.get(action.what["supplier"], action.what["po"])
        if order is None:
            return
        if action.kind == SAY:
            if order.status != "cancelled":
                self.say(order, Step.model_validate(action.what["step"]))
            return
        delivery = Delivery.model_validate(action.what["delivery"])
        arrives = order.status not in ("cancelled", "declined") or delivery.even_if_cancelled
        if arrives and (delivery.quantity is not None or order.delivered < order.quantity):
            self._warehouse.deliver(order, delivery, self._clock.now())

    def say(self, order: Order, saying: Saying, message: str | None = None) -> str | None:
        """He writes, and his book follows what he wrote; the number of the message, None when he stays silent."""
        if saying.send == "silent":
            return None
        now = self._clock.now()
        payload = self._letter(order, saying, now)
        said = message or self._sender.id("mail", order.supplier, order.po, str(order.mails + 1))
        order = self._books.put(order, mails=order.mails + 1)
        number = self._sender.send(
            order.supplier,
            order.sku,
            "deliver",
            said,
            event="supplier-reply",
            po=order.po if saying.name_po else None,
            payload=payload,
        )
        kind = "text" if isinstance(saying.send, Free) else saying.send
        self._events.tell("mail", supplier=order.supplier, po=order.po, sku=order.sku, kind=kind, id=said)
        self._follow(order, saying, now)
        return number

    def write(self, supplier: str, sku: str, po: str | None, saying: Saying, message: str | None) -> str:
        """A mail about an order that is in no book here; only in free text."""
        assert isinstance(saying.send, Free)
        number = len(self._sender.sent()) + 1
        said = message or self._sender.id("mail", supplier, po or sku, f"free-{number}")
        payload = {"from": supplier} | _free(saying.send, f"Re: {po}" if po else "Your order")
        self._events.tell("mail", supplier=supplier, po=po, sku=sku, kind="text", id=said)
        named = po if saying.name_po else None
        return self._sender.send(supplier, sku, "deliver", said, event="supplier-reply", po=named, payload=payload)

    # --- their books and plans ----------------------------------------------------------------------------------------

    def _letter(self, order: Order, saying: Saying, now: datetime) -> dict[str, Json]:
        facts = _facts(order, saying, now)
        n = order.mails
        match saying.send:
            case Free():
                return {"from": order.supplier} | _free(saying.send, mails.subject(facts))
            case "decline":
                text = mails.decline(facts, n)
            case "ask" if saying.text is not None:
                text = mails.signed(saying.text, order.supplier)
            case "ask":
                text = mails.ask(facts, saying.topic, n)
            case "partial":
                text = mails.partial(facts, n)
            case "receipt":
                text = mails.receipt(facts, n)
            case "shipped":
                text = mails.shipped(facts, n)
            case _:
                text = mails.confirm(facts, n, short=saying.quantity is not None and saying.quantity < order.quantity)
        return {"from": order.supplier, "subject": mails.subject(facts), "text": text}

    def _follow(self, order: Order, saying: Saying, now: datetime) -> None:
        if isinstance(saying.send, Free):
            self._books.put(order, free_text=True)
        elif saying.send == "decline" and order.status in ("open", "confirmed"):
            self._books.put(order, status="declined")
        elif saying.send == "confirm":
            facts = _facts(order, saying, now)
            terms = Terms(
                unit_price=facts.unit_price or order.unit_price,
                currency=facts.currency,
                quantity=facts.quantity or order.quantity,
                promised_date=facts.promised,
                at=now,
            )
            own = (order.unit_price, order.currency, order.quantity)
            if (terms.unit_price, terms.currency, terms.quantity) != own:
                self._books.put(order, offered=(*order.offered, terms))
                return
            status = "confirmed" if order.status == "open" else order.status
            self._plan_goods(self._books.put(order, status=status, offered=(*order.offered, terms)))

    def _plan(self, order: Order, steps: Sequence[Step], n: int) -> None:
        for step in steps:
            if step.nth in (None, n) and step.send != "silent":
                self._schedule.after(step.after_days, SAY, supplier=order.supplier, po=order.po, step=dump(step))

    def _plan_goods(self, order: Order) -> None:
        """Once for each order."""
        if order.goods_planned or order.status in ("cancelled", "declined"):
            return
        script = self._scripts.of(order.supplier, order.sku)
        order = self._books.put(order, goods_planned=True)
        for delivery in script.deliver:
            lead = order.lead_time_days if self._lead is None else min(order.lead_time_days, self._lead)
            days = lead if delivery.after_days is None else delivery.after_days
            self._schedule.after(days, DELIVER, supplier=order.supplier, po=order.po, delivery=dump(delivery))


def _facts(order: Order, saying: Saying, now: datetime) -> Facts:
    quantity = saying.quantity or order.quantity
    return Facts(
        supplier=order.supplier,
        po=order.po,
        sku=order.sku,
        quantity=quantity,
        unit_price=saying.unit_price or order.unit_price,
        currency=saying.currency or order.currency,
        promised=_promised(saying, now),
        reason=saying.reason,
        rest=order.quantity - quantity,
    )


def _promised(saying: Saying, now: datetime) -> date | None:
    if saying.promised_date is not None or saying.promised_days is None:
        return saying.promised_date
    return (now + timedelta(days=saying.promised_days)).date()


def _free(free: Free, subject: str) -> dict[str, Json]:
    if free.mime is not None:
        return {"mime": free.mime}
    return {"subject": free.subject or subject, "text": free.text or ""}
