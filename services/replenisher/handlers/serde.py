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
        except ValueError:
            return Garbage()

    def serialize(self, obj: Json) -> bytes:
        return json.dumps(obj, ensure_ascii=False, separators=(",", ":")).encode()


RAW = RawJson()


def parse(model: type[T], body: Json) -> T:
    """The body as this model. Raises TerminalError(400) with a sentence that names each field that is wrong."""
    if isinstance(body, Garbage):
        raise TerminalError("the body is not JSON: send one JSON object", 400)
    if not isinstance(body, dict):
        raise TerminalError("the body must be a JSON object", 400)
    try:
        return TypeAdapter(model).validate_python(body)
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(str(p) for p in e['loc']) or 'body'}: {e['msg']}" for e in error.errors()[:5])
        raise TerminalError(f"the message was not understood: {wrong}", 400) from error
