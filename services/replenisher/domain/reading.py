"""What a supplier's mail says, typed and bounded, and what our books say to compare it with. Never
any free text beyond the question."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal


@dataclass(frozen=True, slots=True)
class Books:
    """Our side of one order, for the reader to anchor on."""

    po: str
    sku: str
    quantity: Decimal
    unit_price: Decimal
    currency: str
    due: date | None
    received: date
    """The day the mail came in."""
    other_pos: tuple[str, ...] = ()
    pack: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """What a careful clerk would record from this mail alone; absent where it is not sure."""

    po: str | None = None
    accepted: bool = False
    declined: bool = False
    question: bool = False
    question_topic: Literal["dock", "address", "contact", "vat", "other"] | None = None
    question_text: str | None = None
    shipped: bool = False
    unit_price: Decimal | None = None
    """For one of our units, net."""
    currency: str | None = None
    promised_date: date | None = None
    """Arrival; of several partial deliveries the last."""
    quantity: Decimal | None = None
    bank_details_changed: bool = False
    automatic: bool = False
    """An auto-reply, bounce or ticket system: nobody said anything."""
    confidence: Decimal = Decimal(1)
    reader: str = ""
