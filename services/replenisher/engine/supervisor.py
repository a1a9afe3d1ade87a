"""Server, agent and sandbox as one: started in order, registered, watched, ended in reverse order.
What the agent and the sandbox do is theirs; what is remembered between runs is running.py's part."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Self

from replenisher.engine.admin import Admin, Deployment
from replenisher.engine.agents import Agents, Draining
from replenisher.engine.doctor import retry_now
from replenisher.engine.ports import LOOPBACK
from replenisher.engine.process import ManagedProcess, ProcessError
from replenisher.engine.retry import INACTIVITY
from replenisher.engine.running import KeptPorts, Running, now_text, sole_use
from replenisher.engine.server import RestateServer, ServerPorts
from replenisher.engine.service import AGENT, SANDBOX, Service, start

__all__ = ["AGENT", "SANDBOX", "Plan", "Say", "Service", "Supervisor"]

_WATCH_SECONDS = 0.2
Say = Callable[[str], None]


@dataclass(frozen=True)
class Plan:
    """What is to run on a data directory. Ports that are not given are those of the last run, else free ones.

    `deployment_path` is where below its address the agent serves Restate. `env` goes to agent and sandbox alike.
    """

    data: Path
    agent: Service | None = AGENT
    sandbox: Service | None = None
    ingress_port: int | None = None
    admin_port: int | None = None
    fabric_port: int | None = None
    inactivity: timedelta = INACTIVITY
    partitions: int = 1
    deployment_path: str = "/restate"
    env: Mapping[str, str] = field(default_factory=dict[str, str])


class Supervisor:
    """The running whole. Use it as an async context manager, or `start` and `stop`.

    The agent is told REPLENISHER_INGRESS, _ADMIN, _DATA, _AGENT_HOST, _AGENT_PORT and, with a sandbox,
    _SUPPLIER_BASE and _PEOPLE_URL; the sandbox SANDBOX_HOST, _PORT, _INGRESS, _ADMIN and _DATA.
    """

    def __init__(self, plan: Plan, say: Say | None = None) -> None:
        self.plan = plan
        self._say: Say = say or (lambda _: None)
        self._held = ExitStack()
        self._ports: dict[str, int] = {}
        self._server: RestateServer | None = None
        self._agents: Agents | None = None
        self.sandbox: ManagedProcess | None = None

    @property
    def server(self) -> RestateServer:
        if self._server is None:
            raise ProcessError("the engine was not started")
        return self._server

    @property
    def ingress(self) -> str:
        return self.server.ingress

    @property
    def admin(self) -> str:
        return self.server.admin

    @property
    def agent(self) -> ManagedProcess | None:
        """The agent that takes what is new."""
        return self._agents.process if self._agents else None

    @property
    def older(self) -> Sequence[Draining]:
        """Agents beside it that take nothing new and go on with what is bound to them."""
        return self._agents.older if self._agents else ()

    @property
    def deployment(self) -> Deployment | None:
        return self._agents.deployment if self._agents else None

    @property
    def agent_url(self) -> str | None:
        return self._url("agent") if self.plan.agent else None

    @property
    def sandbox_url(self) -> str | None:
        return self._url("sandbox") if self.plan.sandbox else None

    @property
    def processes(self) -> dict[str, ManagedProcess]:
        """The children by name, in the order of their start."""
        server = self._server.process if self._server else None
        older = {f"older-agent-{each.agent.port}": each.process for each in self.older}
        found = {"restate-server": server, "sandbox": self.sandbox, **older, "agent": self.agent}
        return {name: process for name, process in found.items() if process is not None}

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> None:
        """Start everything and return when it is healthy and registered; on any failure everything is ended again."""
        data = self.plan.data
        self._held.enter_context(sole_use(data))
        try:
            kept = KeptPorts(data)
            self._ports = await kept.choose(self._given_ports())
            names = ("ingress", "admin", "fabric")
            self._server = RestateServer(
                data / "engine",
                ports=ServerPorts(*(self._ports[name] for name in names)),
                inactivity=self.plan.inactivity,
                partitions=self.plan.partitions,
                log=data / "logs" / "restate-server.log",
            )
            kept.write(self._ports)
            await self._start_all()
            self._write_running()
        except BaseException:
            await self.stop()
            raise

    async def stop(self) -> None:
        """End all children in reverse order, and forget run.json."""
        try:
            for process in reversed(self.processes.values()):
                await process.stop()
            Running.remove(self.plan.data)
        finally:
            self._held.close()

    def kill_now(self) -> None:
        """End all children at once, for an impatient second Ctrl-C."""
        for process in reversed(self.processes.values()):
            process.kill_now()

    async def start_agent(self) -> None:
        """Start the agent again after `agent.kill()` or `agent.stop()`, and wait until it serves.

        What waits to be tried again is tried at once; else a long outage would end up to a minute later.
        """
        if self._agents:
            await self._agents.start_newest()
            self._write_running()
            async with Admin(self.admin) as admin:
                await retry_now(admin)

    async def upgrade(self, argv: Sequence[str], env: Mapping[str, str]) -> Deployment:
        """Start another agent beside the one that serves and register it, see `Agents.upgrade`."""
        if self._agents is None:
            raise ProcessError("no agent is run here that could be upgraded")
        new = await self._agents.upgrade(argv, env)
        self._write_running()
        return new

    async def retire(self, each: Draining) -> None:
        """End an older agent that nothing is bound to, process and deployment."""
        assert self._agents is not None
        await self._agents.retire(each)
        self._write_running()

    async def start_server(self) -> None:
        """Start the server again after `server.kill()` or `server.stop()`, and wait until it is healthy."""
        await self.server.start()
        self._write_running()

    async def died(self) -> str:
        """Wait until a child ends by itself, and say which; one that was told to end here does not count."""
        while True:
            for name, process in self.processes.items():
                if process.died:
                    return f"{name} ended ({process.returncode}); its log {process.log} ends with\n{process.tail()}"
            await asyncio.sleep(_WATCH_SECONDS)

    async def _start_all(self) -> None:
        plan = self.plan
        await self.server.start()
        async with Admin(self.admin) as admin:
            version = await admin.version()
            where = f"ingress {self.ingress}, admin {self.admin}, web UI {self.admin}/ui"
            self._say(f"restate-server {version} healthy: {where}")
            if plan.sandbox:
                self.sandbox = self._process("sandbox", plan.sandbox, self._sandbox_environment())
                await start(self.sandbox, f"{self.sandbox_url}{plan.sandbox.health}")
                self._say(f"sandbox healthy: {self.sandbox_url}")
            if plan.agent:
                self._agents = self._new_agents(plan.agent)
                deployment = await self._agents.start(admin)
                services = ", ".join(sorted(deployment.services))
                self._say(f"agent healthy: {self.agent_url}, registered as {deployment.id}: {services}")

    def _new_agents(self, service: Service) -> Agents:
        plan = self.plan
        told = {**self._agent_environment(), **plan.env}
        return Agents(
            plan.data, service, plan.deployment_path, told, self._ports["agent"], self.admin, self._say, self._moved
        )

    def _moved(self, port: int) -> None:
        """The newest agent's port, kept for the next run."""
        self._ports["agent"] = port
        KeptPorts(self.plan.data).write(self._ports)

    def _given_ports(self) -> dict[str, int | None]:
        plan = self.plan
        given = {"ingress": plan.ingress_port, "admin": plan.admin_port, "fabric": plan.fabric_port}
        given |= {"agent": plan.agent.port} if plan.agent else {}
        return given | ({"sandbox": plan.sandbox.port} if plan.sandbox else {})

    def _process(self, name: str, service: Service, environment: Mapping[str, str]) -> ManagedProcess:
        merged = {**environment, **self.plan.env, **service.env}
        return ManagedProcess(name, service.argv, self.plan.data / "logs" / f"{name}.log", merged)

    def _agent_environment(self) -> dict[str, str]:
        told = {
            "REPLENISHER_INGRESS": self.ingress,
            "REPLENISHER_ADMIN": self.admin,
            "REPLENISHER_DATA": str(self.plan.data),
            "REPLENISHER_AGENT_HOST": LOOPBACK,
        }
        if self.sandbox_url:
            told["REPLENISHER_SUPPLIER_BASE"] = f"{self.sandbox_url}/suppliers"
            told["REPLENISHER_PEOPLE_URL"] = f"{self.sandbox_url}/people"
        return told

    def _sandbox_environment(self) -> dict[str, str]:
        return {
            "SANDBOX_HOST": LOOPBACK,
            "SANDBOX_PORT": str(self._ports["sandbox"]),
            "SANDBOX_INGRESS": self.ingress,
            "SANDBOX_ADMIN": self.admin,
            "SANDBOX_DATA": str(self.plan.data / "sandbox"),
        }

    def _write_running(self) -> None:
        pids = {name: process.pid for name, process in self.processes.items() if process.pid is not None}
        Running(
            pid=os.getpid(),
            started=now_text(),
            ingress=self.ingress,
            admin=self.admin,
            agent=self.agent_url,
            sandbox=self.sandbox_url,
            processes=pids,
            deployment=self.deployment.id if self.deployment else None,
            older=[each.agent.deployment for each in self.older],
        ).write(self.plan.data)

    def _url(self, name: str) -> str:
        return f"http://{LOOPBACK}:{self._ports[name]}"
