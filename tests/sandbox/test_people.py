"""Manager and buyer: what they receive is kept once, and answered as told."""

from typing import Any

import pytest

from support.sandboxes import Ingress, Sandbox

REQUEST: dict[str, Any] = {
    "id": "PO-4471/1",
    "sku": "SKU-123",
    "part": "Bearing 6204",
    "po": "PO-4471",
    "quantity": "450",
    "supplier": "A",
    "unit_price": "4.20",
    "currency": "USD",
    "ceiling": "4.41",
    "total_at_ceiling": "1984.50",
    "freight": "0",
    "expires_at": "2026-12-15T00:00:00Z",
    "other_quotes": [],
    "unknown_orders": ["PO-4470"],
    "reason": "order",
    "approver": "manager",
}
QUESTION: dict[str, Any] = {
    "id": "PO-4471/late-date/1",
    "sku": "SKU-123",
    "po": "PO-4471",
    "subject": "late-date",
    "text": "A promises 2027-01-08; due was 2026-12-08.",
    "choices": ["accept", "cancel"],
}


async def ask(world: Sandbox, what: str = "requests", role: str = "manager", **changes: Any) -> None:
    body = {**(REQUEST if what == "requests" else QUESTION), **changes}
    answer = await world.write(f"/people/{role}/{what}", body, body["id"])
    assert answer.status_code == 202, answer.text


async def approvals(world: Sandbox) -> list[dict[str, Any]]:
    return (await world.ledger("SKU-123"))["approvals"]


async def test_people_are_silent_unless_told(world: Sandbox, ingress: Ingress) -> None:
    await ask(world)
    answer = await world.http.get("/control/wait", params={"what": "decision", "timeout": "0.3"})
    assert answer.status_code == 408
    (approval,) = await approvals(world)
    assert (approval["price"], approval["ceiling"], approval["decision"]) == ("4.20", "4.41", None)
    assert (approval["unknown_orders"], approval["part"]) == (["PO-4470"], "Bearing 6204")
    assert ingress.heard == []


async def test_a_request_that_comes_again_is_one_request(world: Sandbox, ingress: Ingress) -> None:
    await world.control("PUT", "/people/manager", {"answers": [{"decision": "approve", "after_days": 0}]})
    await ask(world)
    await ask(world, other_quotes=[{"supplier": "B"}])
    await world.wait("told")
    (approval,) = await approvals(world)
    assert (approval["decision"], approval["answer_status"], approval["received"]) == ("approved", 200, 2)
    assert approval["other_quotes"] == [{"supplier": "B"}]
    assert len(ingress.heard) == 1
    assert (await world.ledger())["requests"]["approval_requests"] == 2


async def test_answers_are_given_in_order_and_the_last_again(world: Sandbox, ingress: Ingress) -> None:
    answers = [
        {"decision": "approve", "after_days": 0, "ceiling": "4.30", "reason": "fine"},
        {"decision": "ignore"},
        {"decision": "reject", "after_days": 0, "reason": "too dear"},
    ]
    await world.control("PUT", "/people/manager", {"answers": answers, "sku": "SKU-123"})
    for n in range(1, 5):
        await ask(world, id=f"PO-4471/{n}")
    await world.wait("told", 3)
    assert [h["path"] for h in ingress.heard] == ["/SkuAgent/SKU-123/approve"] * 3
    said = [{k: v for k, v in h["body"].items() if k != "id"} for h in ingress.heard]
    assert said == [
        {"approval": "PO-4471/1", "approved": True, "ceiling": "4.30", "reason": "fine"},
        {"approval": "PO-4471/3", "approved": False, "reason": "too dear"},
        {"approval": "PO-4471/4", "approved": False, "reason": "too dear"},
    ]
    assert [a["decision"] for a in await approvals(world)] == ["approved", None, "rejected", "rejected"]


async def test_a_script_of_a_part_does_not_answer_for_others(world: Sandbox) -> None:
    await world.control("PUT", "/people/manager", {"answers": [{"decision": "approve", "after_days": 0}], "sku": "S"})
    await ask(world)
    await ask(world, id="PO-9/1", sku="S", po="PO-9")
    assert (await world.wait("decision"))[0]["approval"] == "PO-9/1"
    assert (await approvals(world))[0]["answers"] == []


async def test_deciding_now_gives_what_the_ingress_answered(world: Sandbox, ingress: Ingress) -> None:
    await ask(world)
    ingress.answers = [(409, {"message": "PO-4471/1 is superseded"}), (200, {"status": "approved"})]
    decide = {"approval": "PO-4471/1", "approved": True}
    refused = await world.control("POST", "/people/manager/decide", decide)
    assert (refused["status"], refused["state"], refused["body"]) == (
        409,
        "refused",
        {"message": "PO-4471/1 is superseded"},
    )
    assert [(a["decision"], a["answer_status"]) for a in await approvals(world)] == [(None, 409)]
    taken = await world.control("POST", "/people/manager/decide", decide)
    assert taken["status"] == 200
    assert taken["id"] != refused["id"], "a second decision is another message"
    assert (await approvals(world))[0]["decision"] == "approved"
    again = await world.control("POST", "/people/manager/decide", {**decide, "approved": False, "id": "m-17"})
    assert again["id"] == "m-17"
    assert (await approvals(world))[0]["decision"] == "approved", "decided once"


async def test_a_decision_on_what_was_never_asked_needs_the_part(world: Sandbox, ingress: Ingress) -> None:
    decide = {"approval": "PO-1/1", "approved": True}
    answer = await world.http.post("/control/people/manager/decide", json=decide)
    assert (answer.status_code, "sku" in answer.json()["error"]) == (404, True)
    assert (await world.control("POST", "/people/manager/decide", {**decide, "sku": "a b%/c"}))["status"] == 200
    assert ingress.heard[0]["path"] == "/SkuAgent/a%20b%25%2Fc/approve"


async def test_the_buyer_answers_by_subject(world: Sandbox, ingress: Ingress) -> None:
    answers = [
        {"subject": "late-date", "choice": "accept", "text": "fine", "after_days": 0},
        {"subject": "late-date", "choice": "cancel", "after_days": 0},
        {"subject": "*", "choice": "first", "after_days": 0},
    ]
    await world.control("PUT", "/people/buyer", {"answers": answers})
    await ask(world, "questions", "buyer")
    await ask(world, "questions", "buyer", id="PO-4471/late-date/2")
    await ask(world, "questions", "buyer", id="need/no-quote/1", po=None, subject="no-quote", choices=["give_up"])
    await world.wait("told", 3)
    assert [(h["body"]["question"], h["body"]["choice"], h["body"].get("text")) for h in ingress.heard] == [
        ("PO-4471/late-date/1", "accept", "fine"),
        ("PO-4471/late-date/2", "cancel", None),
        ("need/no-quote/1", "give_up", None),
    ]
    (first, *_) = (await world.ledger("SKU-123"))["questions"]
    assert (first["subject"], first["answers"][0]["status"]) == ("late-date", 200)


async def test_the_buyer_answers_now(world: Sandbox, ingress: Ingress) -> None:
    answer = await world.http.post("/control/people/buyer/answer", json={"question": "x", "choice": "accept"})
    assert answer.status_code == 404
    await ask(world, "questions", "buyer")
    body = {"question": QUESTION["id"], "choice": "accept", "text": "yes"}
    assert (await world.control("POST", "/people/buyer/answer", body))["status"] == 200
    assert ingress.heard[0]["path"] == "/SkuAgent/SKU-123/answer"


async def test_reminders_and_notices_are_kept_with_whom_they_went_to(world: Sandbox) -> None:
    await ask(world)
    for n, to in ((1, "manager"), (2, "escalation")):
        body = {"id": "PO-4471/1", "n": n, "to": to, "text": "still open"}
        for _ in range(2):
            answer = await world.write(f"/people/{to}/reminders", body, f"PO-4471/1/reminder/{n}")
            assert answer.status_code == 202
    ledger = await world.ledger("SKU-123")
    assert [(r["n"], r["role"], r["received"]) for r in ledger["reminders"]] == [
        (1, "manager", 2),
        (2, "escalation", 2),
    ]
    assert ledger["requests"]["reminders"] == 4


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/people/manager/requests", {"id": "x"}, 422),
        ("/people/manager/requests", [], 422),
        ("/people/boss/notices", {"id": "x", "sku": "S", "text": "t"}, 404),
    ],
)
async def test_what_people_cannot_read_is_refused(world: Sandbox, path: str, body: Any, status: int) -> None:
    answer = await world.write(path, body, "k")
    assert (answer.status_code, bool(answer.json()["error"])) == (status, True)
    assert (await world.http.post(path, json=REQUEST)).status_code in (400, 404), "a write needs a key"
