"""Everything a replenishment knows. Built from its assignment, changed only by applying what was recorded."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal

from replenisher.domain.approval import Approval
from replenisher.domain.message import Message
from replenisher.domain.money import Rates
from replenisher.domain.order import Order
from replenisher.domain.outcome import Outcome
from replenisher.domain.part import Part, SupplierItem
from replenisher.domain.question import Question
from replenisher.domain.quote import NoQuote, Quote


@dataclass(frozen=True, slots=True)
class Assignment:
    """What the entity hands a new replenishment. A published shape: it is recorded as the workflow's input."""

    run: str
    sku: str
    n: int
    at: datetime
    part: Part
    on_hand: Decimal
    rates: Rates
    items: list[SupplierItem] = field(default_factory=list[SupplierItem])
    """What approved suppliers sell for this part."""
    orders: list[Order] = field(default_factory=list[Order])
    """Orders carried over from earlier replenishments, not closed."""
    mailbox: list[Message] = field(default_factory=list[Message])
    """Messages nobody has consumed yet."""
    rules_version: int = 1
    answerable: list[str] = field(default_factory=list[str])
    """Topics of suppliers' questions that master data answers."""
    buys: bool = True
    """False for a part that is not watched any more: what is open is settled, nothing is bought."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A supplier's message that yielded nothing."""

    message: str
    po: str | None
    text: str
    """The beginning of it, for a person to see; never shown to a model."""


@dataclass(frozen=True, slots=True)
class HeldReceipt:
    """Goods delivered beyond the tolerance: not booked unless the buyer agrees."""

    po: str
    note: str
    excess: Decimal
    agreed: bool = False


@dataclass(frozen=True, slots=True)
class State:
    run: str
    sku: str
    n: int
    rules_version: int
    part: Part
    rates: Rates
    on_hand: Decimal
    now: datetime
    """The latest recorded time; the only time rules know."""
    answerable: tuple[str, ...] = ()
    items: tuple[SupplierItem, ...] = ()
    quotes: tuple[Quote, ...] = ()
    unquoted: tuple[NoQuote, ...] = ()
    quote_rounds: int = 0
    """Rounds since there last were enough quotes."""
    quoted_at: datetime | None = None
    dropped: tuple[str, ...] = ()
    """Suppliers that declined, refused or withdrew their quote in this run."""
    wanted_quote: str | None = None
    """The quote the manager asked for instead of the one he rejected."""
    excess_agreed: bool = False
    orders: dict[str, Order] = field(default_factory=dict[str, Order])
    drafts: int = 0
    """Drafts made by this run; numbers the next one's key."""
    draft_failed_at: datetime | None = None
    """When the records last could not take a draft."""
    approvals: dict[str, Approval] = field(default_factory=dict[str, Approval])
    questions: dict[str, Question] = field(default_factory=dict[str, Question])
    unread: tuple[Message, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()
    held: tuple[HeldReceipt, ...] = ()
    heard: tuple[str, ...] = ()
    """Ids of messages taken in."""
    cancel_requested: str | None = None
    """Why the operator wants it ended."""
    gave_up: str | None = None
    """Why a person ended it."""
    winding_down: bool = False
    """The turns are spent."""
    buys: bool = True
    """False: what is open is settled, nothing is bought."""
    outcome: Outcome | None = None

    @property
    def ended(self) -> bool:
        return self.outcome is not None

    @property
    def stopping(self) -> bool:
        """Nothing new is begun; what must not be left behind is cleared away."""
        return self.winding_down or self.gave_up is not None

    @property
    def ending(self) -> bool:
        """What is open is left to the entity: nobody is waited for on its account."""
        return self.stopping or self.cancel_requested is not None

    def at(self, time: datetime) -> "State":
        """The state at a recorded time; time never runs backwards, whatever the order of records."""
        return self if time <= self.now else replace(self, now=time)

    def with_order(self, order: Order) -> "State":
        return replace(self, orders={**self.orders, order.po: order})

    def with_approval(self, approval: Approval) -> "State":
        return replace(self, approvals={**self.approvals, approval.id: approval})

    def with_question(self, question: Question) -> "State":
        return replace(self, questions={**self.questions, question.id: question})
