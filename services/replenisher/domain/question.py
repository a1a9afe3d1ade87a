"""A question to the buyer: one per subject, with the choices he has. What an answer does is in answers.py."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from replenisher.domain import limits


class Subject(StrEnum):
    NO_QUOTE = "no-quote"
    EXCESS = "excess-quantity"
    UNREADABLE = "unreadable"
    QUESTION = "question"
    QUANTITY = "acknowledged-quantity"
    LATE_DATE = "late-date"
    NO_REPLY = "no-reply"
    NO_GOODS = "no-goods"
    NO_DECISION = "no-decision"
    TERMS_UNANSWERED = "terms-unanswered"
    CANCEL_REFUSED = "cancel-refused"
    CANCEL_UNKNOWN = "cancel-unknown"
    OVER_DELIVERY = "over-delivery"


CHOICES: dict[Subject, tuple[str, ...]] = {
    Subject.NO_QUOTE: ("give_up", "look_again"),
    Subject.EXCESS: ("give_up", "accept"),
    Subject.UNREADABLE: ("ignore", "confirmed", "declined"),
    Subject.QUESTION: ("answer", "cancel", "give_up"),
    Subject.QUANTITY: ("accept", "cancel"),
    Subject.LATE_DATE: ("accept", "cancel"),
    Subject.NO_REPLY: ("chase_again", "cancel", "give_up"),
    Subject.NO_GOODS: ("chase_again", "cancel", "write_off", "give_up"),
    Subject.NO_DECISION: ("look_again", "give_up"),
    Subject.TERMS_UNANSWERED: ("cancel", "give_up"),
    Subject.CANCEL_REFUSED: ("accept", "give_up"),
    Subject.CANCEL_UNKNOWN: ("look_again", "give_up"),
    Subject.OVER_DELIVERY: ("accept", "leave"),
}
"""What the buyer may choose, by subject. An unanswered question changes nothing; the run goes on without it or ends."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question. `id` is the PO (or the run, for its need), the subject and a count: `PO-4471/late-date/1`."""

    id: str
    subject: Subject
    po: str | None
    text: str
    asked_at: datetime
    message: str | None = None
    """The message it is about."""
    delivered: bool = True
    """False when the question may not have reached anybody."""
    tries: int = 1
    """How often it was sent."""
    choice: str | None = None
    answer: str = ""
    by: str = ""
    unanswered: bool = False

    @property
    def open(self) -> bool:
        return self.choice is None and not self.unanswered

    def again(self, now: datetime) -> bool:
        """It may not have reached anybody, and is to be sent again, under the same id."""
        due = self.asked_at + limits.RETRY_AFTER <= now
        return self.open and not self.delivered and self.tries < limits.QUESTION_TRIES and due

    @property
    def choices(self) -> tuple[str, ...]:
        return CHOICES[self.subject]
