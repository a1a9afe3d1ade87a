"""The recorded runs as parameters of tests."""

from typing import Any

import pytest

from journals.kept import Kept, Recording, everything

EVERY = list(everything())


def runs(service: str | None = None) -> list[Any]:
    """Each recorded run (of this service) with its recording, named by file and key."""
    return [
        pytest.param(recording, run, id=f"{recording.name}:{run.key or run.service}-{n}")
        for recording in EVERY
        for n, run in enumerate(recording.runs)
        if service in (None, run.service)
    ]


def one(name: str, service: str = "Replenish", n: int = 0) -> tuple[Recording, Kept]:
    """The n-th run of the first recording of this name."""
    recording = next(r for r in EVERY if r.name.endswith(f"/{name}"))
    return recording, [run for run in recording.runs if run.service == service][n]
