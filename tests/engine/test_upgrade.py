"""`replenisher upgrade` beside `replenisher run`, both as commands, on the real engine: what is under way finishes on
the old code, what begins goes to the new, and the old one ends when it has nothing left."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import Any

import httpx
import pytest

import replenisher
from replenisher.cli.world import RENAMED, World
from replenisher.engine.admin import Admin
from replenisher.engine.older import OlderAgents
from replenisher.engine.ports import free_ports
from replenisher.engine.process import ManagedProcess, ProcessError
from replenisher.engine.running import Running
from replenisher.engine.service import AGENT
from replenisher.engine.upgrade import end_drained
from replenisher.settings import Settings
from replenisher.systems.records.master import MasterData
from sandbox.scenarios.stage import Stage, confirm, goods
from support.engine import alive, eventually, inactivity

pytestmark = [pytest.mark.engine, pytest.mark.timeout(240)]

COMMAND = [sys.executable, "-c", "from replenisher.cli import main; main()"]
DAY = 5.0


@dataclass
class Up:
    """`replenisher run` on a data directory, with a stage for each part."""

    data: Path
    process: ManagedProcess
    stages: list[Stage]
    admin: Admin

    def running(self) -> Running:
        found = Running.find(self.data)
        assert found is not None, self.process.tail(40)
        return found

    async def call(self, *arguments: str, exits: int = 0, env: dict[str, str] | None = None) -> str:
        """`replenisher upgrade` with these arguments: what it said."""
        process = await asyncio.create_subprocess_exec(
            *COMMAND, "upgrade", "--data", str(self.data), *arguments, env={**os.environ, **(env or {})},
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        said = (await process.communicate())[0].decode()
        assert process.returncode == exits, said + self.process.tail(40)
        return said

    async def deployment_of(self, run: str) -> str:
        where = f"target_service_name = 'Replenish' AND target_service_key = '{run}' AND target_handler_name = 'run'"
        [row] = await self.admin.query(f"SELECT pinned_deployment_id FROM sys_invocation WHERE {where}")
        return str(row["pinned_deployment_id"])


@asynccontextmanager
async def up(data: Path, *skus: str) -> AsyncGenerator[Up]:
    master = MasterData(Settings(data=data).records_file)
    for sku in skus:
        master.seed_demo(sku)
    master.close()
    ingress, admin = free_ports(2)
    ports = ["--ingress-port", str(ingress), "--admin-port", str(admin)]
    argv = [*COMMAND, "run", "--data", str(data), "--day", str(DAY), *ports]
    process = ManagedProcess(
        "run", argv, data / "run.log", {"REPLENISHER_INACTIVITY": str(inactivity().total_seconds())}
    )
    process.start()
    try:

        async def ready() -> bool:
            assert process.running, process.tail(40)
            return "up. Ctrl-C ends everything" in process.tail(40)

        await eventually(ready, "replenisher run is up", within=90)
        running = Running.find(data)
        assert running is not None
        async with (
            httpx.AsyncClient(base_url=str(running.sandbox), timeout=60, trust_env=False) as sandbox,
            httpx.AsyncClient(base_url=running.ingress, timeout=60, trust_env=False) as front,
            Admin(running.admin) as client,
        ):
            house: Any = None
            yield Up(data, process, [Stage(sku, sandbox, front, house, DAY) for sku in skus], client)
    finally:
        await process.stop()


async def waiting_for_approval(stage: Stage) -> str:
    """A replenishment that waits for its manager; the id of the request."""
    await stage.script("A", on_order=[confirm()], on_confirmed=[goods()])
    await stage.begin()
    approval = (await stage.wait("approval"))[0]["approval"]
    await stage.waits("wait_for_approval")
    return str(approval)


async def test_what_runs_finishes_on_the_old_what_begins_starts_on_the_new_and_the_old_one_ends(tmp_path: Path) -> None:
    async with up(tmp_path, "SKU-123", "SKU-124") as it:
        first, second = it.stages
        approval = await waiting_for_approval(first)
        [old] = await it.admin.deployments()
        old_pid = it.running().processes["agent"]

        said = await it.call("--rules-version", "2")
        new = next(d for d in await it.admin.deployments() if d.id != old.id)
        assert f"{new.id} at {new.uri} takes what begins from now on" in said
        assert f"{old.id} ({old.uri}, older): 1 replenishment" in said
        assert "Replenish/replenish-SKU-123-1/run" in said
        assert it.running().older == [old.id]
        assert it.running().processes["agent"] != old_pid
        assert alive(old_pid)

        await second.script("A", on_order=[confirm()], on_confirmed=[goods()])
        await second.begin()
        question = (await second.wait("question"))[0]
        assert question["subject"] == "no-quote", "the new rules want four quotes"
        assert (await second.run_state())["rules_version"] == 2
        assert await it.deployment_of("replenish-SKU-124-1") == new.id

        waiting = asyncio.create_task(it.call("--status", "--wait"))
        assert (await first.decide(approval, True))["status"] == 200
        assert (await first.outcome())["status"] == "received"
        assert (await first.run_state())["rules_version"] == 1
        assert await it.deployment_of("replenish-SKU-123-1") == old.id
        progress = await waiting
        assert f"{old.id}: ended" in progress

        assert [d.id for d in await it.admin.deployments()] == [new.id]
        assert not alive(old_pid)
        assert it.running().older == []
        assert f"{old.id} ended: nothing was left on it" in it.process.tail(40)
        assert (await second.ask("status"))["run"] == "replenish-SKU-124-1", "the new one goes on"


async def test_an_idle_agent_is_replaced_at_once(tmp_path: Path) -> None:
    async with up(tmp_path, "SKU-123") as it:
        [old] = await it.admin.deployments()
        lines = [json.loads(line) for line in (await it.call("--wait", "--json")).splitlines()]
        [new] = await it.admin.deployments()
        assert lines[0] == {"registered": new.id, "uri": new.uri}
        assert old.id != new.id
        approval = await waiting_for_approval(it.stages[0])
        await it.stages[0].decide(approval, True)
        assert (await it.stages[0].outcome())["status"] == "received"


async def test_what_does_not_serve_changes_nothing(tmp_path: Path) -> None:
    async with up(tmp_path, "SKU-123") as it:
        before = (await it.admin.deployments(), it.running().processes)
        said = await it.call(exits=1, env={"REPLENISHER_DECIDER": "jev"})
        assert "the new agent does not serve, and nothing has changed" in said
        assert "No API key" in said
        assert (await it.admin.deployments(), it.running().processes) == before
        assert it.running().older == []
        said = await it.call("--rules-version", "9", exits=2)
        assert "this code knows the rules versions 1, 2, not 9" in said


async def test_without_a_run_it_says_so(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *COMMAND, "upgrade", "--data", str(tmp_path), stderr=asyncio.subprocess.PIPE
    )
    said = (await process.communicate())[1].decode()
    assert process.returncode == 3
    assert f"no `replenisher run` is up on {tmp_path}" in said


async def test_after_a_restart_both_come_back_each_with_its_own_settings(tmp_path: Path) -> None:
    """Also when the old one's port is somebody else's meanwhile."""
    first = World(tmp_path, ["SKU-123"], DAY, inactivity().total_seconds())
    async with first.stages(lambda _: None) as [stage]:
        approval = await waiting_for_approval(stage)
        old = first.supervisor.deployment
        assert old is not None
        new = await first.supervisor.upgrade(AGENT.argv, {"REPLENISHER_RULES_VERSION": "2"})
        [kept] = OlderAgents(tmp_path).read()
        assert kept.deployment == old.id
        names = ["restate-server", "sandbox", f"older-agent-{kept.port}", "agent"]
        assert list(first.supervisor.processes) == names
        both = [p.pid for p in first.supervisor.processes.values() if p.pid is not None]
    assert not any(alive(pid) for pid in both)

    again = World(tmp_path, ["SKU-123"], DAY, inactivity().total_seconds())
    taken = await asyncio.start_server(lambda r, w: None, "127.0.0.1", kept.port)
    try:
        async with again.stages(lambda _: None) as [stage]:
            [draining] = again.supervisor.older
            assert draining.agent.deployment == old.id
            assert draining.agent.port != kept.port
            assert again.supervisor.deployment is not None
            assert again.supervisor.deployment.id == new.id
            await end_drained(again.supervisor, lambda _: None)
            assert again.supervisor.older, "something is left on it"
            await stage.script("A", on_order=[confirm()], on_confirmed=[goods()])
            await stage.quotes("A")
            await stage.post("approve", {"id": "a-1", "approval": approval, "approved": True})
            assert (await stage.outcome())["status"] == "received"

            async def ended() -> bool:
                await end_drained(again.supervisor, lambda _: None)
                return not again.supervisor.older

            await eventually(ended, "the old one ends")
            assert OlderAgents(tmp_path).read() == []
            async with Admin(again.supervisor.admin) as admin:
                assert [d.id for d in await admin.deployments()] == [new.id]
    finally:
        taken.close()


async def test_a_program_that_ends_at_once_is_told(tmp_path: Path) -> None:
    world = World(tmp_path, ["SKU-123"], DAY, 1.0)
    async with world.stages(lambda _: None):
        agent, ports = world.agent, OlderAgents(tmp_path).read()
        with pytest.raises(ProcessError, match="ended at its start"):
            await world.supervisor.upgrade([sys.executable, "-c", "raise SystemExit(7)"], {})
        assert world.agent is agent
        assert agent.running
        assert OlderAgents(tmp_path).read() == ports == []


async def test_a_renamed_step_beside_stops_answers_about_old_runs_until_good_code_is_beside(tmp_path: Path) -> None:
    """The run itself stays on code that follows it; its shared handlers are the newest code's."""
    world = World(tmp_path / "data", ["SKU-123"], DAY, inactivity().total_seconds())
    copy = tmp_path / "copy"
    copytree(Path(next(iter(replenisher.__path__))), copy / "replenisher", ignore=ignore_patterns("__pycache__"))
    file, was, becomes = RENAMED
    code = copy / "replenisher" / file
    code.write_text(code.read_text().replace(was, becomes))
    async with world.stages(lambda _: None) as [stage]:
        approval = await waiting_for_approval(stage)
        decision = {"id": "a-1", "approval": approval, "approved": True}
        await world.supervisor.upgrade(AGENT.argv, {"PYTHONPATH": str(copy)})
        refused = await stage.post("approve", decision)
        assert refused.status_code == 500
        assert "this code no longer follows the run" in refused.text
        assert not (await stage.ask("status"))["waiting"]

        await world.supervisor.upgrade(AGENT.argv, {"PYTHONPATH": ""})
        assert (await stage.post("approve", {**decision, "id": "a-2"})).status_code == 200
        assert (await stage.outcome())["status"] == "received"
        assert len(world.supervisor.older) == 2

        async def ended() -> bool:
            await end_drained(world.supervisor, lambda _: None)
            return not world.supervisor.older

        await eventually(ended, "both older ones end")
