"""How many pieces a mail commits to: partial lots summed, boxes converted. Prices per so many pieces are not
quantities."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from replenisher.domain.reading import Books
from replenisher.models.reader import lexicon, numbers
from replenisher.models.reader.dates import find as find_dates
from replenisher.models.reader.sentences import Sentence


@dataclass(frozen=True, slots=True)
class Lot:
    value: Decimal
    part: bool
    """Said beside words like rest, balance, first lot."""
    place: tuple[int, int]
    whole: bool
    """Named as the whole of which a part is spoken: 300 of 500."""
    rest: bool = False
    """It is the rest itself, not what goes before a rest."""


@lexicon.per_language
def _pack() -> re.Pattern[str]:
    n = numbers.NUMBER
    piece, box = lexicon.source("piece"), lexicon.source("box")
    return re.compile(
        rf"(?P<k>{n})? ?(?:x )?(?:full )?{box} ?[(,]{{0,2}} ?(?:{lexicon.source('of')} ?)(?P<n>{n})(?! ?(?:kg|g\b|mm))(?: ?{piece})?|"
        rf"(?<![$€£¥] )(?<![\w.,$€£¥])(?P<n2>\d{{1,3}}(?:[.,]\d{{3}})*)(?![\d.,]) ?(?:{piece})? ?(?:{lexicon.source('per')}) ?{box}|(?<![\w.,-])(?P<k2>{n}) ?x ?(?P<n3>{n}) ?{piece}"
    )


@lexicon.per_language
def _count() -> re.Pattern[str]:
    n = numbers.NUMBER
    return re.compile(
        rf"(?<![\w./$€£¥-])(?<!\d,)(?P<a>{n}) ?(?:x )?{lexicon.source('piece')}|{lexicon.source('quantity')}[ :=|.]{{0,4}}(?:{lexicon.source('of')} ?)?(?P<b>{n})(?![\d%])"
        rf"|(?<![\w.,/-])(?P<c>\d{{1,7}}) ?(?:@|x(?= ?[$€£]))|{lexicon.source('rest')}[ :]{{1,2}}(?:{lexicon.source('of')} )?(?P<d>\d{{1,7}})(?![\w%]|[./-]\d|,\d\d(?!\d)| ?{lexicon.source('box')})"
        rf"|(?<![\w.,/$€£¥#-])(?P<e>\d{{1,7}}) (?={lexicon.source('counted')})"
        rf"|{lexicon.source('supplies')} (?P<f>\d{{1,7}})(?![\w%$€£]|[.,/-]\d| ?(?:day|week|month|working|business|%|usd|eur|gbp|or|to|-))"
    )


def packs(sentences: Sequence[Sentence]) -> frozenset[Decimal]:
    """Pieces per box, wherever the mail states it."""
    found: set[Decimal] = set()
    for s in sentences:
        for m in _pack().finditer(s.text):
            if m["k2"] is None:
                found.add(numbers.parse(m["n"] or m["n2"])[0])
    return frozenset(found)


def quantity(
    said: Sequence[tuple[Sentence, bool]],
    books: Books,
    prices: Sequence[Sequence[tuple[int, int]]],
    rows: Sequence[Decimal],
    sizes: frozenset[Decimal],
) -> Decimal | None:
    """The committed pieces. `said` pairs each sentence with whether it may state a quantity; `prices` are spans that
    belong to prices."""
    lots: list[Lot] = []
    rest_open = dropped = False
    for n, (s, counts) in enumerate(said):
        if not counts:
            continue
        found = [] if lexicon.pattern("bare_option").search(s.text) else _lots(s.text, n, prices[n], books, sizes)
        lots += found
        if lexicon.pattern("rest").search(s.text):
            if lexicon.pattern("reject", "decline").search(s.text):
                dropped = True
            elif not any(x.part for x in found):
                rest_open = True
    if rows:
        total = sum(rows, Decimal(0))
        return total if all(x.value in (total, *rows) for x in lots) else None
    return _whole(lots, rest_open, dropped, books)


def _whole(lots: Sequence[Lot], rest_open: bool, dropped: bool, books: Books) -> Decimal | None:
    """`rest_open`: a rest without a number is still to come; `dropped`: a rest will not come."""
    if dropped:
        lots = [x for x in lots if not x.whole]
        first = {x.value for x in lots if not x.rest}
        if len(first) == 1 and max(first) < books.quantity:
            return first.pop()
        if not first:
            return None
    values = [x.value for x in lots]
    distinct = set(values)
    if not distinct:
        return None
    partial = any(x.part for x in lots)
    named = {x.value for x in lots if x.whole}
    if len(named) == 1 and (partial or rest_open):
        return named.pop()
    if len(distinct) == 1 and not partial:
        return None if rest_open else values[0]
    if dropped:
        return None
    top = max(values)
    others = [v for v in values if v != top]
    if others and (sum(others) == top or sum(set(others)) == top):
        return top
    if partial or len(values) == 2:
        every, once = sum(values, Decimal(0)), sum(distinct, Decimal(0))
        if books.quantity in (every, once) and len(values) > 1:
            return books.quantity
        if partial and len(distinct) > 1 and len(distinct) == len(values) and every < books.quantity:
            return every
    return None


def _lots(text: str, n: int, prices: Sequence[tuple[int, int]], books: Books, sizes: frozenset[Decimal]) -> list[Lot]:
    lots: list[Lot] = []
    taken: list[tuple[int, int]] = list(prices)
    for m in _pack().finditer(text):
        if any(m.start() < e and s < m.end() for s, e in prices):
            continue
        taken.append(m.span())
        count, size = m["k"] or m["k2"], m["n"] or m["n2"] or m["n3"]
        if count and not _aside(text, m.start(), m.end()):
            value = numbers.parse(count)[0] * numbers.parse(size)[0]
            lots.append(Lot(value, _part(text, m.start(), m.end()), (n, m.start()), False))
    for m in _count().finditer(text):
        if any(m.start() < e and s < m.end() for s, e in taken) or _aside(text, m.start(), m.end()):
            continue
        value, others = numbers.parse(m["a"] or m["b"] or m["c"] or m["d"] or m["e"] or m["f"])
        value = numbers.Number(0, 0, value, others).near(books.quantity)
        if value != value.to_integral() or value <= 0:
            continue
        rest = m["d"] is not None or lexicon.pattern("rest").search(_clause(text, m.start())[-40:]) is not None
        lots.append(Lot(value, _part(text, m.start(), m.end()), (n, m.start()), _of(text, m.start()), rest))
    lots += _bare(text, n, taken, lots, books)
    dated = len(find_dates(text, books.received, "dmy"))
    later = len(lots) > 1 and lexicon.pattern("undated").search(text) is not None
    if (dated > 1 and len(lots) == dated) or later:
        lots = [replace(x, part=True) for x in lots]
    if len(sizes) == 1:
        for m in re.finditer(rf"(?<![\w.,/-])(\d{{1,5}}) ?{lexicon.source('box')}", text):
            if not any(m.start() < e and s < m.end() for s, e in taken) and not _aside(text, m.start(), m.end()):
                lots.append(
                    Lot(Decimal(m[1]) * next(iter(sizes)), _part(text, m.start(), m.end()), (n, m.start()), False)
                )
    return lots


def _bare(text: str, n: int, taken: Sequence[tuple[int, int]], lots: Sequence[Lot], books: Books) -> list[Lot]:
    """Our own quantity without a unit: he can hardly mean anything else by it."""
    if lots or books.quantity < 20 or books.quantity != books.quantity.to_integral():
        return []
    for number in numbers.find(text):
        right = text[number.end : number.end + 20]
        if number.near(books.quantity) != books.quantity or any(number.start < e and s < number.end for s, e in taken):
            continue
        if re.match(r" ?(?:[%$€£¥°]|kg|g |mm|cm|m |usd|eur|gbp|chf|pln|sek|zl|kr|r\$)", right) or re.search(
            r"[$€£¥#] ?$|[a-z]{2,}[-#]$", text[: number.start]
        ):
            continue
        if not _aside(text, number.start, number.end):
            return [
                Lot(books.quantity, _part(text, number.start, number.end), (n, number.start), _of(text, number.start))
            ]
    return []


def _clause(text: str, start: int) -> str:
    return re.split(r"[;()|]|,(?!\d)| - |[.:](?=\s)|、|，", text[max(0, start - 60) : start])[-1]


def _aside(text: str, start: int, end: int) -> bool:
    """A minimum, a stock figure, what we ordered: not what he commits to."""
    left, right = _clause(text, start), re.split(r"[;()|,.]", text[end : end + 40])[0]
    if lexicon.pattern("minimum", "neg", "reject").search(left):
        return True
    written = re.match(numbers.NUMBER, text[start:end])
    usual = written is not None and re.fullmatch(r"1(?:[., ]?0{1,3})?|10{1,3}|50", written[0]) is not None
    if usual and re.search(rf"{lexicon.source('per')} ?$", text[:start]):
        return True
    return re.match(rf" ?(?:[a-z]+ ){{0,3}}[はをが]?(?:{lexicon.source('minimum_after', 'reject')})", right) is not None


def _part(text: str, start: int, end: int) -> bool:
    return lexicon.pattern("rest").search(_clause(text, start)[-40:] + " " + text[start : end + 14]) is not None


def _of(text: str, start: int) -> bool:
    return (
        re.search(rf"\d[^\d,;.]{{0,12}} {lexicon.source('of_whole')} ?$", text[max(0, start - 30) : start]) is not None
    )
