"""Amounts and exchange rates. Always Decimal, always with a currency beside them; prices are net of tax."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")


def total(unit_price: Decimal, quantity: Decimal) -> Decimal:
    """The net amount of a line, rounded half up to 0.01 once, after multiplying."""
    return (unit_price * quantity).quantize(CENT, ROUND_HALF_UP)


def plain(value: Decimal) -> str:
    """The shortest exact spelling without an exponent: 450, 4.2, 0.0387."""
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def price_text(value: Decimal) -> str:
    """A price as people write it: at least two places, never fewer digits than it has."""
    text = plain(value)
    places = len(text.partition(".")[2])
    return text if places >= 2 else format(value, ".2f")


@dataclass(frozen=True, slots=True)
class Rates:
    """What one unit of a currency is worth in the base currency (the company's own, whose rate is 1)."""

    base: str
    values: Mapping[str, Decimal] = field(default_factory=dict[str, Decimal])

    def in_base(self, amount: Decimal, currency: str) -> Decimal | None:
        """The amount in the base currency, unrounded; None when no rate is known: never guessed."""
        if currency == self.base:
            return amount
        rate = self.values.get(currency)
        return None if rate is None else amount * rate
