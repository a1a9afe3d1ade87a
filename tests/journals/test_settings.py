"""Settings that change while something is under way: it is cut off, the agent comes back with others, and all that was
set and sent must be repeated byte by byte."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from starlette.types import ASGIApp

from journals import wire
from journals.kept import Kept, Recording
from journals.recordings import runs
from journals.replaying import call, replay, todays_code
from replenisher.handlers.entity import Entity
from replenisher.harness.shape import dump
from replenisher.settings import Settings
from replenisher.systems.records.master import MasterData

SKU = "SKU-123"
COMMANDS = range(0x0400, 0x8000)


class Attempts:
    """Attempts of one invocation of an entity's handler, as an engine makes them; everything is kept."""

    def __init__(self, handler: str, body: wire.Json, entity: Entity) -> None:
        self._handler = handler
        self._state = {"entity": dump(Entity, entity)}
        self.known = [wire.framed({"command": "Input", "value": body})]
        self.commands: list[tuple[int, bytes]] = []

    async def once(self, app: ASGIApp) -> int:
        """One attempt with all that is known; the kind of its last message."""
        sent = wire.start("inv_1", SKU, len(self.known), self._state) + b"".join(self.known)
        came = await call(app, f"SkuAgent/{self._handler}", sent)
        for kind, body in came:
            if kind in COMMANDS:
                self.known.append(wire.message(kind, body))
                self.commands.append((kind, body))
        for kind, body in came:
            self.known += wire.completions(kind, body)
        if came[-1][0] == wire.ERROR:
            text = wire.fields(came[-1][1])[2]
            assert isinstance(text, bytes)
            raise AssertionError(text.decode())
        return came[-1][0]

    def sent(self) -> list[wire.Json]:
        kinds = wire.COMMANDS["OneWayCall"]
        return [wire.sent_value(body) for kind, body in self.commands if kind == kinds]


OTHERS: list[dict[str, Any]] = [
    {"rules_version": 2},
    {"answers": {"dock": "Dock 9"}},
    {"deliver_to": "Dock 9"},
    {"check_every": 2.0},
]


@pytest.mark.parametrize("others", OTHERS, ids=str)
async def test_a_check_that_started_a_replenishment_repeats_itself_under_other_settings(
    tmp_path: Path, others: dict[str, Any]
) -> None:
    before, after = todays_code(tmp_path), todays_code(tmp_path, **others)
    master = MasterData(Settings(_env_file=None, data=tmp_path).records_file)  # type: ignore[call-arg]
    master.seed_demo(SKU)
    master.close()
    tick = Attempts("tick", {"generation": 1}, replace(Entity(), watched=True, generation=1))
    started = False
    while not started:
        assert await tick.once(before) == wire.SUSPENSION
        started = any("rules_version" in told for told in tick.sent())
    while await tick.once(after) == wire.SUSPENSION:
        pass
    [assignment] = [told for told in tick.sent() if "rules_version" in told]
    assert assignment["rules_version"] == 1
    assert assignment["answerable"] == ["address", "contact", "dock", "vat"]


EVERYTHING: dict[str, Any] = {
    "rules_version": 2,
    "answers": {"dock": "Dock 9"},
    "deliver_to": "Dock 9",
    "approver": "somebody else",
    "currency": "EUR",
    "day": 7.0,
    "epoch": datetime.now(UTC),
    "retry_first": 9.0,
    "retry_attempts": 2,
    "decisions_budget": 0,
    "tokens_budget": 0,
}


@pytest.mark.parametrize(("recording", "run"), runs())
def test_recorded_runs_are_followed_under_other_settings(recording: Recording, run: Kept) -> None:
    replay(recording, run, **EVERYTHING)
