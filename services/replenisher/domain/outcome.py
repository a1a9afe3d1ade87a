"""How a replenishment ended, and why."""

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum


class OutcomeStatus(StrEnum):
    RECEIVED = "received"
    CANCELLED = "cancelled"
    REJECTED = "rejected"
    GAVE_UP = "gave_up"
    FAILED = "failed"


HELD = frozenset({OutcomeStatus.REJECTED, OutcomeStatus.GAVE_UP})
"""Outcomes after which nothing is started for a while, so that the same question does not come back every day."""


@dataclass(frozen=True, slots=True)
class OrderSummary:
    """An order as an outcome keeps it."""

    po: str
    supplier: str
    quantity: Decimal
    received: Decimal
    unit_price: Decimal
    currency: str
    net: Decimal
    """Price times quantity plus freight."""
    status: str


@dataclass(frozen=True, slots=True)
class Outcome:
    run: str
    status: OutcomeStatus
    reason: str
    at: datetime
    orders: list[OrderSummary] = field(default_factory=list[OrderSummary])
