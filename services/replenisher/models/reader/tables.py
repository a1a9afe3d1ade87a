"""Order lines set out as a table, in text or from HTML: quantity, unit price, date. Sentences are read elsewhere."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from itertools import permutations

from replenisher.domain.reading import Books
from replenisher.models.reader import dates, lexicon, money, numbers
from replenisher.models.reader.folding import fold
from replenisher.models.reader.prices import Price

MOST_ROWS = 150
_CELLS = re.compile(r"\s{2,}|\t+|\s*\|\s*")
_SKU = re.compile(r"(?<![a-z0-9])[a-z]{2,5}-\d{2,6}(?![\w-])")


@dataclass(frozen=True, slots=True)
class Row:
    quantity: Decimal | None
    price: Price | None
    day: date | None


@dataclass(frozen=True, slots=True)
class Tables:
    rows: tuple[Row, ...] = ()
    lines: frozenset[int] = field(default_factory=frozenset[int])
    """Lines that belong to a table and are not sentences."""


def read(lines: Sequence[str], books: Books, setting: money.Setting, habit: dates.Habit | None) -> Tables:
    """The rows about our part of every table with a header."""
    used: set[int] = set()
    rows: list[tuple[str, Row]] = []
    n = 0
    while n < len(lines):
        header = _header(lines[n])
        if header is None:
            n += 1
            continue
        body = n + 1
        blanks = 0
        while body < len(lines) and blanks < 2:
            cells = _cells(lines[body])
            if not fold(lines[body]).strip(" -=_|+\t"):
                blanks += 1
            elif (
                len(cells) >= 2
                and any(re.search(r"\d", c) for c in cells)
                and not re.match(r"[^\d|]{3,30}\s*[:|]\s*[^|]*$", fold(lines[body]).strip())
            ):
                used.add(body)
                row = _row(cells, header, books, setting, habit) if len(used) < MOST_ROWS else None
                if row is not None:
                    rows.append((fold(lines[body]), row))
                blanks = 0
            else:
                break
            body += 1
        used.add(n)
        n = body
    ours = _ours(rows, books)
    if not used:
        for n, line in enumerate(lines[:MOST_ROWS]):
            row = _lone(line, books, setting, habit)
            if row is not None:
                ours.append(row)
                used.add(n)
    return Tables(tuple(ours), frozenset(used))


def _lone(line: str, books: Books, setting: money.Setting, habit: dates.Habit | None) -> Row | None:
    """A row without a header that names our part: quantity, price and value that fit each other and our order."""
    text = fold(line[:300])
    if fold(books.sku) not in text or not books.sku:
        return None
    for name in (books.sku, books.po):
        text = text.replace(fold(name), " ")
    row = _by_arithmetic(_CELLS.split(text.strip()), books, setting, None)
    if row is None or row.quantity != books.quantity:
        return None
    days = {f.day for f in dates.find(text, books.received, habit)}
    return Row(row.quantity, row.price, next(iter(days)) if len(days) == 1 else None)


def _ours(rows: Sequence[tuple[str, Row]], books: Books) -> list[Row]:
    sku = fold(books.sku)
    named = [row for text, row in rows if re.search(rf"(?<![a-z0-9]){re.escape(sku)}(?![a-z0-9])", text)]
    if named:
        return named
    others = [row for text, row in rows if not _SKU.search(text.replace(fold(books.po), ""))]
    return others if len(others) == len(rows) or len(others) == 1 else []


def _cells(line: str) -> list[str]:
    return list(_CELLS.split(fold(line).strip().strip("|").strip()))


def _header(line: str) -> list[str] | None:
    """The columns' meanings, when this line heads a table."""
    cells = _cells(line[:300])
    if len(cells) < 2 or sum(bool(re.search(r"\d{2,}", c.replace("100", "").replace("1000", ""))) for c in cells) > 0:
        return None
    kinds = [_column(c) for c in cells]
    return kinds if "quantity" in kinds and len({*kinds} & {"price", "total", "date"}) >= 1 else None


def _column(cell: str) -> str:
    if re.fullmatch(rf"{lexicon.source('price_unit')}\.?", cell):
        return "per"
    if re.search(rf"{lexicon.source('date_label')}", cell) or (
        lexicon.pattern("arrive", "ship").search(cell) and not lexicon.pattern("quantity", "price").search(cell)
    ):
        return "date"
    if lexicon.pattern("quantity").search(cell):
        return "quantity"
    if lexicon.pattern("total").search(cell):
        return "total"
    if re.fullmatch(rf"(?:{lexicon.source('piece')})", cell) and not lexicon.pattern("price_column").search(cell):
        return "unit"
    if lexicon.pattern("price_column", "each").search(cell):
        per = re.search(r"(?<![\da-z])(1000|100|1 ?000|%|c|m)(?![\da-z])", cell)
        return f"price/{per[1].replace(' ', '')}" if per and per[1].replace(" ", "") in ("100", "1000") else "price"
    return "other"


def _row(
    cells: Sequence[str], header: Sequence[str], books: Books, setting: money.Setting, habit: dates.Habit | None
) -> Row | None:
    line = " ; ".join(cells)
    if lexicon.pattern("fee").search(line) and books.sku.lower() not in line:
        return None
    days = {f.day for f in dates.find(line, books.received, habit)}
    day = next(iter(days)) if len(days) == 1 else None
    if len(cells) == len(header):
        by_kind = {
            kind.partition("/")[0]: (cell, kind.partition("/")[2]) for kind, cell in zip(header, cells, strict=True)
        }
        count = _number(by_kind.get("quantity", ("", ""))[0], books.quantity)
        text, per = by_kind.get("price", ("", ""))
        unit = _number(by_kind.get("per", ("", ""))[0], None)
        size = Decimal(per) if per else unit or Decimal(1)
        amount = _amount(text, setting, size)
        total = _number(by_kind.get("total", ("", ""))[0], books.quantity * books.unit_price)
        if amount is None and count and total and "total" in header and not any(k.startswith("price") for k in header):
            amount = Price(total / count, _currency(line, setting))
        if (
            amount is not None
            and count
            and total
            and abs(amount.value * count - total) > max(Decimal("0.05"), total / 500)
        ):
            # the columns are not what they seem
            return _by_arithmetic(cells, books, setting, day)
        if amount is not None and amount.currency is None:
            amount = Price(amount.value, _currency(line, setting))
        if count is not None or amount is not None:
            return Row(count, _sane(amount, books), day)
    return _by_arithmetic(cells, books, setting, day)


def _sane(price: Price | None, books: Books) -> Price | None:
    if price is None or (
        price.currency in (None, books.currency) and not Decimal("0.2") < price.value / books.unit_price < Decimal(5)
    ):
        return None
    return price


def _number(cell: str, anchor: Decimal | None) -> Decimal | None:
    found = list(numbers.find(cell))
    return found[0].near(anchor) if len(found) == 1 else None


def _amount(cell: str, setting: money.Setting, size: Decimal) -> Price | None:
    found = [m for m in money.find(cell, setting, ()) if m.marked]
    if len(found) == 1 and found[0].per is not None:
        return Price(found[0].amount / (found[0].per if found[0].explicit else size), found[0].currency)
    value = _number(cell, None if setting.price is None else setting.price * size)
    return None if value is None else Price(value / size, _currency(cell, setting))


def _currency(text: str, setting: money.Setting) -> str | None:
    named = money.currencies(text, setting)
    return next(iter(named)) if len(named) == 1 else None


def _by_arithmetic(cells: Sequence[str], books: Books, setting: money.Setting, day: date | None) -> Row | None:
    """Quantity x price = total tells the columns apart, whatever they are called."""
    values: list[Decimal] = []
    for cell in cells:
        if not dates.find(cell, books.received, "dmy"):
            values += [v for x in numbers.find(cell) for v in (x.value, *x.others)]
    fits: set[tuple[Decimal, Decimal]] = set()
    for count, unit, total in permutations(values[:8], 3):
        if count != count.to_integral() or count < 2 or unit <= 0:
            continue
        for size in (Decimal(1), Decimal(100), Decimal(1000)):
            if (
                total > unit
                and abs(count * unit / size - total) <= Decimal("0.02")
                and Decimal("0.4") < unit / size / books.unit_price < Decimal("2.5")
            ):
                fits.add((count, unit / size))
    if len(fits) > 1:
        fits = {f for f in fits if f[0] == books.quantity}
    if len(fits) != 1:
        return None
    count, each = fits.pop()
    return Row(count, Price(each, _currency(" ; ".join(cells), setting)), day)
