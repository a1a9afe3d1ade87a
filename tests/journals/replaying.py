"""Replays a recorded invocation against today's code, in this process and without an engine: the product's own
application gets the journal as an engine would send it, and the SDK compares name by name and byte by byte."""

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from starlette.types import ASGIApp

from journals import wire
from journals.kept import Kept, Recording
from journals.wire import Entry, Json
from replenisher.app import build, services
from replenisher.settings import Settings

WITHIN = 30.0
NOWHERE = "http://127.0.0.1:1"


class WouldBreak(AssertionError):
    """Today's code does not follow a recorded run."""


def replay(recording: Recording, run: Kept, **settings: Any) -> None:
    """Raises WouldBreak with a sentence that names the run and says why. `settings` are those of today's agent.

    All but the last entry, the output, is compared byte by byte, as after a crash at the very end. The output is not:
    it may have gained fields, as a run ends with it and is not replayed any more.
    """
    *known, output = run.journal
    answered = attempt(todays_code(**settings), run, known)
    kinds = [kind for kind, _ in answered]
    if kinds == [wire.COMMANDS["Output"], wire.END]:
        if run.result is not None and (lost := lacks(wire.value_of(answered[0][1]), output["value"])):
            raise broken(recording, run, f"its result lacks or changes what was recorded: {lost}")
        return
    raise broken(recording, run, _why(known, answered))


def todays_code(data: Path | None = None, **settings: Any) -> ASGIApp:
    """The product as its process serves it, by default with empty records: nothing of them is looked at by a replay."""
    with TemporaryDirectory() as folder:
        elsewhere = {"supplier_base": NOWHERE, "people_url": NOWHERE, **settings}
        return services(build(Settings(_env_file=None, data=data or Path(folder), **elsewhere)))  # type: ignore[call-arg]


def attempt(app: ASGIApp, run: Kept, known: Sequence[Entry]) -> list[tuple[int, bytes]]:
    """One attempt of an invocation of which these entries are known; the messages that come back."""
    sent = wire.start(run.id, run.key, len(known)) + b"".join(map(wire.framed, known))
    return asyncio.run(call(app, f"{run.service}/{run.handler}", sent))


async def call(app: ASGIApp, handler: str, sent: bytes) -> list[tuple[int, bytes]]:
    """One attempt: what an engine sends, and the messages that come back."""
    return list(wire.messages(await asyncio.wait_for(_call(app, handler, sent), WITHIN)))


async def _call(app: ASGIApp, handler: str, sent: bytes) -> bytes:
    given = False
    came = bytearray()
    over = asyncio.Event()

    async def receive() -> dict[str, Any]:
        nonlocal given
        if not given:
            given = True
            return {"type": "http.request", "body": sent, "more_body": False}
        await over.wait()
        return {"type": "http.disconnect"}

    async def send(event: Any) -> None:
        if event["type"] == "http.response.body":
            came.extend(event.get("body", b""))

    scope = {
        "type": "http",
        "http_version": "2",
        "method": "POST",
        "path": f"/invoke/{handler}",
        "headers": [(b"content-type", wire.CONTENT_TYPE.encode())],
    }
    logging.getLogger("restate").setLevel(logging.CRITICAL)
    try:
        await app(scope, receive, send)  # type: ignore[arg-type]
    finally:
        over.set()
    return bytes(came)


def broken(recording: Recording, run: Kept, why: str) -> WouldBreak:
    rules = "" if run.rules_version is None else f", rules version {run.rules_version}"
    return WouldBreak(f"{run.target} as recorded in {recording.name}{rules} would break: {why}")


def _why(known: Sequence[Entry], answered: Sequence[tuple[int, bytes]]) -> str:
    kind, body = answered[-1] if answered else (wire.END, b"")
    if kind == wire.ERROR:
        told = wire.fields(body)
        text = told.get(2, b"")
        assert isinstance(text, bytes)
        return " ".join(text.decode().split())
    shown = ", ".join(wire.kind_name(k) for k, _ in answered) or "nothing"
    last = known[-1]
    return f"after {len(known)} entries, the last {last}, it goes on with {shown} instead of its result"


def lacks(now: Json, recorded: Json, where: str = "") -> str | None:
    """The first place at which a recorded value is not kept: fields may be added, nothing else."""
    if isinstance(recorded, dict) and isinstance(now, dict):
        for key, value in recorded.items():
            if key not in now:
                return f"{where}{key} is gone"
            if lost := lacks(now[key], value, f"{where}{key}."):
                return lost
        return None
    if isinstance(recorded, list) and isinstance(now, list) and len(recorded) == len(now):
        both = enumerate(zip(now, recorded, strict=True))
        return next((lost for n, (a, b) in both if (lost := lacks(a, b, f"{where}{n}."))), None)
    return None if now == recorded else f"{where.removesuffix('.')} is {now!r} where {recorded!r} was recorded"
