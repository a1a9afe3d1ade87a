"""Values to and from JSON by their type: what a journal keeps is read back leniently, with defaults for what is new."""

from functools import cache
from typing import Any, TypeVar

from pydantic import TypeAdapter

from replenisher.harness.journal import Json

T = TypeVar("T")


@cache
def _adapter(shape: Any) -> TypeAdapter[Any]:
    return TypeAdapter(shape)


def dump(shape: type[T], value: T) -> Json:
    """The value as json.loads would give it: Decimal as text, times as ISO text."""
    return _adapter(shape).dump_python(value, mode="json")


def load(shape: type[T], raw: Json) -> T:
    """The value of this type. Raises pydantic.ValidationError, a ValueError, when it cannot be one."""
    return _adapter(shape).validate_python(raw)
