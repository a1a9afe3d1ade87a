"""Everything a journal keeps or the entity remembers goes to JSON and comes back the same."""

import json
from dataclasses import fields, is_dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Any, get_args

import pytest
from pydantic import ValidationError

from replenisher.domain.approval import Approval, ApprovalStatus, Verdict
from replenisher.domain.judging import Judgement, Meaning
from replenisher.domain.message import Message
from replenisher.domain.order import CounterOffer, Order, OrderStatus, SupplierQuestion, Unwanted
from replenisher.domain.outcome import OrderSummary, Outcome, OutcomeStatus
from replenisher.domain.ports import Receipt, Stock, SupplierOrder
from replenisher.domain.question import Question, Subject
from replenisher.domain.quote import Break, NoQuote, Purchase, Quote
from replenisher.domain.reading import Reading
from replenisher.domain.repricing import Repriced
from replenisher.domain.state import Assignment, HeldReceipt, State, Unreadable
from replenisher.handlers.replenish import Result
from replenisher.harness.decider import Decision
from replenisher.harness.shape import dump, load
from replenisher.tools.drafting import Quoted
from replenisher.tools.ordering import FreshQuote, Sent
from support.inmemory import MemoryWorld, sku_123
from support.making import (
    START,
    approval,
    asks,
    counter,
    days,
    goods,
    no_quote,
    order,
    question,
    quote,
    quotes,
    reply,
    state,
)
from support.recorded import recorded

D = Decimal
DAY = date(2026, 12, 20)

READING = Reading(
    "PO-4471",
    True,
    False,
    True,
    "dock",
    "which dock?",
    True,
    D("4.20"),
    "USD",
    DAY,
    D(450),
    True,
    False,
    D("0.9"),
    "r/1",
)
FULL = order(
    OrderStatus.ACCEPTED,
    counter=counter("4.54", promised=DAY, after_acceptance=True, quantity_agreed=True),
    question=asks("dock", answer="Dock 2."),
    unwanted=Unwanted.DUPLICATE,
    unwanted_why="why",
    tried_at=START,
    chased_at=days(1.5),
    overdue="goods",
    received=D("0.125"),
)
VALUES: list[tuple[Any, Any]] = [
    (Break, Break(D(50), D("0.0387"))),
    (Quote, quote("A & B", "4.20", "EUR", freight=D("12.50"), minimum=D(100))),
    (NoQuote, no_quote("A", failed=True)),
    (Quoted, Quoted(list(quotes()))),
    (Quoted, Quoted([], "not today")),
    (Purchase, Purchase(quote(), D(450), D("4.20"), D("1890.00"), None, False)),
    (FreshQuote, FreshQuote(quote(), Repriced.ORDER, "Main warehouse")),
    (FreshQuote, FreshQuote(None, Repriced.GONE, "")),
    (tuple[Sent, str], ("taken", "")),
    (tuple[Sent, str], ("blocked", "why")),
    (SupplierOrder | None, None),
    (SupplierOrder | None, SupplierOrder("PO-4471", D(450), D("4.20"), "USD", "open")),
    (Reading, Reading()),
    (Reading, READING),
    (Message, goods("200", excess=D(5))),
    (Message, replace(reply(), reading=READING)),
    (Verdict, Verdict(True, "boss", D("4.30"), "as usual")),
    (Verdict, Verdict(False, "boss", another="C/C-123")),
    (Approval, approval(ApprovalStatus.APPROVED, reminders=2, reminded_at=START, overdue=True, withdrawn=True)),
    (CounterOffer, counter(promised=DAY, date_agreed=True)),
    (SupplierQuestion, asks()),
    (Order, order()),
    (Order, FULL),
    (Judgement, Judgement(Meaning.AGREES, FULL, keeps=True)),
    (Judgement, Judgement(Meaning.NOTHING, None)),
    (Question, question(Subject.LATE_DATE, message="m-1", choice="accept", answer="ok", by="buyer")),
    (Unreadable, Unreadable("m-1", None, "Bla")),
    (HeldReceipt, HeldReceipt("PO-4471", "DN-1", D(50), agreed=True)),
    (Receipt, Receipt(D(1), D(2), D(3), D(4), True)),
    (Stock, Stock(sku_123(), D(60), (FULL, order()))),
    (OrderSummary, OrderSummary("PO-1", "A", D(1), D(1), D(1), "USD", D("1.00"), "received")),
    (Outcome, Outcome("run", OutcomeStatus.GAVE_UP, "why", START, [])),
    (Result, Result(Outcome("run", OutcomeStatus.FAILED, "why", START), {"goods": 2}, [FULL])),
    (
        Decision,
        Decision(
            "water", {"can": "green"}, "thirsty", "model", [{"tool": "water", "arguments": {"can": ["green"]}}],
            days(1), ["no"], 12, 3,
        ),
    ),
    (Assignment, MemoryWorld().assignment(2, orders=[FULL], mailbox=[goods("200"), reply()], rules_version=2)),
    (
        State,
        state(
            FULL,
            quotes=quotes(),
            unquoted=(no_quote("D", failed=False),),
            approvals=[approval()],
            questions=[question(Subject.NO_QUOTE, None)],
            unread=(reply(),),
            heard=("m-1",),
            held=(HeldReceipt("PO-4471", "DN-1", D(50)),),
            outcome=Outcome("run", OutcomeStatus.RECEIVED, "in", START),
        ),
    ),
]  # fmt: skip


def name(value: Any) -> str:
    return getattr(value, "__name__", str(value))


@pytest.mark.parametrize(("shape", "value"), VALUES, ids=[name(s) for s, _ in VALUES])
def test_what_is_kept_comes_back_the_same(shape: Any, value: Any) -> None:
    raw = json.loads(json.dumps(dump(shape, value)))
    back = load(shape, raw)
    assert back == value
    assert type(back) is type(value)
    assert json.dumps(dump(shape, back)) == json.dumps(raw)


@pytest.mark.parametrize(("shape", "value"), VALUES, ids=[name(s) for s, _ in VALUES])
def test_no_amount_becomes_a_binary_fraction(shape: Any, value: Any) -> None:
    def floats(raw: Any) -> list[Any]:
        if isinstance(raw, dict):
            return [f for v in raw.values() for f in floats(v)]
        if isinstance(raw, list):
            return [f for v in raw for f in floats(v)]
        return [raw] if isinstance(raw, float) else []

    assert floats(dump(shape, value)) == []


@pytest.mark.parametrize("story", ["happy", "eventful", "silent", "unreachable"])
def test_every_state_of_a_run_comes_back_the_same(story: str) -> None:
    for one in recorded(story).states:
        assert load(State, json.loads(json.dumps(dump(State, one)))) == one


DATACLASSES = {s: v for s, v in VALUES if is_dataclass(s)}


@pytest.mark.parametrize("shape", DATACLASSES, ids=name)
def test_fields_of_newer_code_are_ignored(shape: Any) -> None:
    raw = {**dump(shape, DATACLASSES[shape]), "field_of_newer_code": {"a": 1}}
    assert load(shape, raw) == DATACLASSES[shape]


@pytest.mark.parametrize("shape", [s for s in DATACLASSES if s is not Reading], ids=name)
def test_a_shape_that_lacks_what_it_needs_is_refused_by_name(shape: Any) -> None:
    first = fields(shape)[0].name
    raw = dump(shape, DATACLASSES[shape])
    del raw[first]
    with pytest.raises(ValidationError, match=first):
        load(shape, raw)


@pytest.mark.parametrize(("shape", "raw"), [(Decimal, "4,20"), (Decimal, "much"), (date, "20.12.2026"), (int, "x")])
def test_what_is_no_value_is_refused(shape: Any, raw: str) -> None:
    with pytest.raises(ValueError):
        load(shape, raw)


def test_every_way_an_order_may_be_placed_is_recorded() -> None:
    assert set(get_args(Sent)) == {"taken", "refused", "unknown", "expired", "blocked"}
