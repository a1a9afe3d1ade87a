"""One real restate-server for all tests that ask for it, and applications served to it from child processes.
`REPLENISHER_INACTIVITY=0` (make replay) turns every wait of every test into a replay."""

import asyncio
import os
import subprocess
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

import httpx
import pytest

from replenisher.engine.admin import Admin, AdminError
from replenisher.engine.ports import free_ports
from replenisher.engine.process import Deadline, ManagedProcess
from replenisher.engine.server import RestateServer

WITHIN = 30.0
T = TypeVar("T")


def inactivity() -> timedelta:
    """The server's inactivity timeout for this run of the tests: REPLENISHER_INACTIVITY seconds, else 1 s."""
    return timedelta(seconds=float(os.environ.get("REPLENISHER_INACTIVITY", "1")))


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Generator[RestateServer]:
    """A restate-server on free ports. Shared: use keys and service names of your own; never kill it."""
    server = RestateServer(tmp_path_factory.mktemp("engine"), inactivity=inactivity())
    asyncio.run(server.start())
    try:
        yield server
    finally:
        asyncio.run(server.stop())


@pytest.fixture
async def admin(engine: RestateServer) -> AsyncGenerator[Admin]:
    async with Admin(engine.admin) as client:
        yield client


@pytest.fixture
async def ingress(engine: RestateServer) -> AsyncGenerator[httpx.AsyncClient]:
    async with ingress_of(engine) as client:
        yield client


def ingress_of(server: RestateServer) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=server.ingress, timeout=WITHIN, trust_env=False)


@dataclass
class Served:
    """An application in a child process, registered with a server."""

    process: ManagedProcess
    url: str
    admin: Admin

    async def start(self, *, force: bool = False) -> None:
        """Start it (again) and register it once it answers."""
        self.process.start()
        await self.register(force=force)

    async def register(self, *, force: bool = False) -> None:
        deadline = Deadline(WITHIN)
        while True:
            assert self.process.running, self.process.tail(40)
            try:
                await self.admin.register(self.url, force=force)
            except AdminError as error:
                await deadline.tick(f"registration of {self.url}: {error}\n{self.process.tail(40)}")
            else:
                return


@asynccontextmanager
async def serving(
    server: RestateServer, argv: Callable[[int], Sequence[str]], log: Path, path: str = ""
) -> AsyncGenerator[Served]:
    """Serve `argv(port)` from a child process, registered at `path`, until the end of the block."""
    (port,) = free_ports(1)
    async with Admin(server.admin) as client:
        served = Served(ManagedProcess(log.stem, argv(port), log), f"http://127.0.0.1:{port}{path}", client)
        try:
            await served.start()
            yield served
        finally:
            await served.process.kill()


async def eventually(look: Callable[[], Awaitable[T]], what: str, within: float = WITHIN) -> T:
    """The first truthy answer of `look`; TimeoutError with `what` when none comes in time."""
    deadline = Deadline(within)
    while not (answer := await look()):
        await deadline.tick(what)
    return answer


def alive(pid: int) -> bool:
    """A process that still holds anything; one that ended and only waits to be reaped does not (Linux and macOS)."""
    listed = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    state = listed.stdout.strip()
    # Zl: the first thread has ended, others have not yet
    return bool(state) and (not state.startswith("Z") or "l" in state)
