"""Which of our orders a mail is about, and which of its sentences are about that one. What they say is read
elsewhere."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from replenisher.domain.reading import Books
from replenisher.models.reader import lexicon
from replenisher.models.reader.dates import find as find_dates
from replenisher.models.reader.folding import fold
from replenisher.models.reader.sentences import Sentence


@dataclass(frozen=True, slots=True)
class Scope:
    po: str | None
    sentences: tuple[Sentence, ...]
    """Those about this order, or about none in particular."""
    alone: bool
    """The mail names no other order."""


def scope(sentences: Sequence[Sentence], subject: str, quoted: str, books: Books) -> Scope:
    finder = _Finder(books)
    named = [finder.named(s.text) for s in sentences]
    ours = list(dict.fromkeys(po for names in named for po in names if po in finder.ours))
    strange = any(po not in finder.ours for names in named for po in names)
    if not ours:
        po = _single(finder, fold(subject), books) or _single(finder, fold(quoted), books)
    elif len(ours) == 1:
        po = ours[0]
        mention = next(s.text for s, names in zip(sentences, named, strict=True) if po in names)
        if po != books.po and finder.named(fold(subject)) == frozenset({books.po}) and _compares(mention):
            po = books.po
            named = [frozenset[str]() for _ in named]
    else:
        po = _main(sentences, named, ours, books)
    if len(ours) <= 1 and not strange:
        return Scope(po, tuple(sentences), True)
    kept: list[Sentence] = []
    current: frozenset[str] = frozenset()
    for s, names in zip(sentences, named, strict=True):
        if names:
            current = names
        if not current or (po is not None and po in current):
            kept.append(s)
    return Scope(po, tuple(kept), False)


def _single(finder: "_Finder", text: str, books: Books) -> str | None:
    found = [po for po in finder.named(text[:4000]) if po in finder.ours]
    if books.po in found:
        return books.po
    return found[0] if len(found) == 1 else None


def _main(
    sentences: Sequence[Sentence], named: Sequence[frozenset[str]], ours: Sequence[str], books: Books
) -> str | None:
    """The order of the context, unless the mail only puts it off while it deals with another."""
    if books.po not in ours:
        return None
    postponed = True
    dealt: set[str] = set()
    for s, names in zip(sentences, named, strict=True):
        said = lexicon.pattern("confirm", "decline", "shipped", "commit", "request").search(s.text) is not None or bool(
            re.search(r"\d[.,]\d{2}(?!\d)", s.text) or find_dates(s.text, books.received, "dmy")
        )
        if books.po in names and (len(names) > 1 or (said and not _put_off(s.text))):
            postponed = False
        if said and not _put_off(s.text):
            dealt |= {n for n in names if n != books.po}
    others = [po for po in ours if po in dealt]
    return others[0] if postponed and len(others) == 1 else books.po


def _compares(text: str) -> bool:
    """Another order is only mentioned beside this one."""
    return lexicon.pattern("compared").search(text) is not None


def _put_off(text: str) -> bool:
    if re.search(r"\d[.,]\d{2}(?!\d)|\d{1,2}[./-]\d{1,2}[./-]", text):
        return False
    return lexicon.pattern("elsewhere", "later").search(text) is not None


class _Finder:
    """Finds order numbers the way people write them: PO-4471, PO 4471, po4471, #4471, 4471."""

    def __init__(self, books: Books) -> None:
        self.ours = dict.fromkeys((books.po, *books.other_pos))
        self._patterns = [(po, self._pattern(fold(po))) for po in self.ours]
        digits = [d for po in self.ours if (d := re.search(r"\d+$", po))]
        width = {len(d[0]) for d in digits}
        prefixes = {
            re.escape(fold(po[: d.start()]).strip("-_ /#.")) for po in self.ours if (d := re.search(r"\d+$", po))
        } - {""}
        self._strange = (
            re.compile(
                rf"(?<![a-z0-9])(?:{'|'.join(sorted(prefixes))})[-_ #./]{{0,2}}(\d{{{min(width)},{max(width)}}})(?![\d])"
            )
            if width and prefixes
            else None
        )

    @staticmethod
    def _pattern(po: str) -> re.Pattern[str]:
        parts = re.findall(r"[^\W\d_]+|\d+", po)
        whole = r"[-_ #./:]{0,3}".join(map(re.escape, parts)) if parts else re.escape(po)
        alone = ""
        if parts and parts[-1].isdigit() and len(parts[-1]) >= 4:
            alone = rf"|(?<![\w.,$€£/-])(?<!so-)(?:{re.escape(parts[-1])})(?![\w€$£]|[.,]\d|-\d| ?(?:pcs|pieces|units|stk|stuck|usd|eur|%))"
        return re.compile(rf"(?<![a-z0-9]){whole}(?![0-9]|[.,]\d){alone}")

    def named(self, text: str) -> frozenset[str]:
        found = {po for po, pattern in self._patterns if pattern.search(text)}
        if self._strange is not None:
            known = {d[0] for po in self.ours if (d := re.search(r"\d+$", po))}
            found |= {f"?{number}" for number in self._strange.findall(text) if number not in known}
        return frozenset(found)
