"""The whole in the foreground: its start, its end by signal or by a child's death, and that nothing stays behind."""

import asyncio
import json
import os
import signal
import socket
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from replenisher.engine.admin import Admin
from replenisher.engine.process import ProcessError
from replenisher.engine.run import ENDED, FAILED, run
from replenisher.engine.running import AlreadyRunningError, PortTakenError, Running
from replenisher.engine.supervisor import Plan, Service, Supervisor
from support.engine import alive, eventually, inactivity, ingress_of

Lab = Callable[..., list[str]]
WHOLE = Path(__file__).with_name("whole.py")
pytestmark = pytest.mark.engine


class Foreground:
    """A supervisor in a process of its own, as from a terminal."""

    def __init__(self, process: asyncio.subprocess.Process, data: Path) -> None:
        self.process = process
        self.data = data

    async def running(self) -> Running:
        async def look() -> Running | None:
            assert self.process.returncode is None
            return Running.find(self.data)

        found = await eventually(look, "run.json is there")
        assert found
        return found

    async def ended(self) -> tuple[int, str]:
        output, _ = await asyncio.wait_for(self.process.communicate(), 30)
        return self.process.returncode or 0, output.decode()


@asynccontextmanager
async def foreground(data: Path) -> AsyncGenerator[Foreground]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(WHOLE),
        str(data),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        process_group=0,
    )
    try:
        yield Foreground(process, data)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def plan(data: Path, lab: Lab) -> Plan:
    return Plan(data, Service(lab("leave")), inactivity=inactivity(), deployment_path="")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_a_signal_ends_everything_in_order(tmp_path: Path, number: signal.Signals) -> None:
    async with foreground(tmp_path) as whole:
        running = await whole.running()
        assert set(running.processes) == {"restate-server", "sandbox", "agent"}
        assert all(alive(pid) for pid in running.processes.values())
        # as the terminal does at Ctrl-C: to the whole group, in which there is nobody else
        os.killpg(running.pid, number)
        status, output = await whole.ended()
    assert status == ENDED, output
    assert "restate-server 1.7.12 healthy" in output
    assert "registered as dp_" in output
    assert "Counter" in output
    assert not any(alive(pid) for pid in running.processes.values())
    assert not (tmp_path / "run.json").exists()


async def test_a_signal_during_the_start_leaves_nothing(tmp_path: Path) -> None:
    async with foreground(tmp_path) as whole:
        log = tmp_path / "logs" / "restate-server.log"

        async def server_starts() -> bool:
            return log.exists()

        await eventually(server_starts, "the server starts")
        whole.process.terminate()
        status, output = await whole.ended()
    assert status == ENDED, output
    assert not (tmp_path / "run.json").exists()


@pytest.mark.parametrize("name", ["restate-server", "sandbox", "agent"])
async def test_a_childs_death_ends_the_others_and_is_told(tmp_path: Path, name: str) -> None:
    async with foreground(tmp_path) as whole:
        running = await whole.running()
        os.kill(running.processes[name], signal.SIGKILL)
        status, output = await whole.ended()
    assert status == FAILED
    assert f"{name} ended (-9)" in output
    assert not any(alive(pid) for pid in running.processes.values())


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child of its parent's death")
async def test_after_a_kill_of_the_supervisor_nothing_runs_and_it_starts_again(tmp_path: Path, lab: Lab) -> None:
    async with foreground(tmp_path) as whole:
        running = await whole.running()
        whole.process.kill()
        await whole.ended()

        async def gone() -> bool:
            return not any(alive(pid) for pid in running.processes.values())

        await eventually(gone, "the children end with the supervisor")
    assert Running.find(tmp_path) is None
    async with Supervisor(plan(tmp_path, lab)) as again:
        assert again.ingress == running.ingress
        assert again.agent_url == running.agent


async def test_one_data_directory_has_one_supervisor(tmp_path: Path, lab: Lab) -> None:
    async with Supervisor(plan(tmp_path, lab)) as first:
        second = Supervisor(plan(tmp_path, lab))
        with pytest.raises(AlreadyRunningError, match=first.ingress):
            await second.start()
        found = Running.find(tmp_path)
        assert found
        assert found.admin == first.admin


async def test_an_agent_that_cannot_start_ends_all_and_shows_why(tmp_path: Path) -> None:
    broken = Plan(tmp_path, Service([sys.executable, "-c", "raise SystemExit('no settings')"]))
    supervisor = Supervisor(broken)
    with pytest.raises(ProcessError, match="no settings"):
        await supervisor.start()
    assert not any(process.running for process in supervisor.processes.values())
    lines: list[str] = []
    assert await run(broken, lines.append) == FAILED
    assert "no settings" in "\n".join(lines)


async def test_a_wanted_port_that_is_taken_is_named(tmp_path: Path, lab: Lab) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(PortTakenError, match=f"{port}.*admin"):
            await Supervisor(replace(plan(tmp_path, lab), admin_port=port)).start()


async def test_a_run_goes_on_when_the_agent_was_killed_and_started_again(tmp_path: Path, lab: Lab) -> None:
    async with Supervisor(plan(tmp_path, lab)) as whole, ingress_of(whole.server) as ingress:
        await ingress.post("/Trip/t/run/send", json={"from": "Ulm"})
        assert whole.agent
        await whole.agent.kill()
        await ingress.post("/Trip/t/ticket/send", json="T-1")
        await whole.start_agent()
        assert (await ingress.get("/restate/workflow/Trip/t/attach")).json()["ticket"] == "T-1"


async def test_a_run_follows_an_agent_whose_port_was_taken(tmp_path: Path, lab: Lab) -> None:
    async with Supervisor(plan(tmp_path, lab)) as whole, ingress_of(whole.server) as ingress:
        await ingress.post("/Trip/t/run/send", json={"from": "Ulm"})

        async def left() -> bool:
            async with Admin(whole.admin) as admin:
                return bool(await admin.query("SELECT * FROM sys_promise") or await admin.query("SELECT * FROM state"))

        await eventually(left, "the trip has begun")
        port = json.loads((tmp_path / "ports.json").read_text())["agent"]
    with socket.create_server(("127.0.0.1", port)):
        async with Supervisor(plan(tmp_path, lab)) as moved, ingress_of(moved.server) as ingress:
            assert not (moved.agent_url or "").endswith(f":{port}")
            await ingress.post("/Trip/t/ticket", json="T-2")
            assert (await ingress.get("/restate/workflow/Trip/t/attach")).json()["ticket"] == "T-2"
            async with Admin(moved.admin) as admin:
                assert len(await admin.deployments()) == 1
