"""The buyer decides where rules run out: ask him, wait for him."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from replenisher.domain.answers import Issue, issues
from replenisher.domain.ports import BuyerQuestion
from replenisher.domain.question import CHOICES, Question
from replenisher.domain.requesting import numbered
from replenisher.domain.state import State
from replenisher.harness.journal import Journal, StepFailed
from replenisher.harness.tool import Arguments
from replenisher.tools.base import Context, ReplenishAction, ReplenishWait, later


def question(state: State, key: str) -> Question:
    """The question an issue makes, numbered: `PO-4471/late-date/1`. Its id asks one thing for ever, whichever part
    or replenishment asks next."""
    issue: Issue = next(i for i in issues(state) if i.key == key)
    sent = next((q for q in state.questions.values() if q.again(state.now) and _about(q, issue)), None)
    if sent is not None:
        return replace(sent, asked_at=state.now, tries=sent.tries + 1)
    count = 1 + sum(1 for q in state.questions.values() if _about(q, issue))
    order = state.orders.get(issue.po or "")
    about = state.run if issue.po is None else issue.po
    number = str(count) if order is None else numbered(state, order, count)
    name = f"{about}/{issue.subject.value}/{number}"
    return Question(name, issue.subject, issue.po, issue.text, state.now, issue.message)


def _about(question: Question, issue: Issue) -> bool:
    return (question.po, question.subject) == (issue.po, issue.subject)


@dataclass(frozen=True, slots=True)
class Asked:
    delivered: bool
    at: datetime


class AskBuyer(ReplenishAction[Asked]):
    name = "ask_buyer"
    description = "Ask the buyer to decide something the rules do not."
    announces = True

    def allowed(self, state: State) -> bool:
        return not state.unread and bool(issues(state))

    def choices(self, state: State) -> Mapping[str, tuple[str, ...]]:
        return {"subject": tuple(i.key for i in issues(state))}

    async def execute(self, state: State, arguments: Arguments, context: Context, journal: Journal, turn: int) -> Asked:
        q = question(state, arguments["subject"])

        async def ask() -> str:
            asked = BuyerQuestion(q.id, state.sku, q.po, q.subject.value, q.text, CHOICES[q.subject])
            await context.people.ask_buyer(asked)
            return q.id

        try:
            return Asked(True, (await journal.step(f"{self.name}-{turn}", ask, str)).at)
        except StepFailed as failed:
            return Asked(False, failed.at)

    def apply(self, state: State, arguments: Arguments, result: Asked) -> State:
        q = question(state, arguments["subject"])
        return later(state.with_question(replace(q, delivered=result.delivered)), result.at)


class WaitForBuyer(ReplenishWait):
    name = "wait_for_buyer"
    description = "Wait for the buyer's answer."

    def allowed(self, state: State) -> bool:
        return any(q.open for q in state.questions.values()) and not state.unread and not state.stopping
