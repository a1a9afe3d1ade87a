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
from replenisher.engine.ports import LOOPBACK, free_ports, is_free
from replenisher.engine.process import STOP_SECONDS, Deadline, ManagedProcess, ProcessError
from replenisher.engine.retry import INACTIVITY

HEALTHY_SECONDS = 60.0
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

    def taken(self) -> int | None:
        """One of the three that somebody listens on; None when all are free."""
        return next((port for port in (self.ingress, self.admin, self.fabric) if not is_free(port)), None)


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
        self._fixed = ports is not None
        self.ports = ports or ServerPorts.free()
        self._inactivity = inactivity
        self._partitions = partitions
        self._settings = dict(settings or {})
        self._log = log or data / "restate-server.log"
        self.process: ManagedProcess = self._new_process()

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
            try:
                # another server on these ports would answer in place of this one
                if taken := self.ports.taken():
                    raise ProcessError(f"restate-server cannot start: port {taken} is in use")
                self.process.start()
                await self._healthy(within)
            except ProcessError:
                await self.process.kill()
                if self._fixed or not left or not self.ports.taken():
                    raise
                self.ports = ServerPorts.free()
                self.process = self._new_process()
            except BaseException:
                await self.process.kill()
                raise
            else:
                # now that they are known to others
                self._fixed = True
                return

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
        """Both addresses answer, and the partitions have their leader: before that, queries fail."""
        deadline = Deadline(within)
        async with httpx.AsyncClient(trust_env=False, timeout=5.0) as client:
            for look in (self._admin_answers, self._ingress_answers, self._queries_answer):
                while not await look(client):
                    if not self.process.running:
                        status = self.process.returncode
                        raise ProcessError(f"restate-server ended at its start ({status}):\n{self.process.tail()}")
                    await deadline.tick(f"health of restate-server\n{self.process.tail()}")

    async def _admin_answers(self, client: httpx.AsyncClient) -> bool:
        return await answers(client, f"{self.admin}/health")

    async def _ingress_answers(self, client: httpx.AsyncClient) -> bool:
        return await answers(client, f"{self.ingress}/restate/health")

    async def _queries_answer(self, client: httpx.AsyncClient) -> bool:
        try:
            query = {"query": "SELECT count(*) FROM sys_invocation"}
            accept = {"Accept": "application/json"}
            return (await client.post(f"{self.admin}/query", json=query, headers=accept)).is_success
        except httpx.HTTPError:
            return False


async def answers(client: httpx.AsyncClient, url: str) -> bool:
    """Whether there is a server at `url` that does not answer with an error of its own (5xx)."""
    try:
        return (await client.get(url)).status_code < 500
    except httpx.HTTPError:
        return False
