"""What a supplier offers for a part, and what buying from that offer costs: suppliers are compared on landed totals."""

from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_CEILING, Decimal

from replenisher.domain import limits
from replenisher.domain.money import CENT, Rates, total

ZERO = Decimal(0)


@dataclass(frozen=True, slots=True)
class Break:
    """From this quantity of our units on, each unit costs this."""

    min_quantity: Decimal
    unit_price: Decimal


@dataclass(frozen=True, slots=True)
class Quote:
    """One supplier item at one time. Prices are for ONE of our units, net; `minimum` is in our units."""

    supplier: str
    item: str
    currency: str
    breaks: tuple[Break, ...]
    """Ascending; below the lowest there is no price."""
    pack: Decimal
    lead_time_days: int
    valid_until: datetime
    minimum: Decimal = ZERO
    minimum_order_value: Decimal = ZERO
    freight: Decimal = ZERO

    @property
    def id(self) -> str:
        return f"{self.supplier}/{self.item}"

    def unit_price(self, quantity: Decimal) -> Decimal | None:
        """The price of the highest break the quantity reaches; None below the lowest."""
        reached = [b for b in self.breaks if b.min_quantity <= quantity]
        return max(reached, key=lambda b: b.min_quantity).unit_price if reached else None

    def cost(self, quantity: Decimal) -> Decimal | None:
        """Landed net total in the quote's currency: price times quantity plus freight."""
        price = self.unit_price(quantity)
        return None if price is None else total(price, quantity) + self.freight


@dataclass(frozen=True, slots=True)
class NoQuote:
    """A supplier who was asked and gave no price for this item."""

    supplier: str
    item: str
    reason: str
    failed: bool
    """True when he could not be reached or understood: asking again may help. False when he answered he has none."""


@dataclass(frozen=True, slots=True)
class Purchase:
    """The cheapest way to cover a need from one quote."""

    quote: Quote
    quantity: Decimal
    unit_price: Decimal
    landed: Decimal
    """In the quote's currency, freight included."""
    comparable: Decimal | None
    """`landed` in the company's currency; None when no rate is known."""
    excessive: bool
    """More than ten times the need: a person is asked before it is ordered."""


def packs_up(quantity: Decimal, pack: Decimal) -> Decimal:
    """The smallest whole number of packs that holds the quantity, in our units."""
    return (quantity / pack).to_integral_value(ROUND_CEILING) * pack


def purchase(quote: Quote, need: Decimal, rates: Rates) -> Purchase | None:
    """The quantity to buy and its landed cost, or None when the quote has no price that can be reached.

    Candidates are the need itself and every price break above it, each raised to the minimum, whole packs and the
    minimum order value; the lowest landed total wins, then the smaller quantity. One of more than ten times the need
    wins only when nothing smaller can be bought: a heap that is cheaper in all does not hide the usual purchase.
    """
    if need <= 0 or quote.pack <= 0 or not quote.breaks:
        return None
    candidates: list[tuple[Decimal, Decimal, Decimal]] = []
    for floor in (ZERO, *(b.min_quantity for b in quote.breaks)):
        quantity = _raised(quote, packs_up(max(need, floor, quote.minimum), quote.pack))
        price = None if quantity is None else quote.unit_price(quantity)
        if quantity is not None and price is not None:
            candidates.append((total(price, quantity) + quote.freight, quantity, price))
    if not candidates:
        return None
    usual = [c for c in candidates if c[1] <= limits.EXCESS * need]
    landed, quantity, price = min(usual or candidates)
    comparable = rates.in_base(landed, quote.currency)
    return Purchase(quote, quantity, price, landed, comparable, quantity > limits.EXCESS * need)


def _raised(quote: Quote, quantity: Decimal) -> Decimal | None:
    """The quantity raised until its value, as invoiced, reaches the supplier's minimum; None when it never does."""
    price = quote.unit_price(quantity)
    if price is None or total(price, quantity) >= quote.minimum_order_value:
        return quantity
    least = quote.minimum_order_value.quantize(CENT, ROUND_CEILING) - CENT / 2
    breaks = sorted(quote.breaks, key=lambda b: b.min_quantity)
    for step in [b for b in breaks if b.min_quantity <= quantity][-1:] + [
        b for b in breaks if b.min_quantity > quantity
    ]:
        if step.unit_price <= 0:
            continue
        enough = packs_up(max(least / step.unit_price, step.min_quantity, quantity), quote.pack)
        price = quote.unit_price(enough)
        if price is not None and total(price, enough) >= quote.minimum_order_value:
            return enough
    return None
