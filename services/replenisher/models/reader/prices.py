"""The price of one piece that a mail states for the order, or none where more than one could apply. Amounts are found
in money.py."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from replenisher.domain.reading import Books
from replenisher.models.reader import lexicon
from replenisher.models.reader.money import Money, Setting, currencies, find
from replenisher.models.reader.sentences import Sentence

Kind = Literal["unit", "listed", "net", "total", "none"]
_BREAK = re.compile(r"[;()|]| - |,(?!\d)|(?<!\.[a-z])[.:](?=\s)|、|，")
_COMPARABLE = frozenset({"USD", "EUR", "GBP", "CHF"})


@dataclass(frozen=True, slots=True)
class Price:
    value: Decimal
    currency: str | None


@dataclass(frozen=True, slots=True)
class _Candidate:
    kind: Kind
    value: Decimal | None
    """For one piece; None where the mail does not tell for how many the amount is."""
    currency: str | None
    explicit: bool


def price(
    sentences: Sequence[Sentence],
    books: Books,
    setting: Setting,
    spans: Sequence[Sequence[tuple[int, int]]],
    quantity: Decimal | None,
    rows: Sequence[Price],
) -> Price | None:
    """The one price that the sentences, and the rows of a table, agree on."""
    found: list[_Candidate] = [_Candidate("unit", r.value, r.currency, True) for r in rows]
    for sentence, taken in zip(sentences, spans, strict=True):
        found += _candidates(sentence.text, books, setting, taken)
    units = [c for c in found if c.kind in ("unit", "listed", "net")]
    if any(c.kind == "net" for c in units):
        units = [c for c in units if c.kind == "net" or (c.kind == "unit" and c.explicit)]
    if not any(c.kind == "net" for c in units) and any(lexicon.pattern("surcharged").search(s.text) for s in sentences):
        # what comes on top is not worked out
        return None
    if units and all(c.kind == "listed" for c in units):
        # before a discount that is not worked out
        return None
    chosen = _agreed(units)
    if chosen is None and not units and quantity and not any(_with_fees(s.text) for s in sentences):
        chosen = _from_total(found, books, quantity)
    if chosen is None or chosen.value is None or chosen.value <= 0:
        return None
    if rows and any(c.explicit for c in units) and len({c.value for c in units}) > 1:
        return None
    code = chosen.currency or _only_currency(sentences, setting)
    return Price(_plain(chosen.value), code)


def _plain(value: Decimal) -> Decimal:
    """Without idle zeros beyond cents."""
    short = value.quantize(Decimal("0.01"))
    return short if short == value else value.normalize()


def _agreed(units: Sequence[_Candidate]) -> _Candidate | None:
    known = [c for c in units if c.value is not None]
    if not known or (len(known) < len(units) and not any(c.explicit for c in known)):
        return None
    values = {c.value for c in known}
    codes = {c.currency for c in known if c.currency is not None}
    if len(values) > 1 or len(codes) > 1:
        return None
    return next((c for c in known if c.currency is not None), known[0])


def _with_fees(text: str) -> bool:
    return re.search(r"\d[.,]\d{2}(?!\d)", text) is not None and lexicon.pattern("fee").search(text) is not None


def _from_total(found: Sequence[_Candidate], books: Books, quantity: Decimal) -> _Candidate | None:
    totals = {(c.value, c.currency) for c in found if c.kind == "total" and c.value is not None}
    if len(totals) != 1:
        return None
    amount, code = totals.pop()
    if code is None:
        return None
    each = amount / quantity
    if each != round(each, 4) or (code == books.currency and not Decimal("0.5") < each / books.unit_price < Decimal(2)):
        return None
    return _Candidate("unit", each, code, False)


def _only_currency(sentences: Sequence[Sentence], setting: Setting) -> str | None:
    named = {code for s in sentences for code in currencies(s.text, setting)}
    return next(iter(named)) if len(named) == 1 else None


def _candidates(text: str, books: Books, setting: Setting, taken: Sequence[tuple[int, int]]) -> list[_Candidate]:
    amounts = find(text, setting, taken)
    if not amounts:
        return []
    for_later = lexicon.pattern("future").search(text) is not None
    candidates: list[_Candidate] = []
    before = 0
    for n, money in enumerate(amounts):
        until = amounts[n + 1].start if n + 1 < len(amounts) else len(text)
        this = lexicon.pattern("this_order").search(text[before : money.start]) is not None
        kind = _kind(text[before : money.start], text[money.end : until], money, text[money.start : money.end])
        before = money.end
        if (for_later and not this) or kind == "none":
            continue
        value = None if money.per is None else money.amount / money.per
        candidates.append(_checked(_Candidate(kind, value, money.currency, money.explicit), money, books))
    return candidates


def _checked(c: _Candidate, money: Money, books: Books) -> _Candidate:
    """Our books anchor the reading: what is far from our price is not the price of one piece."""
    comparable = c.currency is None or c.currency == books.currency or {c.currency, books.currency} <= _COMPARABLE
    if c.kind == "total" or c.value is None or not comparable or books.unit_price <= 0:
        return c
    ratio = c.value / books.unit_price
    if Decimal("0.25") <= ratio <= Decimal(4):
        return c
    whole = money.amount / (books.unit_price * books.quantity) if books.quantity > 0 else Decimal(0)
    if not c.explicit and Decimal("0.5") < whole < Decimal(2):
        return _Candidate("total", money.amount, c.currency, False)
    return _Candidate(c.kind, None, c.currency, c.explicit)


def _kind(left: str, right: str, money: Money, written: str) -> Kind:
    # a label ends with a colon that is no break: `old price: $4.20`
    breaks = [m for m in _BREAK.finditer(left) if m[0] != ":" or re.search(r"[^\W\d_]{2}", left[m.end() :])]
    near = left[breaks[-1].end() :] if breaks else left
    near = lexicon.pattern("silence").sub(" ", near)
    after = _BREAK.split(right, 1)[0][:40]
    if (
        re.search(rf"{lexicon.source('old')}[^\d]{{0,24}}$", near[-48:])
        and not lexicon.pattern("confirm").search(after)
        and not re.search(rf"{lexicon.source('net', 'moved')}[^\d]{{0,12}}$", near[-30:])
    ):
        return "none"
    if _from(near) and _to(right):
        return "none"
    if lexicon.pattern("expired").search(after) or _denied(near) or _denied_behind(right):
        return "none"
    if re.search(r"= ?\D{0,4}$", near):
        return "total" if lexicon.pattern("total").search(near) else "net"
    if (
        money.explicit
        and not lexicon.pattern("option").search(near)
        and _last(near, "fee") <= _last(near, "net")
        and not lexicon.pattern("option").match(after.strip())
    ):
        if lexicon.pattern("total").search(near[-14:]):
            return "total" if money.per == 1 and not lexicon.pattern("each").search(written) else "unit"
        return _listed_or_net(near, after, written)
    if lexicon.pattern("option").search(near) or lexicon.pattern("option").match(after.strip()):
        return "none"
    fee = -1 if lexicon.pattern("this_order").search(near) else _last(near, "fee")
    total = _last(near, "total")
    piece = max(_last(near, "each"), _last(near, "price") if not re.search(r"(?:^| )(?:at|@)[^\d]{0,3}$", near) else -1)
    if fee >= 0 and fee > piece:
        return "none"
    if re.match(rf" ?(?:[a-z]{{1,4}} ){{0,2}}{lexicon.source('fee')}", after):
        return "none"
    if total >= 0 and total >= piece - 6:
        return "total"
    if re.match(rf" ?(?:[a-z]{{1,4}} )?{lexicon.source('total')}", after):
        return "total"
    return _listed_or_net(near, after, written)


def _listed_or_net(near: str, after: str, written: str) -> Kind:
    """Before or after a discount, by what was said last: `list 5.25 less 20 % = 4.20 net`."""
    if re.match(r" ?(?:\+|plus) ?\D{0,4}\d?", after) and not lexicon.pattern("fee").match(after[1:].lstrip("+ plus")):
        return "listed"
    net_words = lexicon.pattern("net")
    if re.search(r"= ?\D{0,4}$", near) or net_words.search(written) or net_words.match(after.strip()):
        return "net"
    listed, net = _last(near, "listed"), _last(near, "net")
    if listed > net:
        return "listed"
    return "net" if net >= 0 else "unit"


def _denied(near: str) -> bool:
    """We cannot confirm 4.20; but: we do not ship before you approve 4.75."""
    words = lexicon.pattern("latest").sub(" ", near)
    return lexicon.pattern("neg").search(words) is not None and not lexicon.pattern("moved", "hold", "request").search(
        words
    )


def _denied_behind(right: str) -> bool:
    """The 4.20 we cannot confirm; but: 4.35 and not 4.20."""
    whole = _BREAK.split(right, 1)[0]
    but = lexicon.pattern("but").search(whole)
    if but is not None:
        return lexicon.pattern("neg").search(whole[: but.start()]) is not None
    if whole == right and right and not right.rstrip().endswith((".", "。", "!", "?")):
        # it runs on to the next amount, which it denies
        return False
    return (
        lexicon.pattern("neg").search(lexicon.pattern("latest", "weak").sub(" ", whole)) is not None
        and lexicon.pattern("confirm", "unconfirm").search(whole) is not None
    )


def _from(near: str) -> bool:
    """It went up from this..."""
    return re.search(rf"{lexicon.source('from')}[^\d]{{0,4}}$", near) is not None


def _to(after: str) -> bool:
    """... to that."""
    return re.match(rf" ?{lexicon.source('to')} [^\d]{{0,6}}$", after) is not None


def _last(text: str, meaning: str) -> int:
    ends = [m.start() for m in lexicon.pattern(meaning).finditer(text)]
    return ends[-1] if ends else -1
