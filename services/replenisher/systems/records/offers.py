"""What the lines of supplier_parts say together: items of suppliers, their pack in the part's unit and their breaks.
Lines that contradict each other are left out; what is kept in the records is importer.py's business."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeVar

from replenisher.domain import units
from replenisher.domain.units import NotAQuantity
from replenisher.systems.records.csv_files import Catalogue
from replenisher.systems.records.lines import LIMIT, ItemLine

T = TypeVar("T")
Key = tuple[str, str, str]
"""SKU, supplier, the supplier's number."""

LEAD_TIME_DAYS = 7
"""Where a file says nothing: a week, and no freight and no minimum."""


@dataclass(frozen=True, slots=True)
class PackBreak:
    """From so many packs on, each pack costs this."""

    min_packs: Decimal
    pack_price: Decimal
    place: str


@dataclass(frozen=True, slots=True)
class Offer:
    """An item of an approved supplier. Without breaks it is approved and has no price."""

    sku: str
    supplier: str
    item: str
    pack: Decimal
    """Units of the part in one pack, exactly."""
    currency: str
    """Empty without a price."""
    breaks: tuple[PackBreak, ...]
    """Ascending."""
    lead_time_days: int
    freight: Decimal
    minimum: Decimal
    """In units of the part."""
    minimum_order_value: Decimal
    complete: bool
    """False when some line of it was left out: breaks that are not here may still exist."""


def offers(catalogue: Catalogue, unit_of: Callable[[str], str | None]) -> dict[Key, Offer]:
    """The items the files tell of, with the breaks that are understood; what is not joins the catalogue's problems."""
    groups: dict[Key, list[tuple[str, Decimal, ItemLine]]] = {}
    for place, line in catalogue.items.items():
        unit = unit_of(line.sku)
        if unit is None:
            _unknown_sku(catalogue, place, line)
            continue
        try:
            pack = units.quantity(line.pack, unit)
        except NotAQuantity as bad:
            catalogue.refused_items.add(line.key)
            catalogue.left_out(place, f"pack_quantity {bad}")
            continue
        if pack >= LIMIT or line.min_packs * pack >= LIMIT:
            catalogue.refused_items.add(line.key)
            catalogue.left_out(place, f"{line.min_packs} packs of {pack} {unit} are more than is kept.")
            continue
        groups.setdefault(line.key, []).append((place, pack, line))
    found = (_offer(catalogue, key, said, unit_of(key[0]) or "") for key, said in groups.items())
    return {(o.sku, o.supplier, o.item): o for o in found if o is not None}


def _unknown_sku(catalogue: Catalogue, place: str, line: ItemLine) -> None:
    refused = catalogue.refused_skus.get(line.sku)
    if refused is not None:
        catalogue.left_out(place, f"its part {line.sku} was left out at {refused}.", "Put that line right first.")
    else:
        catalogue.left_out(place, f"there is no part {line.sku}.", "Add it to parts.csv, or correct the SKU.")


def _offer(catalogue: Catalogue, key: Key, said: list[tuple[str, Decimal, ItemLine]], unit: str) -> Offer | None:
    lines = [line for _, _, line in said]
    priced = [line for line in lines if line.pack_price is not None]
    terms = [line.terms for line in lines]
    alike = (
        ("pack", {pack for _, pack, _ in said}),
        ("currency", {line.currency for line in priced}),
        ("lead_time_days", {t.lead_time_days for t in terms} - {None}),
        ("freight", {t.freight for t in terms} - {None}),
        ("minimum", {t.minimum for t in terms} - {None}),
        ("minimum_order_value", {t.minimum_order_value for t in terms} - {None}),
    )
    clash = next((what for what, values in alike if len(values) > 1), None)
    if clash is not None:
        for place, _, line in said:
            others = ", ".join(p for p, _, _ in said if p != place)
            reason = f"the lines of {line.supplier}'s {line.item} differ in {clash} (with {others})."
            catalogue.left_out(place, reason, "One item has one: it is left out whole.")
        return None
    breaks, refused = _breaks(catalogue, said)
    if refused and len(refused) == len(said):
        return None
    pack = said[0][1]
    _doubt_pack(catalogue, said[0][0], key[2], pack, unit)
    return Offer(
        *key,
        pack=pack,
        currency=priced[0].currency if priced else "",
        breaks=breaks,
        lead_time_days=_said((t.lead_time_days for t in terms), LEAD_TIME_DAYS),
        freight=_said((t.freight for t in terms), Decimal(0)),
        minimum=_said((t.minimum for t in terms), Decimal(0)) * pack,
        minimum_order_value=_said((t.minimum_order_value for t in terms), Decimal(0)),
        complete=not refused and key not in catalogue.refused_items and not catalogue.unnamed_items,
    )


def _breaks(catalogue: Catalogue, said: list[tuple[str, Decimal, ItemLine]]) -> tuple[tuple[PackBreak, ...], set[str]]:
    """The breaks of one item, and the places of lines that contradict each other on one."""
    kept: dict[Decimal, PackBreak] = {}
    refused: set[str] = set()
    seen: dict[ItemLine, str] = {}
    for place, _, line in said:
        same = [(p, other) for p, _, other in said if other.min_packs == line.min_packs and p != place]
        differs = next((p for p, o in same if None not in (o.pack_price, line.pack_price) and o != line), None)
        if differs is not None:
            reason = f"from {line.min_packs} packs {line.supplier}'s {line.item} costs something else in {differs}."
            catalogue.left_out(place, reason, "Keep the line that is right; both are left out.")
            refused.add(place)
        elif line in seen:
            catalogue.odd(place, f"it is the same line as {seen[line]}.")
        elif line.pack_price is not None:
            kept[line.min_packs] = PackBreak(line.min_packs, line.pack_price, place)
        seen.setdefault(line, place)
    return tuple(kept[packs] for packs in sorted(kept)), refused


def _doubt_pack(catalogue: Catalogue, place: str, item: str, pack: Decimal, unit: str) -> None:
    """A number that ends like '.100M' names what it holds; one that says otherwise is taken and reported."""
    ending = re.search(r"[.\-_ /](\d+(?:\.\d+)?)\s?([A-Za-z]+)$", item)
    if ending is None:
        return
    try:
        named = units.quantity(f"{ending[1]} {ending[2]}", unit)
    except NotAQuantity:
        return
    if named != pack:
        reason = f"{item} says by its name that it holds {ending[1]} {ending[2]}, and by pack_quantity {pack} {unit}."
        catalogue.odd(place, reason, "Taken as pack_quantity says; correct it if the name is right.")


def _said(values: Iterable[T | None], nothing: T) -> T:
    return next((value for value in values if value is not None), nothing)
