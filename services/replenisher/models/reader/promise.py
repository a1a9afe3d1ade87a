"""The day of delivery a mail promises: which of its dates is meant, the last of several parts. Finding dates is in
dates.py."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from replenisher.models.reader import lexicon
from replenisher.models.reader.dates import Found, Habit, find
from replenisher.models.reader.numbers import NUMBER
from replenisher.models.reader.sentences import Sentence

Role = Literal["arrive", "ship", "aside", "bare"]
_STRENGTH: dict[Role, int] = {"arrive": 3, "ship": 2, "bare": 1, "aside": 0}
_BREAK = re.compile(r"[;()|]| - |,(?!\d)|、|，")


@dataclass(frozen=True, slots=True)
class Promise:
    day: date | None
    role: Role
    part: bool
    """Said of a part of the order: the first lot, the rest."""


def promised(
    said: Sequence[tuple[Sentence, bool]], received: date, habit: Habit | None, gone: bool, rows: Sequence[date | None]
) -> Promise | None:
    """The promised day and how it was said. `said` pairs each sentence with whether it may state a date; `gone`:
    goods have left; `rows`:
    dates of a table."""
    found: list[Promise] = [Promise(day, "arrive", len(rows) > 1) for day in rows]
    open_end = False
    last: Role = "bare"
    for sentence, counts in said:
        if not counts:
            continue
        promises = mentions(sentence.text, received, habit, last)
        last = _trailing(sentence.text)
        found += promises
        after = _after_dates(sentence.text, received, habit)
        if _rest_without_date(sentence.text[:after], sentence.text[after:]):
            open_end = True
    kept = [p for p in found if p.role != "aside"]
    if gone:
        kept = [p for p in kept if p.role != "ship" or p.part]
        kept = [p for p in kept if (p.day is None and p.role == "arrive") or (p.day is not None and p.day > received)]
    if not kept or open_end:
        return None
    best = max(_STRENGTH[p.role] for p in kept)
    parts = any(p.part for p in kept)
    chosen = kept if parts else [p for p in kept if _STRENGTH[p.role] == best]
    days = [p.day for p in chosen]
    if any(d is None for d in days):
        return None
    known = sorted({d for d in days if d is not None})
    if len(known) > 1 and (not parts or any(c and s.text.endswith("?") for s, c in said)):
        return None
    if known[-1] < received - timedelta(days=1):
        return None
    return max((p for p in chosen if p.day == known[-1]), key=lambda p: _STRENGTH[p.role])


def mentions(text: str, received: date, habit: Habit | None, inherited: Role = "bare") -> list[Promise]:
    """Every date of a sentence with what it stands for."""
    promises: list[Promise] = []
    found = find(text, received, habit)
    if (
        found
        and lexicon.pattern("future", "unasked").search(text)
        and not lexicon.pattern("arrive", "ship").search(text)
    ):
        return [Promise(None, "aside", False) for _ in found]
    before = 0
    lots = [_lot().search(text[found[n - 1].end if n else 0 : f.start]) for n, f in enumerate(found)]
    shared = len(found) > 1 and all(lots)
    for n, f in enumerate(found):
        left = text[before : f.start]
        right = text[f.end : found[n + 1].start if n + 1 < len(found) else f.end + 60]
        role = _role(left, right, promises[-1].role if promises else inherited)
        if not f.sure and lexicon.pattern("paper", "later").search(text):
            # tomorrow there will be a confirmation, not the goods
            role = "aside"
        if _ends_range(left, text[: f.start], promises):
            role = "aside"
        if (
            role != "aside"
            and n + 1 < len(found)
            and (_moved(left, right) or lexicon.pattern("from_behind").match(right.lstrip()))
        ):
            role = "aside"
        day = None if _vague(left, text[f.end :]) or _between(text[: f.start], text[f.end :]) else f.day
        if f.day == received and not f.sure and not _arrives().search(left):
            # what happens today is no delivery
            role = "aside"
        if not f.sure and role == "bare" and not promises:
            role = "aside" if not _plain_today(f, received) else role
        part = shared or lexicon.pattern("rest").search(left + " " + right[:25]) is not None
        promises.append(Promise(day, role, part))
        before = f.end
    if _only_a_day().search(text[before:]):
        # `you get it on the 3rd`: of which month is anybody's guess
        promises.append(Promise(None, "arrive", False))
    return promises


def _after_dates(text: str, received: date, habit: Habit | None) -> int:
    ends = [f.end for f in find(text, received, habit)]
    return max(ends, default=0)


def _plain_today(f: Found, received: date) -> bool:
    return f.day is not None and f.day > received


def _moved(left: str, right: str) -> bool:
    """From the 20th to the 27th, where something was put off."""
    return _from().search(left) is not None and _to().match(right) is not None


@lexicon.per_language
def _only_a_day() -> re.Pattern[str]:
    article = r"(?:on the|am|den|el|le|il|op|op de|dia|no dia|dnia)"
    return re.compile(
        rf"{lexicon.source('arrive')}[^.;,\d]{{0,16}} {article} \d{{1,2}}(?:st|nd|rd|th)?(?=\s*(?:$|[.,;!)] ?$))"
    )


def _ends_range(left: str, before: str, promises: Sequence[Promise]) -> bool:
    """Closed from the 23rd to the 3rd."""
    if not promises or promises[-1].role != "aside" or len(left) > 12 or lexicon.pattern("moved").search(before):
        return False
    return _to().match(left) is not None


@lexicon.per_language
def _arrives() -> re.Pattern[str]:
    return re.compile(rf"{lexicon.source('arrive')}[ :]{{0,2}}$")


@lexicon.per_language
def _lot() -> re.Pattern[str]:
    return re.compile(rf"(?<![\w./$€£¥-])(?<!\d,){NUMBER} ?{lexicon.source('piece', 'box')}")


@lexicon.per_language
def _from() -> re.Pattern[str]:
    return re.compile(rf"{lexicon.source('from')}(?: [a-z]+)? ?$")


@lexicon.per_language
def _to() -> re.Pattern[str]:
    return re.compile(rf"\W{{0,3}}{lexicon.source('to')}")


def _role(left: str, right: str, inherited: Role) -> Role:
    clause = left
    breaks = list(_BREAK.finditer(left))
    near = left[breaks[-1].end() :] if breaks else left
    deadline = re.search(rf"{lexicon.source('deadline')} ?(?:the |den |le |el |il |dem )?$", near)
    if deadline and lexicon.pattern("request", "if").search(near):
        return "aside"
    near = lexicon.pattern("latest").sub(" ", near)
    if lexicon.pattern("old").search(near[-40:]) and not lexicon.pattern("moved").search(near[-40:]):
        return "aside"
    behind = _BREAK.split(right, 1)[0]
    if lexicon.pattern("neg").search(f"{_sure(near)} | {_sure(behind)}") and not lexicon.pattern("moved").search(near):
        return "aside"
    role = _last(near)
    if role is None and len(near.strip()) < 2:
        role = _first(right)
    role = role or _last(clause) or _first(right)
    if role is not None:
        return role
    return inherited if inherited != "aside" else "bare"


def _sure(words: str) -> str:
    """Without what denies nothing: no later than, not a problem."""
    return lexicon.pattern("latest", "weak").sub(" ", words)


def _last(words: str) -> Role | None:
    """The role word that stands nearest before a date."""
    spots: list[tuple[int, int, Role]] = []
    named: tuple[tuple[Role, tuple[str, ...]], ...] = (
        ("arrive", ("arrive", "moved")),
        ("ship", ("ship",)),
        ("aside", ("aside",)),
    )
    for role, meanings in named:
        ends = [m.start() for m in lexicon.pattern(*meanings).finditer(words)]
        if ends:
            spots.append((ends[-1], _STRENGTH[role], role))
    if not spots:
        return "arrive" if lexicon.pattern("due").search(words) else None
    return max(spots)[2]


def _first(words: str) -> Role | None:
    words = _BREAK.split(words, 1)[0][:45]
    spots: list[tuple[int, int, Role]] = []
    for role in ("arrive", "ship", "aside"):
        match = lexicon.pattern(role).search(words)
        if match:
            spots.append((match.start(), -_STRENGTH[role], role))
    return min(spots)[2] if spots else None


def _trailing(text: str) -> Role:
    """A heading: `Delivery date:` with the date on the next line."""
    if len(text) > 60 or not text.endswith((":", "：")):
        return "bare"
    return _last(text) or "bare"


@lexicon.per_language
def _either() -> re.Pattern[str]:
    return re.compile(
        rf"(?<![\d.,])\d{{1,2}}(?:st|nd|rd|th|\.|er|日|月\d+日)?\s?(?:-|/|~|～|{lexicon.source('or')}|{lexicon.source('to')})\s?(?:the |den |le |el |il |o )?$"
    )


@lexicon.per_language
def _either_after() -> re.Pattern[str]:
    return re.compile(
        rf"^\s?(?:-|/|~|{lexicon.source('or')})\s?(?:the )?\d{{1,2}}(?![\d:]|[.,]\d\d(?!\d))(?! ?(?:pcs|stk|st|usd|eur))|^ ?{lexicon.source('onward')}"
    )


def _vague(left: str, right: str) -> bool:
    if _either().search(left) or _either_after().match(right):
        return True
    return re.search(rf"{lexicon.source('vague')}$", left[-40:]) is not None


def _between(left: str, right: str) -> bool:
    """Between the 18th and the 20th: one of several days."""
    words = lexicon.pattern("between")
    return words.search(left[-32:]) is not None or words.match(right.lstrip()) is not None


def _rest_without_date(dated: str, text: str) -> bool:
    """`dated` is what stands before `text`, up to its last date."""
    if _lot().search(dated) and _lot().search(text) and lexicon.pattern("undated").search(text):
        return True
    if not lexicon.pattern("rest").search(text):
        return False
    return (
        lexicon.pattern("undated", "loose").search(text) is not None
        or lexicon.pattern("months_alone").search(text) is not None
    )
