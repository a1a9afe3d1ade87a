"""The default decider: a fixed order of preference over what is allowed, best value first. No key, no network."""

from collections.abc import Mapping, Sequence

from replenisher.harness.decider import Choice
from replenisher.harness.journal import Json
from replenisher.harness.tool import Option

VERSION = "rules/1"


class RulesDecider:
    """Takes the first allowed tool in its order of preference, and the first value of every argument: lists are built
    best first."""

    def __init__(self, preference: Sequence[str]) -> None:
        self._rank = {name: n for n, name in enumerate(preference)}

    async def decide(self, goal: str, view: Mapping[str, Json], options: Sequence[Option]) -> Choice:
        best = min(options, key=lambda o: self._rank.get(o.tool, len(self._rank)))
        arguments = {name: values[0] for name, values in best.arguments.items()}
        return Choice(best.tool, arguments, "first in the order of preference, best value first", VERSION)
