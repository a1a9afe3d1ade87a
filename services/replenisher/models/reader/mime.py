"""From what the mailbox handed over to the subject and the text a person would see. Cutting quotes and reading are
done elsewhere."""

import base64
import binascii
import email
import email.errors
import email.policy
import quopri
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from email.message import Message
from typing import cast

from replenisher.models.reader import html
from replenisher.models.reader.charset import decode
from replenisher.models.reader.folding import clean

MOST = 400_000
"""Characters of a raw message that are looked at; what follows are attachments or worse."""
MOST_TEXT = 40_000
MOST_PARTS = 60
_WORD = re.compile(r"=\?([\w.*+-]{1,40})\?([bqBQ])\?([^?\s]{0,2000})\?=")
_TAGS = re.compile(r"<(?:html|body|div|p|table|br|span|meta|font|td)\b[^<>]{0,2000}>", re.IGNORECASE)
_KEPT = ("from", "auto-submitted", "precedence", "x-autoreply", "x-autorespond", "x-auto-response-suppress", "content-type",
         "x-failed-recipients", "x-loop")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mail:
    """What came in, as a person would see it."""

    subject: str
    text: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    """A few headers of interest, names in lower case."""


def open_mail(content: Mapping[str, str]) -> Mail:
    """`content` holds `mime`, a raw RFC 5322 message, or `subject` and `text` (or `html`). Never fails: what cannot
    be read is empty."""
    raw = content.get("mime")
    if raw:
        return _parsed(raw)
    subject = clean(content.get("subject", "")[:1000])
    return Mail(subject, plain(content.get("text", "") or content.get("html", "")), {})


def plain(text: str, *, is_html: bool | None = None) -> str:
    """The visible text of a body, HTML or not, at most MOST_TEXT characters."""
    text = text[:MOST]
    if is_html or (is_html is None and _TAGS.search(text[:5000])):
        text = html.visible(text)
    return clean(text)[:MOST_TEXT]


def _parsed(raw: str) -> Mail:
    data = raw[:MOST].lstrip("\ufeff\r\n").encode("utf-8", "surrogateescape" if _escaped(raw[:MOST]) else "replace")
    try:
        # compat32 keeps header values as they came; the structured parser of the newer policies fails on some broken
        # ones
        message: Message = email.message_from_bytes(data, policy=email.policy.compat32)
        headers = {k.lower(): str(v)[:2000] for k, v in message.items() if k.lower() in _KEPT}
        subject = clean(_unworded(str(message.get("Subject", ""))[:2000]))
        return Mail(subject, _body(message), headers)
    except (RecursionError, ValueError, LookupError, TypeError, AttributeError, email.errors.MessageError):
        return Mail("", "", {})


def _escaped(raw: str) -> bool:
    return any("\udc80" <= c <= "\udcff" for c in raw) and not any(
        "\ud800" <= c < "\udc80" or "\udcff" < c <= "\udfff" for c in raw
    )


def _unworded(value: str) -> str:
    """RFC 2047 words decoded, also where they stand without the spaces that the standard asks for."""
    value = re.sub(r"(\?=)\s+(=\?)", r"\1\2", value)
    value = re.sub(r"\r?\n[ \t]+", " ", value)
    joined = re.sub(_WORD, _decoded_word, value)
    return (
        decode(joined.encode("ascii", "surrogateescape"), None) if _escaped(joined) and joined.isprintable() else joined
    )


def _decoded_word(match: re.Match[str]) -> str:
    charset, how, text = match[1].partition("*")[0], match[2].lower(), match[3]
    try:
        data = (
            base64.b64decode(text + "===")
            if how == "b"
            else quopri.decodestring(text.replace("_", " ").encode(), header=True)
        )
    except (binascii.Error, ValueError):
        return match[0]
    return decode(data, charset)


def _body(message: Message) -> str:
    """The first text that says something: plain before HTML unless the plain one is empty or merely points to the
    other."""
    plains: list[str] = []
    rich: list[str] = []
    for part in _parts(message):
        kind = part.get_content_type()
        if kind not in ("text/plain", "text/html") or part.get_content_disposition() == "attachment":
            continue
        payload = part.get_payload(decode=True)
        if not isinstance(payload, bytes):
            continue
        text = decode(payload[:MOST], part.get_content_charset())
        if kind == "text/html":
            rich.append(plain(text, is_html=True))
        else:
            plains.append(plain(text, is_html=None))
    first = next((t for t in plains if len(t.strip()) > 1), "")
    seen = next((t for t in rich if len(t.strip()) > 1), "")
    if not first or (seen and len(first) < 200 and re.search(r"(?i)\bhtml\b|view (?:it|this) in", first)):
        return seen or first
    return first


def _parts(message: Message) -> Iterable[Message]:
    """Parts outside of attached messages, at most MOST_PARTS, without recursion."""
    open_parts: list[Message] = [message]
    for _ in range(MOST_PARTS):
        if not open_parts:
            return
        part = open_parts.pop(0)
        payload = part.get_payload()
        if part.get_content_type() == "message/rfc822":
            continue
        if isinstance(payload, list):
            open_parts[:0] = [p for p in cast("list[object]", payload) if isinstance(p, Message)]
        else:
            yield part
