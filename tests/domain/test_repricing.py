"""The moment before ordering: ordered, too late, dearer, beaten or gone, by the quote
of right now and the real clock."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from replenisher.domain.approval import Approval, ApprovalStatus
from replenisher.domain.order import OrderStatus, Unwanted
from replenisher.domain.quote import Break, Quote
from replenisher.domain.repricing import Repriced, reprice, repriced, requoted
from replenisher.domain.state import State
from support.making import approval, days, order, quote, quotes, state

D = Decimal
S = OrderStatus
R = Repriced
YES = approval(ApprovalStatus.APPROVED)


def meaning(fresh: Quote | None, said: Approval = YES, of: State | None = None, at: float = 2) -> Repriced:
    draft = order()
    return reprice(of or state(draft, quotes=quotes()), draft, said, fresh, days(at))


@pytest.mark.parametrize(
    ("fresh", "then"),
    [
        (quote("A", "4.20"), R.ORDER),
        (quote("A", "4.10"), R.ORDER),
        (quote("A", "4.30"), R.ORDER),
        (quote("A", "4.41"), R.ORDER),
        # above the ceiling, and B's 4.35 for 450 is dearer than neither: product.md, price-moved-before-order
        (quote("A", "4.50"), R.BEATEN),
        (quote("A", "4.42"), R.BEATEN),
        # in another currency there is no range
        (quote("A", "4.20", "EUR"), R.GONE),
        (quote("A", "0.10", "EUR"), R.GONE),
        (None, R.GONE),
        (quote("A", "4.20", valid_until=days(2)), R.GONE),
        (quote("A", "4.20", valid_until=days(1)), R.GONE),
        (quote("A", "4.20", pack=D(400)), R.GONE),
        (quote("A", "4.20", minimum=D(500)), R.GONE),
        (quote("A", "4.20", minimum=D(450)), R.ORDER),
        (quote("A", "4.20", minimum_order_value=D(1890)), R.ORDER),
        (quote("A", "4.20", minimum_order_value=D("1890.01")), R.GONE),
        (quote("A", breaks=(Break(D(500), D("4.20")),)), R.GONE),
        (quote("A", breaks=()), R.GONE),
        # the price of the quantity ordered counts
        (quote("A", breaks=(Break(D(1), D(9)), Break(D(450), D("4.20")))), R.ORDER),
        (quote("A", breaks=(Break(D(1), D("4.20")), Break(D(500), D("1.00")))), R.ORDER),
        # more freight than was approved
        (quote("A", "4.20", freight=D(1)), R.DEARER),
        (quote("A", "4.20", freight=D(100)), R.BEATEN),
    ],
)
def test_what_the_quote_of_now_means(fresh: Quote | None, then: Repriced) -> None:
    assert meaning(fresh) is then


@pytest.mark.parametrize(("at", "then"), [(4.999, R.ORDER), (5, R.EXPIRED), (6, R.EXPIRED)])
def test_on_an_expired_decision_nothing_is_ordered(at: float, then: Repriced) -> None:
    assert meaning(quote(), at=at) is then
    assert meaning(None, at=6) is R.EXPIRED


def test_a_lowered_ceiling_binds() -> None:
    lowered = replace(YES, approved_up_to=D("4.25"))
    assert meaning(quote("A", "4.25"), lowered) is R.ORDER
    assert meaning(quote("A", "4.30"), lowered) is R.DEARER


@pytest.mark.parametrize(
    ("others", "change", "then"),
    [
        ((), {}, R.DEARER),
        ((quote("B", "4.60"),), {}, R.DEARER),
        ((quote("B", "4.50"),), {}, R.DEARER),
        ((quote("B", "4.49"),), {}, R.BEATEN),
        ((quote("B", "4.35", freight=D(67)),), {}, R.BEATEN),
        ((quote("B", "4.35", freight=D(68)),), {}, R.DEARER),
        ((quote("B", "4.35", valid_until=days(2)),), {}, R.DEARER),
        ((quote("B", "4.35"),), {"dropped": ("B",)}, R.DEARER),
        ((quote("B", "4.00", "EUR"),), {}, R.BEATEN),
        ((quote("B", "4.35", "EUR"),), {}, R.DEARER),
        ((quote("B", "1.00", "GBP"),), {}, R.DEARER),
        ((quote("A", "3.00"),), {}, R.DEARER),
        ((quote("A", "4.35", item="A-124"),), {}, R.BEATEN),
        ((quote("B", "0.01", pack=D(5000)),), {}, R.DEARER),
    ],
)
def test_at_4_50_another_valid_quote_must_be_cheaper_landed(
    others: tuple[Quote, ...], change: dict[str, Any], then: Repriced
) -> None:
    """450 at 4.50 are 2025.00; one EUR is 1.10 USD."""
    waiting = state(order(), quotes=others, **change)
    assert meaning(quote("A", "4.50"), of=waiting) is then


# --- what follows -----------------------------------------------------------------------------------------------------


def test_the_list_of_quotes_shows_what_is_asked_now() -> None:
    waiting = state(order(), quotes=quotes())
    after = requoted(waiting, order(), quote("A", "4.50"))
    assert {q.id: q.unit_price(D(450)) for q in after.quotes} == {
        "A/A-123": D("4.50"),
        "B/B-123": D("4.35"),
        "C/C-123": D("4.50"),
    }
    assert [q.supplier for q in requoted(waiting, order(), None).quotes] == ["B", "C"]


@pytest.mark.parametrize(
    ("then", "unwanted", "price"),
    [
        (R.GONE, Unwanted.SUPERSEDED, "4.20"),
        (R.BEATEN, Unwanted.SUPERSEDED, "4.20"),
        (R.DEARER, None, "4.50"),
        (R.EXPIRED, None, "4.20"),
    ],
)
def test_what_becomes_of_the_draft(then: Repriced, unwanted: Unwanted | None, price: str) -> None:
    after = repriced(order(), then, quote("A", "4.50"))
    assert (after.status, after.unwanted, after.unit_price) == (S.DRAFT, unwanted, D(price))


def test_a_dearer_draft_shows_the_manager_price_and_freight() -> None:
    after = repriced(order(), R.DEARER, quote("A", "4.20", freight=D(30)))
    assert (after.unit_price, after.freight, after.net) == (D("4.20"), D(30), D("1920.00"))
