"""The suppliers' own addresses, as docs/suppliers.openapi.yaml has them: /suppliers/{name}/quotes and so on."""

from collections.abc import Callable
from typing import TypeVar

from aiohttp import web
from pydantic import BaseModel

from sandbox.books import Order
from sandbox.contract import AcceptBody, CancelBody, MessageBody, OrderBody
from sandbox.serving import answered, met, world, written_key
from sandbox.wire import Json, Problem, loads, members, parse

M = TypeVar("M", bound=BaseModel)
routes = web.RouteTableDef()


@routes.get("/suppliers/{name}/quotes")
async def quotes(request: web.Request) -> web.StreamResponse:
    here, name = world(request), request.match_info["name"]
    sku = request.query.get("sku")
    here.counts.count(name, "quotes", sku)
    here.events.tell("quotes", supplier=name, sku=sku)

    def work() -> tuple[int, Json]:
        if not sku:
            raise Problem(422, "say which part is to be quoted: ?sku=")
        return 200, {"quotes": here.prices.quote(name, sku, here.now())}

    return await met(request, name, "quotes", sku, work)


@routes.post("/suppliers/{name}/orders")
async def orders(request: web.Request) -> web.StreamResponse:
    here, name = world(request), request.match_info["name"]
    raw = await request.read()
    po, sku = _hints(raw)
    header = request.headers.get("Idempotency-Key")
    here.counts.count(name, "orders", sku)
    fault = here.faults.take(name, "orders", sku, here.now())
    here.books.attempt(name, po, sku, header, raw, None if fault is None else fault.kind, here.now())

    def work() -> tuple[int, Json]:
        def take() -> tuple[int, Json]:
            order = here.suppliers.take(name, parse(OrderBody, raw))
            return 201, {"po": order.po, "status": order.status, "reference": order.reference}

        return _once(request, name, raw, take)

    return await answered(request, fault, name, "orders", sku, work)


@routes.get("/suppliers/{name}/orders/{po}")
async def find(request: web.Request) -> web.StreamResponse:
    here, name, po = world(request), request.match_info["name"], request.match_info["po"]
    sku = _sku(request)
    here.counts.count(name, "find", sku)
    here.events.tell("find", supplier=name, po=po, sku=sku)
    return await met(request, name, "find", sku, lambda: (200, here.books.need(name, po).shown))


@routes.post("/suppliers/{name}/orders/{po}/messages")
async def messages(request: web.Request) -> web.StreamResponse:
    here = world(request)

    def hear(order: Order, body: MessageBody) -> tuple[int, Json]:
        here.suppliers.hear(order, body, written_key(request))
        return 202, {"po": order.po, "status": "taken"}

    return await _write(request, "messages", MessageBody, hear)


@routes.post("/suppliers/{name}/orders/{po}/accept")
async def accept(request: web.Request) -> web.StreamResponse:
    here = world(request)

    def agree(order: Order, body: AcceptBody) -> tuple[int, Json]:
        return 200, _standing(here.suppliers.accept(order, body))

    return await _write(request, "accept", AcceptBody, agree)


@routes.post("/suppliers/{name}/orders/{po}/cancel")
async def cancel(request: web.Request) -> web.StreamResponse:
    here = world(request)

    def end(order: Order, body: CancelBody) -> tuple[int, Json]:
        return 200, _standing(here.suppliers.cancel(order, body))

    return await _write(request, "cancel", CancelBody, end)


async def _write(
    request: web.Request, operation: str, model: type[M], do: Callable[[Order, M], tuple[int, Json]]
) -> web.StreamResponse:
    here, name, po = world(request), request.match_info["name"], request.match_info["po"]
    raw = await request.read()
    sku = _sku(request)
    here.counts.count(name, operation, sku)

    def work() -> tuple[int, Json]:
        return _once(request, name, raw, lambda: do(here.books.need(name, po), parse(model, raw)))

    return await met(request, name, operation, sku, work)


def _once(request: web.Request, name: str, raw: bytes, do: Callable[[], tuple[int, Json]]) -> tuple[int, Json]:
    """The first answer again for a key that had one; only what was done is remembered, so that a refused request may be
    repeated when the world has changed."""
    here, header = world(request), written_key(request)
    known = here.books.first_answer(name, header, request.path, raw)
    if known is not None:
        return known
    status, body = do()
    here.books.remember(name, header, request.path, raw, status, body)
    return status, body


def _standing(order: Order) -> Json:
    return {"po": order.po, "status": order.status}


def _sku(request: web.Request) -> str | None:
    return world(request).books.sku_of(request.match_info["name"], request.match_info["po"])


def _hints(raw: bytes) -> tuple[str, str]:
    """PO and part of a body that may be anything, for the record."""
    try:
        said = members(loads(raw))
    except ValueError:
        return "", ""
    po, sku = (said.get(name) for name in ("po", "sku"))
    return po if isinstance(po, str) else "", sku if isinstance(sku, str) else ""
