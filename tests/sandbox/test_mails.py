"""What the sandbox's suppliers write is read as what they were told to say, in every wording."""

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from replenisher.domain.reading import Books
from replenisher.models.reader.rules import RulesReader
from sandbox import mails
from sandbox.mails import Facts

D = Decimal
BOOKS = Books("PO-4471", "SKU-123", D(450), D("4.20"), "USD", date(2026, 12, 8), date(2026, 12, 1), ("PO-4470",), D(50))
FACTS = Facts("A", "PO-4471", "SKU-123", D(450), D("4.20"), "USD")
WORDINGS = range(6)
NOTHING: dict[str, Any] = {"accepted": False, "declined": False, "question": False, "shipped": False}
CONFIRMED = {**NOTHING, "accepted": True, "unit_price": D("4.20"), "currency": "USD", "quantity": D(450)}


async def says(text: str, expected: dict[str, Any], books: Books = BOOKS) -> None:
    reading = await RulesReader().read({"subject": f"Re: {books.po}", "text": text}, books)
    seen = {name: getattr(reading, name) for name in expected}
    assert seen == expected, text
    assert reading.po in (None, "PO-4471")
    assert not reading.automatic
    assert not reading.bank_details_changed


@pytest.mark.parametrize("n", WORDINGS)
async def test_a_confirmation_at_the_orders_own_terms(n: int) -> None:
    await says(mails.confirm(FACTS, n), {**CONFIRMED, "promised_date": None})


@pytest.mark.parametrize("n", WORDINGS)
async def test_a_confirmation_with_a_date(n: int) -> None:
    promised = date(2027, 1, 11)
    await says(mails.confirm(replace(FACTS, promised=promised), n), {**CONFIRMED, "promised_date": promised})


@pytest.mark.parametrize("n", WORDINGS)
@pytest.mark.parametrize(
    ("price", "currency"), [("4.35", "USD"), ("4.54", "USD"), ("4.20", "EUR"), ("6", "USD"), ("3.9999", "USD")]
)
async def test_a_confirmation_at_other_terms(n: int, price: str, currency: str) -> None:
    facts = replace(FACTS, unit_price=D(price), currency=currency)
    await says(mails.confirm(facts, n), {**CONFIRMED, "unit_price": D(price), "currency": currency})


@pytest.mark.parametrize("n", WORDINGS)
async def test_a_confirmation_of_less(n: int) -> None:
    await says(mails.confirm(replace(FACTS, quantity=D(300)), n, short=True), {**CONFIRMED, "quantity": D(300)})


@pytest.mark.parametrize("n", WORDINGS)
@pytest.mark.parametrize("reason", ["", "The line was discontinued."])
async def test_a_refusal_to_deliver(n: int, reason: str) -> None:
    await says(mails.decline(replace(FACTS, reason=reason), n), {**NOTHING, "declined": True, "unit_price": None})


@pytest.mark.parametrize("n", WORDINGS)
@pytest.mark.parametrize("topic", ["dock", "address", "contact", "vat", "other"])
async def test_a_question(n: int, topic: str) -> None:
    text = mails.ask(FACTS, topic, n)
    await says(text, {**NOTHING, "question": True, "question_topic": topic, "unit_price": None})


@pytest.mark.parametrize("n", WORDINGS)
async def test_a_part_that_has_left(n: int) -> None:
    facts = replace(FACTS, quantity=D(200), rest=D(250))
    await says(mails.partial(facts, n), {**CONFIRMED, "shipped": True, "unit_price": None, "currency": None})


@pytest.mark.parametrize("n", WORDINGS)
async def test_goods_that_have_left(n: int) -> None:
    await says(mails.shipped(FACTS, n), {**NOTHING, "accepted": True, "shipped": True, "quantity": D(450)})


@pytest.mark.parametrize("price", ["0.0387", "0.002", "17.00", "1234.50", "0.25"])
@pytest.mark.parametrize("currency", ["USD", "EUR", "GBP", "CNY"])
async def test_the_terms_of_any_order(price: str, currency: str) -> None:
    for quantity in ("1", "5", "1500", "25000", "12.5", "152.4"):
        books = replace(BOOKS, quantity=D(quantity), unit_price=D(price), currency=currency, pack=None)
        facts = replace(FACTS, quantity=D(quantity), unit_price=D(price), currency=currency)
        for n in WORDINGS:
            terms = {**NOTHING, "accepted": True, "unit_price": D(price), "currency": currency}
            await says(mails.confirm(facts, n), terms, books)
            # a reader that is not sure of a part of a unit leaves it out, which is as ordered
            reading = await RulesReader().read({"text": mails.confirm(facts, n)}, books)
            assert reading.quantity in ((D(quantity),) if D(quantity) % 1 == 0 else (D(quantity), None))


@pytest.mark.parametrize("price", [D(1) / 3, D(985) / D("152.4")])
async def test_a_price_nobody_would_write_out_is_as_ordered(price: Decimal) -> None:
    books = replace(BOOKS, quantity=D(1500), unit_price=price, pack=None)
    for n in WORDINGS:
        text = mails.confirm(replace(FACTS, quantity=D(1500), unit_price=price), n)
        await says(text, {**NOTHING, "accepted": True, "unit_price": None, "quantity": D(1500)}, books)


async def test_a_mere_receipt_accepts_nothing() -> None:
    for n in WORDINGS:
        await says(mails.receipt(FACTS, n), {**NOTHING, "unit_price": None, "quantity": None})
