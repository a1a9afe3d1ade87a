"""What stands still, why, and what may be resumed: on a real server, with code that is away and code that changed."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from replenisher.engine.admin import Admin
from replenisher.engine.doctor import Cause, Failure, Standing, classify, paused, resume_connection_errors, standing
from replenisher.engine.retry import INACTIVITY, RETRY_POLICY
from replenisher.engine.server import RestateServer
from support.engine import eventually, ingress_of, serving

Lab = Callable[..., list[str]]


@pytest.mark.parametrize(
    ("failure", "cause"),
    [
        (None, Cause.OPERATOR),
        (Failure(500, "RT0010", "Connection refused"), Cause.CONNECTION),
        (Failure(570, "RT0016", "mismatch"), Cause.MISMATCH),
        (Failure(570, None, "mismatch"), Cause.MISMATCH),
        (Failure(500, "RT0016", "mismatch"), Cause.MISMATCH),
        (Failure(500, "RT0018", "no such handler"), Cause.PROTOCOL),
        (Failure(500, "RT0007", "ConnectionError('the supplier is away')"), Cause.ERROR),
        (Failure(500, "RT0001", "too slow"), Cause.ERROR),
        (Failure(500, None, "unheard of"), Cause.ERROR),
    ],
)
def test_only_what_never_reached_the_code_is_a_lost_connection(failure: Failure | None, cause: Cause) -> None:
    assert classify(failure) is cause


async def await_paused(admin: Admin, *targets: str) -> dict[str, Standing]:
    async def look() -> dict[str, Standing] | None:
        found = {each.target: each for each in await paused(admin)}
        return found if set(targets) <= set(found) else None

    found = await eventually(look, f"{targets} paused")
    assert found
    return found


async def test_a_lost_connection_is_resumed_and_a_journal_mismatch_is_left_alone(
    engine: RestateServer, admin: Admin, lab: Lab, tmp_path: Path
) -> None:
    old = serving(engine, lambda port: lab("hurried-old", port), tmp_path / "old.log")
    async with old as served, ingress_of(engine) as ingress:
        port = int(served.url.rsplit(":", 1)[1])
        await ingress.post("/Trip/changed/run/send", json={"from": "Ulm"})
        await ingress.post("/Trip/away/run/send", json={"from": "Ulm"})

        async def both_wait() -> bool:
            rows = await admin.query(
                "SELECT id FROM sys_invocation WHERE target_service_key IN ('changed', 'away') AND status = 'suspended'"
            )
            return len(rows) == 2

        await eventually(both_wait, "both trips wait")

        # the code changes in place: a step has another name
        await served.process.stop()
        served.process.argv = lab("hurried-new", port)
        await served.start(force=True)
        await ingress.post("/Trip/changed/ticket", json="T-1")
        changed = (await await_paused(admin, "Trip/changed/run"))["Trip/changed/run"]
        assert changed.cause is Cause.MISMATCH
        assert changed.failure
        assert changed.failure.code == 570
        assert changed.failure.step == "hurried-new"
        assert "hurried-old" in changed.failure.message
        assert "latest" in changed.advice
        assert changed.id in changed.advice

        # the code is away
        await served.process.kill()
        await ingress.post("/Counter/away/add/send", json=5)
        await ingress.post("/Trip/away/ticket/send", json="T-2")
        stands = await await_paused(admin, "Counter/away/add", "Trip/away/ticket")
        for target in ("Counter/away/add", "Trip/away/ticket"):
            assert stands[target].cause is Cause.CONNECTION
            assert "--resume" in stands[target].advice

        # the old code is back
        served.process.argv = lab("hurried-old", port)
        await served.start(force=True)
        mine = {"Counter/away/add", "Trip/away/ticket", "Trip/away/run", "Trip/changed/run"}
        resumed = {each.target for each in await resume_connection_errors(admin)}
        assert resumed & mine == {"Counter/away/add", "Trip/away/ticket"}
        away = await ingress.get("/restate/workflow/Trip/away/attach")
        assert away.json()["ticket"] == "T-2"
        assert {each.target for each in await paused(admin)} & mine == {"Trip/changed/run"}

        # and by hand the changed one goes on as well, for nothing of it was lost
        await admin.resume(changed.id)
        done = await ingress.get("/restate/workflow/Trip/changed/attach")
        assert done.json()["ticket"] == "T-1"
        assert not {each.target for each in await paused(admin)} & mine


async def test_an_outage_pauses_nothing_under_the_products_policy(
    engine: RestateServer, admin: Admin, lab: Lab, tmp_path: Path
) -> None:
    async with (
        serving(engine, lambda port: lab("patient", port), tmp_path / "lab.log") as served,
        ingress_of(engine) as ingress,
    ):
        await served.process.kill()
        await ingress.post("/Counter/patient/add/send", json=6)

        async def tried_thrice() -> Standing | None:
            found = [each for each in await standing(admin) if each.target == "Counter/patient/add"]
            return found[0] if found and found[0].tries >= 3 else None

        waiting = await eventually(tried_thrice, "three tries in vain")
        assert waiting
        assert not waiting.paused
        assert waiting.cause is Cause.CONNECTION
        assert waiting.next_try
        assert "by itself" in waiting.advice
        await served.start()

        async def done() -> bool:
            rows = await admin.query("SELECT value_utf8 FROM state WHERE service_key = 'patient'")
            return [row["value_utf8"] for row in rows] == ["6"]

        await eventually(done, "it goes on by itself")


async def test_the_engine_keeps_the_policy_and_it_lasts_for_more_than_a_week(
    engine: RestateServer, lab: Lab, tmp_path: Path
) -> None:
    async with (
        serving(engine, lambda port: lab("patient", port), tmp_path / "lab.log"),
        httpx.AsyncClient(base_url=engine.admin, trust_env=False) as client,
    ):
        kept = (await client.get("/services/Counter")).json()["retry_policy"]
    assert kept["max_attempts"] == RETRY_POLICY.max_attempts
    assert kept["on_max_attempts"].lower() == "pause"
    assert RETRY_POLICY.max_attempts
    assert RETRY_POLICY.max_interval
    assert RETRY_POLICY.max_attempts * RETRY_POLICY.max_interval > timedelta(weeks=52)
    assert timedelta(seconds=1) >= INACTIVITY
