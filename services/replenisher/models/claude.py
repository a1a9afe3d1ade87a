"""Claude as decider: structured outputs with a model made for each turn, and every error as the journal needs it."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Optional, cast

import anthropic
from anthropic import transform_schema
from anthropic.types import Message
from pydantic import BaseModel, Field, ValidationError, create_model

from replenisher.harness.decider import Choice, NoAccess, TryLater, Unusable
from replenisher.harness.journal import Json
from replenisher.harness.tool import Option
from replenisher.models.asking import NONE_OF_THESE, SYSTEM, question

MAX_TOKENS = 1024
TIMEOUT = 60.0
"""Seconds; the package's own default is ten minutes."""
RETRYABLE = frozenset({408, 409, 429})


class ClaudeDecider:
    """One request an attempt: the journal owns the retries, since the package would sleep and send again unseen."""

    def __init__(self, client: anthropic.AsyncAnthropic, model: str) -> None:
        self._client = client.with_options(max_retries=0, timeout=TIMEOUT)
        self._model = model

    async def decide(self, goal: str, view: Mapping[str, Json], options: Sequence[Option]) -> Choice:
        answer_model = menu_model(options)
        try:
            message = await self._client.messages.create(
                model=self._model,
                max_tokens=MAX_TOKENS,
                system=SYSTEM,
                messages=[{"role": "user", "content": question(goal, view, options)}],
                output_config=cast(
                    "Any",
                    {"effort": "low", "format": {"type": "json_schema", "schema": transform_schema(answer_model)}},
                ),
            )
        except anthropic.APIStatusError as error:
            raise _status(error) from error
        except anthropic.APIConnectionError as error:
            raise TryLater(f"Claude cannot be reached: {error!r}") from error
        except ValueError as error:
            # a 200 whose body is no JSON
            raise TryLater(f"Claude answered something unreadable: {error!r}") from error
        # a page of a gateway comes back as a bare str, whatever the package's types say
        if not isinstance(cast("object", message), Message):
            raise TryLater("Claude answered a page instead of a message")
        return read(message, answer_model, options, self._model)


def menu_model(options: Sequence[Option]) -> type[BaseModel]:
    """The shape of this turn's answer: the tool from the menu, each argument from the values it may take anywhere on
    it."""
    values: dict[str, list[str]] = {}
    for option in options:
        for name, allowed in option.arguments.items():
            values.setdefault(name, []).extend(v for v in allowed if v not in values.get(name, []))
    tools = Literal[(*(o.tool for o in options), NONE_OF_THESE)]  # type: ignore[valid-type]
    fields: dict[str, Any] = {"why": (str, Field(description="one sentence")), "tool": (tools, ...)}
    for name, allowed in values.items():
        fields[name] = (
            Optional[Literal[tuple(allowed)]],  # noqa: UP045 - a literal made at run time takes no |
            Field(description=f"value of {name}, when the tool takes it"),
        )
    return create_model("NextAction", **fields)


def read(message: Message, answer_model: type[BaseModel], options: Sequence[Option], model: str) -> Choice:
    """The choice in an answer. Raises Unusable for a refusal, a truncation, or what is not of this turn's shape."""
    if message.stop_reason == "refusal":
        raise Unusable("the model refused")
    if message.stop_reason == "max_tokens":
        raise Unusable("the answer was cut off")
    text = "".join(block.text for block in message.content if block.type == "text")
    try:
        raw = answer_model.model_validate_json(text).model_dump()
    except ValidationError as error:
        raise Unusable(f"not an action from the menu: {_first(error)}") from error
    if raw["tool"] == NONE_OF_THESE:
        raise Unusable(f"none of these: {str(raw['why'])[:200]}")
    option = next(o for o in options if o.tool == raw["tool"])
    return Choice(
        option.tool,
        {name: str(raw[name]) for name in option.arguments if raw.get(name) is not None},
        str(raw["why"])[:300],
        model,
        message.usage.input_tokens,
        message.usage.output_tokens,
    )


def _first(error: ValidationError) -> str:
    wrong = error.errors(include_url=False)[0]
    return f"{'.'.join(str(p) for p in wrong['loc'])}: {json.dumps(wrong.get('input'), default=str)[:100]}"


def _status(error: anthropic.APIStatusError) -> Exception:
    if error.status_code in RETRYABLE or error.status_code >= 500:
        return TryLater(f"Claude: {error.status_code}", _retry_after(error))
    return NoAccess(f"Claude: {error.status_code} {str(error)[:200]}")


def _retry_after(error: anthropic.APIStatusError) -> float | None:
    try:
        seconds = float(error.response.headers.get("retry-after", ""))
    except ValueError:
        return None
    return seconds if 0 <= seconds <= 3600 else None
