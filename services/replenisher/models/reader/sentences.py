"""Cuts the sender's words into sentences, wrapped lines joined. What they mean is decided elsewhere."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from replenisher.models.reader import lexicon
from replenisher.models.reader.folding import fold

MOST = 400
MOST_LENGTH = 800


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence or line: as written, and folded."""

    raw: str
    text: str
    line: int
    """Sentences of one line or paragraph share it."""


_ABBREVIATIONS = re.compile(
    r"(?:^|[\s(/])(?:nr|no|num|art|st|stk|stck|ca|approx|mr|mrs|ms|dr|herr|fr|hr|tel|ref|pos|inkl|incl|abzgl|zzgl|exkl|excl|zzgl|bzw|evtl|ggf|z\.b|z\. b|d\.h|i\.d|u\.a|e\.g|i\.e|est|min|max|p\.o|"
    r"p\.s|sr|sra|srta|ud|uds|vd|vds|pza|pzas|u|un|und|unid|ud|pz|pzi|n|mme|mlle|sig|sig\.ra|dott|spett|egr|szt|ul|nip|tj|np|ok|godz|dhr|mevr|bv|t\.a\.v|bijv|kl|resp|osv|bl\.a|t\.ex|fig|sem|liefert|"
    r"mind|jan|feb|febr|mar|apr|jun|jul|aug|sep|sept|oct|okt|nov|dec|dez|dic|gen|mag|giu|lug|ago|set|ott|janv|fevr|avr|juil|dez|wk|sett|settim|tyg|ned|vol|co|inc|ltd|corp|int|ext|kw|v|cent|ct|pcs|pc|ea|pl|gen|qte|qty|cant|cdad|mge|ep|eur|vs|cf|abs|att|enc|rev|geg|netto|gr|kgr|fa|sa|s\.a|best|bestell|auftr|"
    r"cde|ord|zam|ilosc|pedido n|obj)\.$"
)
_END = re.compile(r"[.!?。！？；;…]+[\"'»”’)\]]*(?=\s|$|[^\x00-\x7f])|[。！？；]")


def sentences(lines: Sequence[str]) -> list[Sentence]:
    """In order, at most MOST."""
    found: list[Sentence] = []
    for number, paragraph in enumerate(_paragraphs(lines)):
        for piece in _pieces(paragraph):
            text = re.sub(r"\s+", " ", fold(piece)).strip(" \t*•·>")
            if text:
                found.append(Sentence(piece.strip(), text, number))
            if len(found) >= MOST:
                return found
    return found


def _paragraphs(lines: Sequence[str]) -> Iterable[str]:
    """Lines, with those joined that a mail program wrapped."""
    held = ""
    for line in lines:
        bare = line.strip()
        if held and bare and _wrapped(held, bare):
            held = f"{held}{'' if _cjk(held[-1]) and _cjk(bare[0]) else ' '}{bare}"
            continue
        if held:
            yield held
        held = bare
    if held:
        yield held


def _cjk(char: str) -> bool:
    return "\u3000" <= char <= "\u9fff" or "\uff00" <= char <= "\uffef"


def _wrapped(held: str, line: str) -> bool:
    last = held.rsplit("\n", 1)[-1]
    if (
        "|" in held
        or "\t" in held
        or "|" in line
        or "\t" in line
        or re.search(r"\S {3,}\S", held)
        or re.search(r"\S {3,}\S", line)
    ):
        return False
    if re.search(r"[.!?:;。！？：}\]>]$", last) or re.match(r"[-*•·–#(]|\d+[.)]\s", line) or len(held) > MOST_LENGTH:
        return False
    if re.match(r"[^\W\d_][^:：]{0,30}[:：]", line):
        return False
    if _cjk(last[-1]) and _cjk(line[0]):
        return len(last) >= 25
    if line[0].islower():
        return len(last) >= 25 or last.endswith(",")
    return len(last) >= 55


@lexicon.per_language
def _month_next() -> re.Pattern[str]:
    names = "|".join(
        sorted(
            {n for group in lexicon.lines("months") for month in group.split("=") for n in month.split("|")},
            key=len,
            reverse=True,
        )
    )
    return re.compile(rf"\s*(?:{names})(?![a-z])")


@lexicon.per_language
def _week_next() -> re.Pattern[str]:
    return re.compile(rf"\s*{lexicon.source('week')}")


def _pieces(paragraph: str) -> Iterable[str]:
    start = 0
    for match in _END.finditer(paragraph):
        after = paragraph[match.end() : match.end() + 24]
        mark = match[0][0]
        if mark == "." and after and not _ends(paragraph[max(start, match.start() - 24) : match.start() + 1], after):
            continue
        yield from _short(paragraph[start : match.end()])
        start = match.end()
    yield from _short(paragraph[start:])


def _ends(before: str, after: str) -> bool:
    follows = after.lstrip()[:1]
    if follows and follows.islower() and not _cjk(follows):
        return False
    folded = fold(before)
    if re.search(r"(?:^|\D)\d{1,2}\.$", folded) and (
        _month_next().match(fold(after))
        or _week_next().match(fold(after))
        or re.match(r"\s*(?:\d{1,2}\.|\d{4})", after)
    ):
        return False
    if _ABBREVIATIONS.search(folded):
        # "5 pcs. Delivery": the next word decides, and a capital after these mostly goes on
        return (
            re.search(r"(?:pcs|pc|ea|szt|stk|st|stck|pzas|uds|ud|pz|un|ok|eur)\.$", folded) is not None
            and follows.isupper()
        )
    return True


def _short(piece: str) -> Iterable[str]:
    for at in range(0, len(piece), MOST_LENGTH):
        yield piece[at : at + MOST_LENGTH]
