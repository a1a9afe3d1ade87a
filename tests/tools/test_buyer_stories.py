"""What only the buyer decides, on whole replenishments: quantity, date, over-delivery, silence,
cancellations, what nobody can read."""

from datetime import date, timedelta
from decimal import Decimal

import pytest

from replenisher.domain.order import OrderStatus
from replenisher.domain.reading import Reading
from support.inmemory import START, MemoryWorld
from support.making import RUN
from support.telling import (
    Part,
    also,
    asked,
    buyer,
    calls,
    confirms,
    ended,
    goods,
    no_draft_left,
    nothing,
    play,
    requested,
    says,
    yes,
)

D = Decimal
S = OrderStatus
NO_QUOTE, EXCESS = f"{RUN}/no-quote/1", f"{RUN}/excess-quantity/1"
MUCH_LATER = date(2026, 12, 24)
LATE, IN_TIME = date(2026, 12, 14), date(2026, 12, 13)
"""Six and five days after 8 December, when the goods are due."""

B_INSTEAD: tuple[Part, ...] = (
    yes("PO-4472/1"),
    confirms(po="PO-4472", supplier="B"),
    goods(po="PO-4472"),
)

# --- a short acknowledgement ------------------------------------------------------------------------------------------

SHORT = confirms("4.20", quantity="200")
SHORT_ASKED = "PO-4471/acknowledged-quantity/1"


def test_a_short_acknowledgement_accepted() -> None:
    sim, state = play(yes(), SHORT, buyer(SHORT_ASKED, "accept"), goods("200"))
    assert (ended(state), asked(sim)) == ("received", [SHORT_ASKED])
    assert sim.world.suppliers.book["PO-4471"].quantity == 200
    assert sim.world.records.pos["PO-4471"].quantity == 200
    assert requested(sim) == ["PO-4471/1"]


def test_a_short_acknowledgement_refused_is_cancelled_and_bought_elsewhere() -> None:
    sim, state = play(yes(), SHORT, buyer(SHORT_ASKED, "cancel"), *B_INSTEAD)
    assert ended(state) == "received"
    assert sim.world.suppliers.status["PO-4471"] == "cancelled"
    assert sim.world.suppliers.book["PO-4472"].item == "B-123"


def test_a_short_acknowledgement_nobody_decides_on_ends_the_run_and_stays_open() -> None:
    sim, state = play(yes(), SHORT)
    assert ended(state) == "gave_up"
    assert asked(sim) == [SHORT_ASKED]
    assert sim.world.suppliers.status == {"PO-4471": "open"}
    assert state.now - START <= timedelta(days=5)


def test_a_larger_acknowledgement_the_buyer_wants_still_needs_the_manager() -> None:
    sim, state = play(
        yes(), confirms("4.20", quantity="4500"), buyer(SHORT_ASKED, "accept"), yes("PO-4471/2"), goods("4500")
    )
    assert ended(state) == "received"
    assert [(r.quantity, r.ceiling) for r in sim.world.people.requests] == [(D(450), D("4.41")), (D(4500), D("4.20"))]


def test_a_short_and_dearer_acknowledgement_goes_to_the_buyer_and_then_to_the_manager() -> None:
    sim, state = play(
        yes(), confirms("4.54", quantity="200"), buyer(SHORT_ASKED, "accept"), yes("PO-4471/2"), goods("200")
    )
    assert ended(state) == "received"
    assert (sim.world.people.requests[1].quantity, sim.world.people.requests[1].ceiling) == (D(200), D("4.54"))
    booked = sim.world.suppliers.book["PO-4471"]
    assert (booked.quantity, booked.unit_price) == (D(200), D("4.54"))


# --- a late date ------------------------------------------------------------------------------------------------------

LATE_ASKED = "PO-4471/late-date/1"


def test_five_days_late_is_taken_without_asking() -> None:
    sim, state = play(yes(), confirms(promised=IN_TIME), goods())
    assert (ended(state), asked(sim)) == ("received", [])
    assert sim.world.records.pos["PO-4471"].due == IN_TIME


def test_six_days_late_is_accepted_by_the_buyer() -> None:
    sim, state = play(yes(), confirms(promised=LATE), buyer(LATE_ASKED, "accept"), goods())
    assert (ended(state), asked(sim)) == ("received", [LATE_ASKED])
    assert sim.world.records.pos["PO-4471"].due == LATE
    assert requested(sim) == ["PO-4471/1"]


def test_six_days_late_is_cancelled_by_the_buyer() -> None:
    sim, state = play(yes(), confirms(promised=LATE), buyer(LATE_ASKED, "cancel"), *B_INSTEAD)
    assert ended(state) == "received"
    assert sim.world.suppliers.status["PO-4471"] == "cancelled"


def test_the_same_late_date_twice_is_asked_once() -> None:
    late = confirms(promised=LATE)
    sim, state = play(yes(), late, buyer(LATE_ASKED, "accept"), late, goods())
    assert (ended(state), asked(sim)) == ("received", [LATE_ASKED])


def test_a_later_date_after_acceptance_is_asked_too() -> None:
    sim, state = play(yes(), confirms(), confirms(promised=MUCH_LATER), buyer(LATE_ASKED, "accept"), goods())
    assert (ended(state), asked(sim)) == ("received", [LATE_ASKED])


# --- over-delivery ----------------------------------------------------------------------------------------------------

OVER_ASKED = "PO-4471/over-delivery/1"


@pytest.mark.parametrize(
    ("quantity", "question", "choice", "on_hand"),
    [
        ("472", None, None, "532"),
        ("472.5", None, None, "532.5"),
        ("473", OVER_ASKED, "accept", "533"),
        ("473", OVER_ASKED, "leave", "510"),
        ("473", OVER_ASKED, None, "510"),
        ("900", OVER_ASKED, "accept", "960"),
    ],
)
def test_more_than_five_per_cent_too_much_is_asked(
    quantity: str, question: str | None, choice: str | None, on_hand: str
) -> None:
    answer = [buyer(OVER_ASKED, choice)] if choice else []
    sim, state = play(yes(), confirms(), goods(quantity), *answer)
    assert ended(state) == "received"
    assert asked(sim) == ([question] if question else [])
    assert sim.world.records.on_hand == D(on_hand) == state.on_hand
    assert sim.world.records.closed == ["PO-4471"]
    assert state.orders["PO-4471"].outstanding == 0


def test_too_much_in_the_second_of_two_deliveries() -> None:
    sim, state = play(yes(), confirms(), goods("200"), goods("300", "DN-2"), buyer(OVER_ASKED, "leave"))
    assert ended(state) == "received"
    assert sim.world.records.on_hand == 510


# --- the supplier does not answer -------------------------------------------------------------------------------------

NO_REPLY = "PO-4471/no-reply/1"
FOUR_WEEKS = (nothing,) * 4
"""Seven days, and three chases of seven days each."""


def test_three_chases_a_week_apart_then_the_buyer() -> None:
    sim, state = play(yes(), *FOUR_WEEKS)
    assert ended(state) == "gave_up"
    assert [key for _, key in calls(sim, "messages")] == [f"PO-4471/chase/{n}" for n in (1, 2, 3)]
    assert asked(sim) == [NO_REPLY]
    sent = state.orders["PO-4471"].sent_at
    assert sent is not None
    assert state.now - sent == timedelta(days=4 * 7 + 3)
    assert state.orders["PO-4471"].status is S.SENT


def test_chase_again_sends_three_more_under_new_keys() -> None:
    sim, state = play(yes(), *FOUR_WEEKS, buyer(NO_REPLY, "chase_again"), nothing, confirms(), goods())
    assert ended(state) == "received"
    assert [key for _, key in calls(sim, "messages")] == [f"PO-4471/chase/{n}" for n in (1, 2, 3, 4, 5)]


def test_cancel_what_nobody_confirms_and_buy_elsewhere() -> None:
    sim, state = play(yes(), *FOUR_WEEKS, buyer(NO_REPLY, "cancel"), *B_INSTEAD)
    assert ended(state) == "received"
    assert sim.world.suppliers.status["PO-4471"] == "cancelled"


def test_give_up_on_what_nobody_confirms() -> None:
    sim, state = play(yes(), *FOUR_WEEKS, buyer(NO_REPLY, "give_up"))
    assert ended(state) == "gave_up"
    assert sim.world.suppliers.status == {"PO-4471": "open"}


def test_a_reply_between_question_and_answer_makes_the_answer_harmless() -> None:
    sim, state = play(yes(), *FOUR_WEEKS, confirms(), buyer(NO_REPLY, "chase_again"), goods())
    assert ended(state) == "received"
    assert len(calls(sim, "messages")) == 3


# --- the goods do not come --------------------------------------------------------------------------------------------

NO_GOODS = "PO-4471/no-goods/1"


def test_goods_are_chased_two_days_after_the_promised_date_and_then_every_week() -> None:
    sim, state = play(yes(), confirms(promised=date(2026, 12, 8)), *FOUR_WEEKS)
    assert ended(state) == "gave_up"
    assert (asked(sim), len(calls(sim, "messages"))) == ([NO_GOODS], 3)
    chased = state.orders["PO-4471"].chased_at
    assert chased is not None
    assert (chased - START).days == 9 + 14


def test_a_rest_may_be_written_off() -> None:
    sim, state = play(yes(), confirms(), goods("200"), *FOUR_WEEKS, buyer(NO_GOODS, "write_off"))
    assert ended(state) == "received"
    assert sim.world.records.closed == ["PO-4471"]
    assert state.orders["PO-4471"].outstanding == 0
    assert state.on_hand == 260


@pytest.mark.parametrize(("choice", "status"), [("cancel", "cancelled"), ("give_up", "open")])
def test_overdue_goods_are_cancelled_or_given_up(choice: str, status: str) -> None:
    sim, _ = play(yes(), confirms(), *FOUR_WEEKS, buyer(NO_GOODS, choice))
    assert sim.world.suppliers.status["PO-4471"] == status


def test_overdue_goods_chased_again_come() -> None:
    sim, state = play(yes(), confirms(), *FOUR_WEEKS, buyer(NO_GOODS, "chase_again"), goods())
    assert ended(state) == "received"
    assert len(calls(sim, "messages")) == 4


def test_each_phase_has_its_own_three_chases() -> None:
    sim, state = play(yes(), nothing, nothing, nothing, confirms(), nothing, nothing, nothing, goods())
    assert ended(state) == "received"
    assert [key for _, key in calls(sim, "messages")] == [f"PO-4471/chase/{n}" for n in range(1, 7)]
    assert asked(sim) == []


# --- a cancellation that does not work --------------------------------------------------------------------------------

REFUSED = "PO-4471/cancel-refused/1"


def _cannot_cancel(choice: str | None) -> tuple[Part, ...]:
    first = (yes(), SHORT, also(lambda s: s.world.suppliers.refuses.add("A:cancel"), buyer(SHORT_ASKED, "cancel")))
    return first if choice is None else (*first, buyer(REFUSED, choice))


def test_an_order_that_stands_is_kept_when_the_buyer_says_so() -> None:
    sim, state = play(*_cannot_cancel("accept"), confirms(), goods())
    assert (ended(state), asked(sim)) == ("received", [SHORT_ASKED, REFUSED])
    assert len(sim.world.suppliers.book) == 1


@pytest.mark.parametrize("choice", ["give_up", None])
def test_an_order_that_stands_is_not_ordered_a_second_time(choice: str | None) -> None:
    sim, state = play(*_cannot_cancel(choice))
    assert ended(state) == "gave_up"
    assert list(sim.world.suppliers.book) == ["PO-4471"]
    assert len(calls(sim, "cancels")) == 1


def test_a_cancellation_nobody_answers_is_tried_three_times_and_asked() -> None:
    down = also(lambda s: s.world.suppliers.down.add("A:cancel"), buyer(SHORT_ASKED, "cancel"))
    sim, state = play(yes(), SHORT, down)
    assert ended(state) == "gave_up"
    assert asked(sim) == [SHORT_ASKED, "PO-4471/cancel-unknown/1"]
    assert {key for _, key in calls(sim, "cancels")} == {"PO-4471/cancel"}
    assert sim.tools.count("cancel_order") == 3
    assert list(sim.world.suppliers.book) == ["PO-4471"]


def test_while_a_cancellation_is_open_nobody_is_asked_for_another_order() -> None:
    down = also(lambda s: s.world.suppliers.down.add("A:cancel"), buyer(SHORT_ASKED, "cancel"))
    sim, _ = play(yes(), SHORT, down)
    assert requested(sim) == ["PO-4471/1"]


def test_a_cancellation_nobody_saw_works_when_looked_at_again() -> None:
    down = also(lambda s: s.world.suppliers.down.add("A:cancel"), buyer(SHORT_ASKED, "cancel"))
    up = also(lambda s: s.world.suppliers.down.clear(), buyer("PO-4471/cancel-unknown/1", "look_again"))
    sim, state = play(yes(), SHORT, down, nothing, nothing, up, *B_INSTEAD)
    assert ended(state) == "received"
    assert sim.world.suppliers.status["PO-4471"] == "cancelled"


# --- what nobody can read ---------------------------------------------------------------------------------------------

UNREADABLE = "PO-4471/unreadable/1"
RIDDLE = says(Reading())


@pytest.mark.parametrize(
    ("choice", "rest"),
    [("confirmed", (goods(),)), ("ignore", (confirms(), goods())), ("declined", B_INSTEAD)],
)
def test_a_mail_nobody_can_read_is_read_by_the_buyer(choice: str, rest: tuple[Part, ...]) -> None:
    sim, state = play(yes(), RIDDLE, buyer(UNREADABLE, choice), *rest)
    assert (ended(state), asked(sim)) == ("received", [UNREADABLE])
    assert sim.world.suppliers.status["PO-4471"] == ("cancelled" if choice == "declined" else "open")


def test_what_the_buyer_read_is_recorded() -> None:
    sim, _ = play(yes(), RIDDLE, buyer(UNREADABLE, "confirmed"), nothing)
    assert sim.world.records.pos["PO-4471"].status is S.ACCEPTED


def test_nobody_reads_it_and_the_order_goes_on() -> None:
    sim, state = play(yes(), RIDDLE, nothing, confirms(), goods())
    assert (ended(state), asked(sim)) == ("received", [UNREADABLE])


def test_two_unreadable_mails_are_asked_one_after_the_other() -> None:
    sim, state = play(
        yes(), RIDDLE, RIDDLE, buyer(UNREADABLE, "ignore"), buyer("PO-4471/unreadable/2", "ignore"), confirms(), goods()
    )
    assert (ended(state), asked(sim)) == ("received", [UNREADABLE, "PO-4471/unreadable/2"])


def test_an_automatic_answer_is_nobodys_business() -> None:
    sim, state = play(yes(), says(Reading(automatic=True)), confirms(), goods())
    assert (ended(state), asked(sim), sim.world.people.notices) == ("received", [], [])


def test_a_mail_about_another_suppliers_order_changes_nothing_of_it() -> None:
    """B says that he will not supply A's order, or that he will at 1.00."""
    for reading in (Reading(declined=True), Reading(accepted=True, unit_price=D(1), currency="USD")):
        sim, state = play(
            yes(), says(reading, supplier="B"), buyer(f"{RUN}/unreadable/1", "ignore"), confirms(), goods()
        )
        assert ended(state) == "received"
        assert sim.world.suppliers.book["PO-4471"].unit_price == D("4.20")
        assert requested(sim) == ["PO-4471/1"]


def test_changed_bank_details_are_told_to_the_buyer_and_stored_nowhere() -> None:
    reading = Reading(accepted=True, bank_details_changed=True)
    sim, state = play(yes(), says(reading), goods())
    assert ended(state) == "received"
    [(role, text)] = sim.world.people.notices
    assert role == "buyer"
    assert "bank details" in text


def test_a_mail_about_what_is_over_is_told_to_the_buyer() -> None:
    decline = says(Reading(declined=True))
    sim, state = play(yes(), decline, also(lambda s: None, confirms()), *B_INSTEAD)
    assert ended(state) == "received"
    assert [role for role, _ in sim.world.people.notices] == ["buyer"]
    assert sim.world.suppliers.status["PO-4471"] == "cancelled"


# --- questions of the supplier ----------------------------------------------------------------------------------------

COLOUR = says(Reading(question=True, question_topic="other", question_text="which colour?"))


@pytest.mark.parametrize(("choice", "status"), [("cancel", "cancelled"), ("give_up", "open")])
def test_a_question_the_buyer_will_not_answer(choice: str, status: str) -> None:
    sim, _ = play(yes(), COLOUR, buyer("PO-4471/question/1", choice))
    assert sim.world.suppliers.status["PO-4471"] == status
    assert calls(sim, "messages") == []


def test_a_question_nobody_answers_ends_the_run() -> None:
    sim, state = play(yes(), COLOUR)
    assert (ended(state), asked(sim)) == ("gave_up", ["PO-4471/question/1"])


def test_the_same_question_twice_is_answered_twice_under_two_keys() -> None:
    dock = says(Reading(question=True, question_topic="dock", question_text="which dock?"))
    sim, state = play(yes(), dock, dock, confirms(), goods())
    assert ended(state) == "received"
    assert [key for _, key in calls(sim, "messages")] == ["PO-4471/answer/1", "PO-4471/answer/2"]


def test_an_answer_never_tells_the_ceiling_or_another_quote() -> None:
    sim, _ = play(yes(), says(Reading(question=True, question_topic="dock")), confirms(), goods())
    for text, _key in calls(sim, "messages"):
        assert not any(secret in text for secret in ("4.41", "4.35", "4.50", "B-123", "manager"))


# --- no decision, no quote --------------------------------------------------------------------------------------------


def test_reminders_spent_the_buyer_may_wait_on_and_the_manager_decide() -> None:
    sim, state = play(
        nothing, nothing, nothing, buyer("PO-4471/no-decision/1", "look_again"), yes(after=0.5), confirms(), goods()
    )
    assert ended(state) == "received"
    assert [n for _, n, _ in sim.world.people.reminders] == [1, 2]


def test_reminders_spent_the_buyer_gives_up() -> None:
    sim, state = play(nothing, nothing, nothing, buyer("PO-4471/no-decision/1", "give_up"))
    assert ended(state) == "gave_up"
    assert no_draft_left(sim, state)
    assert sim.world.suppliers.book == {}


@pytest.mark.parametrize(("choice", "status"), [("cancel", "cancelled"), ("give_up", "open"), (None, "open")])
def test_terms_nobody_decides_on(choice: str | None, status: str) -> None:
    waits = (nothing,) * 4
    answer = [buyer("PO-4471/terms-unanswered/1", choice)] if choice else []
    sim, state = play(yes(), confirms("4.54"), *waits, *answer)
    assert "PO-4471/terms-unanswered/1" in asked(sim)
    assert ended(state) == "gave_up"
    assert requested(sim) == ["PO-4471/1", "PO-4471/2"]
    assert sim.world.suppliers.status["PO-4471"] == status
    assert sim.world.suppliers.book["PO-4471"].unit_price == D("4.20")


def test_no_price_looked_at_again() -> None:
    world = MemoryWorld()
    world.suppliers.prices = {"A": None, "B": None, "C": None}
    again = also(lambda s: s.world.suppliers.prices.update(B=D("4.35")), buyer(NO_QUOTE, "look_again"))
    sim, state = play(again, yes(), confirms(supplier="B"), goods(), world=world)
    assert (ended(state), asked(sim)) == ("received", [NO_QUOTE])


@pytest.mark.parametrize("choice", ["accept", "give_up", None])
def test_more_than_ten_times_the_need_is_asked(choice: str | None) -> None:
    world = MemoryWorld()
    world.suppliers.packs = {s: D(5000) for s in "ABC"}
    answer = [buyer(EXCESS, choice)] if choice else []
    rest = (yes(), confirms(), goods("5000")) if choice == "accept" else ()
    sim, state = play(*answer, *rest, world=world)
    assert asked(sim) == [EXCESS]
    assert ended(state) == ("received" if choice == "accept" else "gave_up")
    assert [b.quantity for b in world.suppliers.book.values()] == ([D(5000)] if choice == "accept" else [])
