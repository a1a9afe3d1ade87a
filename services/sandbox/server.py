"""The sandbox as one HTTP server: every party's routes on one port, started and ended with its world."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

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


@asynccontextmanager
async def serving(settings: Settings) -> AsyncGenerator[str]:
    """Up and running at the address given; ended when the block is left."""
    world = World(settings)
    runner = web.AppRunner(application(world), access_log=None, shutdown_timeout=PATIENCE)
    await runner.setup()
    try:
        await web.TCPSite(runner, settings.host, settings.port, backlog=1024).start()
        await world.start()
        host, port = runner.addresses[0][:2]
        yield f"http://{host}:{port}"
    finally:
        await runner.cleanup()
        await world.stop()
