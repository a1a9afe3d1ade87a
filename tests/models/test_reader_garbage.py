"""Whatever comes in, the reader answers, soon, and with bounded values."""

import random
import time
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replenisher.domain.reading import Books
from replenisher.models.reader.read import read_mail

BOOKS = Books(
    "PO-4471", "SKU-123", Decimal(500), Decimal("4.20"), "USD", date(2026, 11, 20), date(2026, 11, 3), ("PO-4468",)
)
ODD_BOOKS = (
    BOOKS,
    Books("4471", "X", Decimal(1), Decimal("0.0001"), "JPY", None, date(2026, 12, 31)),
    Books("PO/2026/(11)", "a+b[c]", Decimal("0.5"), Decimal(100_000), "XXX", None, date(2027, 1, 1), ("[", "*", "")),
    Books("", "", Decimal(0), Decimal(0), "", None, date(2026, 2, 28)),
)
SCRAPS = (
    "confirmed",
    "PO-4471",
    "PO-4468",
    "$4.20",
    "4,20 €",
    "per 100",
    "500 pcs",
    "Nov 20",
    "20.11.2026",
    "11/12/2026",
    "KW 47",
    "?",
    "\n",
    "\n> ",
    "|",
    "\t",
    " - ",
    "not",
    "cancel",
    "shipped",
    "On Mon wrote:",
    "From: x",
    "--",
    "SYSTEM:",
    "<div>",
    "</td>",
    "<!--",
    "确认",
    "4月31日",
    "9999年99月99日",
    "52.13.0000",
    "00/00/00",
    "KW 99",
    "1.2.3.4.5",
    "1,2,3,4",
    "٤٫٢",
    "½",
    "²",
    "\u200b",
    "\U0001f600",
    "\x00",
    "{",
    "}",
    "%",
    "=?utf-8?B?",
    "0 pcs",
    "1e999",
    "99999999999999999999",
    "-5",
    "a" * 200,
)


def check(content: dict[str, str], books: Books = BOOKS) -> None:
    reading = read_mail(content, books)
    assert reading.po is None or reading.po in (books.po, *books.other_pos)
    assert reading.unit_price is None or reading.unit_price > 0
    assert reading.quantity is None or reading.quantity > 0
    assert reading.currency is None or (len(reading.currency) == 3 and reading.currency.isupper())
    assert len(reading.question_text or "") <= 500
    assert 0 <= reading.confidence <= 1


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=400), st.text(max_size=80))
def test_any_text(text: str, subject: str) -> None:
    check({"subject": subject, "text": text})


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(SCRAPS), max_size=30), st.sampled_from(ODD_BOOKS))
def test_scraps_of_mail_in_any_order(scraps: list[str], books: Books) -> None:
    check({"subject": " ".join(scraps[:3]), "text": " ".join(scraps)}, books)


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=600))
def test_any_bytes_as_a_raw_mail(data: bytes) -> None:
    check({"mime": data.decode("utf-8", "surrogateescape")})
    check({"mime": "Content-Type: text/html\r\n\r\n" + data.decode("latin-1")})


LONG = {
    "a line of 100 kB": "confirmed " * 10_000,
    "a word of 1 MB": "a" * 1_000_000,
    "digits": "1" * 100_000,
    "digits and dots": "1.2," * 25_000,
    "numbers": "4.20 USD " * 10_000,
    "dates": "20.11.2026 " * 10_000,
    "slashes": "1/" * 50_000,
    "questions": "why? " * 20_000,
    "lines": "confirmed at 4.20\n" * 20_000,
    "order numbers": "PO-4471 PO-4468 " * 6_000,
    "blanks": " " * 200_000,
    "blank lines": "\n" * 200_000,
    "quote marks": ">" * 100_000,
    "quotes": "> hello\n" * 20_000,
    "tables": "SKU-123 | 500 | 4.20 | 2,100.00\n" * 3_000,
    "headed tables": "Item | Qty | Price | Total\nSKU-123 | 500 | 4.20 | 2,100.00\n" * 2_000,
    "headers": "From: a\nSent: b\nTo: c\nSubject: d\n" * 3_000,
    "not": "not " * 20_000,
    "if": "if you can, we could, " * 5_000,
    "cannot": "cannot could not will not unable to deliver supply " * 2_000,
    "we confirm": "we hereby confirm your order that the this " * 2_500,
    "German": "wir können ihre bestellung leider nicht mehr bis zum " * 2_000,
    "Chinese": "请确认订单不能交货单价0.62元" * 4_000,
    "Japanese": "ご注文を承りました納期は11月30日です" * 3_000,
    "parentheses": "(" * 100_000,
    "letters and spaces": "a b c d e f " * 9_000,
    "accents": "é" * 100_000,
    "joined": "\u0301" * 100_000,
}


@pytest.mark.parametrize("name", LONG)
def test_long_texts_take_no_time(name: str) -> None:
    for text in (LONG[name], f"<p>{LONG[name]}</p>"):
        started = time.process_time()
        check({"subject": "Re: PO-4471", "text": text})
        assert time.process_time() - started < 3


def test_the_same_mail_is_read_the_same_way() -> None:
    chance = random.Random(7)
    for _ in range(30):
        content = {"subject": "Re: PO-4471", "text": " ".join(chance.choices(SCRAPS, k=20))}
        assert read_mail(content, BOOKS) == read_mail(content, BOOKS)
