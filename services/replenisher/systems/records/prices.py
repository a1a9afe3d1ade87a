"""What suppliers ask, as rows: items with their terms, price lines as they were said, and what one of our units costs.
Which of them is bought is the domain's business."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import groupby
from sqlite3 import Connection
from typing import Any, Literal

from replenisher.domain.money import Rates, plain
from replenisher.domain.ports import Refused
from replenisher.domain.quote import Break, Quote
from replenisher.systems.records.database import Row, amount, as_day

Key = tuple[str, str, str]
"""SKU, supplier, and the supplier's own number of the item."""
Change = Literal["new", "changed", "unchanged"]
HOLDS = timedelta(days=14)
"""How long a price taken from the list is good for."""
SHORT = 12
"""Decimals of a price that is told for one unit."""
ZERO = Decimal(0)


@dataclass(frozen=True, slots=True)
class ItemTerms:
    """How an item is sold. Pack and minimum in our units."""

    pack: Decimal
    lead_time_days: int = 7
    freight: Decimal = ZERO
    minimum: Decimal = ZERO
    minimum_order_value: Decimal = ZERO
    approved: bool = True


@dataclass(frozen=True, slots=True)
class PriceLine:
    """From so many packs on, each pack costs this: kept as it was said, since a third of it may be no decimal."""

    min_packs: Decimal
    pack_price: Decimal
    currency: str
    valid_from: date | None = None
    """None: it always was. A later line for the same threshold takes over on its day."""


# --- items and lines -------------------------------------------------------------------------------------------------


def items(db: Connection) -> dict[Key, ItemTerms]:
    rows: list[Row] = db.execute(
        "SELECT sku, supplier, item, pack, lead_time_days, freight, minimum, minimum_order_value, approved"
        " FROM supplier_item ORDER BY sku, supplier, item"
    ).fetchall()
    return {
        (r[0], r[1], r[2]): ItemTerms(Decimal(r[3]), r[4], Decimal(r[5]), Decimal(r[6]), Decimal(r[7]), bool(r[8]))
        for r in rows
    }


def put_item(db: Connection, key: Key, terms: ItemTerms) -> Change:
    wanted = (
        amount(terms.pack, "pack", above_zero=True),
        terms.lead_time_days,
        amount(terms.freight, "freight"),
        amount(terms.minimum, "minimum"),
        amount(terms.minimum_order_value, "minimum order value"),
        int(terms.approved),
    )
    row: Row | None = db.execute(
        "SELECT pack, lead_time_days, freight, minimum, minimum_order_value, approved FROM supplier_item"
        " WHERE (sku, supplier, item) = (?, ?, ?)",
        key,
    ).fetchone()
    if row == wanted:
        return "unchanged"
    if row is None:
        if db.execute("SELECT 1 FROM part WHERE sku = ?", key[:1]).fetchone() is None:
            raise Refused(f"there is no part {key[0]}: import it first")
        db.execute(
            "INSERT INTO supplier_item (sku, supplier, item, pack, lead_time_days, freight, minimum,"
            " minimum_order_value, approved) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*key, *wanted),
        )
        return "new"
    db.execute(
        "UPDATE supplier_item SET pack = ?, lead_time_days = ?, freight = ?, minimum = ?, minimum_order_value = ?,"
        " approved = ? WHERE (sku, supplier, item) = (?, ?, ?)",
        (*wanted, *key),
    )
    return "changed"


def lines(db: Connection) -> dict[Key, list[PriceLine]]:
    rows: list[Row] = db.execute(
        "SELECT i.sku, i.supplier, i.item, l.min_packs, l.pack_price, l.currency, l.valid_from"
        " FROM price_line l JOIN supplier_item i ON i.id = l.item"
    ).fetchall()
    found: dict[Key, list[PriceLine]] = {}
    for r in rows:
        line = PriceLine(Decimal(r[3]), Decimal(r[4]), r[5], as_day(r[6] or None))
        found.setdefault((r[0], r[1], r[2]), []).append(line)
    for said in found.values():
        said.sort(key=lambda line: (line.min_packs, line.valid_from or date.min))
    return dict(sorted(found.items()))


def put_line(db: Connection, key: Key, line: PriceLine) -> Change:
    item = _id(db, key)
    place = (item, amount(line.min_packs, "threshold"), _day(line.valid_from))
    wanted = (amount(line.pack_price, "price"), line.currency)
    where = "WHERE (item, min_packs, valid_from) = (?, ?, ?)"
    row: Row | None = db.execute(f"SELECT pack_price, currency FROM price_line {where}", place).fetchone()
    if row == wanted:
        return "unchanged"
    db.execute(
        "INSERT INTO price_line (item, min_packs, valid_from, pack_price, currency) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET pack_price = excluded.pack_price, currency = excluded.currency",
        (*place, *wanted),
    )
    return "new" if row is None else "changed"


def remove_line(db: Connection, key: Key, min_packs: Decimal, valid_from: date | None) -> None:
    place = (_id(db, key), amount(min_packs, "threshold"), _day(valid_from))
    db.execute("DELETE FROM price_line WHERE (item, min_packs, valid_from) = (?, ?, ?)", place)


def _id(db: Connection, key: Key) -> int:
    row: Row | None = db.execute("SELECT id FROM supplier_item WHERE (sku, supplier, item) = (?, ?, ?)", key).fetchone()
    if row is None:
        raise Refused(f"{key[1]} sells no {key[2]} for {key[0]}: put the item first")
    return row[0]


def _day(valid_from: date | None) -> str:
    return "" if valid_from is None else valid_from.isoformat()


# --- rates -----------------------------------------------------------------------------------------------------------


def rates(db: Connection) -> Rates:
    rows: list[Row] = db.execute(
        "SELECT currency, NULL FROM company UNION ALL SELECT currency, value FROM rate"
    ).fetchall()
    base = next(r[0] for r in rows if r[1] is None)
    return Rates(base, {r[0]: Decimal(r[1]) for r in rows if r[1] is not None and r[0] != base})


def put_rate(db: Connection, currency: str, value: Decimal, as_of: date | None) -> Change:
    wanted = (amount(value, "rate", above_zero=True), _day(as_of))
    row: Row | None = db.execute("SELECT value, as_of FROM rate WHERE currency = ?", (currency,)).fetchone()
    if row == wanted:
        return "unchanged"
    db.execute(
        "INSERT INTO rate (currency, value, as_of) VALUES (?, ?, ?)"
        " ON CONFLICT DO UPDATE SET value = excluded.value, as_of = excluded.as_of",
        (currency, *wanted),
    )
    return "new" if row is None else "changed"


# --- prices for one of our units -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Priced:
    """An item with the lines in force, all in one currency."""

    key: Key
    terms: ItemTerms
    currency: str
    lines: tuple[PriceLine, ...]


def _priced(db: Connection, at: datetime) -> list[_Priced]:
    """Of approved items of stocked parts."""
    today = at.astimezone(UTC).date()
    stocked = {row[0] for row in db.execute("SELECT sku FROM part WHERE stocked")}
    said, found = lines(db), list[_Priced]()
    for key, terms in items(db).items():
        if not terms.approved or key[0] not in stocked:
            continue
        current = {ln.min_packs: ln for ln in said.get(key, []) if ln.valid_from is None or ln.valid_from <= today}
        by_currency = sorted(current.values(), key=lambda ln: (ln.currency, ln.min_packs))
        found += [_Priced(key, terms, c, tuple(group)) for c, group in groupby(by_currency, key=lambda ln: ln.currency)]
    return found


def price_list(db: Connection, at: datetime, sku: str) -> list[Quote]:
    return [
        Quote(
            supplier=p.key[1],
            item=p.key[2],
            currency=p.currency,
            breaks=tuple(Break(ln.min_packs * p.terms.pack, ln.pack_price / p.terms.pack) for ln in p.lines),
            pack=p.terms.pack,
            lead_time_days=p.terms.lead_time_days,
            valid_until=at + HOLDS,
            minimum=p.terms.minimum,
            minimum_order_value=p.terms.minimum_order_value,
            freight=p.terms.freight,
        )
        for p in _priced(db, at)
        if p.key[0] == sku
    ]


def catalogue(db: Connection, at: datetime) -> list[dict[str, Any]]:
    """Prices are for `price_unit` of our units: 1, or a pack where a unit's price is no short decimal."""
    return [_as_json(p) for p in _priced(db, at)]


def _as_json(p: _Priced) -> dict[str, Any]:
    unit = Decimal(1) if all(_short(ln.pack_price, p.terms.pack) for ln in p.lines) else p.terms.pack
    breaks = [
        {
            "min_quantity": plain(ln.min_packs * p.terms.pack),
            "unit_price": plain(ln.pack_price / p.terms.pack if unit == 1 else ln.pack_price),
        }
        for ln in p.lines
    ]
    return {
        "supplier": p.key[1],
        "sku": p.key[0],
        "item": p.key[2],
        "unit_price": breaks[0]["unit_price"],
        "price_unit": plain(unit),
        "currency": p.currency,
        "pack": plain(p.terms.pack),
        "breaks": breaks,
        "minimum": plain(p.terms.minimum),
        "minimum_order_value": plain(p.terms.minimum_order_value),
        "freight": plain(p.terms.freight),
        "lead_time_days": p.terms.lead_time_days,
    }


def _short(pack_price: Decimal, pack: Decimal) -> bool:
    """Whether one unit's price is exact in so few decimals that anybody takes it."""
    price = pack_price / pack
    return len(plain(price).partition(".")[2]) <= SHORT and Fraction(price) == Fraction(pack_price) / Fraction(pack)
