"""The admin API of a server that was just started again: what passes, and what is an error at once."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from replenisher.engine.admin import Admin, AdminError


@asynccontextmanager
async def engine_that_says(*answers: tuple[int, object]) -> AsyncGenerator[tuple[Admin, list[str]]]:
    """An admin API that gives these answers in turn, and the queries it heard."""
    heard: list[str] = []

    async def query(request: web.Request) -> web.Response:
        heard.append((await request.json())["query"])
        status, body = answers[len(heard) - 1]
        return web.json_response(body, status=status)

    app = web.Application()
    app.router.add_post("/query", query)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    try:
        async with Admin(f"http://{host}:{port}") as admin:
            yield admin, heard
    finally:
        await runner.cleanup()


async def test_a_query_that_meets_the_engine_s_former_self_is_asked_again() -> None:
    gone = {"message": "Datafusion error: External error: node N1:7 was shut down or removed"}
    async with engine_that_says((500, gone), (500, gone), (200, {"rows": [{"n": 1}]})) as (admin, heard):
        assert await admin.query("SELECT 1 AS n") == [{"n": 1}]
        assert heard == ["SELECT 1 AS n"] * 3


async def test_a_query_that_is_wrong_is_an_error_at_once() -> None:
    wrong = {"message": "Datafusion error: Error during planning: table 'sys_nothing' not found"}
    async with engine_that_says((500, wrong)) as (admin, heard):
        with pytest.raises(AdminError, match="sys_nothing"):
            await admin.query("SELECT * FROM sys_nothing")
        assert len(heard) == 1
