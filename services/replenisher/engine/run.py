"""Running a supervisor in the foreground: until Ctrl-C, SIGTERM, the terminal's end, or a child's death.
Which children there are and how they start is supervisor.py's part."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable

from replenisher.engine.admin import AdminError
from replenisher.engine.install import EngineMissingError
from replenisher.engine.process import ProcessError
from replenisher.engine.running import AlreadyRunningError, PortTakenError
from replenisher.engine.supervisor import Plan, Say, Supervisor
from replenisher.engine.upgrade import tend

ENDED = 0
FAILED = 1
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_FAILURES = (ProcessError, AdminError, EngineMissingError, AlreadyRunningError, PortTakenError, TimeoutError)


Ready = Callable[[], None]


async def run(plan: Plan, say: Say, ready: Ready = lambda: None) -> int:
    """Start everything, say what is healthy, and wait. The exit code: 0 when told to end, 1 when something failed.
    `ready` is called once, in a thread of its own, when all is up.

    A first signal ends all in order, also in the middle of the start; a second one at once.
    """
    supervisor = Supervisor(plan, say)
    told = asyncio.Event()

    def on_signal() -> None:
        if told.is_set():
            supervisor.kill_now()
        told.set()

    loop = asyncio.get_running_loop()
    for number in _SIGNALS:
        loop.add_signal_handler(number, on_signal)
    try:
        return await _until_told(supervisor, told, say, ready)
    except _FAILURES as error:
        say(str(error))
        return FAILED
    finally:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)


async def _until_told(supervisor: Supervisor, told: asyncio.Event, say: Say, ready: Ready) -> int:
    ending = asyncio.create_task(told.wait())
    try:
        starting = asyncio.create_task(supervisor.start())
        await asyncio.wait({starting, ending}, return_when=asyncio.FIRST_COMPLETED)
        if not starting.done():
            # the start ends what it began when it is cancelled
            starting.cancel()
            await asyncio.wait({starting})
            say("ended before the start was over")
            return ENDED
        starting.result()
        try:
            await asyncio.to_thread(ready)
            return await _watch(supervisor, ending, say)
        finally:
            await supervisor.stop()
            say("all ended")
    finally:
        ending.cancel()


async def _watch(supervisor: Supervisor, ending: asyncio.Task[bool], say: Say) -> int:
    dying = asyncio.create_task(supervisor.died())
    tending = asyncio.create_task(tend(supervisor, say))
    try:
        await asyncio.wait({dying, tending, ending}, return_when=asyncio.FIRST_COMPLETED)
        if dying.done():
            say(dying.result())
            return FAILED
        if tending.done():
            tending.result()
        say("ending ...")
        return ENDED
    finally:
        dying.cancel()
        tending.cancel()
        await asyncio.wait({tending})
