"""The sandbox in a test's event loop, over real HTTP on a free port, and an ingress double that notes all it hears."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
from aiohttp import web

from replenisher.clock import Clock
from sandbox.server import serving
from sandbox.settings import Settings

FAST = 0.2
"""Real seconds of a business day: a week passes in 1.4 s."""
WITHIN = 10.0


@dataclass
class Ingress:
    """Where the world's messages arrive. Answered from `answers` in turn, then with 200; None breaks the connection."""

    url: str = ""
    heard: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    answers: list[tuple[int, Any] | None] = field(default_factory=list[tuple[int, Any] | None])

    @asynccontextmanager
    async def open(self) -> AsyncGenerator["Ingress"]:
        app = web.Application()
        app.router.add_post("/{tail:.*}", self._hear)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        host, port = runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"
        try:
            yield self
        finally:
            await runner.cleanup()

    async def _hear(self, request: web.Request) -> web.Response:
        self.heard.append(
            {
                "path": request.raw_path,
                "key": request.headers.get("idempotency-key"),
                "body": json.loads(await request.read()),
            }
        )
        answer = self.answers.pop(0) if self.answers else (200, {"status": "taken"})
        if answer is None:
            assert request.transport is not None
            request.transport.abort()
            return web.Response()
        return web.json_response(answer[1], status=answer[0])


@dataclass
class Sandbox:
    """A running sandbox and a client of it."""

    url: str
    http: httpx.AsyncClient

    async def control(self, method: str, path: str, body: Any = None, **params: str) -> Any:
        """What the control interface answers; anything but success fails the test."""
        answer = await self.http.request(method, f"/control{path}", json=body, params=params)
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json()

    async def wait(self, what: str, n: int = 1, **about: str) -> list[dict[str, Any]]:
        return await self.control("GET", "/wait", what=what, n=str(n), timeout=str(WITHIN), **about)

    async def ledger(self, sku: str | None = None) -> dict[str, Any]:
        return await self.control("GET", "/ledger", **({} if sku is None else {"sku": sku}))

    async def quote(self, supplier: str = "A", price: str = "4.20", sku: str = "SKU-123", **more: Any) -> None:
        item = {"unit_price": price, "pack": "50", **more}
        await self.control("PUT", f"/suppliers/{supplier}/quotes/{sku}", [item])

    async def script(self, supplier: str = "A", sku: str = "SKU-123", **script: Any) -> None:
        await self.control("PUT", f"/suppliers/{supplier}/script/{sku}", script)

    async def fault(self, supplier: str = "A", **fault: Any) -> str:
        return (await self.control("POST", f"/suppliers/{supplier}/faults", fault))["id"]

    async def order(self, supplier: str = "A", key: str | None = None, **changes: Any) -> httpx.Response:
        body = {**order_body(), **changes}
        headers = {"Idempotency-Key": key or body["po"]}
        return await self.http.post(f"/suppliers/{supplier}/orders", json=body, headers=headers)

    async def write(self, path: str, body: Any, key: str) -> httpx.Response:
        return await self.http.post(path, json=body, headers={"Idempotency-Key": key})


def order_body(po: str = "PO-4471") -> dict[str, str]:
    return {
        "po": po,
        "sku": "SKU-123",
        "item": "A-123",
        "quantity": "450",
        "unit_price": "4.20",
        "currency": "USD",
        "deliver_to": "Main warehouse, dock 2",
    }


@asynccontextmanager
async def sandbox(
    ingress: Ingress | None = None,
    day: float = FAST,
    auto: bool = False,
    data: Path | None = None,
    epoch: datetime | None = None,
) -> AsyncGenerator[Sandbox]:
    settings = Settings(
        ingress=None if ingress is None else ingress.url,
        clock=Clock(day, epoch or datetime.now(UTC)),
        auto=auto,
        data=data,
    )
    async with (
        serving(settings) as running,
        httpx.AsyncClient(base_url=running.address, timeout=WITHIN + 5, verify=False, trust_env=False) as http,
    ):
        yield Sandbox(running.address, http)
