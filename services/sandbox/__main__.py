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
    async with serving(settings) as address:
        if settings.data is not None:
            where = {"address": address, "pid": os.getpid()}
            (settings.data / "address.json").write_text(json.dumps(where) + "\n")
        sys.stdout.write(f"sandbox at {address}\n")
        sys.stdout.flush()
        await stop.wait()


if __name__ == "__main__":
    asyncio.run(main(from_process(sys.argv[1:])))
