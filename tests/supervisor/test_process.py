"""Child processes: ended in order, ended by force, gone with their parent."""

import asyncio
import signal
import sys
from pathlib import Path

import pytest

from replenisher.engine.process import Deadline, ManagedProcess, ProcessError
from support.engine import alive, eventually

SLEEPER = [sys.executable, "-c", "print('up', flush=True); import time; time.sleep(600)"]
STUBBORN = [
    sys.executable,
    "-c",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(600)",
]
PARENT = """
import sys, time
from pathlib import Path
from replenisher.engine.process import ManagedProcess
child = ManagedProcess("child", [sys.executable, "-c", "import time; time.sleep(600)"], Path(sys.argv[1]))
child.start()
print(child.pid, flush=True)
time.sleep(600)
"""


async def up(process: ManagedProcess) -> ManagedProcess:
    process.start()
    deadline = Deadline(10)
    while "up" not in process.tail():
        await deadline.tick("the child is up")
    return process


async def test_stop_ends_in_order_and_is_no_death(tmp_path: Path) -> None:
    child = await up(ManagedProcess("child", SLEEPER, tmp_path / "log"))
    assert child.running
    assert not child.died
    assert await child.stop() == -signal.SIGTERM
    assert not child.running
    assert not child.died
    assert await child.stop() == -signal.SIGTERM


async def test_one_that_does_not_end_is_killed_after_the_limit(tmp_path: Path) -> None:
    child = await up(ManagedProcess("child", STUBBORN, tmp_path / "log"))
    assert await child.stop(limit=0.2) == -signal.SIGKILL


async def test_an_end_of_its_own_is_a_death_and_it_can_start_again(tmp_path: Path) -> None:
    child = ManagedProcess("child", [sys.executable, "-c", "import sys; sys.exit('why I ended')"], tmp_path / "log")
    child.start()
    assert await child.wait() == 1
    assert child.died
    assert "why I ended" in child.tail()
    first = child.pid
    child.start()
    await child.wait()
    assert child.pid != first


async def test_a_running_child_is_not_started_twice(tmp_path: Path) -> None:
    child = await up(ManagedProcess("child", SLEEPER, tmp_path / "log"))
    with pytest.raises(ProcessError, match="runs already"):
        child.start()
    await child.kill()


def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    child = ManagedProcess("child", [str(tmp_path / "none")], tmp_path / "log")
    with pytest.raises(ProcessError, match="no program"):
        child.start()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child of its parent's death")
async def test_a_child_does_not_outlive_a_parent_that_was_killed(tmp_path: Path) -> None:
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PARENT, str(tmp_path / "log"), stdout=asyncio.subprocess.PIPE
    )
    assert parent.stdout is not None
    child = int(await parent.stdout.readline())
    assert alive(child)
    parent.kill()
    await parent.wait()

    async def gone() -> bool:
        return not alive(child)

    await eventually(gone, "the child ends with its parent")
