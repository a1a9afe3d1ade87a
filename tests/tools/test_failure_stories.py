"""Things that fail while a replenishment runs, and how it ends: records or people out of
reach, messages twice, turns spent."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from replenisher.domain import limits
from replenisher.domain.message import Message
from replenisher.domain.order import OrderStatus, Unwanted
from replenisher.domain.reading import Reading
from replenisher.harness.memory import Answer
from replenisher.harness.shape import dump
from support.inmemory import START, MemoryWorld
from support.making import EARLIER, order, reply
from support.simulation import Simulation
from support.telling import (
    Part,
    also,
    asked,
    buyer,
    calls,
    confirms,
    ended,
    goods,
    no,
    no_draft_left,
    nothing,
    operator,
    play,
    requested,
    says,
    yes,
)

D = Decimal
S = OrderStatus


def records(up: bool) -> Callable[[Simulation], None]:
    def switch(sim: Simulation) -> None:
        sim.world.records.down = not up

    return switch


def people(up: bool) -> Callable[[Simulation], None]:
    def switch(sim: Simulation) -> None:
        sim.world.people.down = not up

    return switch


UP = also(records(True), nothing)


# --- records down -----------------------------------------------------------------------------------------------------


def test_a_draft_that_cannot_be_made_is_made_a_day_later() -> None:
    world = MemoryWorld()
    world.records.down = True
    sim, state = play(UP, yes(), confirms(), goods(), world=world)
    assert ended(state) == "received"
    assert sim.tools[:4] == ["get_quotes", "draft_purchase_order", "wait_to_retry", "draft_purchase_order"]
    assert list(world.records.pos) == ["PO-4471"]
    assert sim.turns[3].after.now - START == timedelta(days=1)


def test_a_draft_that_cannot_be_cancelled_is_cancelled_a_day_later() -> None:
    sim, state = play(also(records(False), no()), UP)
    assert ended(state) == "rejected"
    assert sim.tools.count("cancel_draft") == 2
    assert no_draft_left(sim, state)


def test_an_order_that_cannot_be_closed_is_closed_a_day_later() -> None:
    def booked_and_down(sim: Simulation) -> Answer:
        arrived = sim.goods("PO-4471", "450")
        sim.world.records.down = True
        return arrived

    sim, state = play(yes(), confirms(), booked_and_down, UP)
    assert ended(state) == "received"
    assert sim.tools.count("close_purchase_order") == 2
    assert sim.world.records.closed == ["PO-4471"]


def test_an_acknowledgement_that_cannot_be_recorded_is_recorded_before_it_is_closed() -> None:
    sim, state = play(yes(), also(records(False), confirms()), also(records(True), goods()))
    assert ended(state) == "received"
    assert sim.world.records.pos["PO-4471"].due is not None
    assert sim.world.records.closed == ["PO-4471"]


def test_nothing_is_sent_while_the_records_cannot_say_so() -> None:
    """The unknown mark is written before the first byte goes out."""
    sim, _ = play(also(records(False), yes()))
    assert calls(sim, "orders") == []


def test_a_draft_nobody_can_cancel_is_left_to_the_entity_when_the_turns_are_spent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "QUIET_TURNS", 8)
    sim, state = play(also(records(False), no()))
    assert ended(state) == "gave_up"
    assert sim.world.suppliers.book == {}


# --- people out of reach ----------------------------------------------------------------------------------------------


def test_a_request_that_reached_nobody_is_made_again_a_day_later_under_its_id() -> None:
    world = MemoryWorld()
    world.people.down = True
    sim, state = play(also(people(True), nothing), yes(), confirms(), goods(), world=world)
    assert ended(state) == "received"
    assert requested(sim) == ["PO-4471/1"]
    assert sim.tools.count("request_approval") == 2
    again = next(t for t in sim.turns[3:] if t.decision.tool == "request_approval")
    assert again.after.now - START == timedelta(days=1)


def test_a_yes_to_a_request_that_seemed_to_reach_nobody_counts() -> None:
    world = MemoryWorld()
    world.people.down = True
    sim, state = play(also(people(True), yes()), confirms(), goods(), world=world)
    assert ended(state) == "received"
    assert list(sim.world.suppliers.book) == ["PO-4471"]


def test_nobody_to_be_reached_at_all_ends_it_without_an_order() -> None:
    world = MemoryWorld()
    world.people.down = True
    sim, state = play(world=world)
    assert ended(state) == "gave_up"
    assert sim.world.suppliers.book == {}
    assert no_draft_left(sim, state)
    assert state.now - START <= timedelta(days=15)


# --- an answer lost ---------------------------------------------------------------------------------------------------


def test_an_order_found_by_the_first_check_goes_on() -> None:
    world = MemoryWorld()
    world.suppliers.lost.add("A:orders")
    world.suppliers.down.add("A:find")
    up = also(lambda s: s.world.suppliers.down.clear(), nothing)
    sim, state = play(yes(), up, confirms(), goods(), world=world)
    assert ended(state) == "received"
    assert {key for _, key in calls(sim, "orders")} == {"PO-4471"}
    assert len(world.suppliers.book) == 1


def test_an_order_the_supplier_never_had_is_sent_again_under_its_number() -> None:
    world = MemoryWorld()
    world.suppliers.down |= {"A:orders", "A:find"}
    up = also(lambda s: s.world.suppliers.down.clear(), nothing)
    sim, state = play(yes(), up, confirms(), goods(), world=world)
    assert ended(state) == "received"
    assert list(world.suppliers.book) == ["PO-4471"]
    assert {key for _, key in calls(sim, "orders")} == {"PO-4471"}
    assert requested(sim) == ["PO-4471/1"]


def test_three_checks_a_day_apart_then_failed_without_asking() -> None:
    world = MemoryWorld()
    world.suppliers.lost.add("A:orders")
    world.suppliers.down.add("A:find")
    sim, state = play(yes(), world=world)
    assert (ended(state), asked(sim), sim.tools.count("check_order")) == ("failed", [], 3)
    assert state.now - START <= timedelta(days=4)


def test_checks_count_across_runs() -> None:
    carried = order(S.UNKNOWN, po="PO-4400", run=EARLIER, checks=2, tried_at=START - timedelta(days=2))
    world = MemoryWorld()
    world.records.pos["PO-4400"] = carried
    world.suppliers.down.add("A:find")
    sim, _ = play(no(), world=world, orders=[carried])
    assert sim.tools.count("check_order") == 1


# --- messages twice, late, out of order -------------------------------------------------------------------------------


def test_the_same_mail_delivered_twice_is_read_once() -> None:
    kept: list[Answer] = []

    def first(sim: Simulation) -> Answer:
        kept.append(sim.reply("PO-4471", Reading(question=True, question_topic="dock")))
        return kept[0]

    sim, state = play(yes(), first, lambda sim: kept[0], confirms(), goods())
    assert ended(state) == "received"
    assert sim.tools.count("answer_supplier") == 1


def test_the_same_note_twice_is_booked_once() -> None:
    kept: list[Answer] = []

    def first(sim: Simulation) -> Answer:
        kept.append(sim.goods("PO-4471", "200"))
        return kept[0]

    sim, state = play(yes(), confirms(), first, lambda sim: kept[0], goods("250", "DN-2"))
    assert ended(state) == "received"
    assert sim.world.records.on_hand == 510


def test_two_different_notes_of_200_and_one_of_50() -> None:
    sim, state = play(yes(), confirms(), goods("200"), goods("200", "DN-2"), goods("50", "DN-3"))
    assert ended(state) == "received"
    assert sim.world.records.on_hand == 510
    assert sim.world.records.closed == ["PO-4471"]


def test_a_second_decision_on_one_request_is_not_heard() -> None:
    sim, state = play(yes(), also(lambda s: None, confirms()), goods())
    assert sim.journal is not None
    assert "PO-4471/1" not in {r["wait"] for r in sim.journal.records if "wait" in r}
    assert ended(state) == "received"


def test_a_yes_that_came_as_the_request_ran_out_counts() -> None:
    """The promise is the arbiter: it was resolved before the run could refuse it."""

    def just_in_time(sim: Simulation) -> Answer:
        assert sim.journal is not None
        sim.journal.promised["PO-4471/1"] = {"approved": True, "by": "boss", "at": sim.world.clock.now().isoformat()}
        return None

    sim, state = play(nothing, nothing, nothing, just_in_time, confirms(), goods())
    assert ended(state) == "received"
    assert len(sim.world.suppliers.book) == 1


def test_messages_nobody_consumed_are_the_next_runs_first() -> None:
    carried = order(S.SENT, po="PO-4400", run=EARLIER)
    world = MemoryWorld()
    world.records.pos["PO-4400"] = carried
    world.reader.readings["m-9"] = Reading(accepted=True)
    mail = replace(reply("m-9", "PO-4400"), at=world.clock.now())
    sim, state = play(goods(po="PO-4400"), world=world, orders=[carried], mailbox=[mail])
    assert ended(state) == "received"
    assert sim.tools[0] == "read_supplier_reply"


def test_messages_are_plain_data() -> None:
    assert dump(Message, reply())["event"] == "supplier-reply"


# --- left over --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 3])
def test_drafts_of_ended_runs_are_cleared_away(n: int) -> None:
    world = MemoryWorld()
    left = [order(po=f"PO-44{i}0", run=EARLIER) for i in range(n)]
    world.records.pos.update({o.po: o for o in left})
    sim, state = play(no(), world=world, orders=left)
    assert no_draft_left(sim, state)
    assert {state.orders[o.po].unwanted for o in left} == {Unwanted.LEFT_OVER}


def test_a_draft_of_an_ended_run_is_never_ordered() -> None:
    world = MemoryWorld()
    left = order(po="PO-4400", run=EARLIER)
    world.records.pos["PO-4400"] = left
    sim, _ = play(yes(), confirms(), goods(), world=world, orders=[left])
    assert "PO-4400" not in sim.world.suppliers.book


# --- turns ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("quiet", range(1, 12))
def test_turns_spent_end_it_without_a_draft(quiet: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "QUIET_TURNS", quiet)
    sim, state = play()
    assert ended(state) == "gave_up"
    assert no_draft_left(sim, state)
    assert sim.world.suppliers.book == {}


def test_a_mail_every_day_does_not_keep_it_going_for_ever() -> None:
    noise: Part = says(Reading(automatic=True), after=0.01)
    sim, state = play(yes(), *[noise] * 400)
    assert ended(state) == "gave_up"
    assert len(sim.turns) <= 205
    assert sim.world.suppliers.status == {"PO-4471": "open"}


@pytest.mark.parametrize("spent", [True, False])
def test_a_run_that_is_ending_does_not_wait_for_a_decision_it_would_not_act_on(
    spent: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A counter-offer is with the manager when the turns are spent, or when the buyer gives up."""
    raised, colour = confirms("4.54"), says(Reading(question=True, question_topic="other", question_text="colour?"))
    if spent:
        monkeypatch.setattr(limits, "QUIET_TURNS", 5)
        sim, state = play(yes(), raised)
    else:
        sim, state = play(yes(), colour, raised, buyer("PO-4471/question/1", "give_up"))
    assert ended(state) == "gave_up"
    assert state.now - START < timedelta(days=8)
    assert sim.journal is not None
    assert all(a.withdrawn or not a.open for a in state.approvals.values())
    assert sim.world.suppliers.book["PO-4471"].unit_price == D("4.20")


def test_the_operator_leaves_an_older_counter_offer_to_the_entity() -> None:
    carried = order(S.SENT, po="PO-4400", run=EARLIER)
    world = MemoryWorld()
    world.records.pos["PO-4400"] = carried
    sim, state = play(operator(), confirms("4.54", po="PO-4400"), world=world, orders=[carried])
    assert (ended(state), requested(sim)) == ("cancelled", [])


# --- a question that reached nobody -----------------------------------------------------------------------------------


def _unseen(*rest: Part) -> tuple[Simulation, str]:
    short = also(people(False), confirms("4.20", quantity="200"))
    sim, state = play(yes(), short, *rest)
    return sim, ended(state)


def test_a_question_that_reached_nobody_is_asked_again_a_day_later_under_its_id() -> None:
    accept = buyer("PO-4471/acknowledged-quantity/1", "accept")
    sim, outcome = _unseen(also(people(True), nothing), accept, goods("200"))
    assert (outcome, asked(sim)) == ("received", ["PO-4471/acknowledged-quantity/1"])
    assert sim.tools.count("ask_buyer") == 2


def test_an_answer_to_a_question_that_seemed_to_reach_nobody_counts() -> None:
    sim, outcome = _unseen(also(people(True), buyer("PO-4471/acknowledged-quantity/1", "accept")), goods("200"))
    assert outcome == "received"
    assert sim.tools.count("ask_buyer") == 1


def test_a_question_that_never_reaches_anybody_is_asked_three_times() -> None:
    sim, outcome = _unseen()
    assert outcome == "gave_up"
    assert sim.tools.count("ask_buyer") == 3
    assert {a.choice for a in sim.turns[-1].after.questions.values()} == {None}
