"""Dates as eleven languages write them, counted from the day the mail came in."""

from datetime import date

import pytest

from replenisher.models.reader import lexicon
from replenisher.models.reader.dates import Habit, find
from replenisher.models.reader.folding import fold
from replenisher.models.reader.sender import languages

RECEIVED = date(2026, 11, 3)
"""A Tuesday."""

WRITTEN = {
    "2026-11-20": (
        "2026-11-20",
        "2026/11/20",
        "2026.11.20",
        "20.11.2026",
        "20.11.26",
        "20. 11. 2026",
        "20.11.",
        "20/11/2026",
        "20-11-2026",
        "Nov 20",
        "Nov 20, 2026",
        "November 20th",
        "November 20th, 2026",
        "20 Nov",
        "20 Nov 2026",
        "20th of November 2026",
        "the 20th of November",
        "20-Nov-2026",
        "20-Nov-26",
        "11/20/2026",
        "11/20/26",
        "Fri 20 Nov",
        "Friday, November 20, 2026",
        "Friday 20 November",
        "20. November 2026",
        "Freitag, den 20. November",
        "20. Nov.",
        "KW 47",
        "KW47",
        "KW 47/2026",
        "KW 47/26",
        "47. KW",
        "week 47",
        "wk 47",
        "CW47",
        "2026-W47",
        "le 20 novembre 2026",
        "vendredi 20 novembre",
        "semaine 47",
        "sem. 47",
        "S47",
        "20 de noviembre de 2026",
        "el viernes 20 de noviembre",
        "semana 47",
        "20 novembre 2026",
        "venerdì 20 novembre",
        "settimana 47",
        "sett. 47",
        "20 november 2026",
        "vrijdag 20 november",
        "week 47",
        "20 listopada 2026",
        "w piątek 20 listopada",
        "tydzień 47",
        "47 tydzień",
        "20 de novembro de 2026",
        "sexta-feira, 20 de novembro",
        "den 20 november",
        "fredag 20 november",
        "vecka 47",
        "v. 47",
        "v.47",
        "2026年11月20日",
        "11月20日",
        "２０２６年１１月２０日",
        "第47周",
        "第47週",
        "47周",
    ),
    "2026-11-05": (
        "Thursday",
        "on Thursday",
        "Donnerstag",
        "am Donnerstag",
        "jeudi",
        "jueves",
        "giovedì",
        "donderdag",
        "czwartek",
        "w czwartek",
        "quinta-feira",
        "torsdag",
        "på torsdag",
        "星期四",
        "周四",
        "木曜日に",
        "day after tomorrow",
        "übermorgen",
        "après-demain",
        "pasado mañana",
        "dopodomani",
        "overmorgen",
        "pojutrze",
        "depois de amanhã",
        "i övermorgon",
        "后天",
        "明後日に",
    ),
    "2026-11-04": ("tomorrow", "morgen", "demain", "mañana", "domani", "jutro", "amanhã", "i morgon", "明天", "明日"),
    "2026-11-09": (
        "Monday",
        "next Monday",
        "nächsten Montag",
        "lundi prochain",
        "próximo lunes",
        "lunedì prossimo",
        "volgende week maandag",
        "下周一",
    ),
    "2027-01-15": (
        "15 January",
        "15 janvier",
        "15. Januar",
        "15 de enero",
        "15 gennaio",
        "15 januari",
        "15 stycznia",
        "15 de janeiro",
        "January 15, 2027",
        "KW 2/2027",
        "15.01.2027",
        "15.01.27",
        "1月15日",
    ),
}


def read(text: str, habit: Habit | None = None) -> list[date | None]:
    folded = fold(text)
    with lexicon.speaking(languages(folded)):
        return [f.day for f in find(folded, RECEIVED, habit)]


@pytest.mark.parametrize(("written", "day"), [(w, d) for d, every in WRITTEN.items() for w in every])
def test_a_date(written: str, day: str) -> None:
    assert read(f"{written}") == [date.fromisoformat(day)]


@pytest.mark.parametrize("written", ["12/11/2026", "11/12/2026", "12/11", "12-11-2026"])
def test_day_or_month_first_is_the_senders_habit(written: str) -> None:
    first, second = read(written, "dmy"), read(written, "mdy")
    assert first != second
    assert None not in (*first, *second)
    assert read(written) == [None]


@pytest.mark.parametrize(
    ("written", "day"),
    [("25/11/2026", date(2026, 11, 25)), ("11/25/2026", date(2026, 11, 25)), ("11/11/2026", date(2026, 11, 11))],
)
def test_only_one_reading_is_a_day(written: str, day: date) -> None:
    assert read(written) == [day]


def test_the_past_is_not_promised() -> None:
    assert read("05/11/2026") == [date(2026, 11, 5)], "the eleventh of May is gone"


@pytest.mark.parametrize(
    "text",
    ["32.11.2026", "2026-13-40", "31 November", "Feb 30", "4.20", "1/2 inch", "version 2.1.3.4", "10:30", "24/7"],
)
def test_no_such_day(text: str) -> None:
    assert [d for d in read(text) if d is not None] == []


@pytest.mark.parametrize(
    "text",
    [
        "USD 4.20",
        "500 pcs",
        "PO-4471",
        "SKU-123",
        "T +1 (555) 010-4420",
        "JD014600006281230450",
        "siamo in attesa di un riscontro per la consegna",
        "or so",
        "a mi me parece que no es para el pedido",
    ],
)
def test_no_date_in(text: str) -> None:
    assert read(text) == []


def test_a_weekday_that_contradicts_its_date_makes_it_unsure() -> None:
    assert read("Monday, 20 November 2026") == [None]


def test_several_dates_keep_their_order() -> None:
    assert read("300 pcs on 16.11.2026, the remaining 200 on 30.11.2026") == [date(2026, 11, 16), date(2026, 11, 30)]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("5 January", date(2027, 1, 5)),
        ("20 October", date(2026, 10, 20)),
        ("5 Nov", date(2026, 11, 5)),
        ("KW 2", date(2027, 1, 15)),
        ("week 53", date(2027, 1, 1)),
    ],
)
def test_a_date_without_a_year_is_the_nearest(text: str, day: date) -> None:
    assert read(text) == [day]
