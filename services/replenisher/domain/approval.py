"""A request for approval and the decision on it: a range of prices, bound to one PO, quantity,
currency and approver, with an expiry."""

from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Literal

from replenisher.domain import limits


class ApprovalStatus(StrEnum):
    OPEN = "open"
    APPROVED = "approved"
    REJECTED = "rejected"
    UNANSWERED = "unanswered"
    SUPERSEDED = "superseded"


@dataclass(frozen=True, slots=True)
class Approval:
    """One request. `id` is the PO number and a count: `PO-4471/1`."""

    id: str
    po: str
    reason: Literal["order", "terms"]
    """For sending a draft, or for terms the supplier came back with."""
    quantity: Decimal
    unit_price: Decimal
    currency: str
    ceiling: Decimal
    """The highest unit price asked for."""
    approver: str
    requested_at: datetime
    expires_at: datetime
    """Until when it can be decided."""
    freight: Decimal = Decimal(0)
    """What freight was asked for with it."""
    delivered: bool = True
    """False when the request may not have reached anybody."""
    status: ApprovalStatus = ApprovalStatus.OPEN
    decided_at: datetime | None = None
    holds_until: datetime | None = None
    """Until when the decision guards sending and new terms."""
    approved_up_to: Decimal | None = None
    by: str = ""
    why: str = ""
    another: str | None = None
    """Rejected for another of the quotes: its id."""
    reminders: int = 0
    reminded_at: datetime | None = None
    overdue: bool = False
    withdrawn: bool = False
    """The promise behind it has been refused: nobody can decide it any more."""

    @property
    def open(self) -> bool:
        return self.status is ApprovalStatus.OPEN

    def live(self, at: datetime) -> bool:
        """Approved, and the decision still holds."""
        return self.status is ApprovalStatus.APPROVED and self.holds_until is not None and at < self.holds_until

    def covers(
        self, po: str, quantity: Decimal, unit_price: Decimal, currency: str, freight: Decimal, at: datetime
    ) -> bool:
        """The decision holds for exactly this PO, quantity and currency, and up to this price and freight."""
        return (
            self.live(at)
            and self.po == po
            and self.quantity == quantity
            and self.currency == currency
            and self.approved_up_to is not None
            and unit_price <= self.approved_up_to
            and freight <= self.freight
        )


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a manager said."""

    approved: bool
    by: str
    ceiling: Decimal | None = None
    """Lowered ceiling; None keeps the one asked for."""
    reason: str = ""
    another: str | None = None


def objection(approval: Approval, verdict: Verdict) -> str | None:
    """Why the verdict cannot be taken as it stands; None when it can."""
    if verdict.ceiling is None or not verdict.approved:
        return None
    if verdict.ceiling > approval.ceiling:
        return f"the ceiling can be lowered, not raised: {verdict.ceiling} is above {approval.ceiling}"
    if verdict.ceiling < approval.unit_price:
        return f"a ceiling of {verdict.ceiling} is below the price {approval.unit_price}: reject the request instead"
    return None


def decided(approval: Approval, verdict: Verdict, at: datetime) -> Approval:
    """The request with its decision. A verdict that cannot be taken rejects: money is never approved by mistake."""
    if verdict.approved and objection(approval, verdict) is None:
        return replace(
            approval,
            status=ApprovalStatus.APPROVED,
            decided_at=at,
            holds_until=at + limits.DECISION_HOLDS,
            approved_up_to=approval.ceiling if verdict.ceiling is None else verdict.ceiling,
            by=verdict.by,
            why=verdict.reason,
            overdue=False,
        )
    return replace(
        approval,
        status=ApprovalStatus.REJECTED,
        decided_at=at,
        by=verdict.by,
        why=verdict.reason,
        another=verdict.another,
        overdue=False,
    )
