"""One line of each kind of file, read into figures and names, or left out with a reason a person can act on.
What lines mean together is in csv_files.py and offers.py."""

import re
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

from replenisher.domain import units
from replenisher.domain.units import NotAQuantity
from replenisher.systems.records.csv_rows import CsvFile, NotANumber, Row, number

LIMIT = Decimal(10) ** 12
"""Nobody's stock or price is as large."""
PLACES = 9
"""Nor has it more decimals."""


class LeftOut(ValueError):
    """A line that is not understood."""

    def __init__(self, reason: str, suggestion: str = "") -> None:
        super().__init__(reason)
        self.reason, self.suggestion = reason, suggestion


@dataclass(frozen=True, slots=True)
class PartLine:
    sku: str
    name: str
    unit: str
    on_hand: Decimal
    safety_stock: Decimal
    reorder_point: Decimal
    target: Decimal
    oddities: tuple[str, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Terms:
    """What buying an item takes beside its price; None where the line says nothing. The minimum is in packs."""

    lead_time_days: int | None = None
    freight: Decimal | None = None
    minimum: Decimal | None = None
    minimum_order_value: Decimal | None = None


@dataclass(frozen=True, slots=True)
class ItemLine:
    """A line of supplier_parts: an item, and mostly one price break of it, counted in packs as the file does."""

    sku: str
    supplier: str
    item: str
    pack: str
    """As written: what it is in the part's unit is known with the part."""
    min_packs: Decimal
    pack_price: Decimal | None
    currency: str
    terms: Terms

    @property
    def key(self) -> tuple[str, str, str]:
        return (self.sku, self.supplier, self.item)


@dataclass(frozen=True, slots=True)
class CountLine:
    sku: str
    on_hand: Decimal
    counted_on: date | None
    """None when the file does not say."""


@dataclass(frozen=True, slots=True)
class RateLine:
    currency: str
    value: Decimal
    """What one unit of it is worth in the base currency."""
    as_of: date | None


def part(row: Row, file: CsvFile) -> PartLine:
    """A line of parts.csv. Raises LeftOut, as all here."""
    sku = _named(row, "sku")
    try:
        counted = units.unit(row["unit"]).kind == "count"
    except NotAQuantity as unknown:
        raise LeftOut(str(unknown)) from unknown
    on_hand = _figure(row, file, "on_hand", whole=counted)
    safety = _figure(row, file, "safety_stock", whole=counted)
    reorder = _figure(row, file, "reorder_point", whole=counted, empty=safety)
    target = _figure(row, file, "target", whole=counted, empty=2 * reorder)
    if target < reorder:
        raise LeftOut(f"the target {target} is below the reorder point {reorder}.", "It is what stock is filled up to.")
    oddities = (
        (reorder < safety, f"the reorder point {reorder} is below the safety stock {safety}."),
        (reorder == 0, f"{sku} has a reorder point of 0: it is never short and never ordered."),
        (
            counted and any(figure % 1 for figure in (on_hand, safety, reorder, target)),
            f"{sku} is counted in {row['unit']} and has a fraction of one.",
        ),
    )
    told = tuple(text for holds, text in oddities if holds)
    return PartLine(sku, row["name"] or sku, row["unit"], on_hand, safety, reorder, target, told)


def item(row: Row, file: CsvFile) -> ItemLine:
    """A line of supplier_parts.csv."""
    sku, supplier, theirs = _named(row, "sku"), _named(row, "supplier"), _named(row, "supplier_sku")
    if "/" in supplier:
        raise LeftOut(f"the supplier's name {supplier} holds a slash.", "Write it without one.")
    price = _figure(row, file, "unit_price") if row["unit_price"] else None
    if price == 0:
        raise LeftOut("the price is 0 and would beat every other.", "Leave it empty when there is no price.")
    currency = row["currency"].upper()
    if price is not None and not re.fullmatch("[A-Z]{3}", currency):
        said = f"'{row['currency']}' is no currency code" if currency else "the price has no currency"
        raise LeftOut(f"{said}.", "Write one of three letters, like USD.")
    if price is None and row["min_quantity"]:
        raise LeftOut(f"there is a threshold of {row['min_quantity']} but no price.", "Give both, or neither.")
    lead = _figure(row, file, "lead_time_days", whole=True) if row["lead_time_days"] else None
    if lead is not None and (lead % 1 or lead > 3650):
        raise LeftOut(f"lead_time_days {row['lead_time_days']} is not a number of days.")
    amounts = [_figure(row, file, c) if row[c] else None for c in ("freight", "minimum", "minimum_order_value")]
    terms = Terms(None if lead is None else int(lead), *amounts)
    from_packs = _figure(row, file, "min_quantity", empty=Decimal(1)) or Decimal(1)
    return ItemLine(sku, supplier, theirs, _pointed(row["pack_quantity"], file), from_packs, price, currency, terms)


def count(row: Row, file: CsvFile) -> CountLine:
    """A line of stock_count.csv."""
    return CountLine(_named(row, "sku"), _figure(row, file, "on_hand"), _date(row, "counted_on"))


def rate(row: Row, file: CsvFile) -> RateLine:
    """A line of rates.csv."""
    currency = row["currency"].upper()
    if not re.fullmatch("[A-Z]{3}", currency):
        raise LeftOut(f"'{row['currency']}' is no currency code.", "Write one of three letters, like EUR.")
    value = _figure(row, file, file.base.lower())
    if value == 0 or (currency == file.base and value != 1):
        raise LeftOut(f"one {currency} cannot be worth {value} {file.base}.")
    return RateLine(currency, value, _date(row, "as_of"))


def _date(row: Row, column: str) -> date | None:
    """A date as 2026-11-27, or nothing."""
    text = row[column]
    try:
        return date.fromisoformat(text) if text else None
    except ValueError as bad:
        raise LeftOut(f"{column} '{text}' is not a date.", "Write it like 2026-11-27.") from bad


def _named(row: Row, column: str) -> str:
    if not row[column]:
        raise LeftOut(f"{column} is empty.")
    return row[column]


def _figure(row: Row, file: CsvFile, column: str, *, whole: bool = False, empty: Decimal | None = None) -> Decimal:
    """A number of 0 or more, and `empty` when nothing is written."""
    text = row[column]
    if not text:
        if empty is None:
            raise LeftOut(f"{column} is empty.")
        return empty
    try:
        value = number(text, file.mark, whole=whole)
    except NotANumber as bad:
        shown = text if len(text) <= 40 else text[:40] + "…"
        raise LeftOut(f"{column} '{shown}' {bad}.") from bad
    if text.startswith("-") and value != 0:
        raise LeftOut(f"{column} {text} is negative.")
    if value >= LIMIT or value != round(value, PLACES):
        raise LeftOut(f"{column} {text} is beyond what is kept: below {LIMIT:,} and at most {PLACES} decimals.")
    return abs(value)


def _pointed(pack: str, file: CsvFile) -> str:
    """What a pack holds, a decimal comma made a point; before three digits it may be one of thousands and stays."""
    return pack if file.mark == "." else re.sub(r"(?<=\d),(?=\d)(?!\d{3}(?!\d))", ".", pack)
