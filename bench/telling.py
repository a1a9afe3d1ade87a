"""How the served processes tell the bench what happened, and when: datagrams on a Unix socket, about 10 µs each. Nobody
has to ask the product, which would cost what is being measured."""

import asyncio
import json
import os
import socket
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

SOCKET = "BENCH_SOCKET"
PATIENCE = 120.0


class Teller:
    """In a served process."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.connect(os.environ[SOCKET])

    def tell(self, what: str, key: str, about: str = "") -> None:
        """`what` happened to `key`, now."""
        self._socket.send(json.dumps([what, key, about, time.monotonic()]).encode())


class Told:
    """In the bench: each (what, key) once, with when it was told and what about."""

    def __init__(self) -> None:
        self._heard: dict[tuple[str, str], asyncio.Future[tuple[float, str]]] = {}

    def _future(self, what: str, key: str) -> "asyncio.Future[tuple[float, str]]":
        if (what, key) not in self._heard:
            self._heard[what, key] = asyncio.get_running_loop().create_future()
        return self._heard[what, key]

    async def when(self, what: str, key: str) -> tuple[float, str]:
        """The moment (monotonic, the same in all processes of a machine) and what about, when it is told."""
        async with asyncio.timeout(PATIENCE):
            return await self._future(what, key)

    def hear(self, datagram: bytes) -> None:
        what, key, about, at = json.loads(datagram)
        future = self._future(what, key)
        if not future.done():
            future.set_result((at, about))


@asynccontextmanager
async def listening(path: Path) -> AsyncGenerator[Told]:
    told = Told()

    class Ear(asyncio.DatagramProtocol):
        def datagram_received(self, data: bytes, addr: Any) -> None:
            told.hear(data)

    ear = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    ear.setblocking(False)
    ear.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_000_000)
    ear.bind(str(path))
    transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(Ear, sock=ear)
    try:
        yield told
    finally:
        transport.close()
