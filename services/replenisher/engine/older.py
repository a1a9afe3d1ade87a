"""Agents of older code that replenishments under way are bound to: which there are, what still runs on them, and what
`replenisher upgrade` asks of the supervisor. Starting and ending them is agents.py's and upgrade.py's part."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Self, cast
from uuid import uuid4

from replenisher.engine.admin import Admin, literal
from replenisher.engine.doctor import moment
from replenisher.engine.running import replace_file


@dataclass(frozen=True)
class OlderAgent:
    """An agent that takes nothing new: its deployment, and how its process is started again after a restart."""

    deployment: str
    port: int
    argv: Sequence[str]
    env: Mapping[str, str]


class OlderAgents:
    """`agents.json` of a data directory: the older agents, so that a restart brings them back with their own code."""

    def __init__(self, data: Path) -> None:
        self._path = data / "agents.json"

    def read(self) -> list[OlderAgent]:
        try:
            return [OlderAgent(**raw) for raw in json.loads(self._path.read_text())]
        except FileNotFoundError:
            return []

    def write(self, agents: Sequence[OlderAgent]) -> None:
        if agents:
            replace_file(self._path, [asdict(agent) for agent in agents])
        else:
            self._path.unlink(missing_ok=True)


# --- what an older agent still has to do ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bound:
    """An invocation that has not ended and goes on only on one deployment."""

    id: str
    target: str
    service: str
    key: str | None
    handler: str
    status: str
    since: datetime


async def bound(admin: Admin, deployment: str) -> list[Bound]:
    """What is bound to a deployment, oldest first; also what was just tried there and has recorded nothing yet."""
    there = literal(deployment)
    rows = await admin.query(
        "SELECT id, target, target_service_name, target_service_key, target_handler_name, status, created_at FROM "
        f"sys_invocation WHERE status <> 'completed' AND (pinned_deployment_id = {there} OR "
        f"(pinned_deployment_id IS NULL AND last_attempt_deployment_id = {there})) ORDER BY created_at, id"
    )
    return [
        Bound(
            id=str(row["id"]),
            target=str(row["target"]),
            service=str(row["target_service_name"]),
            key=row.get("target_service_key"),
            handler=str(row["target_handler_name"]),
            status=str(row["status"]),
            since=moment(str(row["created_at"])),
        )
        for row in rows
    ]


async def only_there(admin: Admin, deployment: str) -> list[str]:
    """Services that no other deployment serves: with it they would be gone."""
    deployments = await admin.deployments()
    mine = {name for each in deployments if each.id == deployment for name in each.services}
    return sorted(mine - {name for each in deployments if each.id != deployment for name in each.services})


# --- what upgrade asks, through two files in the data directory -------------------------------------------------------


@dataclass(frozen=True)
class Ask:
    """A new agent, please: the program that serves it, and settings of its own."""

    argv: Sequence[str]
    env: Mapping[str, str]
    id: str = field(default_factory=lambda: uuid4().hex)

    def put(self, data: Path) -> None:
        replace_file(data / "upgrade.json", asdict(self))

    @classmethod
    def take(cls, data: Path) -> Self | None:
        """The request, once; None when there is none."""
        path = data / "upgrade.json"
        try:
            raw = cast("dict[str, Any]", json.loads(path.read_text()))
        except FileNotFoundError:
            return None
        path.unlink()
        return cls(**raw)


@dataclass(frozen=True)
class Done:
    """What became of a request: the new deployment, or why there is none."""

    ask: str
    deployment: str | None = None
    uri: str | None = None
    error: str | None = None

    def put(self, data: Path) -> None:
        replace_file(data / "upgraded.json", asdict(self))

    @classmethod
    def find(cls, data: Path, ask: Ask) -> Self | None:
        """The answer to this request; None when it is not there yet."""
        try:
            found = cls(**json.loads((data / "upgraded.json").read_text()))
        except FileNotFoundError:
            return None
        return found if found.ask == ask.id else None
