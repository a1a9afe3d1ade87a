"""What crosses the sandbox's border: exact decimals, frozen bodies, and refusals that say what to do."""

import json
from decimal import Decimal
from typing import Annotated, Any, TypeVar, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, ValidationError

M = TypeVar("M", bound=BaseModel)
Json = Any
"""A value as json.loads gives it; checked by the models before anything is done with it."""


class Problem(Exception):
    """A refusal: a status and a sentence that says what is wrong and what to do."""

    def __init__(self, status: int, sentence: str, code: str | None = None) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence
        self.code = code

    @property
    def body(self) -> Json:
        return {"error": self.sentence} | ({"code": self.code} if self.code else {})


def _number(value: object) -> object:
    if isinstance(value, bool | float):
        raise ValueError('numbers are written as decimal strings, like "4.20"')
    return value


def spelled(value: Decimal) -> str:
    """A decimal as it travels: no exponent, the digits it has."""
    return format(value, "f")


Amount = Annotated[
    Decimal,
    BeforeValidator(_number),
    Field(allow_inf_nan=False, max_digits=40, decimal_places=30),
    PlainSerializer(spelled, return_type=str, when_used="always"),
]
Positive = Annotated[Amount, Field(gt=0)]
NotNegative = Annotated[Amount, Field(ge=0)]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Currency = Annotated[str, Field(pattern=r"^[A-Z]{3}$")]


class Body(BaseModel):
    """A body of the control interface, and a row of the books. Unknown fields are refused: a typing error is seen."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Foreign(BaseModel):
    """A body that others define: what we do not know of it is kept."""

    model_config = ConfigDict(extra="allow", frozen=True)


def loads(raw: bytes) -> Json:
    """JSON with exact numbers. Raises ValueError."""
    try:
        return json.loads(raw.decode(), parse_float=Decimal)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def parse(model: type[M], raw: bytes, status: int = 422) -> M:
    """The body as the model; Problem with that status and a sentence when it is none."""
    try:
        value = loads(raw)
    except ValueError as error:
        raise Problem(status, f"the body is not JSON ({error}): send one JSON object") from error
    return checked(model, value, status)


def checked(model: type[M], value: Json, status: int = 422) -> M:
    try:
        return model.model_validate(value)
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_context=False)
        said = "; ".join(f"{'.'.join(str(p) for p in e['loc']) or 'body'}: {e['msg']}" for e in wrong[:5])
        raise Problem(status, f"the body is not as documented: {said}"[:600]) from error


def members(value: Json) -> dict[str, Json]:
    """The members of a JSON object; none when it is something else."""
    return cast("dict[str, Json]", value) if isinstance(value, dict) else {}


def dump(model: BaseModel) -> Json:
    return model.model_dump(mode="json")
