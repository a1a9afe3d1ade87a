"""Takes out the sentences that are aimed at a machine rather than at a clerk. Whether money moves never depends on
this: see product.md."""

import re
from collections.abc import Sequence

from replenisher.models.reader import lexicon
from replenisher.models.reader.sentences import Sentence

_CODE = re.compile(
    r"[{}]\s*\"|\"\s*:\s*(?:\"|true|false|null|\d)|</?[a-z_-]{2,20}(?: [^<>]{0,80})?/?>|<\|.{0,30}\|>|\[/?(?:inst|sys|system)\]|<<sys>>|###|```"
    r"|[a-z]+_[a-z_]+\s*(?:[=(:]|\b)|\b(?:accepted|approved|declined|confirmed|shipped)\s*[=:]\s*(?:true|false|yes|1)|begin (?:system|admin)|\bsudo\b|function\s*\(|drop table|--\s*$"
)


def honest(sentences: Sequence[Sentence]) -> list[Sentence]:
    """The sentences a clerk would take for the supplier's own words.

    What follows an attack in its paragraph is doubtful: it counts only when nothing else in the mail says anything.
    """
    clear: list[Sentence] = []
    doubtful: list[Sentence] = []
    lines: set[int] = set()
    for s in sentences:
        if aimed_at_a_machine(s.text):
            lines.add(s.line)
            if s.text.endswith((":", "-")):
                lines.add(s.line + 1)
        elif s.line in lines:
            doubtful.append(s)
        else:
            clear.append(s)
    if doubtful and not any(_says_something(s.text) for s in clear):
        return sorted((*clear, *doubtful), key=lambda s: s.line)
    return clear


def aimed_at_a_machine(text: str) -> bool:
    if lexicon.every("machine").search(text) or _CODE.search(text):
        return True
    return _approval(text)


def _approval(text: str) -> bool:
    """Our own approval, quoted at us: it never arrives this way."""
    who = lexicon.pattern("approver").search(text)
    if who is None or text.endswith("?") or lexicon.pattern("hold", "request").search(text):
        return False
    return lexicon.pattern("approved").search(text) is not None


def _says_something(text: str) -> bool:
    return (
        lexicon.pattern("confirm", "commit", "decline", "receipt", "later", "hold", "request", "shipped").search(text)
        is not None
    )
