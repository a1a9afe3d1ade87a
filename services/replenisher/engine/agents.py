"""The agents of a supervisor: the one that takes what is new, and older ones that go on with what is bound to them.
What is asked by `replenisher upgrade`, and when an older one has done its work, is upgrade.py's part."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from replenisher.engine.admin import Admin, AdminError, Deployment
from replenisher.engine.doctor import retry_now
from replenisher.engine.older import OlderAgent, OlderAgents
from replenisher.engine.ports import LOOPBACK, free_ports, is_free
from replenisher.engine.process import ManagedProcess, ProcessError
from replenisher.engine.service import Service, start

# marks, among the engine's deployments, those whose address is ours to change
_SUPERVISED = "supervised"
_MARK = {_SUPERVISED: "true"}
_PORT = "REPLENISHER_AGENT_PORT"


@dataclass
class Draining:
    """An older agent and its process."""

    agent: OlderAgent
    process: ManagedProcess


class Agents:
    """`told` is what every agent is told by its environment. `kept` is called when the newest one's port changed."""

    def __init__(
        self, data: Path, service: Service, deployment_path: str, told: Mapping[str, str], port: int, admin: str,
        say: Callable[[str], None], kept: Callable[[int], None],
    ) -> None:  # fmt: skip
        self._data = data
        self._service = service
        self._path = deployment_path
        self._told = dict(told)
        self._admin = admin
        self._say = say
        self._kept = kept
        self.port = port
        self.process = self._process("agent", port, service.argv, {**told, **service.env})
        self.older: list[Draining] = []
        self.deployment: Deployment | None = None

    @property
    def url(self) -> str:
        return _url(self.port)

    async def start(self, admin: Admin) -> Deployment:
        """Older agents of the last run, then the newest; registered."""
        await self._start_older(admin)
        await self.start_newest()
        self.deployment = await self._register(admin)
        await retry_now(admin)
        return self.deployment

    async def start_newest(self) -> None:
        """The newest agent, also again, until it answers."""
        await start(self.process, f"{self.url}{self._service.health}")

    async def upgrade(self, argv: Sequence[str], env: Mapping[str, str]) -> Deployment:
        """Start another agent beside the newest, with this program and these settings on top of its own, and register
        it: what begins from now on goes there, what is under way stays. On any failure nothing has changed."""
        if self.deployment is None:
            raise ProcessError("there is no agent yet to upgrade")
        [port] = free_ports(1)
        process = self._process(f"agent-{port}", port, argv, {**self.process.env, **env})
        before = (self.port, self.process, self.older)
        try:
            await start(process, f"{_url(port)}{self._service.health}")
            old = OlderAgent(self.deployment.id, self.port, self.process.argv, self.process.env)
            # written down before the engine knows: a supervisor that dies in between comes back to what it knows then
            self._are(port, process, [*self.older, Draining(old, self.process)])
            async with Admin(self._admin) as admin:
                self.deployment = await admin.register(f"{self.url}{self._path}", metadata=_MARK)
        except BaseException:
            self._are(*before)
            await process.stop()
            raise
        return self.deployment

    async def retire(self, each: Draining) -> None:
        """End an older agent, process and deployment. Nothing may be bound to it."""
        await each.process.stop()
        async with Admin(self._admin) as admin:
            await admin.remove(each.agent.deployment)
        self._are(self.port, self.process, [other for other in self.older if other is not each])

    async def _start_older(self, admin: Admin) -> None:
        """They come back with their own program and settings. One that cannot holds nobody up: what is bound to it
        waits."""
        known = {deployment.id: deployment for deployment in await admin.deployments()}
        older: list[Draining] = []
        for agent in OlderAgents(self._data).read():
            if agent.deployment not in known:
                continue
            port = agent.port
            if port == self.port or not is_free(port):
                [port] = free_ports(1)
            process = self._process(f"agent-{port}", port, agent.argv, {**agent.env, **self._told})
            try:
                await start(process, f"{_url(port)}{self._service.health}")
                await self._at(admin, known[agent.deployment], port)
                self._say(f"older agent healthy: {_url(port)}, {agent.deployment}")
            except (ProcessError, AdminError, TimeoutError) as error:
                await process.stop()
                self._say(f"what is bound to {agent.deployment} waits, as its agent does not start: {error}")
            older.append(Draining(replace(agent, port=port), process))
            self.older = older  # so that they are ended when the start fails
        self._are(self.port, self.process, older)

    async def _register(self, admin: Admin) -> Deployment:
        """Register the newest; code that changed in place replaces what is known of it, as after any restart.

        When its port had to change, the engine is told first, so that runs bound to the old address go on.
        """
        older = {each.agent.deployment for each in self.older}
        for deployment in await admin.deployments():
            if deployment.metadata.get(_SUPERVISED) and deployment.id not in older:
                await self._at(admin, deployment, self.port)
        return await admin.register(f"{self.url}{self._path}", force=True, metadata=_MARK)

    async def _at(self, admin: Admin, deployment: Deployment, port: int) -> None:
        """Tells the engine that a deployment's code answers at this port; it asks there at once."""
        uri = f"{_url(port)}{self._path}"
        if deployment.uri.rstrip("/") != uri:
            await admin.move(deployment.id, uri)

    def _are(self, port: int, process: ManagedProcess, older: list[Draining]) -> None:
        self.port, self.process, self.older = port, process, older
        OlderAgents(self._data).write([each.agent for each in older])
        self._kept(port)

    def _process(self, name: str, port: int, argv: Sequence[str], env: Mapping[str, str]) -> ManagedProcess:
        return ManagedProcess(name, argv, self._data / "logs" / f"{name}.log", {**env, _PORT: str(port)})


def _url(port: int) -> str:
    return f"http://{LOOPBACK}:{port}"
