"""What people and systems send, as it is validated at the border."""

from datetime import date
from decimal import Decimal
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StringConstraints, model_validator

from replenisher.domain.reading import Reading

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
LongText = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=400)]
"""Ids of ours may hold a whole part number."""
Prose = Annotated[str, StringConstraints(max_length=4000)]
Number = Annotated[Decimal, Field(allow_inf_nan=False, max_digits=24, decimal_places=12)]


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Approve(Body):
    """A manager's decision: {"id": "m-17", "approval": "PO-4471/1", "approved": true, "ceiling": "4.30", "reason":
    "..."}"""

    id: Text
    approval: Text
    approved: StrictBool
    """true or false and nothing that looks like it: it commits money."""
    ceiling: Annotated[Decimal, Field(gt=0, allow_inf_nan=False, max_digits=24)] | None = None
    reason: Prose = ""
    another: Text | None = None
    """Rejected for another of the quotes: its id, as the request shows it."""
    by: Text | None = None


class Read(Body):
    """What the buyer read in a mail: {"unit_price": "4.35", "currency": "USD", "promised_date": "2026-12-20"}"""

    unit_price: Annotated[Number, Field(gt=0)] | None = None
    currency: Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")] | None = None
    promised_date: date | None = None
    quantity: Annotated[Number, Field(gt=0)] | None = None

    def reading(self) -> Reading:
        return Reading(
            unit_price=self.unit_price,
            currency=self.currency,
            promised_date=self.promised_date,
            quantity=self.quantity,
        )


class Answer(Body):
    """The buyer's answer: {"id": "m-18", "question": "PO-4471/late-date/1", "choice": "accept", "text": "..."}"""

    id: Text
    question: LongText
    choice: Text
    text: Prose = ""
    reading: Read | None = None
    """Of an unreadable mail: what it says beside the choice."""
    by: Text | None = None


class Payload(BaseModel):
    """A reply's words: subject and text, or mime as it came. Anything else in it is ignored."""

    model_config = ConfigDict(extra="ignore")

    sender: str | None = Field(default=None, alias="from")
    subject: str | None = None
    text: str | None = None
    mime: str | None = None

    @model_validator(mode="after")
    def says_something(self) -> Self:
        if self.text is None and self.mime is None:
            raise ValueError("needs text or mime")
        return self


class Reply(Body):
    """A supplier's message about one of his orders."""

    id: Text
    event: Literal["supplier-reply"]
    po: Text | None = None
    payload: Payload

    def content(self) -> dict[str, str]:
        """The message as it came; `from` is who it claims to be from."""
        return {k: v for k, v in self.payload.model_dump(by_alias=True).items() if isinstance(v, str)}


class Goods(Body):
    """A goods receipt: PO, delivery note and quantity in the part's unit."""

    id: Text
    event: Literal["goods"]
    po: Text
    note: Text
    quantity: Annotated[Number, Field(gt=0)]


class Hold(Body):
    """Until when nothing is started by itself; in business days from now, 0 ends a hold."""

    id: Text
    days: Annotated[float, Field(ge=0, le=365)]


class Cancel(Body):
    id: Text | None = None
    reason: Prose = ""
