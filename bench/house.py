"""What the bench runs: one engine as `replenisher run` starts it, the product and the bare workflow beside each other,
and records with as many parts as are to be replenished."""

import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import httpx

from bench.telling import SOCKET, Told, listening
from replenisher.engine.admin import Admin
from replenisher.engine.ports import LOOPBACK, free_ports
from replenisher.engine.process import Deadline, ManagedProcess
from replenisher.engine.server import RestateServer, answers
from replenisher.settings import Settings
from replenisher.systems.records.master import MasterData

SECONDS_UP = 60.0
SUSPENDED_AFTER = 1.0
"""The product's default: so many seconds without progress, and a run is suspended."""
LONG = "3000"
"""Business days between two checks of a part, so that no check falls into a measurement."""


@dataclass(frozen=True)
class House:
    server: RestateServer
    product: ManagedProcess
    bare: ManagedProcess
    ingress: httpx.AsyncClient
    admin: Admin
    told: Told
    data: Path

    @property
    def engine(self) -> int:
        return _pid(self.server.process)

    @property
    def product_pid(self) -> int:
        return _pid(self.product)

    @property
    def bare_pid(self) -> int:
        return _pid(self.bare)

    def seed(self, skus: Sequence[str]) -> None:
        """Parts as SKU-123 of happy-path: 60 on hand, 440 needed, three suppliers."""
        master = MasterData(Settings(data=self.data).records_file)
        with master.transaction():
            for sku in skus:
                master.seed_demo(sku)
                master.set_on_hand(sku, Decimal(60))
        master.close()


@asynccontextmanager
async def house(data: Path) -> AsyncGenerator[House]:
    """Everything up and registered; everything ended afterwards."""
    server = RestateServer(data / "engine", inactivity=timedelta(seconds=SUSPENDED_AFTER))
    socket = data / "told"
    ports = free_ports(2)
    env = {
        "REPLENISHER_DATA": str(data),
        "REPLENISHER_INACTIVITY": str(SUSPENDED_AFTER),
        "REPLENISHER_CHECK_EVERY": LONG,
        "REPLENISHER_AGENT_HOST": LOOPBACK,
        SOCKET: str(socket),
    }
    processes = [
        _process(name, port, data, env) for name, port in zip(("bench.product", "bench.bare"), ports, strict=True)
    ]
    async with (
        listening(socket) as told,
        server,
        Admin(server.admin) as admin,
        httpx.AsyncClient(base_url=server.ingress, timeout=120, trust_env=False) as ingress,
    ):
        try:
            for process, port in zip(processes, ports, strict=True):
                await _up(process, f"http://{LOOPBACK}:{port}", ingress)
                await admin.register(f"http://{LOOPBACK}:{port}/restate")
            yield House(server, processes[0], processes[1], ingress, admin, told, data)
        finally:
            for process in processes:
                await process.stop()


def _pid(process: ManagedProcess) -> int:
    assert process.pid is not None
    return process.pid


def _process(name: str, port: int, data: Path, env: Mapping[str, str]) -> ManagedProcess:
    mine = {**env, "REPLENISHER_AGENT_PORT": str(port)}
    return ManagedProcess(name, [sys.executable, "-m", name], data / f"{name}.log", mine)


async def _up(process: ManagedProcess, address: str, client: httpx.AsyncClient) -> None:
    process.start()
    deadline = Deadline(SECONDS_UP)
    while not await answers(client, f"{address}/health"):
        if not process.running:
            raise RuntimeError(f"{process.name} ended at its start:\n{process.tail(40)}")
        await deadline.tick(f"{process.name} at {address}\n{process.tail(40)}")
