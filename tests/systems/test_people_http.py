"""The people adapter against the sandbox's people: delivered once, and Unavailable whatever goes wrong."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import httpx
import pytest

from replenisher.domain.ports import ApprovalRequest, BuyerQuestion, OtherQuote, PaidPrice, Unavailable
from replenisher.systems.people.http import HttpPeople
from support.sandboxes import Sandbox, sandbox

D = Decimal
REQUEST = ApprovalRequest(
    id="PO-4471/1",
    sku="SKU-123",
    part="Bearing 6204",
    unit="pcs",
    po="PO-4471",
    reason="order",
    quantity=D(450),
    supplier="A",
    unit_price=D("4.20"),
    currency="USD",
    ceiling=D("4.41"),
    freight=D(0),
    total_at_ceiling=D("1984.50"),
    expires_at=datetime(2026, 12, 15, tzinfo=UTC),
    approver="manager",
    other_quotes=(OtherQuote("B", "B-123", D(450), D("4.35"), "USD", D("1957.50")),),
    unknown_orders=("PO-4470",),
    last_prices=(PaidPrice("PO-4400", "A", D("4.10"), "USD", date(2026, 10, 1)),),
)
QUESTION = BuyerQuestion("PO-4471/late-date/1", "SKU-123", "PO-4471", "late-date", "Later?", ("accept", "cancel"))

Call = Callable[[HttpPeople], Awaitable[None]]
CALLS: dict[str, Call] = {
    "requests": lambda p: p.request_approval(REQUEST),
    "reminders": lambda p: p.remind("PO-4471/1", 2, "escalation", "still open"),
    "questions": lambda p: p.ask_buyer(QUESTION),
    "notices": lambda p: p.notify("manager", "PO-4471/accept/1", "SKU-123", "PO-4471", "accepted"),
}


@pytest.fixture
async def world() -> AsyncGenerator[Sandbox]:
    async with sandbox() as running:
        yield running


@pytest.fixture
async def people(world: Sandbox) -> AsyncGenerator[HttpPeople]:
    async with httpx.AsyncClient(verify=False, trust_env=False) as client:
        yield HttpPeople(f"{world.url}/people/", client, httpx.Timeout(0.2, connect=1.0))


async def test_everything_arrives_and_once(world: Sandbox, people: HttpPeople) -> None:
    for _ in range(2):
        for call in CALLS.values():
            await call(people)
    ledger = await world.ledger("SKU-123")
    (asked,) = ledger["approvals"]
    assert (asked["price"], asked["ceiling"], asked["total_at_ceiling"]) == ("4.20", "4.41", "1984.50")
    assert (asked["unknown_orders"], asked["expires_at"]) == (["PO-4470"], "2026-12-15T00:00:00Z")
    assert asked["other_quotes"][0]["landed"] == "1957.50"
    assert asked["last_prices"][0]["on"] == "2026-10-01"
    (question,) = ledger["questions"]
    assert (question["subject"], question["choices"], question["role"]) == ("late-date", ["accept", "cancel"], "buyer")
    (reminder,) = ledger["reminders"]
    assert (reminder["n"], reminder["role"]) == (2, "escalation")
    (notice,) = ledger["notices"]
    assert (notice["text"], notice["po"], notice["role"]) == ("accepted", "PO-4471", "manager")
    assert {ledger["requests"][what] for what in ("approval_requests", "reminders", "questions", "notices")} == {2}


async def test_a_request_made_again_a_day_later_may_tell_more(world: Sandbox, people: HttpPeople) -> None:
    await people.request_approval(REQUEST)
    await people.request_approval(replace(REQUEST, unknown_orders=("PO-4470", "PO-4469")))
    (asked,) = (await world.ledger("SKU-123"))["approvals"]
    assert asked["unknown_orders"] == ["PO-4470", "PO-4469"]


@pytest.mark.parametrize("operation", CALLS)
@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ({"kind": "down"}, "error"),
        ({"kind": "reject"}, "error"),
        ({"kind": "refuse_connection"}, "unreachable"),
        ({"kind": "reply_lost"}, "unreachable"),
        ({"kind": "slow", "seconds": 0.5}, "timeout"),
        ({"kind": "malformed"}, "malformed"),
        ({"kind": "malformed", "body": '{"status": "taken"}'}, "malformed"),
    ],
)
async def test_whatever_goes_wrong_is_unavailable(
    world: Sandbox, people: HttpPeople, operation: str, fault: dict[str, Any], kind: str
) -> None:
    await world.control("POST", "/people/faults", {"operation": operation, **fault})
    with pytest.raises(Unavailable) as failed:
        await CALLS[operation](people)
    assert failed.value.kind == kind
    await CALLS[operation](people)


async def test_a_question_about_a_part_of_any_name_arrives(world: Sandbox, people: HttpPeople) -> None:
    part = "Schraube M6×20 10%\n"
    question = BuyerQuestion(f"replenish-{part}-1/no-quote/1", part, None, "no-quote", "Look again?", ("give_up",))
    await people.ask_buyer(question)
    await people.ask_buyer(question)
    [asked] = (await world.ledger(part))["questions"]
    assert (asked["id"], asked["received"]) == (question.id, 2)
