"""One spelling for text: no accents, no capitals, no full-width letters, no invisible characters. Meaning is not
looked at here."""

import re
import unicodedata
from functools import lru_cache

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]")
_SPACES = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_LINES = re.compile("\r\n?|[\u0085\u2028\u2029]")
_ALONE = {
    "ł": "l",
    "ø": "o",
    "đ": "d",
    "ß": "ss",
    "æ": "ae",
    "œ": "oe",
    "ı": "i",
    "’": "'",
    "‘": "'",
    "`": "'",
    "´": "'",
    "“": '"',
    "”": '"',
    "„": '"',
    "–": "-",
    "—": "-",
    "−": "-",
    "‐": "-",
    "‑": "-",
    "‒": "-",
    "，": ",",
    "×": "x",
}


_SEAM = re.compile("(?<=[\u3041-\u9fff])(?=[a-z0-9])|(?<=[a-z0-9])(?=[\u3041-\u9fff])")


def clean(text: str) -> str:
    """Invisible and control characters gone, one kind of space and of line end. What a person sees is unchanged."""
    text = _LINES.sub("\n", text)
    return _SPACES.sub(" ", _CONTROL.sub("", _INVISIBLE.sub("", text)))


def fold(text: str) -> str:
    """Lower case, compatibility forms and accents resolved; the same for every spelling of a word. May change the
    length.

    Chinese and Japanese are set apart from the figures and letters in them, as the words of other languages are.
    """
    return _SEAM.sub(" ", "".join(map(_letter, unicodedata.normalize("NFKC", text).casefold())))


@lru_cache(maxsize=4096)
def _letter(char: str) -> str:
    if char < "\x80":
        return char
    if char in _ALONE:
        return _ALONE[char]
    if unicodedata.combining(char) and not "\u3040" <= char <= "\u30ff":
        return ""
    if char < "\u0250" or "\u1e00" <= char <= "\u1eff":
        base = "".join(c for c in unicodedata.normalize("NFD", char) if not unicodedata.combining(c))
        return _ALONE.get(base, base)
    return char
