"""What manager and buyer are told to answer, in order. Giving the answers is people.py's part."""

from typing import Annotated, Literal

from pydantic import Field

from sandbox.scripts import ANY, Days
from sandbox.wire import Body, Name, Positive

IGNORE = "ignore"


class Decision(Body):
    decision: Literal["approve", "reject", "ignore"]
    after_days: Days = 0.1
    ceiling: Positive | None = None
    reason: str = ""
    another: str | None = None
    """With reject: the id of the quote wanted instead."""


class Decisions(Body):
    answers: Annotated[tuple[Decision, ...], Field(max_length=1000)]
    sku: Name | None = None


class Choice(Body):
    subject: str = ANY
    choice: str
    """One of those offered, or `ignore`; `first` is the first offered."""
    text: str = ""
    after_days: Days = 0.1


class Choices(Body):
    answers: Annotated[tuple[Choice, ...], Field(max_length=1000)]
    sku: Name | None = None
