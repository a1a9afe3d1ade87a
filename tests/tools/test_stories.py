"""Whole replenishments on the product's own rules, with the world in memory: what must happen, seen in the suppliers'
book."""

from collections.abc import Generator
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from replenisher.domain.message import Message
from replenisher.domain.order import Order, OrderStatus
from replenisher.domain.reading import Reading
from replenisher.domain.state import State
from replenisher.harness.memory import Answer
from replenisher.harness.shape import load
from support.inmemory import START, D, MemoryWorld
from support.simulation import Simulation, Waiting, agrees

Telling = Generator[Answer, Waiting, None]


def usual(sim: Simulation) -> Telling:
    yield None
    yield sim.decide("PO-4471/1")
    yield sim.reply("PO-4471", agrees())
    yield sim.goods("PO-4471", "450")


def test_happy_path_in_twenty_steps_and_three_waits() -> None:
    sim = Simulation()
    state = sim.run(usual)
    assert state.outcome is not None
    assert state.outcome.status == "received"
    assert len(sim.steps) <= 20
    assert len([t for t in sim.tools if t.startswith("wait_")]) == 3
    book = sim.world.suppliers.book
    assert [(b.po, b.quantity, b.unit_price) for b in book.values()] == [("PO-4471", D(450), D("4.20"))]
    request = sim.world.people.requests[0]
    assert (request.ceiling, request.total_at_ceiling) == (D("4.41"), D("1984.50"))
    assert [(q.supplier, q.landed) for q in request.other_quotes] == [("B", D("1957.50")), ("C", D("2025.00"))]
    assert sim.world.records.closed == ["PO-4471"]


def test_steps_are_named_after_tool_and_turn() -> None:
    sim = Simulation()
    sim.run(usual)
    assert {"decide-3", "request_approval-3", "reprice-5", "place_order-5", "confirm-7"} <= set(sim.steps)


def test_a_silent_supplier_is_chased_once_after_seven_days() -> None:
    def story(sim: Simulation) -> Telling:
        yield None
        waiting = yield sim.decide("PO-4471/1")
        assert waiting.until - sim.world.clock.now() == timedelta(days=7)
        yield None
        yield sim.reply("PO-4471", agrees(None), after=1)
        yield sim.goods("PO-4471", "450")

    sim = Simulation()
    state = sim.run(story)
    assert state.outcome is not None
    assert state.outcome.status == "received"
    assert sim.tools.count("chase_supplier") == 1
    assert [key for op, _, key in sim.world.suppliers.calls if op == "messages"] == ["PO-4471/chase/1"]


def test_an_order_that_fails_on_every_attempt_is_unknown_and_ends_failed() -> None:
    sim = Simulation()
    sim.world.suppliers.down |= {"A:orders", "A:find"}

    def story(sim: Simulation) -> Telling:
        yield None
        yield sim.decide("PO-4471/1")

    state = sim.run(story)
    assert state.outcome is not None
    assert state.outcome.status == "failed"
    assert state.orders["PO-4471"].status is OrderStatus.UNKNOWN
    assert sim.tools.count("check_order") == 3
    assert "ask_buyer" not in sim.tools
    keys = {key for op, _, key in sim.world.suppliers.calls if op == "orders"}
    assert keys == {"PO-4471"}


def _second_run_orders_from_c(sim: Simulation) -> State:
    """First run: A takes the order and is unreachable. Second: C is ordered from."""
    world = sim.world
    world.suppliers.prices["B"] = None
    world.suppliers.lost |= {"A:orders"}
    world.suppliers.down |= {"A:find"}

    def first(sim: Simulation) -> Telling:
        yield None
        yield sim.decide("PO-4471/1")

    state = sim.run(first)
    assert state.outcome is not None
    assert state.outcome.status == "failed"
    return state


def test_outcome_unseen_the_duplicate_is_recognised_and_cancelled() -> None:
    world = MemoryWorld()
    first = _second_run_orders_from_c(Simulation(world))
    world.suppliers.lost.clear()
    world.suppliers.down |= {"A:quotes"}

    def second(sim: Simulation) -> Telling:
        yield None
        yield sim.decide("PO-4472/1")
        yield sim.reply("PO-4472", agrees("4.50"), "C")
        world.suppliers.down.clear()
        yield sim.reply("PO-4471", agrees(), "A")
        yield sim.goods("PO-4472", "450")

    sim = Simulation(world)
    orders: list[Order] = list(first.orders.values())
    state = sim.run(second, world.assignment(2, orders=orders))
    assert state.outcome is not None
    assert state.outcome.status == "received"
    assert world.people.requests[-1].unknown_orders == ("PO-4471",)
    assert world.suppliers.status == {"PO-4471": "cancelled", "PO-4472": "open"}
    [reason] = [reason for op, reason, _ in world.suppliers.calls if op == "cancels"]
    assert "duplicate" in reason
    assert world.suppliers.book["PO-4472"].item == "C-123"


def test_price_within_range_is_accepted_and_the_manager_told() -> None:
    def story(sim: Simulation) -> Telling:
        yield None
        yield sim.decide("PO-4471/1")
        yield sim.reply("PO-4471", agrees("4.35"))
        yield sim.goods("PO-4471", "450")

    sim = Simulation()
    state = sim.run(story)
    assert state.outcome is not None
    assert state.outcome.status == "received"
    assert len(sim.world.people.requests) == 1
    assert sim.world.records.pos["PO-4471"].unit_price == D("4.35")
    assert [role for role, _ in sim.world.people.notices] == ["manager"]


@pytest.mark.parametrize("approved", [True, False])
def test_price_above_range_goes_back_to_the_manager(approved: bool) -> None:
    def story(sim: Simulation) -> Telling:
        yield None
        yield sim.decide("PO-4471/1")
        yield sim.reply("PO-4471", agrees("4.54"))
        yield sim.decide("PO-4471/2", approved)
        if approved:
            yield sim.goods("PO-4471", "450")

    sim = Simulation()
    state = sim.run(story)
    assert state.outcome is not None
    request = sim.world.people.requests[1]
    assert (request.unit_price, request.ceiling) == (D("4.54"), D("4.54"))
    assert state.outcome.status == ("received" if approved else "rejected")
    assert sim.world.suppliers.book["PO-4471"].unit_price == (D("4.54") if approved else D("4.20"))
    assert sim.world.suppliers.status["PO-4471"] == ("confirmed" if approved else "cancelled")


@pytest.mark.parametrize(("price", "ordered"), [("4.30", {"A": D("4.30")}), ("4.50", {"B": D("4.35")})])
def test_price_moved_before_order(price: str, ordered: dict[str, Decimal]) -> None:
    def story(sim: Simulation) -> Telling:
        yield None
        sim.world.suppliers.prices["A"] = D(price)
        yield sim.decide("PO-4471/1", after=2)
        if price == "4.50":
            yield sim.decide("PO-4472/1")

    sim = Simulation()
    sim.run(story)
    book = sim.world.suppliers.book
    assert {b.item[0]: b.unit_price for b in book.values()} == ordered


def test_another_currency_is_above_range_whatever_the_number() -> None:
    def story(sim: Simulation) -> Telling:
        yield None
        yield sim.decide("PO-4471/1")
        yield sim.reply("PO-4471", agrees("4.20", currency="EUR"))
        yield sim.decide("PO-4471/2", False)

    sim = Simulation()
    state = sim.run(story)
    assert state.outcome is not None
    assert state.outcome.status == "rejected"
    assert sim.world.people.requests[1].currency == "EUR"
    assert sim.world.suppliers.status == {"PO-4471": "cancelled"}


def test_an_expired_approval_orders_nothing_and_is_asked_again() -> None:
    def story(sim: Simulation) -> Telling:
        yield None
        sim.world.suppliers.down.add("A:quotes")
        yield sim.decide("PO-4471/1")
        while len(sim.world.people.requests) == 1:
            yield None
        sim.world.suppliers.down.clear()
        yield sim.decide("PO-4471/2")
        yield sim.reply("PO-4471", agrees())
        yield sim.goods("PO-4471", "450")

    sim = Simulation()
    state = sim.run(story)
    assert state.outcome is not None
    assert [r.id for r in sim.world.people.requests] == ["PO-4471/1", "PO-4471/2"]
    assert state.outcome.status == "received"
    assert len(sim.world.suppliers.book) == 1


def test_manager_rejects() -> None:
    def story(sim: Simulation) -> Telling:
        yield None
        yield sim.decide("PO-4471/1", False, reason="too dear")

    sim = Simulation()
    state = sim.run(story)
    assert state.outcome is not None
    assert state.outcome.status == "rejected"
    assert sim.world.suppliers.book == {}
    assert sim.world.records.pos["PO-4471"].status is OrderStatus.CANCELLED


def test_manager_rejects_for_another_quote() -> None:
    def story(sim: Simulation) -> Telling:
        yield None
        yield sim.decide("PO-4471/1", False, another="C/C-123")
        yield sim.decide("PO-4472/1")
        yield sim.reply("PO-4472", agrees("4.50"), "C")
        yield sim.goods("PO-4472", "450")

    sim = Simulation()
    state = sim.run(story)
    assert state.outcome is not None
    assert state.outcome.status == "received"
    assert [b.item for b in sim.world.suppliers.book.values()] == ["C-123"]


def test_manager_silent() -> None:
    def story(sim: Simulation) -> Telling:
        yield None

    sim = Simulation()
    state = sim.run(story)
    assert state.outcome is not None
    assert state.outcome.status == "gave_up"
    assert sim.world.people.reminders == [("PO-4471/1", 1, "manager"), ("PO-4471/1", 2, "escalation")]
    assert sim.world.suppliers.book == {}
    assert sim.world.records.pos["PO-4471"].status is OrderStatus.CANCELLED
    assert state.now - START == timedelta(days=12)


@pytest.mark.parametrize("second", ["250", "260"])
def test_partial_deliveries_close_when_nothing_is_outstanding(second: str) -> None:
    def story(sim: Simulation) -> Telling:
        yield None
        yield sim.decide("PO-4471/1")
        yield sim.reply("PO-4471", agrees())
        yield sim.goods("PO-4471", "200", "DN-1")
        assert sim.world.records.closed == []
        yield sim.goods("PO-4471", second, "DN-2")

    sim = Simulation()
    state = sim.run(story)
    assert state.outcome is not None
    assert state.outcome.status == "received"
    assert state.orders["PO-4471"].outstanding == 0
    assert sim.world.records.closed == ["PO-4471"]


def test_supplier_declines() -> None:
    def story(sim: Simulation) -> Telling:
        yield None
        yield sim.decide("PO-4471/1")
        yield sim.reply("PO-4471", Reading(declined=True))
        yield sim.decide("PO-4472/1")
        yield sim.reply("PO-4472", agrees("4.35"), "B")
        yield sim.goods("PO-4472", "450")

    sim = Simulation()
    state = sim.run(story)
    assert state.outcome is not None
    assert state.outcome.status == "received"
    assert sim.world.suppliers.status["PO-4471"] == "cancelled"
    assert [b.item for b in sim.world.suppliers.book.values()] == ["A-123", "B-123"]


def test_a_question_master_data_holds_is_answered_once() -> None:
    def story(sim: Simulation) -> Telling:
        yield None
        yield sim.decide("PO-4471/1")
        yield sim.reply("PO-4471", Reading(question=True, question_topic="dock", question_text="which dock?"))
        yield sim.reply("PO-4471", agrees())
        yield sim.goods("PO-4471", "450")

    sim = Simulation()
    state = sim.run(story)
    assert state.outcome is not None
    assert state.outcome.status == "received"
    [said] = [text for op, text, _ in sim.world.suppliers.calls if op == "messages"]
    assert "Dock 2." in said
    assert sim.world.people.questions == []


def test_a_question_nobody_wrote_down_goes_to_the_buyer_and_his_answer_out() -> None:
    def story(sim: Simulation) -> Telling:
        yield None
        yield sim.decide("PO-4471/1")
        yield sim.reply("PO-4471", Reading(question=True, question_topic="other", question_text="which colour?"))
        yield sim.answer("PO-4471/question/1", "answer", "grey")
        yield sim.reply("PO-4471", agrees())
        yield sim.goods("PO-4471", "450")

    sim = Simulation()
    state = sim.run(story)
    assert state.outcome is not None
    assert state.outcome.status == "received"
    [said] = [text for op, text, _ in sim.world.suppliers.calls if op == "messages"]
    assert "grey" in said


@pytest.mark.parametrize("needed", [True, False])
def test_late_message_settles_an_unknown_order(needed: bool) -> None:
    world = MemoryWorld()
    first = _second_run_orders_from_c(Simulation(world))
    world.suppliers.lost.clear()
    world.suppliers.down.clear()
    if not needed:
        world.records.on_hand = D(400)
    sim = Simulation(world)
    event = sim.reply("PO-4471", agrees())
    assert event is not None

    def story(sim: Simulation) -> Telling:
        yield None
        yield sim.goods("PO-4471", "450")

    mailbox = [load(Message, event[1])]
    state = sim.run(story, world.assignment(2, orders=list(first.orders.values()), mailbox=mailbox))
    assert state.outcome is not None
    assert state.outcome.status == ("received" if needed else "cancelled")
    assert world.suppliers.status["PO-4471"] == ("open" if needed else "cancelled")
    assert len(world.people.requests) == 1


def test_injected_mail_commits_nothing_above_the_ceiling() -> None:
    def story(sim: Simulation) -> Telling:
        yield None
        yield sim.decide("PO-4471/1")
        yield sim.reply("PO-4471", agrees("6.00"))
        yield sim.decide("PO-4471/2", False)

    sim = Simulation()
    state = sim.run(story)
    assert state.outcome is not None
    assert state.outcome.status == "rejected"
    assert sim.world.suppliers.book["PO-4471"].unit_price == D("4.20")
    assert sim.world.suppliers.status["PO-4471"] == "cancelled"


@pytest.mark.parametrize(("version", "drafted"), [(1, True), (2, False)])
def test_rules_version_two_needs_four_quotes(version: int, drafted: bool) -> None:
    sim = Simulation()

    def story(sim: Simulation) -> Telling:
        yield None

    sim.run(story, sim.world.assignment(rules_version=version))
    assert ("draft_purchase_order" in sim.tools) is drafted


def test_the_operator_cancels_an_order_under_way() -> None:
    def story(sim: Simulation) -> Telling:
        yield None
        yield sim.decide("PO-4471/1")
        yield sim.cancel()

    sim = Simulation()
    state = sim.run(story)
    assert state.outcome is not None
    assert state.outcome.status == "cancelled"
    assert sim.world.suppliers.status == {"PO-4471": "cancelled"}


def test_no_price_anywhere_ends_naming_it() -> None:
    sim = Simulation()
    sim.world.suppliers.prices = {"A": None, "B": None, "C": None}

    def story(sim: Simulation) -> Telling:
        yield None
        yield sim.answer("replenish-SKU-123-1/no-quote/1", "give_up")

    state = sim.run(story)
    assert state.outcome is not None
    assert state.outcome.status == "gave_up"
    assert "A A-123: has no price" in state.outcome.reason


def test_goods_before_the_confirmation_accept_the_order() -> None:
    def story(sim: Simulation) -> Telling:
        yield None
        yield sim.decide("PO-4471/1")
        yield sim.goods("PO-4471", "450")

    sim = Simulation()
    state = sim.run(story)
    assert state.outcome is not None
    assert state.outcome.status == "received"


def test_drafts_of_an_ended_run_are_cancelled() -> None:
    world = MemoryWorld()
    sim = Simulation(world)
    left = Order("PO-4400", "SKU-123", "A", "A-123", D(450), D("4.20"), "USD", 7, "replenish-SKU-123-0")
    world.records.pos["PO-4400"] = left
    state = sim.run(usual, replace(world.assignment(), orders=[left]))
    assert world.records.pos["PO-4400"].status is OrderStatus.CANCELLED
    assert state.outcome is not None
    assert state.outcome.status == "received"
