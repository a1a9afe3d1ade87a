"""Reading what a run did: every kind of command of a real journal, joined with its outcome."""

from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from replenisher.engine import journal
from replenisher.engine.admin import Admin
from replenisher.engine.server import RestateServer
from support.engine import eventually, serving

Lab = Callable[..., list[str]]


async def test_a_finished_run_is_told_step_by_step(
    engine: RestateServer, admin: Admin, ingress: httpx.AsyncClient, lab: Lab, tmp_path: Path
) -> None:
    key = "50% of Ulm / night's"
    path = "50%25%20of%20Ulm%20%2F%20night%27s"
    async with serving(engine, lambda port: lab("leave", port), tmp_path / "lab.log"):
        await ingress.post(f"/Trip/{path}/run/send", json={"from": "Ulm", "stumble": "once"})
        await ingress.post(f"/Trip/{path}/ticket", json="T-9")
        await ingress.get(f"/restate/workflow/Trip/{path}/attach")
        read = await journal.read_run(admin, "Trip", key)

    assert read.invocation.key == key
    assert read.invocation.status == "completed"
    assert read.invocation.result == "success"
    assert read.invocation.completed_at
    assert read.invocation.deployment
    kinds = [(entry.kind, entry.name) for entry in read.entries]
    assert kinds == [
        ("input", ""),
        ("run", "leave"),
        ("set_state", "left"),
        ("one_way_call", f"Counter/{key}/add"),
        ("get_promise", "ticket"),
        ("sleep", ""),
        ("run", "seat"),
        ("output", ""),
    ]
    assert read.entries[0].json() == {"from": "Ulm", "stumble": "once"}
    leave = read.named("leave")
    assert leave.json() == {"from": "Ulm"}
    assert leave.ended
    assert leave.ended >= leave.at
    assert leave.ended_index == leave.index + 1
    (retry,) = leave.retries
    assert retry.failure
    assert retry.failure.message == "ConnectionError('the road is closed')"
    assert read.named("left").json() == {"from": "Ulm"}
    assert read.named(f"Counter/{key}/add").value == b"1"
    assert (read.named(f"Counter/{key}/add").invocation or "").startswith("inv_")
    assert read.named("ticket").json() == "T-9"
    nap = read.entries[5]
    assert nap.wake_at
    assert nap.wake_at > nap.at
    assert nap.ended is None
    seat = read.named("seat")
    assert seat.failure
    assert (seat.failure.code, seat.failure.message) == (409, "no seat")
    assert seat.value is None
    assert read.entries[-1].json() == {"ticket": "T-9", "seat": "no seat"}
    assert [entry.index for entry in read.entries] == sorted(entry.index for entry in read.entries)


async def test_a_cancelled_wait_is_a_signal_and_an_open_wait_has_no_end(
    engine: RestateServer, admin: Admin, ingress: httpx.AsyncClient, lab: Lab, tmp_path: Path
) -> None:
    async with serving(engine, lambda port: lab("leave", port), tmp_path / "lab.log"):
        started = (await ingress.post("/Trip/cancelled/run/send", json={"from": "Ulm"})).json()["invocationId"]

        async def waits() -> journal.Journal | None:
            read = await journal.read(admin, started)
            return read if any(entry.kind == "get_promise" for entry in read.entries) else None

        waiting = await eventually(waits, "the trip waits")
        assert waiting
        assert waiting.named("ticket").ended is None
        assert waiting.invocation.completed_at is None
        await admin.cancel(started)

        async def ended() -> journal.Journal | None:
            read = await journal.read(admin, started)
            return read if read.invocation.status == "completed" else None

        over = await eventually(ended, "the trip ends")
    assert over
    assert over.named("cancel").kind == "signal"
    assert over.invocation.result == "failure"
    assert over.entries[-1].failure
    assert over.entries[-1].failure.code == 409


async def test_runs_are_listed_and_unknown_ones_are_named(
    engine: RestateServer, admin: Admin, ingress: httpx.AsyncClient, lab: Lab, tmp_path: Path
) -> None:
    async with serving(engine, lambda port: lab("leave", port), tmp_path / "lab.log"):
        for key in ("listed-1", "listed-2"):
            await ingress.post(f"/Trip/{key}/run/send", json={"from": "Ulm"})
        assert {"listed-1", "listed-2"} <= {run.key for run in await journal.runs(admin, "Trip")}
    with pytest.raises(journal.NoSuchRunError, match="Trip/nowhere/run"):
        await journal.read_run(admin, "Trip", "nowhere")
    with pytest.raises(journal.NoSuchRunError, match="inv_"):
        await journal.read(admin, "inv_1nothing")
