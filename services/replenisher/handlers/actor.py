"""Who sends a message, and whether he may. Decided by the channel it came through and what that carries, never by its
text."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Actor:
    role: str
    """manager, buyer, supplier, warehouse or operator."""
    name: str


class ActorCheck(Protocol):
    async def check(self, headers: Mapping[str, str], role: str, claimed: str) -> Actor:
        """The actor behind a message for this role; `claimed` is who the message says it is from.
        Raises TerminalError 401 or 403."""
        ...


class OpenDoor:
    """Takes every claim as it is: for one company on one machine whose ports nobody else reaches."""

    async def check(self, headers: Mapping[str, str], role: str, claimed: str) -> Actor:
        return Actor(role, claimed or role)
