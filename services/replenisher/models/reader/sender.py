"""What gives a sender's habits away: his language, and whether he writes day or month first."""

import re
from functools import cache

from replenisher.models.reader import lexicon
from replenisher.models.reader.dates import Habit

_AMERICAN = re.compile(
    r"\+1[ (.-]|\(\d{3}\) ?\d{3}-\d{4}|(?<!\d)\d{3}-\d{3}-\d{4}|(?<![a-z])(?:usa|u\.s\.a\.|united states|(?:al|ak|az|ar|ca|co|ct|fl|ga|id|il|ia|ks|ky|la|ma|md|mi|mn|mo|ms|mt|nc|nd|ne|nh|nj|nm|nv|ny|oh|ok|or|pa|ri|sc|sd|tn|tx|ut|va|vt|wa|wi|wv|wy) \d{5})(?!\d)"
    r"|(?<![a-z])(?:ohio|texas|california|illinois|michigan|chicago|detroit|houston|cleveland|new york|new jersey|wisconsin|indiana|pennsylvania|georgia|atlanta|dallas|boston)(?![a-z])"
)
_ELSEWHERE = re.compile(
    r"\+(?:44|49|33|34|39|31|48|351|46|45|47|41|43|32|61|64|91|353|420|358|27|65|852)[ (\d]|(?<![a-z])(?:united kingdom|uk|england|scotland|wales|ireland|birmingham|london|manchester|sheffield|leeds|glasgow|dublin|australia|india|new zealand)(?![a-z])"
    r"|\.(?:co\.uk|uk|de|fr|es|it|nl|pl|pt|se|ie|com\.au|co\.nz|in|eu|be|at|ch|br)(?![a-z])|(?<![a-z0-9])[a-z]{1,2}\d{1,2}[a-z]? \d[a-z]{2}(?![a-z0-9])|£"
)
_SIMPLIFIED = re.compile("[订单货价请认发贵时为们这没题吗您给东车]")
_ISO_FIRST = ("zh", "ja")


def language(text: str) -> str:
    """The likeliest language of folded text; English when there is little to go by."""
    kana = len(re.findall("[\u3041-\u30ff]", text))
    han = len(re.findall("[\u4e00-\u9fff]", text))
    latin = len(re.findall("[a-z]", text))
    if (kana + han) * 4 < latin:
        # a word or two within a Latin text
        kana = han = 0
    if kana >= 2 and kana * 8 > han:
        return "ja"
    if han >= 2:
        return "zh"
    counts = _counts(text)
    best = max(counts, key=lambda name: (counts[name], name == "en"))
    return best if counts[best] else "en"


def languages(text: str) -> tuple[str, ...]:
    """The languages that folded text may be in: English, the likeliest and its nearest rival.

    All of them when there is little to go by; Japanese of a few formal words may have no letter that Chinese lacks.
    """
    best = language(text)
    if best in _ISO_FIRST:
        if best == "ja":
            return ("en", "ja")
        return ("en", "zh") if _SIMPLIFIED.search(text) else ("en", "zh", "ja")
    counts = _counts(text)
    if counts[best] < 2:
        return lexicon.LANGUAGES
    rivals = [n for n in counts if n not in ("en", best) and counts[n] * 5 >= counts[best] * 3]
    chosen = {"en", best, *sorted(rivals, key=lambda n: -counts[n])[:1]}
    return tuple(n for n in lexicon.LANGUAGES if n in chosen)


def _counts(text: str) -> dict[str, int]:
    """How many different common words of each language there are."""
    return {n: len(set(_stop(n).findall(text[:8000]))) for n in lexicon.LANGUAGES if n not in _ISO_FIRST}


@cache
def _stop(name: str) -> re.Pattern[str]:
    return re.compile(lexicon.source("stop", language=name))


def habit(text: str, sender: str, name: str) -> Habit | None:
    """Day or month first, from language, address, phone and the sender's other dates; None when nothing tells. All of
    it folded."""
    for a, b in re.findall(r"(?<![\d/.-])(\d{1,2})[/-](\d{1,2})[/-](?:20)?\d\d(?!\d)", text):
        if int(a) > 12 >= int(b):
            return "dmy"
        if int(b) > 12 >= int(a):
            return "mdy"
    if name in _ISO_FIRST:
        return "mdy"
    if name != "en":
        return "dmy"
    where = f"{text} {sender}"
    american, elsewhere = _AMERICAN.search(where) is not None, _ELSEWHERE.search(where) is not None
    if american == elsewhere:
        return None
    return "mdy" if american else "dmy"
