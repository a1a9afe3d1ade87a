"""`python -m replenisher.engine.register`: registers the agent with an engine started elsewhere, once both are up.
Under the supervisor this is done by supervisor.py; this is for containers."""

from __future__ import annotations

import asyncio
import os
import sys

from replenisher.engine.admin import Admin, AdminError, Deployment
from replenisher.engine.process import Deadline

WITHIN_SECONDS = 120.0


async def register_when_up(admin: str, uri: str, within: float = WITHIN_SECONDS) -> Deployment:
    """Register the code at `uri` as soon as engine and code answer; TimeoutError with the last refusal.

    Code that changed at the same address replaces what is known of it.
    """
    deadline = Deadline(within, every=0.5)
    async with Admin(admin) as client:
        while True:
            try:
                return await client.register(uri, force=True)
            except AdminError as error:
                await deadline.tick(f"registration of {uri} with {admin}: {error}")


def main() -> int:
    """Addresses from REPLENISHER_ADMIN and REPLENISHER_DEPLOYMENT; 1 when it cannot be done within two minutes."""
    admin = os.environ.get("REPLENISHER_ADMIN", "http://127.0.0.1:9070")
    uri = os.environ.get("REPLENISHER_DEPLOYMENT", "http://127.0.0.1:9080/restate")
    try:
        done = asyncio.run(register_when_up(admin, uri))
    except TimeoutError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(f"{uri} is registered as {done.id}: {', '.join(sorted(done.services))}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
