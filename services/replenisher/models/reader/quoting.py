"""What the sender wrote now, apart from quoted older mail, signature, disclaimers and adverts. Words are in the
lexicon, meaning is elsewhere.

Every pattern works on one line of bounded length: mail-parser-reply knows many clients too, but its patterns run over
whole mails and take
minutes on a hostile one.
"""

import re
from dataclasses import dataclass
from functools import cache

from replenisher.models.reader import lexicon
from replenisher.models.reader.folding import fold

MOST_LINES = 1_500
MOST_LINE = 2_000


@dataclass(frozen=True, slots=True)
class Parts:
    """A mail's text taken apart."""

    own: tuple[str, ...]
    """Lines written now, without signature."""
    foot: str
    """Signature and what stands below it: tells the sender's country, never terms."""
    quoted: str
    """Older mail: may tell which order it is, nothing else."""


def take_apart(text: str) -> Parts:
    lines = [line[:MOST_LINE].rstrip() for line in text.split("\n", MOST_LINES)[:MOST_LINES]]
    folded = [fold(line).strip() for line in lines]
    kept: list[int] = []
    quoted: list[int] = []
    end = len(lines)
    n = 0
    while n < len(lines):
        if folded[n].startswith((">", "|>")) or re.match(r"[a-z]{1,3}>", folded[n]):
            quoted.append(n)
        elif _history(folded, n):
            if _continues(folded, n):
                quoted.append(n)
            elif _forwarded(folded, kept):
                kept += range(_after_fields(folded, n), len(lines))
                break
            else:
                end = n
                break
        else:
            kept.append(n)
        n += 1
    quoted += range(end, len(lines))
    cut = _signature(folded, kept)
    own = [lines[i] for i in kept[:cut]]
    return Parts(tuple(own), "\n".join(lines[i] for i in kept[cut:]), "\n".join(lines[i] for i in quoted))


@cache
def _wrote() -> re.Pattern[str]:
    return re.compile(rf"^[-_*\s>]*{lexicon.every('wrote').pattern}[-_*\s]*$")


@cache
def _field() -> re.Pattern[str]:
    return re.compile(rf"^[*_\s>]*{lexicon.every('fields').pattern}[*_\s]*[:：]")


def _history(folded: list[str], n: int) -> bool:
    """Whether an older mail begins at this line."""
    line = folded[n][:400]
    if not line:
        return False
    if _wrote().match(line):
        return True
    if re.match(r"^-{3,}.{3,60}-{3,}$", line) and lexicon.every("wrote").search(line):
        return True
    if re.match(r"^(?=.{0,80}\d{1,2}[:.h]\d{2}).{0,160}<[^<>\s]+@[^<>\s]+>\s*:$", line):
        return True
    # a client breaks "On ..., X <x@y.z>\nwrote:" in two or three
    for more in (1, 2):
        joined = " ".join(folded[n : n + more + 1])[:400]
        if (
            len(folded) > n + more
            and folded[n + more].endswith((":", "："))
            and _wrote().match(joined)
            and not _wrote().match(folded[n + more][:400])
        ):
            return True
    return _is_field(line) and sum(_is_field(x[:400]) for x in folded[n : n + 8] if x) >= (
        2 if _rule(folded, n) or "@" in "".join(folded[n : n + 2]) else 3
    )


def _is_field(line: str) -> bool:
    return _field().match(line) is not None


def _rule(folded: list[str], n: int) -> bool:
    above = next((x for x in reversed(folded[max(0, n - 3) : n]) if x), "")
    return re.match(r"^[-_=*]{5,}$", above) is not None


def _continues(folded: list[str], n: int) -> bool:
    """The quote is marked by `>` and his own words go on below it."""
    for m in range(n + 1, min(n + 4, len(folded))):
        if folded[m].startswith(">"):
            return any(x and not x.startswith(">") for x in folded[m:])
    return False


def _forwarded(folded: list[str], kept: list[int]) -> bool:
    """He points at the note below as his own words."""
    said = " ".join(folded[i] for i in kept)[-600:]
    return lexicon.every("forwarded").search(said) is not None


def _after_fields(folded: list[str], n: int) -> int:
    m = n + 1 if not _is_field(folded[n]) else n
    while m < len(folded) and (not folded[m] or _is_field(folded[m][:400])):
        m += 1
    return m


@cache
def _bye() -> re.Pattern[str]:
    return re.compile(rf"^{lexicon.every('bye').pattern}[\s,.!;:/\-]*$")


@cache
def _bye_start() -> re.Pattern[str]:
    return re.compile(rf"^{lexicon.every('bye').pattern}[\s,.!:/\-]")


def _signature(folded: list[str], kept: list[int]) -> int:
    """Where in `kept` the signature begins."""
    for at, i in enumerate(kept):
        line = folded[i]
        if re.match(r"^(?:--|__|—)$|^_{8,}$|^-{8,}$|^\*{8,}$|^={8,}$", line):
            below = [folded[j] for j in kept[at + 1 :] if folded[j]]
            if re.match(r"^--$", line) or (at > 0 and not any(re.search(r"\d[.,]\d{2}(?!\d)", x) for x in below[:8])):
                return at
        if at > 0 and len(line) <= 60 and _closes(line):
            return at
        if re.search(rf"[.!?] {lexicon.every('bye').pattern}[\s,.!]*[a-z. ]{{0,30}}$", line[-120:]):
            return at + 1
        if at > 0 and len(line) > 40 and lexicon.every("notice").match(line):
            return at
    return len(kept)


def _closes(line: str) -> bool:
    if _bye().match(line):
        return True
    start = _bye_start().match(line)
    if start is None:
        return False
    after = line[start.end() :]
    # "Thanks, Ann" closes; "Thanks, confirmed at 4.20" does not
    return (
        len(after.split()) <= 3
        and not re.search(r"\d", after)
        and not lexicon.every("confirm", "decline", "receipt").search(after)
    )
