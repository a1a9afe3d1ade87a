"""What a data directory tells of the supervisor on it: `run.json` while one runs, and the ports it keeps.
Starting and ending processes is supervisor.py's part."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Self, cast

from replenisher.engine.ports import free_ports, is_free
from replenisher.engine.process import Deadline

_LET_GO_SECONDS = 5.0


class PortTakenError(RuntimeError):
    """A port that was asked for is somebody else's."""


class AlreadyRunningError(RuntimeError):
    """Another supervisor uses this data directory."""


@dataclass(frozen=True)
class Running:
    """The content of `run.json`: base addresses, and the process ids of supervisor and children."""

    pid: int
    started: str
    ingress: str
    admin: str
    agent: str | None = None
    sandbox: str | None = None
    processes: Mapping[str, int] = field(default_factory=dict[str, int])
    deployment: str | None = None
    """Of the agent that takes what is new."""
    older: Sequence[str] = ()
    """Deployments of older agents, which end when nothing is bound to them."""

    @classmethod
    def find(cls, data: Path) -> Self | None:
        """What runs on a data directory; None when nothing does, also when a supervisor died without its end."""
        try:
            raw = cast("dict[str, Any]", json.loads(_file(data).read_text()))
            found = cls(**raw)
        except (FileNotFoundError, ValueError, TypeError):
            return None
        return found if _alive(found.pid) else None

    def write(self, data: Path) -> None:
        replace_file(_file(data), asdict(self))

    @staticmethod
    def remove(data: Path) -> None:
        _file(data).unlink(missing_ok=True)


@contextmanager
def sole_use(data: Path) -> Generator[None]:
    """Hold a data directory; AlreadyRunningError when another supervisor does. The kernel frees it at any end."""
    data.mkdir(parents=True, exist_ok=True)
    with (data / "run.lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            other = Running.find(data)
            who = f"process {other.pid}, ingress {other.ingress}" if other else "another process"
            raise AlreadyRunningError(f"{data} is in use by {who}; end that first, or use another --data") from error
        yield


class KeptPorts:
    """The ports of the last run on a data directory, so that addresses given to others stay true after a restart."""

    def __init__(self, data: Path) -> None:
        self._path = data / "ports.json"

    def read(self) -> dict[str, int]:
        """Port by name; empty for new data."""
        try:
            raw = cast("dict[str, Any]", json.loads(self._path.read_text()))
            return {name: int(port) for name, port in raw.items()}
        except (FileNotFoundError, ValueError):
            return {}

    async def choose(self, given: Mapping[str, int | None]) -> dict[str, int]:
        """Ports by name: given ones as they are (PortTakenError when taken), else the last if free, else free ones."""
        last = self.read()
        if _file(self._path.parent).exists():
            await self._await_the_dead([given.get(name) or port for name, port in last.items()])
        for name, port in given.items():
            if port and not is_free(port):
                raise PortTakenError(f"port {port}, wanted for {name}, is taken; give another one or none")
        last = {name: port for name, port in last.items() if is_free(port)}
        fresh = dict(zip(given, free_ports(len(given)), strict=True))
        return {name: port or last.get(name, fresh[name]) for name, port in given.items()}

    @staticmethod
    async def _await_the_dead(ports: Sequence[int]) -> None:
        """After a supervisor that was killed its children need a moment to let go of ports and data."""
        deadline = Deadline(_LET_GO_SECONDS)
        with suppress(TimeoutError):
            while not all(is_free(port) for port in ports):
                await deadline.tick("children of a dead supervisor end")

    def write(self, ports: Mapping[str, int]) -> None:
        replace_file(self._path, dict(ports))


def now_text() -> str:
    """The moment of a start, for `run.json`: ISO 8601 with the zone of this machine."""
    return datetime.now().astimezone().isoformat(timespec="seconds")


def _file(data: Path) -> Path:
    return data / "run.json"


def replace_file(path: Path, content: Mapping[str, Any] | Sequence[Any]) -> None:
    """Write so that a reader sees the old or the new content, never a part."""
    draft = path.with_suffix(".new")
    draft.write_text(json.dumps(content, indent=2) + "\n")
    draft.replace(path)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
