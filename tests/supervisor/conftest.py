"""The small application of this room's tests, by the command that serves it."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Lab = Callable[..., list[str]]
HERE = Path(__file__).parent


@pytest.fixture
def lab() -> Lab:
    def command(variant: str, port: int | None = None) -> list[str]:
        return [sys.executable, str(HERE / "lab.py"), variant, *([] if port is None else [str(port)])]

    return command
