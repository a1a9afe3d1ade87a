"""Where the sandbox listens, what time it is there, and whether the world answers by itself."""

import argparse
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from replenisher.clock import REAL_DAY, Clock


@dataclass(frozen=True, slots=True)
class Settings:
    host: str = "127.0.0.1"
    port: int = 0
    """0 takes a free one."""
    ingress: str | None = None
    """The engine's ingress; None until it is told through the control interface."""
    clock: Clock = field(default_factory=Clock)
    auto: bool = False
    auto_lead: float = 3.0
    """With `auto`, goods arrive after the quoted lead time, but after no more than this many days."""
    data: Path | None = None
    """A folder for the books; None keeps them in memory only."""


def from_environment(env: Mapping[str, str], argv: Sequence[str] = ()) -> Settings:
    """Settings from SANDBOX_*; the clock, which must be the agent's, also from the agent's own variables. Exits with a
    sentence when a value cannot be read."""
    parser = argparse.ArgumentParser(
        prog="python -m sandbox",
        description="The outside world on loopback: suppliers, warehouse, manager and buyer. See docs/sandbox.md.",
        epilog="example: SANDBOX_DAY=5 python -m sandbox --port 9100 --ingress http://127.0.0.1:8080 --auto",
    )
    parser.add_argument("--host", default=env.get("SANDBOX_HOST", "127.0.0.1"))
    parser.add_argument("--port", type=int, default=env.get("SANDBOX_PORT") or "0", help="0 takes a free one")
    parser.add_argument("--ingress", default=env.get("SANDBOX_INGRESS") or None, help="where the agent hears: URL")
    parser.add_argument("--day", type=_day, default=_either(env, "DAY") or str(REAL_DAY), help="real seconds in a day")
    parser.add_argument("--epoch", type=_epoch, default=_either(env, "EPOCH") or Clock().epoch.isoformat())
    parser.add_argument("--auto", action="store_true", default=env.get("SANDBOX_AUTO", "") not in ("", "0"))
    parser.add_argument("--auto-lead", type=float, default=env.get("SANDBOX_AUTO_LEAD") or "3")
    parser.add_argument("--data", type=Path, default=env.get("SANDBOX_DATA") or None, help="folder for the books")
    given = parser.parse_args(list(argv))
    clock = Clock(given.day, given.epoch)
    try:
        clock.now()
    except OverflowError:
        parser.error("a day this short carries business time out of the calendar: give an --epoch near now")
    return Settings(
        host=given.host,
        port=given.port,
        ingress=given.ingress,
        clock=clock,
        auto=given.auto,
        auto_lead=given.auto_lead,
        data=given.data,
    )


def _either(env: Mapping[str, str], name: str) -> str | None:
    return env.get(f"SANDBOX_{name}") or env.get(f"REPLENISHER_{name}") or None


def _day(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError("a day must last longer than 0 seconds")
    return seconds


def _epoch(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not an ISO date and time") from None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def from_process(argv: Sequence[str]) -> Settings:
    return from_environment(os.environ, argv)
