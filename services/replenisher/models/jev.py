"""Jev as decider: a classification model. Every action with its arguments is a label of one question; a choice comes
back
with a confidence, never prose. Needs the optional extra `jev`."""

from collections.abc import Mapping, Sequence
from itertools import product

from typesafe_sdk import (
    AsyncTypeSafeClient,
    RetryPolicy,
    TypeSafeAPIConnectionError,
    TypeSafeAPIError,
    TypeSafeAPIResponseValidationError,
)
from typesafe_sdk import Choice as ChoiceQuestion

from replenisher.harness.decider import Choice, NoAccess, TryLater, Unusable
from replenisher.harness.journal import Json
from replenisher.harness.tool import Option
from replenisher.models.asking import NONE_OF_THESE

MOST_LABELS = 255
FLOOR = 0.5
"""Below this confidence it is no answer."""
TIMEOUT = 60.0
NAME = "next_action"
ONCE = RetryPolicy(max_retries=0)
"""The journal owns the retries."""


class JevDecider:
    def __init__(self, client: AsyncTypeSafeClient, model: str) -> None:
        self._client = client
        self._model = model

    async def decide(self, goal: str, view: Mapping[str, Json], options: Sequence[Option]) -> Choice:
        actions = labelled(options)
        criteria: dict[str, str | None] = {label: does for label, (_, _, does) in actions.items()}
        criteria[NONE_OF_THESE] = "No action on the list is right."
        question = ChoiceQuestion(instructions=goal, criteria=criteria)
        try:
            answer = await self._client.system_one(  # pyright: ignore[reportUnknownMemberType]
                dict(view), {NAME: question}, model=self._model, retry=ONCE, timeout=TIMEOUT
            )
        except TypeSafeAPIConnectionError as error:
            raise TryLater(f"Jev cannot be reached: {error!r}") from error
        except TypeSafeAPIResponseValidationError as error:
            raise TryLater(f"Jev answered something unreadable: {error}") from error
        except TypeSafeAPIError as error:
            raise _status(error) from error
        chosen = answer.choices.get(NAME)
        if chosen is None:
            raise Unusable("no choice in the answer")
        if chosen.confidence < FLOOR:
            raise Unusable(f"{chosen.choice} with a confidence of {chosen.confidence:.2f} only")
        if chosen.choice not in actions:
            raise Unusable(f"{str(chosen.choice)[:100]!r} is not on the menu")
        tool, arguments, _ = actions[chosen.choice]
        return Choice(
            tool,
            arguments,
            f"confidence {chosen.confidence:.2f}",
            answer.model,
            answer.usage.input_tokens or 0,
            answer.usage.output_tokens or 0,
        )


def labelled(options: Sequence[Option]) -> dict[str, tuple[str, dict[str, str], str]]:
    """Every action as a label, with what it does; best first, at most as many as the model takes beside none of
    these."""
    found: dict[str, tuple[str, dict[str, str], str]] = {}
    for option in options:
        for values in product(*option.arguments.values()):
            arguments = dict(zip(option.arguments, values, strict=True))
            label = " ".join([option.tool, *(f"{name}={value}" for name, value in arguments.items())])
            found.setdefault(label, (option.tool, arguments, option.description))
    return dict(list(found.items())[: MOST_LABELS - 1])


def _status(error: TypeSafeAPIError) -> Exception:
    if error.status in (408, 409, 429) or error.status >= 500:
        waited = getattr(error, "retry_after_ms", None)
        return TryLater(f"Jev: {error.status}", None if waited is None else waited / 1000)
    return NoAccess(f"Jev: {error.status} {str(error)[:200]}")
