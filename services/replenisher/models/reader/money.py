"""Amounts of money at their place in folded text: the number, its currency and what it is per. Which one is our price
is decided in prices.py."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from replenisher.models.reader import lexicon, numbers

_MARKS = {
    r"us ?\$|usd|us-?dollars?|dollars?|bucks|dolares?|dolary|dolarow|dollari|dollar|美元|美金|ドル|米ドル": "USD",
    r"eur|€|euros?|eur\.|欧元|ユーロ": "EUR",
    r"gbp|£|pounds? sterling|sterling|quid": "GBP",
    r"chf|sfr\.?|fr\.|franken|francs suisses|franchi|瑞士法郎": "CHF",
    r"pln|zl|zlotych|zloty|zlote": "PLN",
    r"sek": "SEK", r"nok": "NOK", r"dkk": "DKK", r"kr\.?|kronor|kronen": "kr",
    r"brl|r\$|reais|real": "BRL",
    r"jpy|円|日元|日圆": "JPY", r"cny|rmb|元|人民币|人民幣|块": "CNY", r"¥|￥|yen|yuan": "¥",
    r"\$": "$", r"cad|c\$|can\$": "CAD", r"aud|a\$|au\$": "AUD", r"czk|kc": "CZK", r"inr|rs\.?|₹": "INR", r"mxn": "MXN", r"huf": "HUF", r"krw|₩": "KRW",
}  # fmt: skip
_CENTS = {
    r"cents?|ct\.?|cts\.?|c\.|¢|centavos|centesimi|centimos|centimes|eurocents?|cent": "",
    r"pence|p\.": "GBP",
    r"ore": "SEK",
    r"groszy|gr": "PLN",
    r"rappen|rp\.?": "CHF",
}
_SPOKEN_IN = {"ore": "sv", "gr": "pl", "real": "pt", "c": "en", "p": "en", "rp": "de"}
"""Signs that are everyday words elsewhere: an Italian hour is no coin."""
PRICE_UNITS = frozenset(map(Decimal, (1, 10, 100, 1000)))
"""For how many pieces prices are usually quoted."""
_DOLLARS = frozenset({"USD", "CAD", "AUD", "MXN", "SGD", "HKD", "NZD", "TWD"})


_MARK = "|".join(rf"(?P<{'abcdefghijklmnopqrstuvwxyz'[n]}>{m})" for n, m in enumerate(_MARKS))
_CODES = tuple(_MARKS.values())
_BEFORE = re.compile(rf"(?<![a-z])(?:{_MARK})[ :=.*|]{{0,3}}$")
_AFTER = re.compile(rf"^[ *.-]{{0,3}}(?:{_MARK})(?![a-z])")
_CENT = re.compile("^ ?(?:" + "|".join(rf"(?P<{'abcdefghij'[n]}>{m})" for n, m in enumerate(_CENTS)) + ")(?![a-z])")
_CENT_CODES = tuple(_CENTS.values())
_ANY = re.compile(rf"(?<![a-z])(?:{_MARK})(?![a-z])")


@dataclass(frozen=True, slots=True)
class Money:
    start: int
    end: int
    """Behind the number, its currency and its price unit."""
    bare: int
    """Behind the number and its currency."""
    amount: Decimal
    currency: str | None
    per: Decimal | None
    """For how many pieces; None where the mail does not tell (a box of unknown size)."""
    explicit: bool
    """Said to be the price of a piece, or of so many pieces."""
    marked: bool
    """A currency stands beside it."""
    lead: int
    """Where its words begin when the price unit stands before it: `per 100 pcs: 87.00`."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What decides between readings of a number or a sign."""

    price: Decimal | None
    total: Decimal | None
    """Price times quantity, by our books."""
    currency: str
    language: str
    packs: frozenset[Decimal] = frozenset()
    """Pieces per box, as the mail states it."""


def currency(sign: str, setting: Setting) -> str | None:
    """The ISO code of a sign in this setting."""
    if sign == "$":
        return setting.currency if setting.currency in _DOLLARS else "USD"
    if sign == "kr":
        return (
            setting.currency
            if setting.currency in ("SEK", "NOK", "DKK")
            else "SEK"
            if setting.language == "sv"
            else None
        )
    if sign == "¥":
        return (
            setting.currency
            if setting.currency in ("JPY", "CNY")
            else "JPY"
            if setting.language == "ja"
            else "CNY"
            if setting.language == "zh"
            else None
        )
    return sign


def currencies(text: str, setting: Setting) -> set[str]:
    """Every currency named in a text."""
    found = (currency(_code(m, _CODES), setting) for m in _ANY.finditer(text))
    return {c for c in found if c is not None}


def _code(match: re.Match[str], codes: Sequence[str]) -> str:
    for name, value in match.groupdict().items():
        if value is not None:
            return codes["abcdefghijklmnopqrstuvwxyz".index(name)]
    return ""


def find(text: str, setting: Setting, taken: Sequence[tuple[int, int]]) -> list[Money]:
    """Every amount with a currency, or that a price word or `each` marks as a price. `taken` are spans of dates and
    order numbers."""
    found: list[Money] = []
    for number in numbers.find(text):
        if any(number.start < e and s < number.end for s, e in taken):
            continue
        money = _money(text, number, setting)
        if money is not None:
            found.append(money)
    return found


def _money(text: str, number: numbers.Number, setting: Setting) -> Money | None:
    left, right = text[max(0, number.start - 24) : number.start], text[number.end : number.end + 60]
    if re.match(r" ?(?:%|‰|percent|prozent|pour ?cent|por ciento|per cento|procent|°|mm|cm|kg\b|g\b)", right):
        return None
    end, code, cents = number.end, None, False
    before, after, cent = (
        None if m is not None and _other_tongue(m[0], setting) else m
        for m in (_BEFORE.search(left), _AFTER.match(right), _CENT.match(right))
    )
    if before is not None and not (after is not None and re.search(r"\d ?$", left[: before.start()])):
        code = _sign(before, setting)
        if after is not None and currency(_code(after, _CODES), setting) == currency(_code(before, _CODES), setting):
            end += after.end()
    elif after is not None:
        code, end = _sign(after, setting), end + after.end()
    elif cent is not None:
        cents = True
        code, end = (currency(_code(cent, _CENT_CODES), setting) or setting.currency), end + cent.end()
    marked = before is not None or after is not None or cents
    per = _per_after(text[end : end + 60], setting)
    lead = number.start
    if per is None:
        left = text[max(0, number.start - 60) : number.start]
        ahead = _per_before(left, setting)
        if ahead is not None:
            per, lead = (ahead[0], 0), number.start - len(left) + ahead[1]
    amount = number.value if cents else number.near(*_anchors(setting, per[0] if per else None))
    if cents:
        amount = amount / 100
    if not marked and not _bare_price(text, number, setting, per is not None):
        return None
    explicit = per is not None
    size = per[0] if per else Decimal(1)
    return Money(number.start, end + (per[1] if per else 0), end, amount, code, size, explicit, marked, lead)


def _other_tongue(sign: str, setting: Setting) -> bool:
    return _SPOKEN_IN.get(sign.strip(" :=.*|-"), setting.language) != setting.language


def _anchors(setting: Setting, per: Decimal | None) -> list[Decimal]:
    """What an amount may be near to: our price for so many pieces, or the total."""
    if setting.price is None:
        return []
    return [setting.price * (per or 1), *([] if per or setting.total is None else [setting.total])]


def _sign(match: re.Match[str], setting: Setting) -> str | None:
    return currency(_code(match, _CODES), setting)


def _bare_price(text: str, number: numbers.Number, setting: Setting, explicit: bool) -> bool:
    """A number without currency that is a price all the same."""
    written = text[number.start : number.end]
    fraction = re.search(r"[.,]\d{2,4}$", written) is not None or (
        re.search(r"[.,]\d$", written) is not None
        and setting.price is not None
        and Decimal("0.6") < number.value / setting.price < Decimal("1.6")
    )
    near = (
        setting.price is not None
        and setting.price > 0
        and Decimal("0.6") < number.near(setting.price) / setting.price < Decimal("1.6")
    )
    if not (fraction or near):
        return False
    if explicit:
        return True
    if re.match(rf" ?{lexicon.source('piece', 'box')}", text[number.end : number.end + 20]):
        return False
    if re.search(r"(?:(?<![\d.,])\d{1,7} ?[x*]|=) ?\D{0,2}$", text[max(0, number.start - 14) : number.start]):
        # 500 x 4.20, or what was worked out
        return True
    if re.search(r"[.,]\d{2,4}$", written) and near and _alone(text, number):
        return True
    word = _price_word().search(text[max(0, number.start - 40) : number.start])
    if word is None:
        return False
    # `at 3-4 weeks`: short words need a price's looks
    return fraction or (len(word[0].strip(" :=|")) > 5 and not re.match(r" ?[-/~]", text[number.end : number.end + 2]))


def _alone(text: str, number: numbers.Number) -> bool:
    """An answer that is hardly more than a number, or a question about it."""
    rest = f"{text[: number.start]} {text[number.end :]}"
    if re.search(r"\d", rest) or re.match(r" ?[-/%°\w]*(?:kg|mm|cm|%|/)", text[number.end : number.end + 6]):
        return False
    return len(rest.split()) <= 3 or text.endswith(("?", "？"))


@lexicon.per_language
def _price_word() -> re.Pattern[str]:
    return re.compile(rf"{lexicon.source('price')}[ :=|]{{0,3}}$")


@lexicon.per_language
def _unit() -> str:
    hundred, thousand = lexicon.source("hundred"), lexicon.source("thousand")
    return (
        rf"(?:(?P<n>{numbers.NUMBER})|(?P<h>{hundred})|(?P<t>{thousand}))? ?(?:(?P<p>{lexicon.source('piece')})|(?P<b>{lexicon.source('box')})"
        rf"(?: ?(?:\(?{lexicon.source('of')}|\() ?(?P<bn>{numbers.NUMBER}))?|(?P<o>kg|kilo\w*|lb|m\b|meter|metre|公斤|千克|キロ))?"
    )


@lexicon.per_language
def _after_pattern() -> re.Pattern[str]:
    return re.compile(
        rf"^[ (,]{{0,2}}(?:nett?o?s?[ /]?|ht )?(?:{lexicon.source('per')} ?{_unit()}|(?P<each>{lexicon.source('each')}))"
    )


@lexicon.per_language
def _before_pattern() -> re.Pattern[str]:
    per, behind, box = lexicon.source("per"), lexicon.source("per_behind"), lexicon.source("box")
    unit = rf"(?:{per} ?{_unit()}|(?P<each>{lexicon.source('each')}))[^\d]{{0,25}}"
    counted = rf"(?P<m>{numbers.NUMBER}) ?(?:{lexicon.source('piece')}) ?{behind}[^\d]{{0,25}}"
    return re.compile(rf"(?:{unit}|{counted}|(?<!\d )(?<!\d)(?P<whole>{box})[ :=]{{1,3}}[^\w\s]?)$")


def _per_after(right: str, setting: Setting) -> tuple[Decimal | None, int] | None:
    match = _after_pattern().match(right)
    return None if match is None else _size(match, setting)


def _per_before(left: str, setting: Setting) -> tuple[Decimal | None, int] | None:
    """How many pieces the price is for, and where the words that say so begin."""
    found: tuple[Decimal | None, int] | None = None
    for match in _before_pattern().finditer(left):
        if re.search(r"[;,]\s", left[match.start() :]) or re.search(r"\d ?$", left[: match.start()]):
            continue
        size = _size(match, setting)
        # `for 40 pieces at 129` is no price of 40
        if size is not None and (size[0] is None or size[0] in PRICE_UNITS or size[0] in setting.packs):
            found = size[0], match.start()
    return found


def _size(match: re.Match[str], setting: Setting) -> tuple[Decimal | None, int] | None:
    """How many pieces the price is for, and where its words end; None when this is no price unit."""
    g = match.groupdict()
    end = match.end()
    if g.get("each"):
        return Decimal(1), end
    if g.get("m"):
        return numbers.parse(g["m"])[0], end
    if g.get("whole"):
        return (next(iter(setting.packs)), end) if len(setting.packs) == 1 else None
    count = numbers.parse(g["n"])[0] if g["n"] else Decimal(100) if g["h"] else Decimal(1000) if g["t"] else None
    if g["b"]:
        size = numbers.parse(g["bn"])[0] if g["bn"] else next(iter(setting.packs)) if len(setting.packs) == 1 else None
        return (None if size is None else size * (count or 1)), end
    if g["o"]:
        return None, end
    if g["p"]:
        return count or Decimal(1), end
    if g["h"] or g["t"] or (count is not None and count in (100, 1000, 10, 50)):
        return count, end
    return None
