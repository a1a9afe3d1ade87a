"""python -m chaos: N replenishments while everything fails, and the books compared at the end.
Exit 1 when anything is breached."""

import argparse
import asyncio
import secrets
import sys
import tempfile
from pathlib import Path

from chaos.audit import audit
from chaos.course import Setting, play
from chaos.report import breached, table


def main() -> int:
    parser = argparse.ArgumentParser(prog="chaos", description=__doc__)
    parser.add_argument("-n", type=int, default=200, help="replenishments")
    parser.add_argument("--seed", type=int, help="what is drawn; a random one is printed")
    parser.add_argument("--kills", type=int, help="how often agent, engine or both are killed (a sixth of N)")
    parser.add_argument(
        "--inactivity", type=float, default=1.0, help="seconds before a run is suspended; 0 replays all"
    )
    parser.add_argument("--day", type=float, default=2.0, help="real seconds of a business day; more on a busy machine")
    parser.add_argument("--keep", type=Path, help="a folder for books, logs and the engine's data")
    given = parser.parse_args()
    seed = secrets.randbelow(10**6) if given.seed is None else given.seed
    kills = max(6, given.n // 6) if given.kills is None else given.kills
    setting = Setting(given.n, seed, kills, day=given.day, inactivity=given.inactivity)
    say(f"seed {seed}")
    with tempfile.TemporaryDirectory(prefix="chaos-") as folder:
        data = given.keep or Path(folder)
        data.mkdir(parents=True, exist_ok=True)
        course = asyncio.run(play(setting, data, say))
    findings = audit(course.seen)
    for line in table(course, findings):
        say(line)
    return 1 if breached(course, findings) else 0


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
