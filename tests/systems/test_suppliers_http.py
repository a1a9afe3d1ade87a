"""The supplier adapter against the sandbox's suppliers: what it understands, and a type for whatever goes wrong."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from replenisher.domain.ports import OrderBody, Refused, Unavailable
from replenisher.domain.quote import Break, Quote
from replenisher.systems import http as shared
from replenisher.systems.suppliers.http import HttpSuppliers
from support.sandboxes import Sandbox, sandbox

D = Decimal
SKU = "SKU-123"
BODY = OrderBody("PO-4471", SKU, "A-123", D(450), D("4.20"), "USD", "Main warehouse, dock 2")
PATIENCE = httpx.Timeout(0.15, connect=1.0)
UNTIL = "2026-12-15T00:00:00Z"


@pytest.fixture
async def world() -> AsyncGenerator[Sandbox]:
    async with sandbox() as running:
        await running.quote()
        yield running


@pytest.fixture
async def suppliers(world: Sandbox) -> AsyncGenerator[HttpSuppliers]:
    async with httpx.AsyncClient(verify=False, trust_env=False) as client:
        yield HttpSuppliers(lambda name: f"{world.url}/suppliers/{quote(name, safe='')}", client, PATIENCE)


async def taken(suppliers: HttpSuppliers) -> None:
    await suppliers.order("A", BODY, "PO-4471")


async def test_quotes_in_the_domains_terms(world: Sandbox, suppliers: HttpSuppliers) -> None:
    items = [
        {
            "supplier": "A & B/2",
            "sku": "W 1%",
            "item": "W.500M",
            "unit_price": "985",
            "price_unit": "500",
            "currency": "EUR",
            "pack": "500",
            "breaks": [
                {"min_quantity": "1000", "unit_price": "900"},
                {"min_quantity": "500", "unit_price": "985"},
            ],
            "minimum": "500",
            "minimum_order_value": "100",
            "freight": "12.50",
            "lead_time_days": 9,
            "valid_until": UNTIL,
        }
    ]
    await world.control("PUT", "/catalogue", {"items": items})
    assert await suppliers.quotes("A & B/2", "W 1%") == [
        Quote(
            supplier="A & B/2",
            item="W.500M",
            currency="EUR",
            breaks=(Break(D(500), D("1.97")), Break(D(1000), D("1.8"))),
            pack=D(500),
            lead_time_days=9,
            valid_until=datetime(2026, 12, 15, tzinfo=UTC),
            minimum=D(500),
            minimum_order_value=D(100),
            freight=D("12.50"),
        )
    ]
    assert await suppliers.quotes("nobody", SKU) == []


async def test_an_order_from_the_first_word_to_the_last(world: Sandbox, suppliers: HttpSuppliers) -> None:
    assert await suppliers.find("A", "PO-4471") is None
    await taken(suppliers)
    await taken(suppliers)
    found = await suppliers.find("A", "PO-4471")
    assert found is not None
    assert (found.quantity, found.unit_price, found.currency, found.status) == (D(450), D("4.20"), "USD", "open")
    await suppliers.message("A", "PO-4471", "chase", "Where is it?", "PO-4471/chase/1")
    await suppliers.accept("A", "PO-4471", D(450), D("4.35"), "USD", date(2026, 12, 8), "PO-4471/accept/1")
    await suppliers.cancel("A", "PO-4471", "not needed any more", "PO-4471/cancel")
    found = await suppliers.find("A", "PO-4471")
    assert (found and found.status, found and found.unit_price) == ("cancelled", D("4.35"))
    ledger = await world.ledger(SKU)
    (order,) = ledger["orders"]
    assert (order["attempts"], order["idempotency_keys"], len(order["bodies"])) == (2, ["PO-4471"], 1)
    assert order["accepted"][0]["text"] == "We accept 450 on PO-4471 at USD 4.35 each, delivery 2026-12-08."
    assert [m["key"] for m in ledger["mails"]["in"]] == ["PO-4471/chase/1"]


async def test_numbers_travel_without_an_exponent(world: Sandbox, suppliers: HttpSuppliers) -> None:
    await world.quote(pack="1E+2", price="42E-1")
    await suppliers.order("A", OrderBody("PO-1", SKU, "A-123", D("5E+2"), D("4.2"), "USD", "dock"), "PO-1")
    (order,) = (await world.ledger())["orders"]
    assert json.loads(order["bodies"][0])["quantity"] == "500"


async def test_a_third_of_a_price_can_be_ordered_at(world: Sandbox, suppliers: HttpSuppliers) -> None:
    await world.quote(price="1", price_unit="3", pack="3")
    (offer,) = await suppliers.quotes("A", SKU)
    price = offer.unit_price(D(3))
    assert price is not None
    await suppliers.order("A", OrderBody("PO-1", SKU, "A-123", D(3), price, "USD", "dock"), "PO-1")
    found = await suppliers.find("A", "PO-1")
    assert found is not None
    assert found.unit_price == price


Call = Callable[[HttpSuppliers], Awaitable[Any]]
CALLS: dict[str, Call] = {
    "quotes": lambda s: s.quotes("A", SKU),
    "orders": taken,
    "find": lambda s: s.find("A", "PO-4471"),
    "messages": lambda s: s.message("A", "PO-4471", "chase", "?", "PO-4471/chase/1"),
    "accept": lambda s: s.accept("A", "PO-4471", D(450), D("4.35"), "USD", None, "PO-4471/accept/1"),
    "cancel": lambda s: s.cancel("A", "PO-4471", "no need", "PO-4471/cancel"),
}
FAULTS: list[tuple[dict[str, Any], str]] = [
    ({"kind": "down"}, "error"),
    ({"kind": "down", "status": 500}, "error"),
    ({"kind": "reject", "status": 429}, "error"),
    ({"kind": "reject", "status": 408}, "error"),
    ({"kind": "refuse_connection"}, "unreachable"),
    ({"kind": "reply_lost"}, "unreachable"),
    ({"kind": "slow", "seconds": 0.5}, "timeout"),
    ({"kind": "malformed"}, "malformed"),
    ({"kind": "malformed", "body": '{"ok": true}'}, "malformed"),
    ({"kind": "malformed", "body": '{"po": "PO-4471", "status": "lost"}'}, "malformed"),
    ({"kind": "malformed", "body": '{"po": "PO-1", "status": "open"}'}, "malformed"),
]


@pytest.mark.parametrize("operation", CALLS)
@pytest.mark.parametrize(("fault", "kind"), FAULTS, ids=[f"{f['kind']}-{n}" for n, (f, _) in enumerate(FAULTS)])
async def test_every_fault_of_every_operation_has_its_type(
    world: Sandbox, suppliers: HttpSuppliers, operation: str, fault: dict[str, Any], kind: str
) -> None:
    if operation != "orders":
        await taken(suppliers)
    await world.fault(operation=operation, **fault)
    with pytest.raises(Unavailable) as failed:
        await CALLS[operation](suppliers)
    assert failed.value.kind == kind
    if operation != "find":
        await CALLS[operation](suppliers)


@pytest.mark.parametrize("operation", CALLS)
async def test_a_refusal_keeps_the_suppliers_sentence(world: Sandbox, suppliers: HttpSuppliers, operation: str) -> None:
    if operation != "orders":
        await taken(suppliers)
    await world.fault(operation=operation, kind="reject", reason="We do not. " + "x" * 1000)
    with pytest.raises(Refused) as refused:
        await CALLS[operation](suppliers)
    assert str(refused.value).startswith("We do not. xxx")
    assert len(str(refused.value)) == 300


async def test_a_reply_lost_and_tried_again_is_one_order(world: Sandbox, suppliers: HttpSuppliers) -> None:
    await world.fault(operation="orders", kind="reply_lost", then={"quote": {"unit_price": "4.50"}})
    with pytest.raises(Unavailable):
        await taken(suppliers)
    await taken(suppliers)
    (order,) = (await world.ledger())["orders"]
    assert (order["attempts"], order["unit_price"], len(order["bodies"])) == (2, "4.20", 1)


async def test_another_body_under_the_key_is_unknown_not_refused(world: Sandbox, suppliers: HttpSuppliers) -> None:
    await taken(suppliers)
    await world.quote(price="4.30")
    other = OrderBody("PO-4471", SKU, "A-123", D(450), D("4.30"), "USD", "dock")
    with pytest.raises(Unavailable) as failed:
        await suppliers.order("A", other, "PO-4471")
    assert failed.value.kind == "error"
    with pytest.raises(Unavailable):
        await suppliers.order("A", BODY, "another key")


async def test_too_late_to_cancel_is_refused(world: Sandbox, suppliers: HttpSuppliers) -> None:
    await taken(suppliers)
    await world.control("POST", "/warehouse/deliver", {"po": "PO-4471"})
    with pytest.raises(Refused, match="too late"):
        await suppliers.cancel("A", "PO-4471", "no need", "PO-4471/cancel")


async def test_nobody_at_the_address(suppliers: HttpSuppliers) -> None:
    async with httpx.AsyncClient(verify=False, trust_env=False) as client:
        for base in ("http://127.0.0.1:1", "http://[", "ftp://127.0.0.1", ""):
            with pytest.raises(Unavailable) as failed:
                await HttpSuppliers(lambda _, base=base: base, client).quotes("A", SKU)
            assert failed.value.kind == "unreachable"


# --- answers nobody should give ---------------------------------------------------------------------------------------

GOOD: dict[str, Any] = {
    "item": "A-123",
    "unit_price": "4.20",
    "currency": "USD",
    "lead_time_days": 7,
    "valid_until": UNTIL,
}


def answering(content: bytes, status: int = 200, kind: str = "application/json", limit: float = 5) -> HttpSuppliers:
    """An adapter whose every request is answered with this."""

    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(status, content=content, headers={"content-type": kind})

    client = httpx.AsyncClient(transport=httpx.MockTransport(answer))
    return HttpSuppliers(lambda _: "http://a.example", client, httpx.Timeout(limit))


def quoted(**changes: Any) -> bytes:
    return json.dumps({"quotes": [{k: v for k, v in {**GOOD, **changes}.items() if v != "absent"}]}).encode()


@pytest.mark.parametrize(
    "changes",
    [
        {"unit_price": "-4.20"},
        {"unit_price": "0"},
        {"unit_price": "NaN"},
        {"unit_price": "Infinity"},
        {"unit_price": float("nan")},
        {"unit_price": float("inf")},
        {"unit_price": True},
        {"unit_price": None},
        {"unit_price": "4,20"},
        {"unit_price": "1e999999999"},
        {"unit_price": "absent"},
        {"price_unit": "0"},
        {"pack": "0"},
        {"pack": "-50"},
        {"minimum": "-1"},
        {"freight": "-1"},
        {"freight": "NaN"},
        {"currency": "$"},
        {"currency": "usd"},
        {"currency": None},
        {"item": ""},
        {"item": 123},
        {"lead_time_days": -1},
        {"lead_time_days": 7.5},
        {"lead_time_days": True},
        {"valid_until": "2026-12-15"},
        {"valid_until": "2026-12-15T00:00:00"},
        {"valid_until": 1800000000},
        {"valid_until": "soon"},
        {"breaks": [{"min_quantity": "-1", "unit_price": "4"}]},
        {"breaks": [{"min_quantity": "50", "unit_price": "-4"}]},
        {"breaks": [{"min_quantity": "50"}]},
        {"breaks": [{"min_quantity": "50", "unit_price": "4"}, {"min_quantity": "50.0", "unit_price": "5"}]},
        {"breaks": "none"},
    ],
    ids=str,
)
async def test_a_quote_out_of_bounds_is_malformed(changes: dict[str, Any]) -> None:
    with pytest.raises(Unavailable) as failed:
        await answering(quoted(**changes)).quotes("A", SKU)
    assert failed.value.kind == "malformed"
    assert len(str(failed.value)) < 400


@pytest.mark.parametrize(("written", "exact"), [("4.20", "4.20"), ("0.1000000000000000055", "0.1000000000000000055")])
async def test_a_json_number_is_read_exactly(written: str, exact: str) -> None:
    content = quoted().replace(b'"4.20"', written.encode())
    (offer,) = await answering(content).quotes("A", SKU)
    assert offer.breaks == (Break(D(0), D(exact)),)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"", "application/json"),
        (b"null", "application/json"),
        (b"[]", "application/json"),
        (b'{"quotes": null}', "application/json"),
        (b'{"quotes": {}}', "application/json"),
        (b"\xff\xfe{}", "application/json"),
        (b"[" * 100_000, "application/json"),
        (b'{"quotes": [' + b"9" * 5000 + b"]}", "application/json"),
        (json.dumps({"quotes": [GOOD, GOOD]}).encode(), "application/json"),
        (b'{"quotes": []}', "text/html"),
        (b'{"quotes": []}', ""),
        (b'{"quotes": []}' + b" " * (shared.LARGEST + 1), "application/json"),
        (json.dumps({"quotes": [{**GOOD, "item": "A-\ud800"}]}).encode(), "application/json"),
    ],
    ids=range(13),
)
async def test_an_answer_that_is_not_of_the_contract_is_malformed(content: bytes, kind: str) -> None:
    with pytest.raises(Unavailable) as failed:
        await answering(content, kind=kind).quotes("A", SKU)
    assert failed.value.kind == "malformed"


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "application/vnd.quotes+json", "Application/JSON"])
async def test_json_by_another_name_is_json(kind: str) -> None:
    assert await answering(b'{"quotes": []}', kind=kind).quotes("A", SKU) == []


@pytest.mark.parametrize("status", [400, 401, 403, 404, 407, 409, 410, 422, 451])
@pytest.mark.parametrize("content", [b"<html>no</html>", b"", b'{"message": "no"}', b'{"error": ""}', b'{"error": {}}'])
async def test_a_4xx_that_is_not_of_the_contract_refuses_nothing(status: int, content: bytes) -> None:
    """After a lost reply a proxy's 403 must not be taken for the supplier's no."""
    for call in (taken, CALLS["find"], CALLS["cancel"]):
        with pytest.raises(Unavailable) as failed:
            await call(answering(content, status))
        assert failed.value.kind == "malformed"


@pytest.mark.parametrize("status", [200, 204, 301, 302, 304])
async def test_a_page_in_place_of_the_supplier_hears_nothing(status: int) -> None:
    for name in ("messages", "orders", "accept", "cancel", "find"):
        with pytest.raises(Unavailable) as failed:
            await CALLS[name](answering(b"<html>sign in</html>", status, "text/html"))
        assert failed.value.kind == "malformed"


async def test_only_the_contracts_404_means_that_he_does_not_have_it() -> None:
    assert await answering(b'{"error": "no such order"}', 404).find("A", "PO-4471") is None
    with pytest.raises(Refused):
        await answering(b'{"error": "gone"}', 410).find("A", "PO-4471")
    with pytest.raises(Refused):
        await answering(b'{"error": "no such part"}', 404).quotes("A", SKU)


@pytest.mark.parametrize("status", ["declined", "cancelled"])
async def test_an_order_that_is_answered_as_declined_is_refused(status: str) -> None:
    content = json.dumps({"po": "PO-4471", "status": status}).encode()
    with pytest.raises(Refused, match=status):
        await taken(answering(content, 201))
    with pytest.raises(Refused, match=status):
        await CALLS["accept"](answering(content))


async def test_a_cancellation_that_leaves_the_order_standing_is_malformed() -> None:
    with pytest.raises(Unavailable) as failed:
        await CALLS["cancel"](answering(b'{"po": "PO-4471", "status": "confirmed"}'))
    assert failed.value.kind == "malformed"


async def test_an_answer_that_never_ends_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared, "IN_ALL", 0.2)

    class Drip(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncGenerator[bytes]:
            while True:
                yield b" "
                await asyncio.sleep(0.01)

    client = httpx.AsyncClient(transport=httpx.MockTransport(lambda _: httpx.Response(200, stream=Drip())))
    with pytest.raises(Unavailable) as failed:
        await HttpSuppliers(lambda _: "http://a.example", client).quotes("A", SKU)
    assert failed.value.kind == "timeout"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from([*GOOD, "price_unit", "pack", "breaks", "minimum", "freight", "minimum_order_value"]),
    value=JSON,
    status=st.sampled_from([200, 201, 202, 204, 302, 400, 404, 409, 500, 503]),
)
async def test_whatever_is_answered_is_a_quote_or_a_typed_failure(name: str, value: Any, status: int) -> None:
    for content in (quoted(**{name: value}), json.dumps(value).encode()):
        adapter = answering(content, status)
        try:
            offers = await adapter.quotes("A", SKU)
        except (Unavailable, Refused):
            pass
        else:
            assert status == 200
            for offer in offers:
                prices = [b.unit_price for b in offer.breaks]
                assert offer.pack > 0
                assert all(p.is_finite() and p > 0 for p in prices)
                assert offer.freight.is_finite()
        with suppress(Unavailable, Refused):
            assert await adapter.find("A", "PO-4471") is None


@settings(max_examples=200, deadline=None)
@given(content=st.binary(max_size=200), status=st.integers(200, 599))
async def test_whatever_bytes_come_a_write_is_done_refused_or_unknown(content: bytes, status: int) -> None:
    for name in ("orders", "messages", "cancel"):
        try:
            await CALLS[name](answering(content, status))
        except (Unavailable, Refused):
            continue
        assert (name, status) == ("messages", 202)
