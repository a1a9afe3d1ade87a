"""Whether the supplier accepts, declines, asks or has shipped. Precision first: where sentences contradict each other
nothing is claimed."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

from replenisher.models.reader import lexicon
from replenisher.models.reader.sentences import Sentence

MOST = 12
"""Matches of one kind that are looked at in a sentence."""
_BREAK = re.compile(r"[;!?]|,(?!\d)| - |[.:](?=\s|$)|、|，|。")


@dataclass(frozen=True, slots=True)
class Said:
    """What one sentence does."""

    sentence: Sentence
    accepts: bool = False
    weakly: bool = False
    """He accepts in words that may mean less: ok, in the system."""
    commits: bool = False
    """Promises without the word: we will ship, new date is."""
    declines: bool = False
    asks: bool = False
    ships: bool = False
    received: bool = False
    holds: bool = False
    later: bool = False
    conditional: bool = False
    notice: bool = False
    """General: adverts, disclaimers, other business."""


@dataclass(frozen=True, slots=True)
class Intent:
    accepted: bool
    declined: bool
    question: bool
    shipped: bool
    said: tuple[Said, ...]


def intent(sentences: Sequence[Sentence], fact: bool) -> Intent:
    """`fact`: the mail states a price, a day or a quantity for this order."""
    said = _unhurried([_said(s) for s in sentences])
    declined = any(s.declines for s in said)
    accepts = any(s.accepts for s in said)
    commits = any(s.commits for s in said)
    asks = any(s.asks for s in said)
    ships = any(s.ships for s in said)
    holds = any(s.holds for s in said)
    later = any(s.later for s in said)
    received = any(s.received for s in said)
    if declined and (accepts or ships or _partly(said)):
        partly = _partly(said)
        return Intent(partly and not holds, False, asks, ships and partly, said)
    if declined:
        return Intent(False, True, asks, False, said)
    if ships:
        return Intent(True, False, asks, True, said)
    if holds:
        return Intent(False, False, asks, False, said)
    if accepts and not (later and all(s.weakly for s in said if s.accepts)):
        return Intent(True, False, asks, False, said)
    if asks or later:
        return Intent(False, False, asks, False, said)
    return Intent(
        commits or (fact and not received and not any(s.conditional for s in said)), False, False, False, said
    )


def _unhurried(said: Sequence[Said]) -> tuple[Said, ...]:
    """`Please send a corrected PO. No rush.` is no question."""
    after = [*said[1:], None][: len(said)]
    return tuple(
        replace(s, asks=False)
        if s.asks
        and n is not None
        and len(n.sentence.text) < 40
        and lexicon.pattern("courtesy").search(n.sentence.text)
        else s
        for s, n in zip(said, after, strict=True)
    )


def _partly(said: Sequence[Said]) -> bool:
    """A part is supplied and a part is not."""
    return any(
        (s.accepts or s.commits or s.ships) and lexicon.pattern("rest", "only").search(s.sentence.text) for s in said
    ) or any(s.declines and lexicon.pattern("rest").search(s.sentence.text) for s in said)


def _said(s: Sentence) -> Said:
    text = s.text
    if lexicon.pattern("notice").search(text) and not lexicon.pattern("confirm").search(text):
        return Said(s, notice=True)
    polite = lexicon.pattern("polite").search(text) is not None
    asks = not polite and _asks(text)
    silence = lexicon.pattern("silence").search(text) is not None
    holds = not silence and lexicon.pattern("hold").search(text) is not None
    # what he lacks before he can go on is asked for, also without a question mark
    asks = asks or (not polite and holds and lexicon.pattern("document").search(text) is not None)
    later = lexicon.pattern("later").search(text) is not None
    conditional = _conditional(text) and not polite and not silence
    received = lexicon.pattern("receipt").search(text) is not None
    ships = _ships(text) and not asks
    declines = _declines(text) and not (conditional and not re.search(lexicon.source("decline_firm"), text))
    ships = ships and not (declines and not lexicon.pattern("rest").search(text))
    firmness = 0 if declines or holds else _accepts(text)
    accepts = firmness > 0
    commits = (
        not declines
        and not holds
        and not asks
        and not conditional
        and not later
        and lexicon.pattern("commit").search(text) is not None
        and not _negated(text, "commit")
        and not (received and lexicon.pattern("paper").search(text))
    )
    return Said(s, accepts, firmness == 1, commits, declines, asks, ships, received, holds, later, conditional)


def _asks(text: str) -> bool:
    asking = "?" in text or re.search(r"か。?$", text) is not None
    if lexicon.pattern("courtesy").search(text) or (lexicon.pattern("sorry").search(text) and not asking):
        return False
    if re.search(r"\?(?![\w=&/])", text) or text.endswith(("？", "?")):
        return True
    match = lexicon.pattern("request").search(text)
    return match is not None and lexicon.pattern("unasked").search(text) is None


def _conditional(text: str) -> bool:
    return lexicon.pattern("if").search(text) is not None


def _clause(text: str, start: int, end: int) -> str:
    """The clause around a place."""
    left = [m.end() for m in _BREAK.finditer(text, 0, start)]
    right = _BREAK.search(text, end)
    return text[left[-1] if left else 0 : right.start() if right else len(text)]


def _accepts(text: str) -> int:
    """2 where he accepts in so many words, 1 where only by ok and the like, 0 where not."""
    firmness = 0
    for match in islice(lexicon.pattern("confirm").finditer(text), MOST):
        clause = _clause(text, match.start(), match.end())
        if lexicon.pattern("neg").search(
            clause.replace(match[0], " ") if not lexicon.pattern("neg").search(match[0]) else " "
        ):
            continue
        if _of_receipt(text, match.start(), match.end()):
            continue
        if lexicon.pattern("paper").search(match[0]) and not _headline(text, match.start()):
            continue
        weak = lexicon.pattern("weak").fullmatch(match[0].strip()) is not None
        if text.endswith("?") and (weak or not _BREAK.search(text[match.end() : -1])):
            continue
        if weak and lexicon.pattern("receipt", "later").search(text):
            continue
        if lexicon.pattern("later", "hold", "unconfirm").search(clause) or clause.rstrip().endswith("?"):
            continue
        after = text[match.end() :]
        if re.match(r"[^,;.!]{0,80}\?", after):
            continue
        if re.match(rf"[^,;.]{{0,60}}(?:, ?)?{lexicon.source('when')}", after) and not lexicon.pattern("polite").search(
            text
        ):
            continue
        if lexicon.pattern("if", "request").search(clause) and not lexicon.pattern("silence").search(text):
            continue
        firmness = max(firmness, 1 if weak else 2)
    return firmness


def _headline(text: str, start: int) -> bool:
    """`Order confirmation 20991` at the top is one; a sentence that mentions a confirmation is not."""
    if start > 12 or len(text) > 90 or lexicon.pattern("later", "undated", "today", "tomorrow").search(text):
        return False
    return not re.search(r"[,、]", text[:start])


def _of_receipt(text: str, start: int, end: int) -> bool:
    """Only the receipt is confirmed."""
    return any(
        start - 12 <= m.start() <= end + 14 and m.end() > end for m in lexicon.pattern("receipt").finditer(text)
    ) or any(m.start() <= start and end <= m.end() for m in lexicon.pattern("receipt").finditer(text))


def _negated(text: str, meaning: str) -> bool:
    """Every such word stands in a negated clause."""
    clauses = [_clause(text, m.start(), m.end()) for m in islice(lexicon.pattern(meaning).finditer(text), MOST)]
    return all(
        lexicon.pattern("neg", "undated").search(lexicon.pattern("latest", "silence").sub(" ", c)) for c in clauses
    )


def _declines(text: str) -> bool:
    for match in islice(lexicon.pattern("decline").finditer(text), MOST):
        words = match[0]
        if not lexicon.pattern("decline").search(_BREAK.split(words, 1)[0]):
            # the refusal itself runs across two clauses
            continue
        clause = _clause(text, match.start(), match.end())
        before = lexicon.pattern("sorry").sub(" ", clause[: max(0, clause.find(words))])
        after = _BREAK.split(words + text[match.end() : match.end() + 60], 1)[0]
        tail = _the_order().sub(" ", _tail(after))
        if re.search(r"(?<![a-z0-9-])\d", re.sub(r"\d+[.,]\d{2}(?!\d)", " ", tail)) or lexicon.pattern(
            "without"
        ).search(text[: match.start()]):
            # not then, not so many, not unless: not none at all
            continue
        if lexicon.pattern("price_column").search(before):
            # it is the price that no longer holds
            continue
        if lexicon.pattern("limit").search(f"{before} | {_middle(words)} | {tail}") or lexicon.pattern(
            "undeclined", "without"
        ).search(_clause(text, match.start(), match.end())):
            continue
        if re.match(r"[^,;.!]{0,80}\?", text[match.end() :]):
            continue
        return True
    return False


@lexicon.per_language
def _the_order() -> re.Pattern[str]:
    """The object of a refusal, with the word that leads to it."""
    return re.compile(rf"(?:[a-z]{{1,5}}'? ?){{0,2}}{lexicon.source('the_order')}")


def _middle(words: str) -> str:
    """What stands before the verb of a refusal, where the language puts it last."""
    verb = lexicon.pattern("refused").match(words)
    return verb[0].rpartition(" ")[0] if verb else ""


def _tail(words: str) -> str:
    """What follows the verb of a refusal."""
    return lexicon.pattern("refused").sub(" ", words)


def _ships(text: str) -> bool:
    for match in islice(lexicon.pattern("shipped").finditer(text), MOST):
        clause = _clause(text, match.start(), match.end())
        if lexicon.pattern("unshipped", "neg").search(clause):
            continue
        return True
    return False
