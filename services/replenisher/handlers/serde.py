"""JSON as it travels: read leniently at the border, so that bad input becomes a 400 with a sentence and never an
endless retry."""

import json
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError
from restate.exceptions import TerminalError
from restate.serde import Serde

T = TypeVar("T")

Json = Any


class Garbage:
    """A body that is not JSON."""


class RawJson(Serde[Json]):
    """Any JSON; an empty body is null, and what is not JSON is Garbage for the handler to refuse."""

    def deserialize(self, buf: bytes) -> Json:
        if not buf:
            return None
        try:
            return json.loads(buf)
        except (ValueError, RecursionError):
            return Garbage()

    def serialize(self, obj: Json) -> bytes:
        """Total: what UTF-8 cannot hold (half of a surrogate pair) is escaped, as no retry would make it fit."""
        try:
            return json.dumps(obj, ensure_ascii=False, separators=(",", ":")).encode()
        except UnicodeEncodeError:
            return json.dumps(obj, separators=(",", ":")).encode()


RAW = RawJson()


def parse(model: type[T], body: Json) -> T:
    """The body as this model. Raises TerminalError(400) with a sentence that names each field that is wrong."""
    if isinstance(body, Garbage):
        raise TerminalError("the body is not JSON: send one JSON object", 400)
    if not isinstance(body, dict):
        raise TerminalError("the body must be a JSON object", 400)
    if not _is_text(body):
        raise TerminalError("the body holds half of a surrogate pair, which is no text: send Unicode", 400)
    try:
        return TypeAdapter(model).validate_python(body)
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(str(p) for p in e['loc']) or 'body'}: {e['msg']}" for e in error.errors()[:5])
        raise TerminalError(f"the message was not understood: {wrong}", 400) from error


def _is_text(body: Json) -> bool:
    """Records, suppliers and the engine all speak UTF-8; JSON's escapes can spell what it cannot."""
    try:
        json.dumps(body, ensure_ascii=False).encode()
    except (UnicodeEncodeError, RecursionError):
        return False
    return True
