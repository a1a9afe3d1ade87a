"""A child process with a handle of its own: started, waited for, stopped, killed, started again.
What the child is (server, agent, sandbox) and whether it is well are others' matter."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

STOP_SECONDS = 15.0
_POLL_SECONDS = 0.05
_TAIL_BYTES = 4000

# Runs in the child before the program: the kernel then kills it when its parent dies (Linux only; elsewhere a child
# of a supervisor that got SIGKILL stays, and the next supervisor says so). PR_SET_PDEATHSIG is 1. A parent that died
# in between is seen by getppid. Not a preexec_fn: that runs Python between fork and exec, unsafe beside threads.
_FOLLOW_PARENT = (
    "import ctypes,os,sys;"
    "ctypes.CDLL(None).prctl(1,9);"
    "os.getppid()==int(sys.argv[1]) or os._exit(1);"
    "os.execv(sys.argv[2],sys.argv[2:])"
)


class ProcessError(RuntimeError):
    """A child could not be started or ended on its own; the message holds the end of its log."""


class ManagedProcess:
    """One child process in its own process group, its output in a log file.

    The child is tied to the thread that started it: on Linux it gets SIGKILL when that thread ends.
    """

    def __init__(self, name: str, argv: Sequence[str], log: Path, env: Mapping[str, str] | None = None) -> None:
        self.name = name
        self.argv = list(argv)
        self.log = log
        self.env = dict(env or {})
        self._process: subprocess.Popen[bytes] | None = None
        self._wanted = False

    @property
    def pid(self) -> int | None:
        """Process id of the last start, also after it ended; None before the first."""
        return self._process.pid if self._process else None

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def returncode(self) -> int | None:
        """Exit status, negative for a signal; None while it runs or before it started."""
        return self._process.poll() if self._process else None

    @property
    def died(self) -> bool:
        """It ended without being told to by `stop` or `kill`."""
        return self._wanted and not self.running

    def start(self) -> None:
        """Start the child; its output is appended to the log. Raises ProcessError when the program cannot run."""
        if self.running:
            raise ProcessError(f"{self.name} runs already (pid {self.pid})")
        if shutil.which(self.argv[0]) is None:
            raise ProcessError(f"{self.name} cannot be started: there is no program {self.argv[0]}")
        self.log.parent.mkdir(parents=True, exist_ok=True)
        argv = self.argv
        if sys.platform == "linux":
            argv = [sys.executable, "-I", "-S", "-c", _FOLLOW_PARENT, str(os.getpid()), *self.argv]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                argv,
                env=os.environ | self.env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                # a Ctrl-C at the terminal reaches the supervisor alone, which then ends its children in order
                process_group=0,
            )
        self._wanted = True

    async def wait(self) -> int:
        """Wait until the child has ended; its exit status."""
        if self._process is None:
            raise ProcessError(f"{self.name} was never started")
        while (status := self._process.poll()) is None:  # noqa: ASYNC110 the handle outlives any one event loop
            await asyncio.sleep(_POLL_SECONDS)
        return status

    async def stop(self, limit: float = STOP_SECONDS) -> int | None:
        """SIGTERM, and SIGKILL after `limit` seconds; the exit status, None when it never ran."""
        self._wanted = False
        if self._process is None:
            return None
        self._signal(signal.SIGTERM)
        try:
            return await asyncio.wait_for(self.wait(), limit)
        except TimeoutError:
            return await self.kill()

    async def kill(self) -> int | None:
        """SIGKILL, as a crash or the loss of power would; the exit status, None when it never ran."""
        self._wanted = False
        if self._process is None:
            return None
        self._signal(signal.SIGKILL)
        return await self.wait()

    def kill_now(self) -> None:
        """`kill` for where nothing can be awaited any more."""
        self._wanted = False
        if self._process is not None:
            self._signal(signal.SIGKILL)
            self._process.wait()

    def tail(self, lines: int = 12) -> str:
        """The last lines of the log, for a message to a person."""
        with contextlib.suppress(OSError), self.log.open("rb") as log:
            log.seek(max(0, log.seek(0, os.SEEK_END) - _TAIL_BYTES))
            return "\n".join(log.read().decode(errors="replace").splitlines()[-lines:])
        return ""

    def _signal(self, number: signal.Signals) -> None:
        # while the child is not reaped its group cannot belong to anybody else
        if self._process is not None and self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)


class Deadline:
    """A point in time to poll against: `while not done: await deadline.tick("what is waited for")`."""

    def __init__(self, seconds: float, every: float = _POLL_SECONDS) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds
        self._every = every

    async def tick(self, what: str) -> None:
        """Pause for one interval; raises TimeoutError with `what` when the time is over."""
        if time.monotonic() >= self._end:
            raise TimeoutError(f"not within {self._seconds:g} s: {what}")
        await asyncio.sleep(self._every)
