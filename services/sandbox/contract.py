"""The bodies of the supplier contract, docs/suppliers.openapi.yaml, as they come in. What they do is in books.py."""

from datetime import date
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from sandbox.wire import Currency, Name, Positive


class Request(BaseModel):
    """More fields than documented are no error."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class OrderBody(Request):
    po: Name
    sku: Name
    item: Name
    quantity: Positive
    unit_price: Positive
    currency: Currency
    deliver_to: Annotated[str, Field(max_length=2000)]
    ship_by: date | None = None


class MessageBody(Request):
    kind: Literal["chase", "answer", "notice"]
    text: Annotated[str, Field(min_length=1, max_length=20000)]


class AcceptBody(Request):
    unit_price: Positive
    currency: Currency
    quantity: Positive
    promised_date: date | None = None
    text: Annotated[str, Field(max_length=20000)] = ""


class CancelBody(Request):
    reason: Annotated[str, Field(min_length=1, max_length=2000)]
