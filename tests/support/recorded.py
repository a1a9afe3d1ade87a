"""Runs of the product's own agent with their records, for tests that read them back."""

import json
from collections.abc import Generator
from dataclasses import dataclass
from functools import cache
from typing import Any

from replenisher.domain.reading import Reading
from replenisher.domain.state import Assignment, State
from replenisher.harness.loop import Agent
from replenisher.harness.memory import Answer
from replenisher.harness.replay import Record
from replenisher.models.rules_decider import RulesDecider
from replenisher.tools import TOOLS
from replenisher.tools.base import Context
from replenisher.tools.mailroom import replenishment
from support.inmemory import D
from support.simulation import Simulation, Story, Waiting, agrees

Telling = Generator[Answer, Waiting, None]


@dataclass(frozen=True)
class Run:
    assignment: Assignment
    records: tuple[Record, ...]
    states: tuple[State, ...]
    """After each turn."""

    def copied(self) -> list[Record]:
        return json.loads(json.dumps(list(self.records)))


def the_agent() -> Agent[State, Context]:
    rules = RulesDecider([t.name for t in TOOLS])
    return replenishment(rules, rules)


def happy(sim: Simulation) -> Telling:
    yield None
    yield sim.decide("PO-4471/1")
    yield sim.reply("PO-4471", agrees())
    yield sim.goods("PO-4471", "450")


def eventful(sim: Simulation) -> Telling:
    """A price above the range, a question, a chase, a short delivery, an answer of the buyer."""
    yield None
    yield sim.decide("PO-4471/1", ceiling=D("4.30"))
    yield None
    yield sim.reply("PO-4471", agrees("4.54"))
    yield sim.decide("PO-4471/2")
    yield sim.reply("PO-4471", Reading(question=True, question_topic="other", question_text="which colour?"))
    yield sim.answer("PO-4471/question/1", "answer", "grey")
    yield sim.goods("PO-4471", "200")
    yield sim.goods("PO-4471", "250", "DN-2")


def rejected(sim: Simulation) -> Telling:
    yield None
    yield sim.decide("PO-4471/1", False, reason="too dear")


def silent(sim: Simulation) -> Telling:
    yield None


def unreachable(sim: Simulation) -> Telling:
    sim.world.suppliers.down |= {"A:orders", "A:find"}
    yield None
    yield sim.decide("PO-4471/1")


STORIES: dict[str, Story] = {s.__name__: s for s in (happy, eventful, rejected, silent, unreachable)}


@cache
def recorded(story: str) -> Run:
    sim = Simulation()
    assignment = sim.world.assignment()
    sim.run(STORIES[story], assignment)
    assert sim.journal is not None
    records: Any = json.loads(json.dumps(sim.journal.records))
    return Run(assignment, tuple(records), tuple(t.after for t in sim.turns))
