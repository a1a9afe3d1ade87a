"""One restate-server: its start, its end, and what it keeps."""

import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from replenisher.engine.admin import Admin, AdminError
from replenisher.engine.ports import is_free
from replenisher.engine.process import ProcessError
from replenisher.engine.server import RestateServer, ServerPorts
from support.engine import inactivity, ingress_of, serving

Lab = Callable[..., list[str]]
pytestmark = pytest.mark.engine


async def test_it_starts_answers_and_leaves_its_ports(tmp_path: Path) -> None:
    async with RestateServer(tmp_path, inactivity=inactivity()) as server, Admin(server.admin) as admin:
        assert await admin.version() == "1.7.12"
        assert not is_free(server.ports.ingress)
    assert not server.process.running
    assert server.process.returncode == 0
    with pytest.raises(AdminError, match="no engine at"):
        async with Admin(server.admin) as admin:
            await admin.version()


async def test_state_and_waits_survive_a_kill(tmp_path: Path, lab: Lab) -> None:
    server = RestateServer(tmp_path / "engine", inactivity=inactivity())
    async with server, serving(server, lambda port: lab("leave", port), tmp_path / "lab.log"):
        async with ingress_of(server) as ingress:
            assert (await ingress.post("/Counter/a/add", json=2)).json() == 2
            assert (await ingress.post("/Trip/t/run/send", json={"from": "Ulm"})).status_code == 202
        first = server.process.pid
        await server.kill()
        await server.start()
        assert server.process.pid != first
        async with ingress_of(server) as ingress:
            assert (await ingress.post("/Counter/a/add", json=3)).json() == 5
            await ingress.post("/Trip/t/ticket", json="T-1")
            assert (await ingress.get("/restate/workflow/Trip/t/attach")).json() == {"ticket": "T-1", "seat": "no seat"}


async def test_the_data_goes_on_under_other_ports(tmp_path: Path, lab: Lab) -> None:
    async with (
        RestateServer(tmp_path / "engine") as server,
        serving(server, lambda port: lab("leave", port), tmp_path / "lab.log"),
        ingress_of(server) as ingress,
    ):
        await ingress.post("/Counter/b/add", json=7)
    async with RestateServer(tmp_path / "engine", ports=ServerPorts.free()) as moved, Admin(moved.admin) as admin:
        rows = await admin.query("SELECT value_utf8 FROM state WHERE service_name = 'Counter' AND service_key = 'b'")
        assert [row["value_utf8"] for row in rows] == ["7"]


async def test_a_port_that_is_taken_is_an_error(tmp_path: Path) -> None:
    async with RestateServer(tmp_path / "one") as server:
        second = RestateServer(tmp_path / "two", ports=server.ports)
        with pytest.raises(ProcessError, match=r"port \d+ is in use"):
            await second.start()
        assert not second.process.running


async def test_a_chosen_port_that_was_taken_meanwhile_is_chosen_again(tmp_path: Path) -> None:
    server = RestateServer(tmp_path)
    chosen = server.ports
    with socket.create_server(("127.0.0.1", chosen.admin)):
        async with server:
            assert server.ports != chosen
