"""Prices, freight, currencies and quantities on whole replenishments: what is committed, at
which price, with whose consent."""

from datetime import timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest

from replenisher.domain.order import OrderStatus
from replenisher.domain.reading import Reading
from support.inmemory import MemoryWorld
from support.making import EARLIER, RUN, order
from support.simulation import Simulation
from support.telling import (
    also,
    asked,
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


def prices(**now: str | None) -> object:
    return lambda sim: sim.world.suppliers.prices.update({s: None if p is None else D(p) for s, p in now.items()})


def booked(sim: Simulation) -> dict[str, tuple[str, Decimal, Decimal]]:
    return {po: (b.item[0], b.quantity, b.unit_price) for po, b in sim.world.suppliers.book.items()}


# --- between approval and order ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("price", ["4.00", "4.19", "4.20", "4.30", "4.41"])
def test_within_the_approval_it_is_ordered_at_the_price_of_now(price: str) -> None:
    sim, state = play(also(prices(A=price), yes()), confirms(price), goods())  # type: ignore[arg-type]
    assert ended(state) == "received"
    assert booked(sim) == {"PO-4471": ("A", D(450), D(price))}
    assert requested(sim) == ["PO-4471/1"]
    assert sim.world.records.pos["PO-4471"].unit_price == D(price)


def test_above_the_ceiling_but_still_the_cheapest_it_goes_back_to_the_manager() -> None:
    change = prices(A="4.50", B="4.60", C="4.70")
    sim = Simulation()
    sim.world.suppliers.prices = {"A": D("4.20"), "B": D("4.60"), "C": D("4.70")}
    sim, state = play(also(change, yes()), yes("PO-4471/2"), confirms("4.50"), goods(), world=sim.world)  # type: ignore[arg-type]
    assert ended(state) == "received"
    assert [(r.unit_price, r.ceiling) for r in sim.world.people.requests] == [
        (D("4.20"), D("4.41")),
        (D("4.50"), D("4.725")),
    ]
    assert booked(sim) == {"PO-4471": ("A", D(450), D("4.50"))}


def test_above_a_lowered_ceiling_nothing_is_ordered() -> None:
    sim, _ = play(also(prices(A="4.30"), yes(ceiling=D("4.25"))), no("PO-4471/2"))  # type: ignore[arg-type]
    assert booked(sim) == {}


def test_a_manager_may_reject_the_new_price() -> None:
    world = MemoryWorld()
    world.suppliers.prices = {"A": D("4.20"), "B": None, "C": None}
    sim, state = play(also(prices(A="4.50"), yes()), no("PO-4471/2"), world=world)  # type: ignore[arg-type]
    assert (ended(state), booked(sim)) == ("rejected", {})
    assert no_draft_left(sim, state)


@pytest.mark.parametrize(("freight", "supplier"), [("0", "A"), ("60", "A"), ("100", "B")])
def test_more_freight_is_asked_or_bought_elsewhere(freight: str, supplier: str) -> None:
    """450 at 4.20 and 60 are 1950.00, less than B's 1957.50; with 100 they are 1990.00."""
    change = also(lambda s: s.world.suppliers.freight.update(A=D(freight)), yes())
    again = {"0": (), "60": (yes("PO-4471/2"),), "100": (yes("PO-4472/1"),)}[freight]
    sim, _ = play(change, *again)
    assert [item for item, _, _ in booked(sim).values()] == [supplier]
    assert sim.world.people.requests[-1].freight == (D(freight) if supplier == "A" else 0)


def test_a_quote_in_another_currency_meanwhile_is_not_within_any_range() -> None:
    change = also(lambda s: s.world.suppliers.currency.update(A="EUR"), yes())
    sim, _ = play(change, yes("PO-4472/1"))
    assert {po: item for po, (item, _, _) in booked(sim).items()} == {"PO-4472": "B"}
    assert requested(sim) == ["PO-4471/1", "PO-4472/1"]


def test_a_supplier_who_quotes_no_more_is_left() -> None:
    sim, _ = play(also(prices(A=None), yes()), yes("PO-4472/1"))  # type: ignore[arg-type]
    assert {po: item for po, (item, _, _) in booked(sim).items()} == {"PO-4472": "B"}


def test_a_supplier_who_refuses_the_order_is_left() -> None:
    world = MemoryWorld()
    world.suppliers.refuses.add("A:orders")
    sim, state = play(yes(), yes("PO-4472/1"), confirms(po="PO-4472", supplier="B"), goods(po="PO-4472"), world=world)
    assert ended(state) == "received"
    assert booked(sim) == {"PO-4472": ("B", D(450), D("4.35"))}
    assert len(calls(sim, "orders")) == 2
    assert no_draft_left(sim, state)


def test_a_price_that_cannot_be_fetched_is_tried_again_every_day() -> None:
    world = MemoryWorld()
    up = also(lambda s: s.world.suppliers.down.clear(), nothing)
    sim, state = play(
        also(lambda s: s.world.suppliers.down.add("A:quotes"), yes()), nothing, up, confirms(), goods(), world=world
    )
    assert ended(state) == "received"
    assert requested(sim) == ["PO-4471/1"]
    assert sim.tools.count("place_order") == 3


# --- after the order --------------------------------------------------------------------------------------------------


def test_a_price_raised_after_acceptance_always_goes_to_the_manager() -> None:
    """4.35 is within the range of the first approval, but the order was accepted at 4.20."""
    sim, state = play(yes(), confirms("4.20"), confirms("4.35"), yes("PO-4471/2"), goods())
    assert ended(state) == "received"
    assert (sim.world.people.requests[1].reason, sim.world.people.requests[1].ceiling) == ("terms", D("4.35"))
    assert booked(sim)["PO-4471"][2] == D("4.35")


def test_the_same_raise_twice_is_asked_once() -> None:
    raised = confirms("4.35")
    sim, state = play(yes(), confirms("4.20"), raised, raised, yes("PO-4471/2"), goods())
    assert (ended(state), requested(sim)) == ("received", ["PO-4471/1", "PO-4471/2"])


def test_a_raise_that_is_rejected_cancels_what_has_not_come() -> None:
    sim, state = play(yes(), confirms("4.20"), confirms("4.35"), no("PO-4471/2"))
    assert ended(state) == "rejected"
    assert sim.world.suppliers.status["PO-4471"] == "cancelled"
    assert booked(sim)["PO-4471"][2] == D("4.20")


def test_a_raise_taken_back_needs_no_decision() -> None:
    sim, state = play(yes(), confirms("4.54"), confirms("4.20"), goods())
    assert ended(state) == "received"
    assert booked(sim)["PO-4471"][2] == D("4.20")
    assert "PO-4471/2" in sim.journal.withdrawn  # type: ignore[union-attr]


def test_a_no_to_a_raise_that_was_taken_back_is_no_reason_to_stop() -> None:
    """The manager said no while the supplier's second mail was being read: the goods are at the price approved."""

    def late_no(sim: Simulation) -> None:
        assert sim.journal is not None
        verdict = {"approved": False, "by": "boss", "at": sim.world.clock.now().isoformat()}
        sim.journal.promised["PO-4471/2"] = verdict

    sim, state = play(yes(), confirms("4.54"), also(late_no, confirms("4.20")), goods())
    assert ended(state) == "received"
    assert booked(sim)["PO-4471"][2] == D("4.20")


def test_terms_that_cost_less_are_accepted_and_told() -> None:
    sim, state = play(yes(), confirms("4.10"), goods())
    assert (ended(state), requested(sim)) == ("received", ["PO-4471/1"])
    assert booked(sim)["PO-4471"][2] == D("4.10")
    [(role, text)] = sim.world.people.notices
    assert role == "manager"
    assert "4.10" in text


def test_within_the_range_but_after_five_days_it_is_asked() -> None:
    sim, state = play(yes(), confirms("4.35", after=6), yes("PO-4471/2"), goods())
    assert (ended(state), requested(sim)) == ("received", ["PO-4471/1", "PO-4471/2"])


def test_accepting_is_tried_again_under_the_same_key_until_it_works() -> None:
    down = also(lambda s: s.world.suppliers.down.add("A:accept"), confirms("4.35"))
    up = also(lambda s: s.world.suppliers.down.clear(), nothing)
    sim, state = play(yes(), down, up, goods())
    assert ended(state) == "received"
    assert {key for _, key in calls(sim, "accept")} == {"PO-4471/accept/1"}
    assert booked(sim)["PO-4471"][2] == D("4.35")


def test_other_terms_after_an_acceptance_that_failed_have_a_key_of_their_own() -> None:
    down = also(lambda s: s.world.suppliers.down.add("A:accept"), confirms("4.35"))
    up = also(lambda s: s.world.suppliers.down.clear(), confirms("4.38"))
    sim, state = play(yes(), down, up, nothing, goods())
    assert ended(state) == "received"
    assert calls(sim, "accept")[-1] == ("PO-4471", "PO-4471/accept/2")
    assert booked(sim)["PO-4471"][2] == D("4.38")


def lost(sim: Simulation) -> None:
    sim.world.suppliers.lost.add("A:accept")


def down(sim: Simulation) -> None:
    sim.world.suppliers.down.add("A:accept")


def healed(sim: Simulation) -> None:
    sim.world.suppliers.lost.clear()
    sim.world.suppliers.down.clear()


def test_an_acceptance_that_arrived_before_the_approval_ran_out_stands() -> None:
    """All attempts lose their answer on day 4.7; on day 5.7, at the next try, the decision of day 0.2 holds no more."""
    sim, state = play(yes(), also(lost, confirms("4.35", after=4.5)), also(healed, nothing), goods())
    assert (ended(state), requested(sim)) == ("received", ["PO-4471/1"])
    assert sim.world.records.pos["PO-4471"].unit_price == D("4.35")
    assert state.orders["PO-4471"].ceiling == D("4.41")


def test_an_acceptance_that_never_arrived_is_not_sent_after_the_approval_ran_out() -> None:
    sim, state = play(yes(), also(down, confirms("4.35", after=4.5)), also(healed, nothing), no("PO-4471/2"), nothing)
    assert (ended(state), requested(sim)) == ("rejected", ["PO-4471/1", "PO-4471/2"])
    assert booked(sim)["PO-4471"][2] == D("4.20")


def test_an_acceptance_that_arrived_in_a_step_that_outlived_the_approval_stands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The agent dies after the acceptance was sent, and comes back when the approval has run out."""
    world = MemoryWorld()
    accept, died = world.suppliers.accept, False

    async def dying(*args: Any, **more: Any) -> None:
        nonlocal died
        await accept(*args, **more)
        if not died:
            died = True
            world.clock.days(6)
            raise ConnectionError("gone")

    monkeypatch.setattr(world.suppliers, "accept", dying)
    sim, state = play(yes(), confirms("4.35"), goods(), world=world)
    assert (ended(state), requested(sim)) == ("received", ["PO-4471/1"])
    assert sim.world.records.pos["PO-4471"].unit_price == D("4.35")
    assert len(calls(sim, "accept")) == 1


def test_a_book_that_does_not_tell_is_asked_three_times_and_then_the_manager() -> None:
    def silent(sim: Simulation) -> None:
        down(sim)
        sim.world.suppliers.down.add("A:find")

    waits = [nothing] * 3
    sim, state = play(yes(), also(silent, confirms("4.35", after=4.5)), *waits, also(healed, yes("PO-4471/2")), goods())
    assert (ended(state), requested(sim)) == ("received", ["PO-4471/1", "PO-4471/2"])
    assert booked(sim)["PO-4471"][2] == D("4.35")


# --- which quotes -----------------------------------------------------------------------------------------------------


def test_a_price_without_a_rate_is_never_chosen() -> None:
    world = MemoryWorld()
    world.suppliers.prices = {"A": D("0.01"), "B": D("4.35"), "C": None}
    world.suppliers.currency["A"] = "GBP"
    sim, _ = play(yes(), world=world)
    assert {item for item, _, _ in booked(sim).values()} == {"B"}


def test_only_prices_without_a_rate_are_asked_about_by_name() -> None:
    world = MemoryWorld()
    world.suppliers.currency = dict.fromkeys("ABC", "GBP")
    sim, state = play(world=world)
    assert (ended(state), asked(sim), booked(sim)) == ("gave_up", [f"{RUN}/no-quote/1"], {})
    assert "no rate known for GBP" in sim.world.people.questions[0].text


def test_euro_are_compared_through_their_rate() -> None:
    """3.90 EUR are 4.29 USD."""
    world = MemoryWorld()
    world.suppliers.prices = {"A": D("4.30"), "B": D("3.90"), "C": None}
    world.suppliers.currency["B"] = "EUR"
    sim, _ = play(yes(), world=world)
    assert {po: (item, price) for po, (item, _, price) in booked(sim).items()} == {"PO-4471": ("B", D("3.90"))}
    assert sim.world.people.requests[0].currency == "EUR"


def test_a_supplier_who_cannot_be_reached_is_asked_in_three_rounds_a_day_apart() -> None:
    world = MemoryWorld()
    world.suppliers.prices = {"A": None, "B": None, "C": None}
    world.suppliers.down.add("A:quotes")
    sim, state = play(world=world)
    assert sim.tools.count("get_quotes") == 3
    assert ended(state) == "gave_up"
    rounds = [t.after.quoted_at for t in sim.turns if t.decision.tool == "get_quotes"]
    assert [b - a for a, b in pairwise(rounds) if a and b] == [timedelta(days=1)] * 2


def test_one_supplier_down_does_not_hold_up_the_others() -> None:
    world = MemoryWorld()
    world.suppliers.down.add("A:quotes")
    sim, _ = play(yes(), world=world)
    assert {item for item, _, _ in booked(sim).values()} == {"B"}
    assert sim.tools.count("get_quotes") == 1


def test_four_quotes_once_the_fourth_supplier_answers() -> None:
    world = MemoryWorld()
    world.records.suppliers = ("A", "B", "C", "D")
    world.suppliers.prices["D"] = D("4.60")
    world.suppliers.lead["D"] = 3
    world.suppliers.down.add("D:quotes")
    up = also(lambda s: s.world.suppliers.down.clear(), nothing)
    sim, state = play(up, yes(), confirms(), goods(), world=world, version=2)
    assert ended(state) == "received"
    assert sim.tools.count("get_quotes") == 2


def test_who_is_found_to_have_declined_is_not_asked_again_in_this_run() -> None:
    """The answer to the order was lost; his book shows it as declined."""
    world = MemoryWorld()
    world.suppliers.lost.add("A:orders")
    world.suppliers.down.add("A:find")

    def shows_declined(sim: Simulation) -> None:
        sim.world.suppliers.down.clear()
        sim.world.suppliers.lost.clear()
        sim.world.suppliers.status["PO-4471"] = "declined"

    sim, state = play(yes(), also(shows_declined, nothing), yes("PO-4472/1"), world=world)
    assert sim.world.suppliers.book["PO-4472"].item == "B-123"
    assert state.orders["PO-4471"].status is S.CANCELLED


# --- what is on order already -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("on_order", "ordered"), [("39", "450"), ("40", None), ("450", None), ("30", "450")])
def test_what_is_carried_over_counts(on_order: str, ordered: str | None) -> None:
    carried = order(S.ACCEPTED, po="PO-4400", run=EARLIER, quantity=D(on_order), unit_price=D("4.20"))
    world = MemoryWorld()
    world.records.pos["PO-4400"] = carried
    sim, _ = play(*([yes()] if ordered else []), world=world, n=1, orders=[carried])
    assert [q for _, q, _ in booked(sim).values()] == ([D(ordered)] if ordered else [])


def test_goods_of_a_carried_over_order_drop_the_draft() -> None:
    carried = order(S.UNKNOWN, po="PO-4400", run=EARLIER, checks=3)
    world = MemoryWorld()
    world.records.pos["PO-4400"] = carried
    sim, state = play(goods(po="PO-4400"), world=world, orders=[carried])
    assert ended(state) == "received"
    assert booked(sim) == {}
    assert no_draft_left(sim, state)
    assert sim.journal is not None
    assert "PO-4471/1" in sim.journal.withdrawn


def test_a_confirmation_of_a_carried_over_order_drops_the_draft() -> None:
    carried = order(S.UNKNOWN, po="PO-4400", run=EARLIER, checks=3)
    world = MemoryWorld()
    world.records.pos["PO-4400"] = carried
    sim, state = play(confirms(po="PO-4400"), goods(po="PO-4400"), world=world, orders=[carried])
    assert (ended(state), booked(sim)) == ("received", {})
    assert no_draft_left(sim, state)


def test_two_duplicates_of_two_runs_are_both_cancelled_and_only_they() -> None:
    old = [order(S.UNKNOWN, po=f"PO-44{n}0", run=EARLIER, checks=3) for n in (0, 1)]
    world = MemoryWorld()
    for one in old:
        world.records.pos[one.po] = one
        world.suppliers.book[one.po] = world.suppliers.book.get(one.po)  # type: ignore[assignment]
        world.suppliers.status[one.po] = "open"
    sim, state = play(
        yes(), confirms(), confirms(po="PO-4400"), confirms(po="PO-4410"), goods(), world=world, orders=old
    )
    assert ended(state) == "received"
    assert [key for _, key in calls(sim, "cancels")] == ["PO-4400/cancel", "PO-4410/cancel"]
    assert all("duplicate" in reason for reason, _ in calls(sim, "cancels"))
    assert sim.world.suppliers.status["PO-4471"] == "open"


# --- the operator -----------------------------------------------------------------------------------------------------


def test_the_operator_while_the_manager_is_asked() -> None:
    sim, state = play(operator())
    assert (ended(state), booked(sim)) == ("cancelled", {})
    assert no_draft_left(sim, state)
    assert sim.journal is not None
    assert "PO-4471/1" in sim.journal.withdrawn


def test_the_operator_while_the_price_cannot_be_fetched() -> None:
    sim, state = play(also(lambda s: s.world.suppliers.down.add("A:quotes"), yes()), operator())
    assert (ended(state), booked(sim)) == ("cancelled", {})
    assert no_draft_left(sim, state)


def test_the_operator_while_no_quote_comes() -> None:
    world = MemoryWorld()
    world.suppliers.down |= {f"{s}:quotes" for s in "ABC"}
    sim, state = play(operator(), world=world)
    assert (ended(state), asked(sim)) == ("cancelled", [])


@pytest.mark.parametrize("before", [(), (confirms(),), (confirms("4.54"),), (confirms(), goods("200"))])
def test_the_operator_after_the_order(before: tuple[object, ...]) -> None:
    sim, state = play(yes(), *before, operator())  # type: ignore[arg-type]
    assert ended(state) == "cancelled"
    assert sim.world.suppliers.status == {"PO-4471": "cancelled"}


def test_the_operator_while_the_order_is_unknown_and_then_found() -> None:
    world = MemoryWorld()
    world.suppliers.lost.add("A:orders")
    world.suppliers.down.add("A:find")
    up = also(lambda s: s.world.suppliers.down.clear(), nothing)
    sim, state = play(yes(), operator(), up, world=world)
    assert ended(state) == "cancelled"
    assert sim.world.suppliers.status == {"PO-4471": "cancelled"}


def test_the_operator_while_the_order_is_unknown_and_never_was() -> None:
    world = MemoryWorld()
    world.suppliers.down |= {"A:orders", "A:find"}
    up = also(lambda s: s.world.suppliers.down.clear(), nothing)
    sim, state = play(yes(), operator(), up, world=world)
    assert (ended(state), booked(sim)) == ("cancelled", {})
    assert no_draft_left(sim, state)


def test_the_operator_does_not_touch_an_order_of_an_earlier_run() -> None:
    """It stays with the entity; the run does not wait for its goods."""
    carried = order(S.ACCEPTED, po="PO-4400", run=EARLIER)
    world = MemoryWorld()
    world.records.pos["PO-4400"] = carried
    sim, state = play(operator(), world=world, orders=[carried])
    assert ended(state) == "cancelled"
    assert (state.now - sim.turns[0].after.now) < timedelta(days=1)
    assert state.orders["PO-4400"] == carried
    assert calls(sim, "cancels") == []


def test_a_supplier_who_will_not_cancel_for_the_operator() -> None:
    world = MemoryWorld()
    world.suppliers.refuses.add("A:cancel")
    sim, state = play(yes(), confirms(), operator(), world=world)
    assert ended(state) == "cancelled"
    assert asked(sim) == ["PO-4471/cancel-refused/1"]
    assert sim.world.suppliers.status["PO-4471"] == "open"


def test_a_reading_is_never_an_approval() -> None:
    says_so = Reading(accepted=True, unit_price=D("6.00"), currency="USD")
    sim, state = play(yes(), says(says_so), says(says_so), no("PO-4471/2"))
    assert ended(state) == "rejected"
    assert booked(sim)["PO-4471"][2] == D("4.20")
