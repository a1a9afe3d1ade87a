"""One restate-server as a child process: its ports, its data, its health, its end.
Registering deployments and asking it things is admin.py's part; several processes together are supervisor.py's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Self

import httpx

from replenisher.engine.install import CHECKOUT, find_binary
from replenisher.engine.ports import LOOPBACK, free_ports
from replenisher.engine.process import STOP_SECONDS, Deadline, ManagedProcess, ProcessError
from replenisher.engine.retry import INACTIVITY

HEALTHY_SECONDS = 60.0
_ADDRESS_TAKEN = "Address already in use"
_TRIES = 3


@dataclass(frozen=True)
class ServerPorts:
    """The three ports of a server: calls from outside, operation, and node to node."""

    ingress: int
    admin: int
    fabric: int

    @classmethod
    def free(cls) -> Self:
        return cls(*free_ports(3))


class RestateServer:
    """One restate-server on loopback.

    `data` is kept: started again on it, also after `kill` and on other ports, the server goes on where it was.
    `partitions` counts only for new data. `inactivity` 0 suspends every wait at once, so that each is a replay.
    `settings` are further environment variables of restate-server (`RESTATE_...`).
    """

    def __init__(
        self,
        data: Path,
        *,
        ports: ServerPorts | None = None,
        inactivity: timedelta = INACTIVITY,
        partitions: int = 1,
        log: Path | None = None,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        self.data = data
        self._given = ports is not None
        self.ports = ports or ServerPorts.free()
        self._inactivity = inactivity
        self._partitions = partitions
        self._settings = dict(settings or {})
        self._log = log or data / "restate-server.log"
        self.process = self._new_process()

    @property
    def ingress(self) -> str:
        return f"http://{LOOPBACK}:{self.ports.ingress}"

    @property
    def admin(self) -> str:
        """Base address of the admin API; the web UI of Restate is at /ui below it."""
        return f"http://{LOOPBACK}:{self.ports.admin}"

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self, within: float = HEALTHY_SECONDS) -> None:
        """Start and return once ingress and admin answer.

        Raises ProcessError with the end of the log when the server ends instead, TimeoutError when it is silent.
        Ports that were chosen here and got taken meanwhile are chosen again; given ones are an error.
        """
        self.data.mkdir(parents=True, exist_ok=True)
        for left in reversed(range(_TRIES)):
            self.process.start()
            try:
                await self._healthy(within)
                return
            except ProcessError:
                if self._given or not left or _ADDRESS_TAKEN not in self.process.tail(40):
                    raise
                self.ports = ServerPorts.free()
                self.process = self._new_process()
            except BaseException:
                await self.process.kill()
                raise

    async def stop(self, limit: float = STOP_SECONDS) -> None:
        """End in order (SIGTERM); SIGKILL after `limit` seconds."""
        await self.process.stop(limit)

    async def kill(self) -> None:
        """End as a crash does (SIGKILL). `start` goes on with the same ports and data."""
        await self.process.kill()

    async def restart(self) -> None:
        """Stop and start on the same ports and data."""
        await self.stop()
        await self.start()

    def _new_process(self) -> ManagedProcess:
        argv = [str(find_binary("restate-server")), "--no-logo", "--base-dir", str(self.data)]
        config = CHECKOUT / "restate.toml"
        if config.is_file():
            argv += ["--config-file", str(config)]
        return ManagedProcess("restate-server", argv, self._log, self._environment())

    def _environment(self) -> dict[str, str]:
        return {
            "RESTATE_DISABLE_TELEMETRY": "true",
            "RESTATE_LISTEN_MODE": "tcp",
            "RESTATE_NODE_NAME": "replenisher",
            "RESTATE_INGRESS__BIND_ADDRESS": f"{LOOPBACK}:{self.ports.ingress}",
            "RESTATE_ADMIN__BIND_ADDRESS": f"{LOOPBACK}:{self.ports.admin}",
            "RESTATE_BIND_ADDRESS": f"{LOOPBACK}:{self.ports.fabric}",
            "RESTATE_DEFAULT_NUM_PARTITIONS": str(self._partitions),
            "RESTATE_WORKER__INVOKER__INACTIVITY_TIMEOUT": f"{self._inactivity.total_seconds():g}s",
            **self._settings,
        }

    async def _healthy(self, within: float) -> None:
        deadline = Deadline(within)
        async with httpx.AsyncClient(trust_env=False, timeout=2.0) as client:
            for url in (f"{self.admin}/health", f"{self.ingress}/restate/health"):
                while not await answers(client, url):
                    if not self.process.running:
                        status = self.process.returncode
                        raise ProcessError(f"restate-server ended at its start ({status}):\n{self.process.tail()}")
                    await deadline.tick(f"health of restate-server at {url}\n{self.process.tail()}")


async def answers(client: httpx.AsyncClient, url: str) -> bool:
    """Whether there is a server at `url` that does not answer with an error of its own (5xx)."""
    try:
        return (await client.get(url)).status_code < 500
    except httpx.HTTPError:
        return False
