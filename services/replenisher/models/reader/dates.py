"""Dates as people write them in eleven languages, at their place in folded text. What a date stands for is decided in
promise.py."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from replenisher.models.reader import lexicon

Habit = Literal["dmy", "mdy"]


@dataclass(frozen=True, slots=True)
class Found:
    """A date at its place; `day` is None where the words leave it open (mid December, in 3 weeks, 05/06 of an unknown
    habit)."""

    start: int
    end: int
    day: date | None
    sure: bool = True
    """Written as a date, not counted from today."""


@lexicon.per_language
def _names(meaning: str) -> Mapping[str, int]:
    found: dict[str, int] = {}
    for line in lexicon.lines(meaning):
        for n, names in enumerate(line.split("="), 1):
            found.update((name.strip(), n) for name in names.split("|") if name.strip())
    return found


@lexicon.per_language
def _any(meaning: str) -> str:
    return "(?:" + "|".join(sorted(map(re.escape, _names(meaning)), key=len, reverse=True)) + ")"


@lexicon.per_language
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    month, of = _any("months"), r"(?:\.|,|-|/)? ?(?:de |del |di |of |d'|den |of the )?"
    day = r"(?<![\d.,/-])(?P<d>\d{1,2})(?:st|nd|rd|th|er|o|a|:?e)?(?![\d])"
    year = r"(?:(?:,|\.|-|/)? ?(?:de |del |of |r\. ?)?(?P<y>20\d\d|'?2[4-9](?![\d.,:%]| ?(?:pcs|st|pz|szt|u|eur|usd|x))))?(?![\d])"
    week = rf"(?<![a-z0-9])(?:{'|'.join(lexicon.lines('week'))})"
    weekdays = rf"(?<![a-z]){_any('weekdays')}(?![a-z])"
    return tuple(
        (name, re.compile(source))
        for name, source in (
            ("iso", r"(?<![\d-])(?P<y>20\d\d) ?[-/.] ?(?P<m>\d{1,2}) ?[-/.] ?(?P<d>\d{1,2})(?!\d|[-/.]\d)"),
            ("compact", r"(?<![\w.,/-])(?P<y>20[23]\d)(?P<m>0[1-9]|1[0-2])(?P<d>[0-3]\d)(?![\w-]|[.,]\d)"),
            (
                "cjk",
                r"(?:(?P<y>20\d\d|\d\d) ?年 ?|令和 ?(?P<r>\d{1,2}) ?年 ?)?(?<!\d)(?P<m>\d{1,2}) ?月 ?(?P<d>\d{1,2}) ?[日号號]?(?! ?(?:箱|个|個|本|元))",
            ),
            ("isoweek", r"(?<![\w-])(?P<y>20\d\d)[ -]?w(?P<w>\d{1,2})(?:-(?P<wd>[1-7]))?(?!\d)"),
            ("cjkweek", r"(?:(?P<y>20\d\d) ?年 ?)?第? ?(?P<w>\d{1,2}) ?(?:周|週)(?!間|间|内|以内|后|後|ほど|程)"),
            (
                "week",
                rf"{week}[ .:#-]{{0,2}}(?:n[o.r°]{{0,2}} ?)?(?P<w>\d{{1,2}})(?!\d|[.,]\d|:)(?: ?(?:/|-|\.|of|de|del|di|in|van|,|w) ?(?P<y>20\d\d|\d\d(?!\d|[./-])))?",
            ),
            (
                "weekth",
                rf"(?<![\w.,/-])(?P<w>\d{{1,2}})(?:(?:\.|st|nd|rd|th|e|er|eme|a|o) ?-?{week}| ?tydzien| ?tygodniu)(?![a-z0-9])(?:[ /]{{1,2}}(?P<y>20\d\d))?",
            ),
            ("shortweek", r"(?<![\w.,/-])(?:s|v)\.? ?(?P<w>\d{2})(?![\w-]|[.,]\d)(?:[/ ](?P<y>20\d\d))?"),
            ("daymonth", rf"{day}{of}(?P<n>{month})(?![a-z]){year}"),
            (
                "monthday",
                rf"(?<![a-z])(?P<n>{month})\.? ?(?:the |d\. )?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:%]|[.,]\d|-\d\d-)(?:,? ?(?P<y>20\d\d))?",
            ),
            ("dots", r"(?<![\d.,/-])(?P<d>\d{1,2})\. ?(?P<m>\d{1,2})\. ?(?P<y>20\d\d|\d\d(?![\d,]))?(?![\d])"),
            (
                "numbers",
                r"(?<![\d.,/-])(?P<a>\d{1,2}) ?(?P<sep>[/-]) ?(?P<b>\d{1,2}) ?(?P=sep) ?(?P<y>20\d\d|\d\d)(?![\d/-])",
            ),
            ("pair", r"(?<![\d.,/$€£-])(?!24/7)(?P<a>\d{1,2})/(?P<b>\d{1,2})(?![\d/%-]|[.,]\d| ?(?:pcs|pc|inch|zoll))"),
            (
                "ordinal",
                rf"(?<![\w/.-])the (?P<d>\d{{1,2}})(?:st|nd|rd|th)(?! (?:of|batch|lot|delivery|shipment|floor|order|{month}))",
            ),
            ("todayword", lexicon.source("today")),
            ("overmorrow", lexicon.source("overmorrow")),
            ("tomorrow", lexicon.source("tomorrow")),
            (
                "weekday",
                rf"(?:(?P<c>{lexicon.source('coming')}) )?(?P<n>{weekdays})(?P<after> {lexicon.source('coming')})?",
            ),
        )
    )


@lexicon.per_language
def _week_ahead() -> re.Pattern[str]:
    return lexicon.pattern("nextweek")


def find(text: str, received: date, habit: Habit | None) -> list[Found]:
    """Every date in folded text, left to right, not overlapping."""
    taken: list[Found] = []
    for name, pattern in _patterns():
        for match in pattern.finditer(text):
            if any(match.start() < t.end and t.start < match.end() for t in taken):
                continue
            found = _found(name, match, text, received, habit)
            if found is not None:
                taken.append(found)
    return sorted(_merged(taken, text), key=lambda f: f.start)


def _found(name: str, match: re.Match[str], text: str, received: date, habit: Habit | None) -> Found | None:
    groups = match.groupdict()
    start, end = match.span()
    if name in ("iso", "compact", "dots", "cjk"):
        if name == "dots" and not groups["y"] and _looks_like_money(text[max(0, start - 12) : start]):
            return None
        if name == "dots" and not groups["y"] and re.match(r"\d", text[end : end + 1]):
            return None
        year = str(int(groups["r"]) + 2018) if groups.get("r") else groups["y"]
        day = _day(year, int(groups["m"]), int(groups["d"]), received)
        return Found(start, end, day) if day else None
    if name in ("daymonth", "monthday"):
        day = _day(groups["y"], _names("months")[groups["n"]], int(groups["d"]), received)
        return Found(start, end, day) if day else None
    if name == "ordinal":
        return _ordinal(start, end, int(groups["d"]), received)
    if name in ("numbers", "pair"):
        return _numbers(start, end, groups, received, habit)
    if name in ("isoweek", "cjkweek", "week", "weekth", "shortweek"):
        return _week(start, end, groups, received)
    if name == "todayword":
        return Found(start, end, received, sure=False)
    if name in ("tomorrow", "overmorrow"):
        return Found(start, end, received + timedelta(days=1 if name == "tomorrow" else 2), sure=False)
    return _weekday(match, text, received)


def _ordinal(start: int, end: int, number: int, received: date) -> Found | None:
    """The 20th: the next one."""
    for ahead in range(40):
        day = received + timedelta(days=ahead)
        if day.day == number:
            return Found(start, end, day)
    return None


def _looks_like_money(left: str) -> bool:
    """CHF 4.05. at the end of a sentence is no fourth of May."""
    return (
        re.search(r"(?:chf|fr\.|eur|usd|gbp|pln|sek|kr|zl|[$€£¥]|(?<![a-z])(?:at|do|price|preis)) ?$", left) is not None
    )


def _numbers(start: int, end: int, groups: Mapping[str, str], received: date, habit: Habit | None) -> Found | None:
    a, b = int(groups["a"]), int(groups["b"])
    dmy, mdy = _day(groups.get("y"), b, a, received), _day(groups.get("y"), a, b, received)
    if dmy is None or mdy is None or dmy == mdy:
        return Found(start, end, dmy or mdy) if dmy or mdy else None
    if habit is not None:
        return Found(start, end, dmy if habit == "dmy" else mdy)
    # a promise is not made for the past
    possible = [d for d in (dmy, mdy) if received - timedelta(days=5) <= d <= received + timedelta(days=240)]
    return Found(start, end, possible[0] if len(possible) == 1 else None)


def _week(start: int, end: int, groups: Mapping[str, str], received: date) -> Found | None:
    week = int(groups["w"])
    if not 1 <= week <= 53:
        return None
    written = groups.get("y")
    weekday = int(groups.get("wd") or 5)
    years = (
        [int(written) if len(written) == 4 else 2000 + int(written)] if written else [received.year, received.year + 1]
    )
    for year in years:
        try:
            day = date.fromisocalendar(year, week, weekday)
        except ValueError:
            continue
        if written or day >= received - timedelta(days=30):
            return Found(start, end, day)
    return None


def _weekday(match: re.Match[str], text: str, received: date) -> Found | None:
    number = _names("weekdays").get(match["n"])
    if number is None:
        return None
    ahead = (number - received.isoweekday()) % 7
    near = text[max(0, match.start() - 24) : match.end() + 24]
    if _week_ahead().search(near):
        monday = received + timedelta(days=7 - received.weekday())
        return Found(match.start(), match.end(), monday + timedelta(days=number - 1), sure=False)
    said = f"{match['c'] or ''} {match['after'] or ''}"
    if said.strip() and received.isoweekday() < number and not lexicon.pattern("this_coming").search(said):
        # said on a Monday, next Friday is one of two
        return Found(match.start(), match.end(), None, sure=False)
    if ahead == 0:
        ahead = 7 if match["c"] or match["after"] else -1
    if ahead < 0:
        return Found(match.start(), match.end(), None, sure=False)
    return Found(match.start(), match.end(), received + timedelta(days=ahead), sure=False)


def _merged(found: Iterable[Found], text: str) -> Iterable[Found]:
    """A weekday beside a date is one mention; if they contradict each other nothing is sure."""
    ordered = sorted(found, key=lambda f: f.start)
    skip: set[int] = set()
    for n, f in enumerate(ordered):
        if n in skip:
            continue
        if n + 1 < len(ordered):
            g = ordered[n + 1]
            between = text[f.end : g.start]
            if (
                len(between) <= 12
                and f.sure != g.sure
                and re.fullmatch(
                    r"[\s,.(]*(?:the |den |le |el |il |dem |de |d\. |o |w |dnia |dia |el dia |il giorno |op |om |am |na |pa )?",
                    between,
                )
            ):
                written, counted = (f, g) if f.sure else (g, f)
                skip.add(n + 1)
                name = text[counted.start : counted.end]
                day = written.day
                if day is not None and (weekday := _weekday_of(name)) is not None and weekday != day.isoweekday():
                    day = None
                yield Found(f.start, g.end, day)
                continue
            if (
                len(between) <= 4
                and f.sure
                and g.sure
                and re.fullmatch(r"\s?[(,/]\s?", between)
                and f.day is not None
                and f.day == g.day
            ):
                skip.add(n + 1)
                yield Found(f.start, g.end, f.day)
                continue
        yield f


def _weekday_of(name: str) -> int | None:
    return next(
        (n for word, n in _names("weekdays").items() if re.search(rf"(?<![a-z]){re.escape(word)}(?![a-z])", name)), None
    )


def _day(year: str | None, month: int, day: int, received: date) -> date | None:
    """A real calendar day; without a year the one nearest to come."""
    try:
        if year:
            digits = year.strip("'")
            return date(int(digits) if len(digits) == 4 else 2000 + int(digits), month, day)
        this = date(received.year, month, day)
        if this < received - timedelta(days=60):
            return date(received.year + 1, month, day)
        if this > received + timedelta(days=305):
            return date(received.year - 1, month, day)
        return this
    except ValueError:
        return None
