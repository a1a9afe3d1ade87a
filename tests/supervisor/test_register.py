"""Registering with an engine and an agent that come up in their own time."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from replenisher.engine.ports import free_ports
from replenisher.engine.process import ManagedProcess
from replenisher.engine.register import register_when_up
from replenisher.engine.server import RestateServer

Lab = Callable[..., list[str]]


async def test_it_waits_for_the_agent(engine: RestateServer, lab: Lab, tmp_path: Path) -> None:
    (port,) = free_ports(1)
    agent = ManagedProcess("agent", lab("leave", port), tmp_path / "log")
    registering = asyncio.create_task(register_when_up(engine.admin, f"http://127.0.0.1:{port}"))
    agent.start()
    try:
        assert set((await registering).services) == {"Counter", "Trip"}
    finally:
        await agent.kill()


async def test_it_gives_up_with_the_last_refusal(engine: RestateServer) -> None:
    (port,) = free_ports(1)
    with pytest.raises(TimeoutError, match=f"registration of http://127.0.0.1:{port}"):
        await register_when_up(engine.admin, f"http://127.0.0.1:{port}", within=0.2)
