"""Control of what suppliers, warehouse and people do: /control/... . Looking at what happened is in watching.py."""

from typing import Annotated, TypeVar

from aiohttp import web
from pydantic import AliasChoices, AwareDatetime, BaseModel, Field

from sandbox.answers import Choices, Decisions
from sandbox.faults import PEOPLE, Fault
from sandbox.quotes import CatalogueItem, Item
from sandbox.scripts import ANY, Script
from sandbox.serving import answer, world
from sandbox.wire import Body, Json, Name, Problem, checked, dump, loads, members, parse

M = TypeVar("M", bound=BaseModel)
routes = web.RouteTableDef()


class Ingress(Body):
    url: Annotated[Name, Field(validation_alias=AliasChoices("url", "ingress"))]


class QuoteSet(Body):
    items: list[Item]
    valid_days: Annotated[float, Field(gt=0, le=3650)] | None = None
    """For the items that say none of their own."""
    at: AwareDatetime | None = None
    """Business time from which it holds."""
    at_day: Annotated[float, Field(ge=0)] | None = None
    """The same as days since the sandbox's books were begun."""
    in_days: Annotated[float, Field(ge=0)] | None = None
    """The same as days from now."""


class Catalogue(Body):
    items: list[CatalogueItem]


class ScriptSet(Script):
    sku: Name = ANY


async def body(request: web.Request, model: type[M]) -> M:
    return parse(model, await request.read(), 400)


@routes.put("/control/ingress")
@routes.post("/control/settings")
async def ingress(request: web.Request) -> web.StreamResponse:
    world(request).sender.set_ingress((await body(request, Ingress)).url)
    return answer(200, {"status": "set"})


# --- quotes -----------------------------------------------------------------------------------------------------------


@routes.put("/control/catalogue")
async def set_catalogue(request: web.Request) -> web.StreamResponse:
    here, raw = world(request), await request.read()
    catalogue = checked(Catalogue, _either(raw), 400)
    with here.store.together():
        here.prices.replace(catalogue.items)
    return answer(200, {"status": "set", "items": len(catalogue.items)})


@routes.get("/control/catalogue")
async def catalogue(request: web.Request) -> web.StreamResponse:
    return answer(200, {"items": world(request).prices.catalogue()})


@routes.put("/control/suppliers/{name}/quotes/{sku}")
async def set_quotes(request: web.Request) -> web.StreamResponse:
    here, name, sku = world(request), request.match_info["name"], request.match_info["sku"]
    said = checked(QuoteSet, _either(await request.read()), 400)
    items = said.items
    if said.valid_days is not None:
        own = {"valid_days": said.valid_days}
        items = [i if "valid_days" in i.model_fields_set else i.model_copy(update=own) for i in items]
    at = said.at
    if at is None and said.at_day is not None:
        at = here.of_day(said.at_day)
    if at is None and said.in_days is not None:
        at = here.of_day(here.day + said.in_days)
    if at is None:
        here.prices.set(name, sku, items)
        return answer(200, {"status": "set"})
    here.plan_quotes(name, sku, items, at)
    return answer(200, {"status": "planned", "at": at.isoformat()})


@routes.get("/control/suppliers/{name}/quotes/{sku}")
async def quotes(request: web.Request) -> web.StreamResponse:
    items = world(request).prices.items(request.match_info["name"], request.match_info["sku"])
    return answer(200, {"items": [dump(i) for i in items]})


def _either(raw: bytes) -> Json:
    """A list of items, or an object that holds them."""
    try:
        said = loads(raw)
    except ValueError as error:
        raise Problem(400, f"the body is not JSON ({error}): send a list of items") from error
    return {"items": said} if not isinstance(said, dict) else members(said)


# --- faults -----------------------------------------------------------------------------------------------------------


@routes.post("/control/suppliers/{name}/faults")
@routes.post("/control/people/faults")
async def add_fault(request: web.Request) -> web.StreamResponse:
    here = world(request)
    fault = await body(request, Fault)
    return answer(201, {"id": here.faults.add(_party(request), fault, here.now())})


@routes.get("/control/suppliers/{name}/faults")
@routes.get("/control/people/faults")
async def faults(request: web.Request) -> web.StreamResponse:
    return answer(200, {"faults": world(request).faults.listed(_party(request))})


@routes.delete("/control/suppliers/{name}/faults")
@routes.delete("/control/people/faults")
async def clear_faults(request: web.Request) -> web.StreamResponse:
    asked = request.query
    gone = world(request).faults.clear(_party(request), asked.get("operation"), asked.get("sku"))
    return answer(200, {"cleared": gone})


@routes.delete("/control/suppliers/{name}/faults/{id}")
@routes.delete("/control/people/faults/{id}")
async def drop_fault(request: web.Request) -> web.StreamResponse:
    world(request).faults.drop(_party(request), request.match_info["id"])
    return answer(200, {"cleared": 1})


def _party(request: web.Request) -> str:
    return request.match_info.get("name", PEOPLE)


# --- scripts ----------------------------------------------------------------------------------------------------------


@routes.put("/control/suppliers/{name}/script")
async def set_script(request: web.Request) -> web.StreamResponse:
    said = await body(request, ScriptSet)
    script = Script.model_validate(said.model_dump(exclude={"sku"}, by_alias=False))
    world(request).scripts.set(request.match_info["name"], said.sku, script)
    return answer(200, {"status": "set"})


@routes.put("/control/suppliers/{name}/script/{sku}")
async def set_script_of(request: web.Request) -> web.StreamResponse:
    world(request).scripts.set(request.match_info["name"], request.match_info["sku"], await body(request, Script))
    return answer(200, {"status": "set"})


@routes.get("/control/suppliers/{name}/script/{sku}")
async def script(request: web.Request) -> web.StreamResponse:
    return answer(200, world(request).scripts.shown(request.match_info["name"], request.match_info["sku"]))


@routes.delete("/control/suppliers/{name}/script/{sku}")
async def drop_script(request: web.Request) -> web.StreamResponse:
    world(request).scripts.drop(request.match_info["name"], request.match_info["sku"])
    return answer(200, {"status": "dropped"})


@routes.put("/control/people/manager")
async def script_manager(request: web.Request) -> web.StreamResponse:
    world(request).people.script_manager(await body(request, Decisions))
    return answer(200, {"status": "set"})


@routes.put("/control/people/buyer")
async def script_buyer(request: web.Request) -> web.StreamResponse:
    world(request).people.script_buyer(await body(request, Choices))
    return answer(200, {"status": "set"})


@routes.delete("/control/people/{role:manager|buyer}")
async def forget(request: web.Request) -> web.StreamResponse:
    world(request).people.forget(request.match_info["role"], request.query.get("sku"))
    return answer(200, {"status": "dropped"})
