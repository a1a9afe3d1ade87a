"""The sandbox as a process: its address, its folder, its end."""

import asyncio
import json
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from replenisher.engine.process import Deadline, ManagedProcess
from sandbox.schedule import Action
from sandbox.server import serving
from sandbox.settings import Settings, from_environment
from sandbox.world import World
from support.sandboxes import FAST, Sandbox, order_body

WITHIN = 20.0


@asynccontextmanager
async def started(data: Path, log: Path) -> AsyncGenerator[tuple[ManagedProcess, Sandbox]]:
    process = ManagedProcess("sandbox", [sys.executable, "-m", "sandbox"], log, environment(data))
    process.start()
    try:
        deadline = Deadline(WITHIN)
        while "sandbox at http://" not in process.tail():
            assert process.running, process.tail()
            await deadline.tick("the sandbox says where it is")
        url = process.tail().splitlines()[-1].removeprefix("sandbox at ")
        async with httpx.AsyncClient(base_url=url, timeout=WITHIN, trust_env=False) as http:
            yield process, Sandbox(url, http)
    finally:
        await process.kill()


def environment(data: Path) -> dict[str, str]:
    return {
        "SANDBOX_DATA": str(data),
        "SANDBOX_DAY": str(FAST),
        "SANDBOX_EPOCH": datetime.now(UTC).isoformat(),
        "SANDBOX_PORT": "0",
        "SANDBOX_INGRESS": "",
        "SANDBOX_AUTO": "",
    }


async def test_sigterm_ends_it_at_once_while_a_request_hangs(tmp_path: Path) -> None:
    async with started(tmp_path / "data", tmp_path / "log") as (process, world):
        assert (await world.http.get("/health")).json() == {"status": "ok"}
        written = json.loads((tmp_path / "data" / "address.json").read_text())
        assert written["address"] == world.url
        await world.fault(operation="quotes", kind="slow", seconds=600)
        hanging = asyncio.create_task(world.http.get("/suppliers/A/quotes?sku=SKU-123"))
        waiting = asyncio.create_task(world.http.get("/control/wait?what=mail&timeout=600"))
        await world.wait("fault")
        assert await process.stop(limit=5) == 0
        for task in (hanging, waiting):
            with pytest.raises(httpx.TransportError):
                await task


async def test_its_books_survive_a_kill_where_it_has_a_folder(tmp_path: Path) -> None:
    async with started(tmp_path / "data", tmp_path / "log-1") as (process, world):
        await world.quote()
        await world.script(on_order=[{"after_days": 0}], deliver=[{"after_days": 5, "note": "DN-1"}])
        await world.fault(operation="find", kind="reject", times=3, reason="not today")
        await world.http.get("/suppliers/A/orders/PO-4471")
        assert (await world.order()).status_code == 201
        await world.wait("status", status="confirmed")
        token = (await world.ledger())["told"][0]["id"]
        await process.kill()
    async with started(tmp_path / "data", tmp_path / "log-2") as (_, world):
        assert (await world.order()).status_code == 201, "the first answer again"
        ledger = await world.ledger("SKU-123")
        (order,) = ledger["orders"]
        assert (order["attempts"], order["status"]) == (2, "confirmed")
        assert [m["id"] for m in ledger["mails"]["out"]] == [token]
        assert (await world.control("GET", "/suppliers/A/faults"))["faults"][0]["struck"] == 1
        await world.wait("status", status="received")
        assert (await world.wait("goods"))[0]["note"] == "DN-1"
        assert (await world.ledger())["requests"]["finds"] == 1


def test_settings_come_from_the_environment_and_the_command_line() -> None:
    settings = from_environment({"SANDBOX_PORT": "9100", "SANDBOX_AUTO": "0"})
    assert (settings.port, settings.data, settings.auto, settings.ingress) == (9100, None, False, None)
    assert from_environment({}, ["--auto", "--auto-lead", "2"]).auto_lead == 2
    both = from_environment({"REPLENISHER_DAY": "5", "REPLENISHER_EPOCH": datetime.now(UTC).isoformat()})
    assert both.clock.day == 5, "the agent's clock is the world's"


@pytest.mark.parametrize(
    ("env", "word"),
    [
        ({"SANDBOX_DAY": "0"}, "longer than 0"),
        ({"SANDBOX_DAY": "soon"}, "day"),
        ({"SANDBOX_EPOCH": "yesterday"}, "ISO date"),
        ({"SANDBOX_DAY": "0.001", "SANDBOX_EPOCH": "1990-01-01"}, "out of the calendar"),
        ({"SANDBOX_PORT": "http"}, "port"),
    ],
)
def test_settings_that_make_no_sense_end_it_with_a_sentence(
    env: dict[str, str], word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        from_environment(env)
    assert ended.value.code == 2
    assert word in capsys.readouterr().err


async def test_a_port_that_is_taken_ends_it(tmp_path: Path) -> None:
    async with started(tmp_path / "data", tmp_path / "log-1") as (_, world):
        port = str(httpx.URL(world.url).port)
        env = environment(tmp_path / "other") | {"SANDBOX_PORT": port}
        second = ManagedProcess("sandbox", [sys.executable, "-m", "sandbox"], tmp_path / "log-2", env)
        second.start()
        assert await asyncio.wait_for(second.wait(), WITHIN) != 0
        assert "address already in use" in second.tail()


async def test_an_order_is_exactly_once_or_not_at_all_when_it_is_killed_in_between(tmp_path: Path) -> None:
    orders = [order_body(f"PO-{n}") for n in range(200)]

    async def place(world: Sandbox, body: dict[str, str]) -> int:
        try:
            answer = await world.write("/suppliers/A/orders", body, body["po"])
        except httpx.TransportError:
            return 0
        return answer.status_code

    async with started(tmp_path / "data", tmp_path / "log-1") as (process, world):
        await world.quote()
        placing = [asyncio.create_task(place(world, body)) for body in orders]
        await world.wait("order", 20)
        await process.kill()
        answered = await asyncio.gather(*placing)
    async with started(tmp_path / "data", tmp_path / "log-2") as (_, world):
        kept = {o["po"] for o in (await world.ledger())["orders"]}
        assert {o["po"] for o, status in zip(orders, answered, strict=True) if status == 201} <= kept
        assert {await place(world, body) for body in orders} == {201}
        assert len((await world.ledger())["orders"]) == len(orders)


async def test_a_sandbox_that_breaks_says_so_instead_of_falling_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(world: World, action: Action) -> None:
        raise ZeroDivisionError(action.kind)

    monkeypatch.setattr(World, "_do", broken)
    async with serving(Settings()) as running:
        running.world.schedule.after(0, "anything")
        with pytest.raises(ZeroDivisionError, match="anything"):
            await asyncio.wait_for(running.failed(), WITHIN)
