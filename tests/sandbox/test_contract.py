"""docs/suppliers.openapi.yaml is valid, and the sandbox's suppliers answer as it says."""

from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from jsonschema import Draft202012Validator, FormatChecker
from openapi_spec_validator import validate
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from support.sandboxes import Sandbox

FILE = Path(__file__).parents[2] / "docs" / "suppliers.openapi.yaml"
CONTRACT: dict[str, Any] = yaml.safe_load(FILE.read_text())
WHERE = "urn:contract"
REGISTRY: Registry[Any] = Registry().with_resource(WHERE, Resource(CONTRACT, DRAFT202012))
TERMS = {"unit_price": "4.35", "currency": "USD", "quantity": "450", "promised_date": "2026-12-08", "text": "ok"}


def operations() -> dict[str, tuple[str, str]]:
    return {
        operation["operationId"]: (path, method)
        for path, item in CONTRACT["paths"].items()
        for method, operation in item.items()
        if "operationId" in operation
    }


def errors(pointer: str, value: Any) -> list[str]:
    """What of a value is not as the schema at this place of the contract says."""
    schema = {"$ref": f"{WHERE}#{pointer}"}
    checker = Draft202012Validator(schema, registry=REGISTRY, format_checker=FormatChecker())
    return [error.message for error in checker.iter_errors(value)]


def conforms(operation: str, answer: httpx.Response) -> bool:
    """The status is documented for the operation, and the body is of its schema."""
    path, method = operations()[operation]
    place = f"/paths/{escaped(path)}/{method}/responses"
    responses = CONTRACT["paths"][path][method]["responses"]
    status = str(answer.status_code)
    named = status if status in responses else f"{status[0]}XX"
    assert named in responses, f"{operation} does not answer {status}"
    shared = responses[named].get("$ref")
    place = shared.removeprefix("#") if shared else f"{place}/{named}"
    wrong = errors(f"{place}/content/application~1json/schema", answer.json())
    assert not wrong, wrong
    return True


def escaped(path: str) -> str:
    return path.replace("~", "~0").replace("/", "~1")


def test_the_file_is_valid_openapi() -> None:
    validate(CONTRACT)


def test_every_example_is_of_its_schema() -> None:
    checked = 0
    for path, item in CONTRACT["paths"].items():
        for method in ("get", "post"):
            for status, response in item.get(method, {}).get("responses", {}).items():
                media = response.get("content", {}).get("application/json", {})
                examples = [e["value"] for e in media.get("examples", {}).values()]
                for example in examples + ([media["example"]] if "example" in media else []):
                    place = f"/paths/{escaped(path)}/{method}/responses/{status}/content/application~1json/schema"
                    assert errors(place, example) == []
                    checked += 1
    for name, schema in CONTRACT["components"]["schemas"].items():
        if "example" in schema:
            assert errors(f"/components/schemas/{name}", schema["example"]) == []
            checked += 1
    assert checked > 10


@pytest.mark.parametrize("number", ["-1", "4,20", "1e3", "NaN", "", ".5", "4."])
def test_its_numbers_are_plain_decimals(number: str) -> None:
    assert errors("/components/schemas/Decimal", number)
    assert errors("/components/schemas/Positive", number)


def test_zero_is_no_price() -> None:
    assert errors("/components/schemas/Positive", "0.00")
    assert not errors("/components/schemas/Decimal", "0.00")


async def test_every_answer_of_the_sandbox_is_of_the_contract(world: Sandbox) -> None:
    seen: set[tuple[str, int]] = set()

    def check(operation: str, answer: httpx.Response, status: int) -> None:
        assert answer.status_code == status, answer.text
        assert conforms(operation, answer)
        seen.add((operation, status))

    await world.quote(breaks=[{"min_quantity": "50", "unit_price": "4.20"}], valid_days=3)
    base = "/suppliers/A/orders/PO-4471"
    check("quotes", await world.http.get("/suppliers/A/quotes?sku=SKU-123"), 200)
    check("quotes", await world.http.get("/suppliers/A/quotes?sku=none"), 200)
    check("quotes", await world.http.get("/suppliers/A/quotes"), 422)
    check("find", await world.http.get(base), 404)
    check("messages", await world.write(f"{base}/messages", {"kind": "chase", "text": "?"}, "k"), 404)
    check("orders", await world.order(unit_price="1"), 422)
    check("orders", await world.http.post("/suppliers/A/orders", json={}), 400)
    check("orders", await world.order(), 201)
    check("orders", await world.order(), 201)
    check("orders", await world.order(quantity="500"), 422)
    check("orders", await world.order(key="other"), 409)
    check("find", await world.http.get(base), 200)
    check("messages", await world.write(f"{base}/messages", {"kind": "chase", "text": "?"}, "PO-4471/chase/1"), 202)
    check("messages", await world.write(f"{base}/messages", {"kind": "shout"}, "PO-4471/chase/2"), 422)
    check("accept", await world.write(f"{base}/accept", TERMS, "PO-4471/accept/1"), 200)
    check("accept", await world.write(f"{base}/accept", {}, "PO-4471/accept/2"), 422)
    check("cancel", await world.write(f"{base}/cancel", {"reason": "no need"}, "PO-4471/cancel"), 200)
    check("accept", await world.write(f"{base}/accept", TERMS, "PO-4471/accept/3"), 409)
    await world.order(po="PO-2")
    await world.control("POST", "/warehouse/deliver", {"po": "PO-2"})
    check("cancel", await world.write("/suppliers/A/orders/PO-2/cancel", {"reason": "late"}, "PO-2/cancel"), 409)
    await world.fault(operation="orders", kind="reject")
    check("orders", await world.order(po="PO-3"), 409)
    assert {operation for operation, _ in seen} == set(operations())
