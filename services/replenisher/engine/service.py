"""A program beside the server that serves on loopback: how it is started, and when it is up.
Which there are and in which order they start is supervisor.py's part; agents of several versions are agents.py's."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import httpx

from replenisher.engine.process import Deadline, ManagedProcess, ProcessError
from replenisher.engine.server import answers

READY_SECONDS = 60.0


@dataclass(frozen=True)
class Service:
    """A program beside the server. It serves on loopback at the port given in its environment.

    `env` comes on top of what the supervisor tells (see `Supervisor`); `health` is a path that answers when it is up.
    """

    argv: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    health: str = "/health"
    port: int | None = None


AGENT = Service([sys.executable, "-m", "replenisher.serve"])
SANDBOX = Service([sys.executable, "-m", "sandbox"])


async def start(process: ManagedProcess, health: str) -> None:
    """Start it and wait until it answers at this URL. Raises ProcessError with the end of its log, or TimeoutError."""
    process.start()
    deadline = Deadline(READY_SECONDS)
    async with httpx.AsyncClient(trust_env=False, timeout=2.0) as client:
        while not await answers(client, health):
            if not process.running:
                status = process.returncode
                raise ProcessError(f"{process.name} ended at its start ({status}):\n{process.tail()}")
            await deadline.tick(f"{process.name} answers at {health}\n{process.tail()}")
