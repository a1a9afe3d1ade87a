"""Manager, escalation contact and buyer: what they were asked and told, and what they answer as scripts tell them."""

from datetime import datetime, timedelta
from typing import Any, Literal

from pydantic import AwareDatetime

from sandbox.answers import IGNORE, Choice, Choices, Decision, Decisions
from sandbox.events import Events
from sandbox.schedule import Action, Schedule
from sandbox.scripts import ANY
from sandbox.sender import Outgoing, Sender
from sandbox.store import Store, Table, key
from sandbox.wire import Amount, Body, Foreign, Json, Name, Problem, dump

DECIDE = "manager-decides"
ANSWER = "buyer-answers"


class Asked(Foreign):
    """A request for approval, as it came; `fields` beyond these are kept as they are."""

    id: Name
    sku: Name
    po: Name
    quantity: Amount
    supplier: str
    unit_price: Amount
    currency: str
    ceiling: Amount
    reason: Literal["order", "terms"]


class Reminder(Foreign):
    id: Name
    n: int
    to: Literal["manager", "escalation"]
    text: str


class Question(Foreign):
    id: Name
    sku: Name
    po: str | None = None
    subject: Name
    text: str
    choices: list[str]


class Notice(Foreign):
    id: Name
    sku: Name
    po: str | None = None
    text: str


class Said(Body):
    """One answer a person gave, and what became of it."""

    id: str
    value: str
    """approve, reject, or the buyer's choice."""
    at: AwareDatetime
    status: int | None = None
    answer: str | None = None


class Row(Body):
    """Something a person received, and what he said to it."""

    role: str
    sku: str
    body: dict[str, Any]
    at: AwareDatetime
    times: int = 1
    said: tuple[Said, ...] = ()


class People:
    def __init__(
        self, store: Store, events: Events, schedule: Schedule, sender: Sender, decisions: Decisions, choices: Choices
    ) -> None:
        self.approvals = Table(store, "approval", Row)
        self.questions = Table(store, "question", Row)
        self.reminders = Table(store, "reminder", Row)
        self.notices = Table(store, "notice", Row)
        self._manager = Table(store, "manager", Decisions)
        self._buyer = Table(store, "buyer", Choices)
        self._default = (decisions, choices)
        self._events = events
        self._schedule = schedule
        self._sender = sender
        sender.listen(self._heard)

    # --- what they receive --------------------------------------------------------------------------------------------

    def request(self, body: Asked, raw: dict[str, Json], now: datetime) -> None:
        """A request for approval. The same id again is the same request: shown as it came last, decided once."""
        known = self.approvals.get(body.id)
        if known is not None:
            self.approvals.put(body.id, known.model_copy(update={"body": raw, "times": known.times + 1}))
            return
        self.approvals.put(body.id, Row(role="manager", sku=body.sku, body=raw, at=now))
        about = {"sku": body.sku, "po": body.po, "approval": body.id, "reason": body.reason}
        self._events.tell("approval", price=body.unit_price, currency=body.currency, **about)
        answer = self._decision(body.sku)
        if answer is not None and answer.decision != IGNORE:
            self._schedule.at(now + timedelta(days=answer.after_days), DECIDE, approval=body.id, answer=dump(answer))

    def remind(self, role: str, body: Reminder, raw: dict[str, Json], now: datetime) -> None:
        asked = self.approvals.get(body.id)
        sku = asked.sku if asked is not None else ""
        if self._keep(self.reminders, key(body.id, str(body.n)), role, sku, raw, now):
            self._events.tell("reminder", sku=sku, approval=body.id, nth=body.n, role=role)

    def ask(self, role: str, body: Question, raw: dict[str, Json], now: datetime) -> None:
        if not self._keep(self.questions, body.id, role, body.sku, raw, now):
            return
        self._events.tell("question", sku=body.sku, po=body.po, subject=body.subject, question=body.id)
        answer = self._choice(body)
        if answer is not None and answer.choice != IGNORE:
            self._schedule.at(now + timedelta(days=answer.after_days), ANSWER, question=body.id, answer=dump(answer))

    def notify(self, role: str, body: Notice, raw: dict[str, Json], now: datetime) -> None:
        if self._keep(self.notices, key(role, body.id), role, body.sku, raw, now):
            self._events.tell("notice", sku=body.sku, po=body.po, role=role, id=body.id)

    def _keep(self, table: Table[Row], at: str, role: str, sku: str, raw: dict[str, Json], now: datetime) -> bool:
        """False when it came before."""
        known = table.get(at)
        if known is not None:
            table.put(at, known.model_copy(update={"times": known.times + 1}))
            return False
        table.put(at, Row(role=role, sku=sku, body=raw, at=now))
        return True

    # --- what they say ------------------------------------------------------------------------------------------------

    def script_manager(self, script: Decisions) -> None:
        self._manager.put(script.sku or ANY, script)

    def script_buyer(self, script: Choices) -> None:
        self._buyer.put(script.sku or ANY, script)

    def forget(self, role: str, sku: str | None) -> None:
        (self._manager if role == "manager" else self._buyer).drop(sku or ANY)

    def do(self, action: Action, now: datetime) -> None:
        """Something planned is due."""
        if action.kind == DECIDE:
            answer = Decision.model_validate(action.what["answer"])
            approved = answer.decision == "approve"
            asked = self.approvals.get(action.what["approval"])
            self.decide(action.what["approval"], asked.sku if asked else "", approved, answer, now)
            return
        choice = Choice.model_validate(action.what["answer"])
        self.answer(action.what["question"], choice.choice, choice.text, now)

    def decide(
        self, approval: str, sku: str, approved: bool, answer: Decision, now: datetime, message: str | None = None
    ) -> str:
        """The manager decides, whether he was asked or not; the number of the message."""
        row = self.approvals.get(approval)
        count = len(row.said) + 1 if row else 1
        said = message or self._sender.id("decision", approval, str(count))
        number = self._sender.send(
            "manager",
            sku,
            "approve",
            said,
            approval=approval,
            approved=approved,
            ceiling=None if answer.ceiling is None else format(answer.ceiling, "f"),
            reason=answer.reason or None,
            another=answer.another,
        )
        value = "approve" if approved else "reject"
        if row is not None:
            self.approvals.put(approval, _with(row, Said(id=said, value=value, at=now)))
        self._events.tell("decision", sku=sku, approval=approval, decision=value)
        return number

    def answer(self, question: str, choice: str, text: str, now: datetime, message: str | None = None) -> str:
        """The buyer answers; the number of the message."""
        row = self.questions.get(question)
        if row is None:
            raise Problem(404, f"the buyer was not asked {question!r}: GET /control/ledger lists the questions")
        picked = row.body["choices"][0] if choice == "first" else choice
        said = message or self._sender.id("answer", question, str(len(row.said) + 1))
        number = self._sender.send(
            "buyer", row.sku, "answer", said, question=question, choice=picked, text=text or None
        )
        self.questions.put(question, _with(row, Said(id=said, value=picked, at=now)))
        self._events.tell("answer", sku=row.sku, question=question, choice=picked)
        return number

    def _decision(self, sku: str) -> Decision | None:
        """The n-th request of a part gets the n-th answer; beyond the last the last again."""
        script = self._manager.get(sku) or self._manager.get(ANY) or self._default[0]
        count = sum(1 for row in self.approvals.values() if row.sku == sku)
        return script.answers[min(count, len(script.answers)) - 1] if script.answers else None

    def _choice(self, question: Question) -> Choice | None:
        """By subject; the n-th question of a subject gets the n-th answer to it, beyond the last the last again."""
        script = self._buyer.get(question.sku) or self._buyer.get(ANY) or self._default[1]
        mine = [a for a in script.answers if a.subject == question.subject] or [
            a for a in script.answers if a.subject == ANY
        ]
        asked = [r for r in self.questions.values() if (r.sku, r.body["subject"]) == (question.sku, question.subject)]
        return mine[min(len(asked), len(mine)) - 1] if mine else None

    def _heard(self, number: str, message: Outgoing) -> None:
        table, about = {
            "approve": (self.approvals, "approval"),
            "answer": (self.questions, "question"),
            "deliver": (None, ""),
        }[message.handler]
        row = None if table is None else table.get(message.body[about])
        if table is None or row is None:
            return
        heard = {"status": message.status, "answer": message.answer}
        said = tuple(s.model_copy(update=heard) if s.id == message.id else s for s in row.said)
        table.put(message.body[about], row.model_copy(update={"said": said}))


def _with(row: Row, said: Said) -> Row:
    return row.model_copy(update={"said": (*row.said, said)})


def decision_taken(row: Row) -> Literal["approved", "rejected"] | None:
    """The decision the agent took (2xx); None when there is none."""
    taken = [s for s in row.said if s.status is not None and s.status < 300]
    return None if not taken else ("approved" if taken[0].value == "approve" else "rejected")
