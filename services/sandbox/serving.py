"""How requests meet the world: JSON in and out, refusals as sentences, and what a fault does to an answer."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

from aiohttp import web

from sandbox.faults import PEOPLE, Fault
from sandbox.wire import Json, Problem
from sandbox.world import World

WORLD = web.AppKey("world", World)
LARGEST = 64 * 1024 * 1024
"""Bytes of a body: a whole catalogue fits."""
PAGE = "<!doctype html><html><body><h1>Service portal</h1><p>Please sign in.</p></body></html>"
KEY = "Idempotency-Key"
M = TypeVar("M")

Work = Callable[[], tuple[int, Json]]
"""What is done when no fault prevents it: status and body of the answer."""


@web.middleware
async def refusals(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """A Problem becomes its status and sentence, and so does an address or method nobody serves."""
    try:
        return await handler(request)
    except Problem as problem:
        return answer(problem.status, problem.body)
    except web.HTTPRequestEntityTooLarge:
        return answer(413, {"error": f"the body is larger than {LARGEST} bytes"})
    except web.HTTPMethodNotAllowed as wrong:
        return answer(
            405, {"error": f"{request.method} is not for {request.path}: use {', '.join(wrong.allowed_methods)}"}
        )
    except web.HTTPNotFound:
        return answer(404, {"error": f"nothing is at {request.path}: docs/sandbox.md lists what there is"})


def answer(status: int, body: Json) -> web.Response:
    return web.json_response(body, status=status)


def world(request: web.Request) -> World:
    return request.app[WORLD]


def written_key(request: web.Request) -> str:
    """The key of a write."""
    said = request.headers.get(KEY, "").strip()
    if not said:
        raise Problem(400, f"a write needs the header {KEY}: the same on every attempt of one request")
    return said


async def met(request: web.Request, party: str, operation: str, sku: str | None, work: Work) -> web.StreamResponse:
    """The answer to a request, after whatever fault it meets. It has been counted before."""
    here = world(request)
    fault = here.faults.take(party, operation, sku, here.now())
    return await answered(request, fault, party, operation, sku, work)


async def answered(
    request: web.Request, fault: Fault | None, party: str, operation: str, sku: str | None, work: Work
) -> web.StreamResponse:
    here = world(request)
    if fault is None:
        return _work(here, work)
    here.events.tell("fault", party=party, operation=operation, sku=sku, kind=fault.kind)
    match fault.kind:
        case "slow":
            # the work first: whoever answers 404 to a look must not take the order afterwards
            done = _work(here, work)
            here.strike(fault, party, sku)
            await asyncio.sleep(fault.seconds)
            return done
        case "reply_lost":
            _work(here, work)
            here.strike(fault, party, sku)
            return _drop(request)
        case "drop" | "refuse_connection":
            here.strike(fault, party, sku)
            return _drop(request)
        case "down":
            here.strike(fault, party, sku)
            return answer(fault.status or 503, {"error": "the service is down"})
        case "reject":
            here.strike(fault, party, sku)
            return answer(fault.status or 409, {"error": fault.reason})
        case "malformed":
            if fault.work:
                _work(here, work)
            here.strike(fault, party, sku)
            return _malformed(fault)


def _work(here: World, work: Work) -> web.Response:
    with here.store.together():
        try:
            return answer(*work())
        except Problem as problem:
            return answer(problem.status, problem.body)


def _drop(request: web.Request) -> web.Response:
    """The connection breaks before the first byte of an answer."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response()


def _malformed(fault: Fault) -> web.Response:
    body = PAGE if fault.body is None else fault.body
    kind = fault.content_type or ("text/html" if body.startswith("<") else "application/json")
    return web.Response(body=body.encode(), headers={"content-type": kind})


def wanted(query: Mapping[str, str], name: str, default: float, most: float) -> float:
    """A number of the query."""
    try:
        value = float(query.get(name, default))
    except ValueError:
        value = -1
    if not 0 <= value <= most:
        raise Problem(400, f"{name} is a number from 0 to {most:g}")
    return value


__all__ = [
    "KEY",
    "LARGEST",
    "PEOPLE",
    "WORLD",
    "answer",
    "answered",
    "met",
    "refusals",
    "wanted",
    "world",
    "written_key",
]
