"""The words of eleven languages by what they mean in a supplier's mail, as one regular expression per meaning.

A language is a file: meaning -> lines, each a regular expression over folded text (see folding.py). In a line ` .. `
stands for up to five words in between. Letters at either end of a line are word boundaries, except in Chinese and
Japanese. While a mail is read only its languages speak: `di` is Tuesday in German and `of` in Italian.
"""

import re
import tomllib
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib import resources
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pl", "pt", "sv", "zh", "ja")
_NOTHING = r"(?!)"
_GAP = r" (?:[^\s]+ ){0,5}?"
_SPOKEN: ContextVar[tuple[str, ...]] = ContextVar("spoken", default=LANGUAGES)


@contextmanager
def speaking(languages: Sequence[str]) -> Generator[None]:
    """Within it, and in nothing that runs beside it, only these languages are understood."""
    token = _SPOKEN.set(tuple(languages))
    try:
        yield
    finally:
        _SPOKEN.reset(token)


def per_language(make: Callable[P, T]) -> Callable[P, T]:
    """Keeps what `make` makes, for each set of languages spoken."""
    made: dict[tuple[object, ...], T] = {}

    def kept(*args: P.args, **kwargs: P.kwargs) -> T:
        key = (_SPOKEN.get(), *args, *kwargs.values())
        if key not in made:
            made[key] = make(*args, **kwargs)
        return made[key]

    return kept


@cache
def _words(language: str) -> Mapping[str, str]:
    file = resources.files(__package__ or "").joinpath(f"{language}.toml")
    return tomllib.loads(file.read_text("utf-8"))


def lines(meaning: str, language: str | None = None) -> list[str]:
    """The alternatives of one meaning, of one language or of those spoken."""
    if meaning not in _words("en"):
        raise KeyError(meaning)
    languages = _SPOKEN.get() if language is None else (language,)
    found = [line.strip() for name in languages for line in _words(name).get(meaning, "").splitlines()]
    return [line for line in found if line]


def source(*meanings: str, language: str | None = None) -> str:
    """One regular expression, without groups, for several meanings."""
    return _source(meanings, _SPOKEN.get() if language is None else (language,))


def pattern(*meanings: str) -> re.Pattern[str]:
    """`source`, compiled."""
    return _pattern(meanings, _SPOKEN.get())


def every(*meanings: str) -> re.Pattern[str]:
    """The pattern of all languages, whichever are spoken: what clients and machines write is in any."""
    return _pattern(meanings, LANGUAGES)


@cache
def _source(meanings: tuple[str, ...], languages: tuple[str, ...]) -> str:
    every = dict.fromkeys(line for m in meanings for name in languages for line in lines(m, name))
    return "(?:" + "|".join(_bounded(every)) + ")" if every else _NOTHING


@cache
def _pattern(meanings: tuple[str, ...], languages: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(_source(meanings, languages))


def _bounded(alternatives: Iterable[str]) -> Iterable[str]:
    for line in alternatives:
        line = line.replace(" .. ", _GAP)
        latin = line.isascii()
        before = r"(?<![a-z0-9])" if latin and re.match(r"[a-z(\[\\]", line) else ""
        after = r"(?![a-z0-9])" if latin and not re.search(r"[ /:@$|]$", line) else ""
        yield f"{before}(?:{line}){after}"
