"""Whole replenishments in memory: the product's own loop, tools and rules, with waits answered by a story a test
tells."""

import asyncio
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

from replenisher.domain.approval import Verdict
from replenisher.domain.hearing import begin
from replenisher.domain.message import ANSWER, GOODS, OPERATOR, SUPPLIER_REPLY, Message
from replenisher.domain.ports import Unavailable
from replenisher.domain.reading import Reading
from replenisher.domain.state import Assignment, State
from replenisher.harness import loop
from replenisher.harness.decider import Decider
from replenisher.harness.loop import Turn
from replenisher.harness.memory import Answer, MemoryJournal
from replenisher.harness.shape import dump
from replenisher.models.rules_decider import RulesDecider
from replenisher.tools import TOOLS
from replenisher.tools.mailroom import replenishment
from support.inmemory import MemoryWorld


@dataclass(frozen=True)
class Waiting:
    """What the run waits for: open requests, and until when."""

    promises: Sequence[str]
    until: datetime


Story = Callable[["Simulation"], Generator[Answer, Waiting, None]]
"""Answers each wait in turn; when it ends, every later wait runs out."""


@dataclass
class Simulation:
    world: MemoryWorld = field(default_factory=MemoryWorld)
    decider: Decider | None = None
    turns: list[Turn[State]] = field(default_factory=list[Turn[State]])
    journal: MemoryJournal | None = None
    messages: int = 0

    def run(self, story: Story, assignment: Assignment | None = None) -> State:
        telling = story(self)
        started = False

        def answer(streams: Sequence[str], promises: Sequence[str], until: datetime) -> Answer:
            nonlocal started
            try:
                if not started:
                    started = True
                    next(telling)
                return telling.send(Waiting(promises, until))
            except StopIteration:
                return None

        clock = self.world.clock

        def pass_time(until: datetime) -> None:
            clock.time = max(clock.time, until)

        rules = RulesDecider([t.name for t in TOOLS])
        agent = replenishment(self.decider or rules, rules)
        self.journal = MemoryJournal(clock.now, answer, pass_time, retried=(Unavailable, ConnectionError))
        first = begin(assignment or self.world.assignment())
        return asyncio.run(loop.run(agent, first, self.journal, self.world.context, self.turns.append))

    @property
    def tools(self) -> list[str]:
        return [t.decision.tool for t in self.turns]

    @property
    def steps(self) -> list[str]:
        assert self.journal is not None
        return [r["step"] for r in self.journal.records if "step" in r]

    # --- what a story can answer
    # ---------------------------------------------------------------------------------------

    def _id(self) -> str:
        self.messages += 1
        return f"m-{self.messages}"

    def decide(self, approval: str, approved: bool = True, after: float = 0.2, **more: object) -> Answer:
        self.world.clock.days(after)
        verdict = Verdict(approved, "boss", **more)  # type: ignore[arg-type]
        return approval, {**dump(Verdict, verdict), "at": self.world.clock.now().isoformat()}

    def reply(self, po: str, reading: Reading, supplier: str = "A", after: float = 0.5) -> Answer:
        self.world.clock.days(after)
        number = self._id()
        self.world.reader.readings[number] = reading
        content = {"subject": f"Re: {po}", "text": number}
        return SUPPLIER_REPLY, dump(
            Message, Message(number, SUPPLIER_REPLY, self.world.clock.now(), supplier, po, content)
        )

    def goods(self, po: str, quantity: str, note: str = "DN-1", after: float = 1) -> Answer:
        self.world.clock.days(after)
        receipt = self.world.records.book_receipt(po, note, Decimal(quantity))
        message = Message(
            self._id(),
            GOODS,
            self.world.clock.now(),
            "warehouse",
            po,
            note=note,
            booked=receipt.booked,
            received=receipt.received,
            on_hand=receipt.on_hand,
            excess=receipt.excess,
        )
        return GOODS, dump(Message, message)

    def answer(self, question: str, choice: str, text: str = "", after: float = 0.5) -> Answer:
        self.world.clock.days(after)
        message = Message(
            self._id(), ANSWER, self.world.clock.now(), "buyer", question=question, choice=choice, text=text
        )
        return ANSWER, dump(Message, message)

    def cancel(self, why: str = "not needed", after: float = 0.1) -> Answer:
        self.world.clock.days(after)
        return OPERATOR, dump(Message, Message(self._id(), OPERATOR, self.world.clock.now(), "operator", text=why))


def agrees(price: str | None = "4.20", **more: object) -> Reading:
    """A reply that acknowledges the order at this price."""
    unit_price = None if price is None else Decimal(price)
    currency = str(more.pop("currency", "USD")) if price is not None else None
    return Reading(accepted=True, unit_price=unit_price, currency=currency, **more)  # type: ignore[arg-type]
