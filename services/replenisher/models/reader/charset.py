"""Bytes to text when the declared charset may be missing, unknown or wrong. Knows nothing of mail."""

import codecs
import re
import unicodedata

_ALIASES = {"gb2312": "gb18030", "gbk": "gb18030", "x-gbk": "gb18030", "iso-8859-1": "cp1252", "latin-1": "cp1252", "latin1": "cp1252",
            "us-ascii": "cp1252", "ascii": "cp1252", "shift_jis": "cp932", "shift-jis": "cp932", "x-sjis": "cp932", "sjis": "cp932",
            "ks_c_5601-1987": "cp949", "unicode-1-1-utf-8": "utf-8", "utf8": "utf-8", "iso-8859-8-i": "iso-8859-8"}  # fmt: skip
_REFUSED = frozenset({"utf-7", "utf7", "unicode-1-1-utf-7", "idna", "punycode", "raw-unicode-escape", "unicode-escape", "undefined",
                      "unicode_escape", "raw_unicode_escape"})  # fmt: skip
_GUESSES = ("cp932", "euc_jp", "gb18030", "big5", "cp949", "cp1250", "cp1252")


def decode(data: bytes, declared: str | None) -> str:
    """The text of these bytes: a byte order mark first, then UTF-8 where it fits, then what was declared, then the
    likeliest guess."""
    if data.startswith(codecs.BOM_UTF8):
        return data[3:].decode("utf-8", "replace")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    name = _known(declared)
    if b"\x1b$" in data or b"\x1b(" in data:
        return data.decode("iso2022_jp_2", "replace")
    if name and name.startswith(("utf-16", "utf-32")):
        return data.decode(name, "replace")
    if data[:400].count(0) > len(data[:400]) // 4:
        even = data[:400:2].count(0)
        return data.decode("utf-16-be" if even > data[1:400:2].count(0) else "utf-16-le", "replace")
    text = _strict(data, "utf-8")
    if text is not None:
        return text
    if name and name != "utf-8":
        text = _strict(data, name)
        if text is not None and not (name == "cp1252" and _score(text) < 0.6):
            return text
    guesses = [(_score(t), -n, t) for n, g in enumerate(_GUESSES) if (t := _strict(data, g)) is not None]
    if guesses:
        return max(guesses)[2]
    return data.decode(name or "utf-8", "replace")


def _known(declared: str | None) -> str | None:
    if not declared:
        return None
    name = _ALIASES.get(declared.strip().strip("\"'").lower(), declared.strip().strip("\"'").lower())
    if name in _REFUSED:
        return None
    try:
        info = codecs.lookup(name)
    except (LookupError, ValueError):
        return None
    return info.name if getattr(info, "_is_text_encoding", True) else None


def _strict(data: bytes, name: str) -> str | None:
    try:
        return data.decode(name)
    except UnicodeDecodeError:
        # a text cut short in the middle of a character is still that text
        try:
            return data[:-3].decode(name) if len(data) > 4000 else None
        except UnicodeDecodeError:
            return None


_COMMON = re.compile("[的是我们您单价交货订确认数量元请无法已发收到有在为这和日月年期供应贵司]|[ぁ-ん]|[ァ-ヶー]")
_LATIN = frozenset("äöüßéèêëàâîïôûùçñáíóúãõåøæłąęćńśźżÄÖÜÉÈÀÇÑÅØŁ€£°–’“”„«»¿¡")


def _score(text: str) -> float:
    """Share of the characters beyond ASCII that real mail is full of."""
    beyond = [c for c in text[:4000] if c > "\x7f"]
    if not beyond:
        return 1.0
    good = 0.0
    for c in beyond:
        if c in _LATIN or _COMMON.match(c):
            good += 1
        elif "\uff66" <= c <= "\uff9f" or unicodedata.category(c) in ("Co", "Cn", "Cc"):
            good -= 1
        elif "\u4e00" <= c <= "\u9fff":
            good += 0.35
        elif "\u3000" <= c <= "\u303f" or "\uff00" <= c <= "\uff65":
            good += 0.5
    return good / len(beyond)
