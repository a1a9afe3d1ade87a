"""The words of eleven languages by what they mean in a supplier's mail, as one regular expression per meaning.

A language is a file: meaning -> lines, each a regular expression over folded text (see folding.py). In a line ` .. `
stands for up
to five words in between. Letters at either end of a line are word boundaries, except in Chinese and Japanese.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources

LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pl", "pt", "sv", "zh", "ja")
_NOTHING = r"(?!)"
_GAP = r" (?:[^\s]+ ){0,5}?"


@cache
def _words(language: str) -> Mapping[str, str]:
    file = resources.files(__package__ or "").joinpath(f"{language}.toml")
    return tomllib.loads(file.read_text("utf-8"))


def lines(meaning: str, language: str | None = None) -> list[str]:
    """The alternatives of one meaning, of one language or all."""
    if meaning not in _words("en"):
        raise KeyError(meaning)
    languages = LANGUAGES if language is None else (language,)
    found = [line.strip() for name in languages for line in _words(name).get(meaning, "").splitlines()]
    return [line for line in found if line]


@cache
def source(*meanings: str, language: str | None = None) -> str:
    """One regular expression, without groups, for several meanings."""
    every = dict.fromkeys(line for m in meanings for line in lines(m, language))
    return "(?:" + "|".join(_bounded(every)) + ")" if every else _NOTHING


@cache
def pattern(*meanings: str) -> re.Pattern[str]:
    """`source`, compiled."""
    return re.compile(source(*meanings))


def _bounded(alternatives: Iterable[str]) -> Iterable[str]:
    for line in alternatives:
        line = line.replace(" .. ", _GAP)
        latin = line.isascii()
        before = r"(?<![a-z0-9])" if latin and re.match(r"[a-z(\[\\]", line) else ""
        after = r"(?![a-z0-9])" if latin and re.search(r"[a-z0-9)*?+}\]]$", line) else ""
        yield f"{before}(?:{line}){after}"
