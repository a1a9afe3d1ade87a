"""Numbers as people of many countries write them. What a number counts or costs is decided elsewhere."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

_GROUPED = r"\d{1,3}(?:[., '\u00a0]\d{3})+(?!\d)(?:[.,]\d{1,5}(?!\d))?"
_INDIAN = r"\d{1,2}(?:,\d{2})+,\d{3}(?!\d)(?:\.\d{1,4})?"
_PLAIN = r"\d{1,12}(?:[.,]\d{1,6})?"
NUMBER = rf"(?:{_GROUPED}|{_PLAIN})"
"""A number in folded text, as a regular expression without groups."""

_FOUND = re.compile(rf"(?<![\w.])(?<!\d,){NUMBER}(?![\d])")
_DASH = re.compile(r"[.,](?:-{1,2}|=)$")


@dataclass(frozen=True, slots=True)
class Number:
    """A number at its place. `others` are readings that the writing allows too: 4,350 is 4350, or 4.35."""

    start: int
    end: int
    value: Decimal
    others: tuple[Decimal, ...] = ()

    def near(self, *anchors: Decimal | None) -> Decimal:
        """The reading closest in magnitude to one of the values that our books have; the usual one without."""
        known = [a for a in anchors if a is not None and a > 0]
        if not known or not self.others:
            return self.value
        best = min((self.value, *self.others), key=lambda v: min(_distance(v, a) for a in known))
        return best if min(_distance(best, a) for a in known) <= 3 else self.value


def _distance(value: Decimal, anchor: Decimal) -> Decimal:
    if value <= 0:
        return Decimal("Infinity")
    return max(value / anchor, anchor / value)


def parse(text: str) -> tuple[Decimal, tuple[Decimal, ...]]:
    """The usual reading of one written number and the others it allows. Raises ValueError when it is none."""
    text = _DASH.sub("", text.strip())
    packed = re.sub(r"[ '\u00a0]", "", text)
    if not packed or not packed[0].isdigit() or len(packed) > 24:
        raise ValueError(text)
    marks = [c for c in packed if c in ".,"]
    if not marks:
        return Decimal(packed), ()
    if len(set(marks)) == 2:
        last = marks[-1]
        whole = packed.replace("." if last == "," else ",", "")
        if whole.count(last) > 1:
            return Decimal(whole.replace(last, "")), ()
        return Decimal(whole.replace(last, ".")), ()
    mark = marks[0]
    if len(marks) > 1:
        return Decimal(packed.replace(mark, "")), ()
    whole, _, rest = packed.partition(mark)
    decimal = Decimal(f"{whole}.{rest}") if rest else Decimal(whole)
    spaced = re.search(r"[ '\u00a0]", text) is not None
    if len(rest) == 3 and whole != "0" and not whole.startswith("0") and len(whole) <= 3 and not spaced:
        return Decimal(whole + rest), () if rest == "000" else (decimal,)
    return decimal, ()


def find(text: str) -> Iterable[Number]:
    """Every number in folded text, left to right."""
    for match in _FOUND.finditer(text):
        try:
            value, others = parse(match[0])
        except ValueError:
            continue
        yield Number(match.start(), match.end(), value, others)
