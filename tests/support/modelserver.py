"""A small real server on loopback that speaks the Messages API and Jev's, answering what a test scripted."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

Answer = tuple[int, Any, dict[str, str]]
"""Status, body (a str goes out as it is) and headers."""
HANG = "hang"


def said(text: str, stop_reason: str = "end_turn", before: list[dict[str, Any]] | None = None) -> Answer:
    """A message of Claude's with this text, other blocks before it."""
    content = [*(before or []), {"type": "text", "text": text}]
    return (
        200,
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude-test",
            "content": content,
            "stop_reason": stop_reason,
            "stop_sequence": None,
            "usage": {"input_tokens": 700, "output_tokens": 40},
        },
        {},
    )


def failed(status: int, **headers: str) -> Answer:
    body = {"type": "error", "error": {"type": "api_error", "message": "scripted"}}
    return status, body, {name.replace("_", "-"): value for name, value in headers.items()}


def chose(label: str, confidence: float = 0.9) -> Answer:
    """Jev's answer to the one question."""
    answer = {"type": "choice", "choice": label, "confidence": confidence, "probabilities": {label: confidence}}
    usage = {"input_tokens": 300, "output_tokens": 1}
    return 200, {"model": "jev-test", "answers": {"next_action": answer}, "usage": usage}, {}


@dataclass
class ModelServer:
    url: str = ""
    script: list[Answer] = field(default_factory=list[Answer])
    """Answers in order, the last one repeated."""
    player: Callable[[dict[str, Any]], Answer] | None = None
    """Instead of a script: an answer made from the request."""
    requests: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    async def answer(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.requests.append(body)
        if self.player is not None:
            status, answer, headers = self.player(body)
        else:
            status, answer, headers = self.script[min(len(self.requests), len(self.script)) - 1]
        if answer == HANG:
            assert request.transport is not None
            request.transport.abort()
        if isinstance(answer, str):
            return web.Response(status=status, text=answer, headers=headers, content_type="text/html")
        return web.json_response(answer, status=status, headers=headers)


@asynccontextmanager
async def model_server() -> AsyncGenerator[ModelServer]:
    server = ModelServer()
    app = web.Application()
    app.router.add_post("/v1/messages", server.answer)
    app.router.add_post("/v1/systemone", server.answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    server.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield server
    finally:
        await runner.cleanup()
