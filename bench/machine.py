"""What the kernel says of processes and folders. Linux only: figures come from /proc."""

import os
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


def cpu_seconds(pid: int) -> float:
    """User and system time of a process with all its threads."""
    # the name, in parentheses, may hold spaces
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def resident(pid: int) -> int:
    """Bytes of memory that a process holds."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE


def on_disk(folder: Path) -> int:
    """Bytes in the files of a folder; what a log has reserved for later is not counted."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size
        except FileNotFoundError:
            continue
    return total


def described() -> str:
    """Cores, processor and kernel."""
    model = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if "model name" in line
        ),
        "unknown processor",
    )
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    return f"{len(os.sched_getaffinity(0))} cores of {model}, Linux {os.uname().release}, load {load}"
