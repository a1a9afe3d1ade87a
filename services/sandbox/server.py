"""The sandbox as one HTTP server: every party's routes on one port, started and ended with its world."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from aiohttp import web

from sandbox import asking, commanding, controlling, selling, watching
from sandbox.serving import LARGEST, WORLD, refusals
from sandbox.settings import Settings
from sandbox.world import World

PATIENCE = 0.2
"""Real seconds that requests under way have to end; those that a fault holds back are cut off then."""


def application(world: World) -> web.Application:
    app = web.Application(middlewares=[refusals], client_max_size=LARGEST)
    app[WORLD] = world
    for room in (watching, controlling, commanding, selling, asking):
        app.add_routes(room.routes)
    return app


@dataclass(frozen=True, slots=True)
class Running:
    address: str
    world: World

    async def failed(self) -> None:
        """Never returns, but raises what broke the sandbox: a world that stopped must not look like a silent one."""
        assert self.world.planned is not None
        await asyncio.shield(self.world.planned)


@asynccontextmanager
async def serving(settings: Settings) -> AsyncGenerator[Running]:
    """Up and running; ended when the block is left."""
    world = World(settings)
    runner = web.AppRunner(application(world), access_log=None, shutdown_timeout=PATIENCE)
    await runner.setup()
    try:
        await web.TCPSite(runner, settings.host, settings.port, backlog=1024).start()
        await world.start()
        host, port = runner.addresses[0][:2]
        yield Running(f"http://{host}:{port}", world)
    finally:
        await runner.cleanup()
        await world.stop()
