"""What a supplier is to do with an order: what he writes when, and what he delivers. Doing it is acting.py's part."""

from datetime import date
from typing import Annotated, Literal, cast

from pydantic import AliasChoices, BeforeValidator, Field, model_validator

from sandbox.store import Store, Table, key
from sandbox.wire import Body, Currency, Json, Name, Positive, dump

ANY = "*"
Days = Annotated[float, Field(ge=0, le=3650)]


class Free(Body):
    """A mail in the script's own words."""

    text: Annotated[str, Field(max_length=100_000)] | None = None
    mime: Annotated[str, Field(max_length=1_000_000)] | None = None
    """Raw RFC 5322 text instead."""
    subject: str | None = None


class Saying(Body):
    """One thing a supplier says about an order. What is not given is as ordered."""

    send: Literal["confirm", "decline", "ask", "partial", "shipped", "receipt", "silent"] | Free = "confirm"
    unit_price: Positive | None = None
    currency: Currency | None = None
    quantity: Positive | None = None
    promised_date: date | None = None
    promised_days: Annotated[
        Annotated[int, Field(ge=0, le=3650)] | None, Field(validation_alias=AliasChoices("promised_days", "in_days"))
    ] = None
    """So many days after the mail instead; with neither no date is stated."""
    topic: Literal["dock", "address", "contact", "vat", "other"] = "dock"
    text: str | None = None
    """ask: the question in the script's own words."""
    reason: str = ""
    name_po: bool = True
    """False: the message does not say which order it is about (the text does)."""

    @model_validator(mode="before")
    @classmethod
    def own_words(cls, value: object) -> object:
        """`send` text or mime beside `text`, `mime` and `subject` is a mail in those words."""
        said = dict(cast("dict[str, Json]", value)) if isinstance(value, dict) else {}
        kind = said.get("send")
        if kind not in ("text", "mime"):
            return cast("object", value)
        if said.get(kind) is None:
            raise ValueError(f"send {kind} needs `{kind}`")
        said["send"] = {name: said.pop(name, None) for name in ("text", "mime", "subject")}
        return said


class Step(Saying):
    after_days: Days = 1
    """Counted from what set it off: the order, the chase, the answer or the acceptance."""
    nth: Annotated[int, Field(ge=1)] | None = None
    """Only at the n-th chase (answer, acceptance); None at each."""


class Delivery(Body):
    after_days: Days | None = None
    """Counted from the confirmation (see deliver_from); None is the quoted lead time."""
    quantity: Annotated[Positive | None, Field(validation_alias=AliasChoices("quantity", "deliver"))] = None
    """None is what is still to come."""
    note: Name | None = None
    """The delivery note; None makes up DN-PO-4471-1 and so on."""
    repeat: Annotated[int, Field(ge=1, le=100)] = 1
    """The same note is reported so many times, each time as a new message."""
    same_id: bool = False
    """With repeat: as the same message again."""
    even_if_cancelled: bool = False


class Script(Body):
    on_order: tuple[Step, ...] = ()
    on_chase: tuple[Step, ...] = ()
    on_answer: tuple[Step, ...] = ()
    on_accept: tuple[Step, ...] = ()
    on_cancel: Annotated[
        Literal["accept", "refuse"] | None, BeforeValidator(lambda said: "accept" if said == "cancelled" else said)
    ] = None
    """None: accepted until goods have left."""
    deliver: Annotated[tuple[Delivery, ...], Field(validation_alias=AliasChoices("deliver", "on_confirmed"))] = ()
    deliver_from: Literal["confirmed", "order"] = "confirmed"


class Scripts:
    def __init__(self, store: Store, default: Script) -> None:
        self._table = Table(store, "script", Script)
        self._default = default

    def set(self, supplier: str, sku: str, script: Script) -> None:
        self._table.put(key(supplier, sku), script)

    def drop(self, supplier: str, sku: str) -> None:
        self._table.drop(key(supplier, sku))

    def of(self, supplier: str, sku: str) -> Script:
        """The script set for this supplier and part, else for either of them, else for all, else the world's own."""
        for who, what in ((supplier, sku), (supplier, ANY), (ANY, sku), (ANY, ANY)):
            script = self._table.get(key(who, what))
            if script is not None:
                return script
        return self._default

    def shown(self, supplier: str, sku: str) -> Json:
        return dump(self.of(supplier, sku))
