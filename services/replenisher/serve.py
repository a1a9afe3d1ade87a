"""The agent's process: Restate's endpoint under /restate and a health page, on hypercorn, ended cleanly by SIGTERM
and Ctrl-C."""

import asyncio
import signal

from hypercorn.asyncio import serve  # pyright: ignore[reportUnknownVariableType]
from hypercorn.config import Config
from restate.server import install_shutdown_hook
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Mount, Route
from starlette.types import ASGIApp

from replenisher.app import build, services
from replenisher.settings import Settings


async def health(request: Request) -> JSONResponse:
    return JSONResponse({"status": "up"})


async def main() -> None:
    settings = Settings()
    await serve_until_told(services(build(settings)), settings.agent_host, settings.agent_port)


async def serve_until_told(restate: ASGIApp, host: str, port: int) -> None:
    """Serves this application of Restate's, until a signal."""
    web = Starlette(routes=[Route("/health", health), Mount("/restate", restate)])
    config = Config()
    config.bind = [f"{host}:{port}"]
    config.graceful_timeout = 1
    stop = asyncio.Event()
    # the SDK puts a hook of its own on SIGTERM at its first request; this one is called from it
    install_shutdown_hook(asyncio.get_running_loop(), stop.set)
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, stop.set)
    await serve(web, config, shutdown_trigger=stop.wait)  # type: ignore[arg-type]


if __name__ == "__main__":
    asyncio.run(main())
