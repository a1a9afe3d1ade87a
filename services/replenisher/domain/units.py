"""Units of parts and what people write for a quantity: "250 ml", "100m", "foot". Conversions are exact or refused.
No money and no packs here: what a pack holds is a quantity like any other."""

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal

Kind = Literal["count", "length", "volume", "mass"]


class NotAQuantity(ValueError):
    """What was written is no quantity of this unit; the message is a sentence for the one who wrote it."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit people use, and how much of its kind's base (piece, metre, litre, kilogram) it is."""

    kind: Kind
    factor: Fraction
    name: str
    """Its usual spelling."""


_SPELLINGS: tuple[tuple[Kind, str, str], ...] = (
    ("count", "1", "pcs pc pce piece pieces each ea unit units item items stk stck"),
    ("count", "2", "pair pairs"),
    ("count", "12", "dozen dozens"),
    ("length", "1", "m metre metres meter meters mtr"),
    ("length", "1000", "km kilometre kilometres kilometer kilometers"),
    ("length", "0.1", "dm decimetre decimetres decimeter decimeters"),
    ("length", "0.01", "cm centimetre centimetres centimeter centimeters"),
    ("length", "0.001", "mm millimetre millimetres millimeter millimeters"),
    ("length", "0.0254", "in inch inches"),
    ("length", "0.3048", "ft foot feet"),
    ("length", "0.9144", "yd yard yards"),
    ("volume", "1", "l litre litres liter liters ltr"),
    ("volume", "0.1", "dl decilitre decilitres deciliter deciliters"),
    ("volume", "0.01", "cl centilitre centilitres centiliter centiliters"),
    ("volume", "0.001", "ml millilitre millilitres milliliter milliliters ccm cm3 cm³"),
    ("volume", "1000", "m3 m³ cbm"),
    ("mass", "1", "kg kilo kilos kilogram kilograms kilogramme kilogrammes"),
    ("mass", "0.001", "g gram grams gramme grammes"),
    ("mass", "0.000001", "mg milligram milligrams"),
    ("mass", "1000", "t tonne tonnes"),
    ("mass", "0.45359237", "lb lbs pound pounds"),
)
UNITS: dict[str, Unit] = {
    spelling: Unit(kind, Fraction(factor), names.split()[0])
    for kind, factor, names in _SPELLINGS
    for spelling in names.split()
}
AMBIGUOUS = {
    "gal": "a US or an imperial gallon",
    "gallon": "a US or an imperial gallon",
    "gallons": "a US or an imperial gallon",
    "oz": "an ounce of weight or of fluid",
    "ounce": "an ounce of weight or of fluid",
    "ounces": "an ounce of weight or of fluid",
    "ton": "a short, a long or a metric ton",
    "tons": "a short, a long or a metric ton",
}
_WRITTEN = re.compile(r"(?P<sign>[+-]?)(?P<number>\d+(?:\.\d+)?|\.\d+)?\s*(?P<unit>[^\W\d_][^\s]*)?", re.ASCII)
_DIGITS = 24
"""Longest number taken; nobody's stock needs more."""


def unit(written: str) -> Unit:
    """The unit of this spelling, in any case. Raises NotAQuantity when nobody knows it or it means two things."""
    spelling = written.strip().rstrip(".").casefold()
    if spelling in AMBIGUOUS:
        raise NotAQuantity(f"'{written.strip()}' may be {AMBIGUOUS[spelling]}: write it in metric units.")
    known = UNITS.get(spelling)
    if known is None:
        usual = ", ".join(dict.fromkeys(u.name for u in UNITS.values()))
        raise NotAQuantity(f"'{_short(written)}' is not a unit known here; these are: {usual}.")
    return known


def quantity(written: str, part_unit: str) -> Decimal:
    """What was written, in the part's unit: '250 ml' of a part kept in litres is 0.25.

    A bare number counts the part's own unit, a bare unit is one of it, nothing at all is one unit of the part. Raises
    NotAQuantity for another kind of unit, zero or less, no number, and what the part's unit cannot hold exactly.
    """
    own = unit(part_unit)
    text = written.strip()
    if not text:
        return Decimal(1)
    found = _WRITTEN.fullmatch(text) if len(text) <= 60 else None
    if found is None or len(found["number"] or "") > _DIGITS:
        raise NotAQuantity(f"'{_short(text)}' is not a quantity; write a number and a unit, like '100 {part_unit}'.")
    number = Decimal(found["number"] or 1)
    if found["sign"] == "-" or number == 0:
        raise NotAQuantity(f"'{text}' is not more than nothing; a pack holds something.")
    given = own if found["unit"] is None else unit(found["unit"])
    if given.kind != own.kind:
        raise NotAQuantity(f"'{text}' is a {given.kind}, but the part is kept in {part_unit}, a {own.kind}.")
    exact = _decimal(Fraction(number) * given.factor / own.factor)
    if exact is None:
        raise NotAQuantity(f"'{text}' cannot be written exactly in {part_unit}: keep the part in {given.name}.")
    return exact


def same(one: str, other: str) -> bool:
    """Two spellings of one unit: 'litres' and 'l'."""
    return (unit(one).kind, unit(one).factor) == (unit(other).kind, unit(other).factor)


def _decimal(value: Fraction) -> Decimal | None:
    """The value as a Decimal of at most 28 digits, without trailing zeros; None when it has no such end."""
    divided = Decimal(value.numerator) / Decimal(value.denominator)
    if Fraction(divided) != value:
        return None
    text = format(divided, "f")
    return Decimal(text.rstrip("0").rstrip(".") if "." in text else text)


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:40] + "…"
