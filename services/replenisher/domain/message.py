"""What reaches an agent from outside while it waits. Who sent it is decided by the channel it
came through, never by its text."""

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

from replenisher.domain.reading import Reading

SUPPLIER_REPLY = "supplier-reply"
GOODS = "goods"
ANSWER = "answer"
OPERATOR = "operator"
STREAMS = (SUPPLIER_REPLY, GOODS, ANSWER, OPERATOR)
"""Event names are part of the journal: numbered as `supplier-reply-1` and so on, never renamed."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message, as the entity took it in. Applied once, by id."""

    id: str
    event: str
    at: datetime
    """When it was taken in, business time."""
    actor: str = ""
    """Who the channel says sent it."""
    po: str | None = None
    content: dict[str, str] = field(default_factory=dict[str, str])
    """Of a reply: subject and text, or mime, as they came (untrusted)."""
    note: str | None = None
    """Of goods: the delivery note."""
    booked: Decimal = Decimal(0)
    """Of goods: what this note brought in, in the part's unit."""
    received: Decimal = Decimal(0)
    """Of goods: received on the PO in all."""
    on_hand: Decimal = Decimal(0)
    """Of goods: on hand after booking."""
    excess: Decimal = Decimal(0)
    """Of goods: delivered beyond the tolerance and not booked."""
    question: str | None = None
    choice: str | None = None
    text: str = ""
    reading: Reading | None = None
    """Of an answer, and of the mail it is about: what a person read in a message that no reader could."""
