"""The conditions tools share: when something must be bought, when quotes are enough,
which decision covers which terms."""

from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest

from replenisher.domain.approval import Approval, ApprovalStatus
from replenisher.domain.conditions import (
    another_round_helps,
    awaiting_goods,
    awaiting_reply,
    costs_no_more,
    enough_quotes,
    live_approval,
    need_uncovered,
    next_try_due,
    position,
    purchases,
    round_due,
    settled,
    terms,
    to_cancel,
    unanswered_request,
    valid_quotes,
)
from replenisher.domain.order import CounterOffer, Order, OrderStatus, Unwanted
from replenisher.domain.state import State
from support.making import EARLIER, START, approval, asks, counter, days, no_quote, order, quote, quotes, reply, state

D = Decimal
S = OrderStatus
A = ApprovalStatus


# --- the need ---------------------------------------------------------------------------------------------------------


def test_short_and_nothing_under_way_must_be_bought() -> None:
    assert need_uncovered(state())


@pytest.mark.parametrize("on_hand", ["100", "100.01", "500"])
def test_at_the_level_nothing_must_be_bought(on_hand: str) -> None:
    assert not need_uncovered(state(on_hand=D(on_hand)))


@pytest.mark.parametrize(
    ("status", "run", "quantity", "uncovered"),
    [
        # of this run: anything under way holds it back, however small
        (S.DRAFT, "own", "10", False),
        (S.UNKNOWN, "own", "10", False),
        (S.SENT, "own", "10", False),
        (S.ACCEPTED, "own", "10", False),
        (S.DECLINED, "own", "450", True),
        (S.REFUSED, "own", "450", True),
        (S.CANCELLED, "own", "450", True),
        (S.RECEIVED, "own", "450", True),
        # of an earlier one: what is certain to come counts with its quantity
        (S.SENT, "earlier", "10", True),
        (S.SENT, "earlier", "40", False),
        (S.ACCEPTED, "earlier", "39", True),
        (S.ACCEPTED, "earlier", "40", False),
        (S.UNKNOWN, "earlier", "450", True),
        (S.DRAFT, "earlier", "450", True),
        (S.DECLINED, "earlier", "450", True),
    ],
)
def test_what_holds_a_purchase_back(status: OrderStatus, run: str, quantity: str, uncovered: bool) -> None:
    of_run = {} if run == "own" else {"run": EARLIER}
    assert need_uncovered(state(order(status, quantity=D(quantity), **of_run))) is uncovered


@pytest.mark.parametrize(
    ("said", "uncovered"),
    [
        ([approval(A.REJECTED)], False),
        ([approval(A.REJECTED, another="C/C-123")], True),
        ([approval(A.REJECTED, another="C/C-123"), approval(A.REJECTED, id="PO-4472/1")], False),
        ([approval(A.UNANSWERED)], False),
        ([approval(A.SUPERSEDED)], True),
        ([approval(A.APPROVED)], True),
        ([approval(A.OPEN)], True),
    ],
)
def test_a_person_who_said_no_is_not_asked_again(said: list[Approval], uncovered: bool) -> None:
    assert need_uncovered(state(approvals=said)) is uncovered


@pytest.mark.parametrize(
    "change",
    [{"cancel_requested": "stop"}, {"gave_up": "enough"}, {"winding_down": True}, {"unread": (reply(),)}],
    ids=lambda c: next(iter(c)),
)
def test_nothing_is_begun_while_it_ends_or_a_message_is_unread(change: dict[str, Any]) -> None:
    assert not need_uncovered(state(**change))


@pytest.mark.parametrize("status", [S.SENT, S.ACCEPTED, S.DECLINED])
def test_an_order_on_its_way_out_does_not_count(status: OrderStatus) -> None:
    leaving = order(status, unwanted=Unwanted.BUYER)
    assert position(state(leaving)) == 60
    assert position(state(replace(leaving, cancel_refused=True))) == 510


# --- quotes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "valid", "enough"),
    [(1, 0, False), (1, 1, True), (1, 3, True), (2, 1, False), (2, 3, False), (2, 4, True), (2, 5, True)],
)
def test_how_many_quotes_a_draft_needs(version: int, valid: int, enough: bool) -> None:
    offers = tuple(quote(s) for s in "ABCDE"[:valid])
    assert enough_quotes(state(rules_version=version, quotes=offers)) is enough


def test_four_quotes_none_of_which_can_be_compared_are_not_enough() -> None:
    offers = tuple(quote(s, currency="GBP") for s in "ABCD")
    for version in (1, 2):
        assert not enough_quotes(state(rules_version=version, quotes=offers))


@pytest.mark.parametrize(("now", "valid"), [(0, "ABC"), (13.999, "ABC"), (14, ""), (20, "")])
def test_a_quote_holds_until_its_last_instant(now: float, valid: str) -> None:
    assert [q.supplier for q in valid_quotes(state(quotes=quotes(), now=days(now)))] == list(valid)


@pytest.mark.parametrize(("dropped", "left"), [((), "ABC"), (("A",), "BC"), (("A", "C"), "B"), (("A", "B", "C"), "")])
def test_who_declined_is_not_bought_from(dropped: tuple[str, ...], left: str) -> None:
    assert [p.quote.supplier for p in purchases(state(quotes=quotes(), dropped=dropped))] == list(left)


def test_the_manager_gets_the_quote_he_asked_for() -> None:
    assert [p.quote.id for p in purchases(state(quotes=quotes(), wanted_quote="C/C-123"))] == ["C/C-123"]


@pytest.mark.parametrize(
    ("rounds", "change", "helps"),
    [
        (0, {}, True),
        (0, {"quotes": quotes()}, True),
        (1, {"quotes": quotes()}, False),
        (1, {"unquoted": (no_quote("A", failed=False),)}, False),
        (1, {"unquoted": (no_quote("A", failed=True),)}, True),
        (2, {"unquoted": (no_quote("A", failed=True), no_quote("B", failed=False))}, True),
        (2, {"quotes": quotes(), "now": days(14)}, True),
        (3, {"unquoted": (no_quote("A", failed=True),)}, False),
        (3, {"quotes": quotes(), "now": days(14)}, False),
        (4, {}, False),
    ],
)
def test_another_round_is_asked_only_when_it_may_help(rounds: int, change: dict[str, Any], helps: bool) -> None:
    assert another_round_helps(state(quote_rounds=rounds, **change)) is helps


@pytest.mark.parametrize(
    ("rounds", "asked", "now", "due"),
    [(0, None, 0, True), (1, 0, 0.99, False), (1, 0, 1, True), (2, 3, 3.5, False), (2, 3, 4, True), (0, 0, 0, True)],
)
def test_rounds_are_a_day_apart(rounds: int, asked: float | None, now: float, due: bool) -> None:
    at: datetime | None = None if asked is None else days(asked)
    assert round_due(state(quote_rounds=rounds, quoted_at=at, now=days(now))) is due


# --- which decision covers which terms --------------------------------------------------------------------------------

YES = approval(A.APPROVED)
TERMS_YES = approval(
    A.APPROVED, id="PO-4471/2", reason="terms", unit_price=D("4.54"), ceiling=D("4.54"), approved_up_to=D("4.54"),
    requested_at=days(1),
)  # fmt: skip


@pytest.mark.parametrize(
    ("one", "covered"),
    [
        (order(), True),
        (order(unit_price=D("4.41")), True),
        (order(unit_price=D("4.42")), False),
        (order(quantity=D(500)), False),
        (order(currency="EUR"), False),
        (order(freight=D(1)), False),
        (order(po="PO-4472"), False),
        (order(S.SENT, counter=counter("4.35")), True),
        (order(S.SENT, counter=counter("4.41")), True),
        (order(S.SENT, counter=counter("4.54")), False),
        (order(S.SENT, counter=counter("4.20", "EUR")), False),
        (order(S.SENT, counter=counter("4.20", quantity="449")), False),
        (order(S.SENT, counter=counter("4.20", quantity="4500")), False),
    ],
)
def test_a_decision_covers_the_terms_on_the_table(one: Order, covered: bool) -> None:
    found = live_approval(state(one, approvals=[YES]), one)
    assert found == (YES if covered else None)


@pytest.mark.parametrize(("now", "covered"), [(4.99, True), (5, False)])
def test_new_terms_need_a_decision_that_still_holds(now: float, covered: bool) -> None:
    one = order(S.SENT, counter=counter("4.35"))
    assert (live_approval(state(one, approvals=[YES], now=days(now)), one) is not None) is covered


@pytest.mark.parametrize(
    ("offer", "said", "covered"),
    [
        # the range of the order's own approval does not reach past acceptance
        (counter("4.35", after_acceptance=True), [YES], False),
        (counter("4.201", after_acceptance=True), [YES], False),
        # a price that is not raised needs no new decision
        (counter("4.20", after_acceptance=True), [YES], True),
        (counter("4.10", after_acceptance=True), [YES], True),
        # a decision on exactly that raise
        (counter("4.54", after_acceptance=True), [YES, TERMS_YES], True),
        # one on an earlier raise is not one on this
        (replace(counter("4.50", after_acceptance=True), at=days(2)), [YES, TERMS_YES], False),
        (counter("4.54"), [YES, TERMS_YES], True),
        (counter("4.55"), [YES, TERMS_YES], False),
    ],
)
def test_a_price_raised_after_acceptance_always_goes_to_the_manager(
    offer: CounterOffer, said: list[Approval], covered: bool
) -> None:
    one = order(S.ACCEPTED if offer.after_acceptance else S.SENT, counter=offer)
    assert (live_approval(state(one, approvals=said, now=days(3)), one) is not None) is covered


def test_the_latest_decision_counts() -> None:
    lower = approval(A.APPROVED, id="PO-4471/2", approved_up_to=D("4.30"))
    one = order()
    assert live_approval(state(one, approvals=[YES, lower]), one) == lower


@pytest.mark.parametrize(
    ("offer", "no_more"),
    [
        (None, False),
        (counter("4.20"), True),
        (counter("4.19"), True),
        (counter("4.21"), False),
        (counter("4.20", quantity="449"), True),
        (counter("4.20", quantity="451"), False),
        (counter("4.00", quantity="451"), False),
        (counter("5.00", quantity="100"), False),
        (counter("4.20", "EUR"), False),
        (counter("0.01", "EUR"), False),
    ],
)
def test_terms_that_cost_no_more(offer: CounterOffer | None, no_more: bool) -> None:
    assert costs_no_more(order(S.SENT, counter=offer)) is no_more


def test_the_terms_on_the_table_are_the_counter_offers() -> None:
    assert terms(order(S.SENT)) == (D(450), D("4.20"), "USD")
    assert terms(order(S.SENT, counter=counter("4.54", "EUR", "200"))) == (D(200), D("4.54"), "EUR")


@pytest.mark.parametrize(
    ("asked", "spent"),
    [
        (approval(A.UNANSWERED), True),
        (approval(A.UNANSWERED, unit_price=D("4.19")), False),
        (approval(A.UNANSWERED, currency="EUR"), False),
        (approval(A.UNANSWERED, quantity=D(200)), False),
        (approval(A.UNANSWERED, po="PO-4472"), False),
        (approval(A.REJECTED), False),
        (approval(A.SUPERSEDED), False),
        (approval(A.OPEN), False),
    ],
)
def test_a_request_that_ended_unanswered_is_not_made_again(asked: Approval, spent: bool) -> None:
    assert unanswered_request(state(order(), approvals=[asked]), order()) is spent


# --- orders -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("tried", "now", "due"), [(None, 0, True), (0, 0.99, False), (0, 1, True), (0, 9, True)])
def test_what_failed_is_tried_again_a_day_later(tried: float | None, now: float, due: bool) -> None:
    one = order(tried_at=None if tried is None else days(tried))
    assert next_try_due(state(one, now=days(now)), one) is due


@pytest.mark.parametrize("status", list(S))
def test_who_is_waited_for(status: OrderStatus) -> None:
    one = order(status)
    assert awaiting_reply(one) is (status is S.SENT)
    assert awaiting_goods(one) is (status is S.ACCEPTED)


@pytest.mark.parametrize(
    "change",
    [
        {"unwanted": Unwanted.BUYER},
        {"written_off": True},
        {"counter": counter()},
        {"question": asks()},
        {"received": D(450)},
    ],
    ids=lambda c: next(iter(c)),
)
def test_who_is_not_waited_for(change: dict[str, Any]) -> None:
    if "received" not in change:
        assert not awaiting_reply(order(S.SENT, **change))
    if "question" not in change:
        assert not awaiting_goods(order(S.ACCEPTED, **change))


@pytest.mark.parametrize("status", list(S))
@pytest.mark.parametrize(
    ("change", "listed"),
    [
        ({"unwanted": Unwanted.DUPLICATE}, True),
        ({}, False),
        ({"unwanted": Unwanted.BUYER, "cancel_refused": True}, False),
        ({"unwanted": Unwanted.BUYER, "written_off": True}, False),
        ({"unwanted": Unwanted.BUYER, "sku": "SKU-999"}, False),
    ],
)
def test_only_unwanted_orders_of_this_part_at_the_supplier_may_be_cancelled(
    status: OrderStatus, change: dict[str, Any], listed: bool
) -> None:
    one = order(status, **change)
    expected = [one] if listed and status in (S.SENT, S.ACCEPTED, S.DECLINED) else []
    assert to_cancel(state(one)) == expected


@pytest.mark.parametrize("status", list(S))
@pytest.mark.parametrize("written_off", [False, True])
def test_what_is_settled(status: OrderStatus, written_off: bool) -> None:
    over = status in (S.RECEIVED, S.CANCELLED) or written_off
    assert settled(order(status, written_off=written_off)) is over


def test_time_never_runs_backwards() -> None:
    one: State = state(now=days(3))
    assert one.at(START).now == days(3)
    assert one.at(days(4)).now == days(4)
