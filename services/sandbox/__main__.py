"""`python -m sandbox`: the outside world until SIGTERM or Ctrl-C. Prints its address, and keeps it in its folder."""

import asyncio
import json
import os
import signal
import sys

from sandbox.server import serving
from sandbox.settings import Settings, from_process


async def main(settings: Settings) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with serving(settings) as running:
        if settings.data is not None:
            where = {"address": running.address, "pid": os.getpid()}
            (settings.data / "address.json").write_text(json.dumps(where) + "\n")
        sys.stdout.write(f"sandbox at {running.address}\n")
        sys.stdout.flush()
        told, broken = asyncio.create_task(stop.wait()), asyncio.create_task(running.failed())
        await asyncio.wait({told, broken}, return_when=asyncio.FIRST_COMPLETED)
        told.cancel()
        if broken.done():
            broken.result()
        broken.cancel()


if __name__ == "__main__":
    settings = from_process(sys.argv[1:])
    try:
        asyncio.run(main(settings))
    except OSError as error:
        sys.exit(f"the sandbox cannot serve on {settings.host}:{settings.port}: {error.strerror}")
