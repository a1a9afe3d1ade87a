"""The agent's process: Restate's endpoint on hypercorn, ended cleanly by SIGTERM and Ctrl-C."""

import asyncio
import signal

from hypercorn.asyncio import serve
from hypercorn.config import Config

from replenisher.app import build, services
from replenisher.settings import Settings


async def main() -> None:
    settings = Settings()
    config = Config()
    config.bind = [f"{settings.agent_host}:{settings.agent_port}"]
    config.graceful_timeout = 1
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await serve(services(build(settings)), config, shutdown_trigger=stop.wait)  # type: ignore[arg-type]


if __name__ == "__main__":
    asyncio.run(main())
