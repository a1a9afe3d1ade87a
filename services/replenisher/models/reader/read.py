"""One mail, read: opens it, takes it apart, and lets each reader say what it found. Pure; the rules are in the
modules it calls."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Literal

from replenisher.domain.reading import Books, Reading
from replenisher.models.reader import lexicon, money, quantities, tables
from replenisher.models.reader.attacks import aimed_at_a_machine, honest
from replenisher.models.reader.automatic import automatic
from replenisher.models.reader.dates import find as find_dates
from replenisher.models.reader.folding import fold
from replenisher.models.reader.intent import Intent, Said, intent
from replenisher.models.reader.mime import Mail, open_mail
from replenisher.models.reader.prices import Price, price
from replenisher.models.reader.promise import promised
from replenisher.models.reader.quoting import Parts, take_apart
from replenisher.models.reader.scope import scope
from replenisher.models.reader.sender import habit, language, languages
from replenisher.models.reader.sentences import Sentence, sentences

VERSION = "rules/1"
Topic = Literal["dock", "address", "contact", "vat", "other"]


def read_mail(mail: Mail | Mapping[str, str], books: Books) -> Reading:
    """What a careful clerk would record from this mail alone; absent where the rules are not sure. Never raises."""
    opened = mail if isinstance(mail, Mail) else open_mail(mail)
    parts = take_apart(opened.text)
    own = fold("\n".join(parts.own))
    if automatic(opened, own):
        return Reading(automatic=True, reader=VERSION)
    # the tongue of text aimed at a machine tells nothing of the sender's
    own = "\n".join(line for line in own.split("\n") if not aimed_at_a_machine(line[:400]))
    with lexicon.speaking(languages(f"{own}\n{fold(parts.foot)}")):
        return _read(opened, parts, own, books)


def _read(opened: Mail, parts: Parts, own: str, books: Books) -> Reading:
    tongue = language(own)
    order = habit(f"{own}\n{fold(parts.foot)}", fold(opened.headers.get("from", "")), tongue)
    every = honest(sentences(parts.own))
    setting = money.Setting(
        books.unit_price, books.unit_price * books.quantity, books.currency, tongue, quantities.packs(every)
    )
    table = tables.read(parts.own, books, setting, order)
    if table.lines:
        every = honest(sentences([line for n, line in enumerate(parts.own) if n not in table.lines]))
    about = scope(every, opened.subject, parts.quoted, books)
    said = [s for s in about.sentences if not _other_item(s.text, books)]
    first = intent(said, fact=False)
    stated = [s for s in first.said if not s.notice]
    bank = _bank_changed(every)
    if first.declined:
        return Reading(
            po=about.po,
            declined=True,
            question=first.question,
            question_topic=_topic(first),
            question_text=_asked(first),
            bank_details_changed=bank,
            reader=VERSION,
        )
    words = [s.sentence for s in stated]
    spans = [_spans(s.text, books, order) for s in words]
    may_price = [_may_state(s, price_of=True) for s in stated]
    quantity = quantities.quantity(
        [(s.sentence, _may_state(s, price_of=False)) for s in stated],
        books,
        [_price_spans(s.text, setting, taken) for s, taken in zip(words, spans, strict=True)],
        [r.quantity for r in table.rows if r.quantity is not None],
        setting.packs,
    )
    found = price(
        [s for s, ok in zip(words, may_price, strict=True) if ok],
        books,
        setting,
        [t for t, ok in zip(spans, may_price, strict=True) if ok],
        quantity,
        [r.price for r in table.rows if r.price is not None],
    )
    if found is not None and found.currency is None and table.lines:
        named = money.currencies(" ; ".join(fold(parts.own[n]) for n in sorted(table.lines)), setting)
        found = replace(found, currency=named.pop() if len(named) == 1 else None)
    gone = first.shipped
    promise = promised(
        [(s.sentence, _may_date(s)) for s in stated],
        books.received,
        order,
        gone,
        [r.day for r in table.rows if r.day is not None],
    )
    day = None if promise is None else promise.day
    # a date that nothing says what it is of is no commitment yet
    dated = promise is not None and (promise.role != "bare" or quantity is not None)
    fact = found is not None or dated or (quantity is not None and bool(table.rows))
    final = intent(said, fact)
    if final.question and not final.accepted and found is None and day is None and quantity != books.quantity:
        # another quantity, and nothing else to ask about
        quantity = None
    if not (final.accepted or final.question or final.shipped):
        found, day, quantity = _only_offered(final, found, day, quantity)
    return Reading(
        po=about.po,
        accepted=final.accepted,
        question=final.question,
        question_topic=_topic(final),
        question_text=_asked(final),
        shipped=final.shipped,
        unit_price=found.value if found else None,
        currency=found.currency if found else None,
        promised_date=day,
        quantity=quantity,
        bank_details_changed=bank,
        confidence=Decimal(1) if final.accepted or final.question else Decimal("0.5"),
        reader=VERSION,
    )


def _only_offered(
    final: Intent, found: Price | None, day: date | None, quantity: Decimal | None
) -> tuple[Price | None, date | None, Decimal | None]:
    """Without a commitment or a question only what is stated plainly counts: nothing after a mere receipt."""
    if any(s.received for s in final.said) or not final.said:
        return None, None, None
    return found, None, None


def _may_state(s: Said, *, price_of: bool) -> bool:
    if s.received and not s.accepts and not s.commits:
        return False
    if price_of:
        return True
    return not (s.asks and not s.accepts)


def _may_date(s: Said) -> bool:
    """No day is promised in a mere receipt, nor while he is still looking into it."""
    return s.accepts or s.commits or not (s.received or s.later)


def _other_item(text: str, books: Books) -> bool:
    """About another part of the same order."""
    sku = fold(books.sku)
    shape = re.match(r"([a-z]+)[-_ ]?\d+", sku)
    if shape is None or sku in text:
        return False
    return not text.endswith("?") and re.search(rf"(?<![a-z0-9]){shape[1]}[-_ ]?\d+", text) is not None


def _spans(text: str, books: Books, order: Literal["dmy", "mdy"] | None) -> list[tuple[int, int]]:
    """Places of dates, order numbers and part numbers: no amounts."""
    spans = [(f.start, f.end) for f in find_dates(text, books.received, order or "dmy")]
    names = "|".join(re.escape(fold(x)) for x in (books.po, books.sku, *books.other_pos))
    spans += [
        m.span()
        for m in re.finditer(rf"{names}|[a-z]{{2,}}[-_/#]?\d[\w-]*|\d{{1,2}}:\d\d|#\d+|\+?\d[\d ()/-]{{9,}}", text)
    ]
    return spans


def _price_spans(text: str, setting: money.Setting, taken: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Amounts and their price units; a total `for 500 pcs` leaves the 500 alone."""
    units = {None, Decimal(1), Decimal(10), Decimal(100), Decimal(1000), *setting.packs}
    return [
        *taken,
        *((m.lead, m.end) if m.per in units else (m.start, m.bare) for m in money.find(text, setting, taken)),
    ]


def _topic(found: Intent) -> Topic | None:
    asked = [s.sentence for s in found.said if s.asks]
    return topic(asked) if asked else None


def _asked(found: Intent) -> str | None:
    return " ".join(s.sentence.raw for s in found.said if s.asks)[:500] or None


def topic(asked: Sequence[Sentence]) -> Topic:
    """What is asked for, where master data can answer it and nothing else is asked."""
    text = " ".join(s.text for s in asked)
    for name in ("vat", "dock", "contact", "address"):
        if lexicon.pattern(name).search(text):
            return name
    return "other"


def _bank_changed(every: Sequence[Sentence]) -> bool:
    text = " ".join(s.text for s in every)
    return any(lexicon.pattern("bank").search(s.text) and lexicon.pattern("changed").search(s.text) for s in every) or (
        re.search(r"(?<![a-z])iban(?![a-z])|(?<![a-z0-9])[a-z]{2}\d{2}(?: ?\d{4}){3,}", text) is not None
        and lexicon.pattern("changed").search(text) is not None
    )
