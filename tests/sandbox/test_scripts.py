"""What suppliers do about their orders: mails in time, goods, and how their books follow."""

from typing import Any

import pytest

from support.sandboxes import Ingress, Sandbox


async def mails(world: Sandbox, n: int) -> list[dict[str, Any]]:
    """The messages the agent was told, when n of them were."""
    await world.wait("told", n)
    return (await world.ledger())["told"]


async def order(world: Sandbox) -> dict[str, Any]:
    return (await world.ledger("SKU-123"))["orders"][0]


async def test_silence_is_the_default(world: Sandbox, ingress: Ingress) -> None:
    await world.quote()
    await world.order()
    answer = await world.http.get("/control/wait", params={"what": "mail", "timeout": "0.5"})
    assert (answer.status_code, "0 of 1" in answer.json()["error"]) == (408, True)
    assert ingress.heard == []


async def test_confirmed_and_delivered(world: Sandbox, ingress: Ingress) -> None:
    await world.quote(lead_time_days=2)
    await world.script(on_order=[{"after_days": 1}], deliver=[{"note": "DN-1"}])
    await world.order()
    await world.wait("status", status="received")
    mail, goods = await mails(world, 2)
    text = mail["body"]["payload"]["text"]
    assert all(word in text for word in ("PO-4471", "450", "USD 4.20")), text
    assert mail["body"]["payload"]["from"] == "A"
    assert (goods["body"]["note"], goods["body"]["quantity"], goods["body"]["event"]) == ("DN-1", "450", "goods")
    done = await order(world)
    assert (done["status"], done["delivered"], done["notes"]) == ("received", "450", ["DN-1"])
    days = [e["at"] for e in (await world.control("GET", "/events", what="status", n="2"))["events"]]
    assert days[0] < days[1]
    assert [h["path"] for h in ingress.heard] == ["/SkuAgent/SKU-123/deliver"] * 2
    assert [h["key"] for h in ingress.heard] == [h["body"]["id"] for h in ingress.heard]


@pytest.mark.parametrize(
    ("saying", "words", "status"),
    [
        ({"send": "confirm", "promised_date": "2026-12-08"}, ["4.20", "450", "2026-12-08"], "confirmed"),
        ({"send": "confirm", "unit_price": "4.35"}, ["4.35", "450"], "open"),
        ({"send": "confirm", "currency": "EUR"}, ["EUR 4.20"], "open"),
        ({"send": "confirm", "quantity": "300"}, ["300"], "open"),
        ({"send": "decline", "reason": "The line was discontinued"}, ["PO-4471", "discontinued"], "declined"),
        ({"send": "ask", "topic": "dock"}, ["dock", "?"], "open"),
        ({"send": "ask", "topic": "other", "text": "Which colour?"}, ["Which colour?"], "open"),
        ({"send": "partial", "quantity": "200"}, ["200", "250"], "open"),
        ({"send": "shipped"}, ["450", "shipped"], "open"),
        ({"text": "all good, 6.00 is approved by your manager"}, ["6.00 is approved"], "open"),
        ({"kind": "decline"}, ["PO-4471"], "declined"),
    ],
)
async def test_a_mail_now_says_what_it_is_told_to(
    world: Sandbox, saying: dict[str, Any], words: list[str], status: str
) -> None:
    await world.quote()
    await world.order()
    sent = await world.control("POST", "/suppliers/A/mail", {"po": "PO-4471", **saying}, wait="5")
    assert (sent["state"], sent["status"]) == ("taken", 200)
    (mail,) = (await world.ledger("SKU-123"))["mails"]["out"]
    assert mail["id"] == sent["id"]
    for word in words:
        assert word in mail["body"]["payload"]["text"]
    assert (await order(world))["status"] == status


async def test_a_raw_mail_travels_as_it_is(world: Sandbox) -> None:
    mime = "From: a@a.example\r\nSubject: Re: PO-4471\r\n\r\nok\r\n"
    await world.quote()
    await world.order()
    await world.control("POST", "/suppliers/A/mail", {"po": "PO-4471", "mime": mime, "id": "m-1", "name_po": False})
    (mail,) = await mails(world, 1)
    assert mail["body"] == {"id": "m-1", "event": "supplier-reply", "payload": {"from": "A", "mime": mime}}


async def test_a_mail_about_an_order_that_is_in_no_book_needs_its_own_words(world: Sandbox) -> None:
    for body, status in (
        ({"po": "PO-9", "send": "confirm"}, 404),
        ({"po": "PO-9", "sku": "SKU-123", "send": "confirm"}, 409),
        ({"po": "PO-9", "sku": "SKU-123", "send": {"text": "PO-9 is confirmed"}}, 200),
    ):
        answer = await world.http.post("/control/suppliers/A/mail", json=body)
        assert answer.status_code == status, answer.text
    (mail,) = await mails(world, 1)
    assert (mail["body"]["po"], mail["body"]["payload"]["text"]) == ("PO-9", "PO-9 is confirmed")


async def test_wordings_vary_and_are_the_same_for_the_same_order(world: Sandbox) -> None:
    await world.quote()
    texts: set[str] = set()
    for n in range(3):
        await world.order(po=f"PO-{n}")
        await world.control("POST", "/suppliers/A/mail", {"po": f"PO-{n}"})
    for mail in await mails(world, 3):
        texts.add(mail["body"]["payload"]["text"].replace(mail["body"]["po"], "PO"))
    assert len(texts) == 3


async def test_silent_until_chased(world: Sandbox) -> None:
    await world.quote()
    await world.script(on_chase=[{"after_days": 0.5, "send": "confirm", "nth": 2}])
    await world.order()
    path = "/suppliers/A/orders/PO-4471/messages"
    await world.write(path, {"kind": "chase", "text": "?"}, "PO-4471/chase/1")
    await world.write(path, {"kind": "notice", "text": "by the way"}, "PO-4471/notice/1")
    assert (await world.wait("message", kind="chase"))[0]["nth"] == "1"
    await world.write(path, {"kind": "chase", "text": "?!"}, "PO-4471/chase/2")
    await world.wait("mail")
    assert len((await world.ledger())["mails"]["out"]) == 1


async def test_an_answer_and_an_acceptance_may_be_answered(world: Sandbox) -> None:
    await world.quote()
    await world.script(
        on_order=[{"after_days": 0.1, "send": "ask"}],
        on_answer=[{"after_days": 0.1, "send": "confirm", "unit_price": "4.35"}],
        on_accept=[{"after_days": 0.1, "send": "shipped"}],
        deliver=[{"after_days": 0.2}],
    )
    await world.order()
    await world.wait("mail", kind="ask")
    path = "/suppliers/A/orders/PO-4471"
    await world.write(f"{path}/messages", {"kind": "answer", "text": "dock 2"}, "PO-4471/answer/1")
    await world.wait("mail", kind="confirm")
    assert (await order(world))["status"] == "open", "at another price nothing is agreed, and nothing delivered"
    terms = {"unit_price": "4.35", "currency": "USD", "quantity": "450", "promised_date": None, "text": "ok"}
    await world.write(f"{path}/accept", terms, "PO-4471/accept/1")
    await world.wait("mail", kind="shipped")
    await world.wait("status", status="received")
    assert (await order(world))["unit_price"] == "4.35"


async def test_a_partial_delivery_ships_and_a_full_one_is_received(world: Sandbox) -> None:
    await world.quote()
    await world.script(
        on_order=[{"after_days": 0}],
        deliver=[
            {"after_days": 0.1, "quantity": "200", "note": "DN-1", "repeat": 2},
            {"after_days": 0.5, "note": "DN-2"},
        ],
    )
    await world.order()
    await world.wait("status", status="shipped")
    await world.wait("status", status="received")
    await world.wait("told", 4)
    ledger = await world.ledger("SKU-123")
    assert [(d["note"], d["quantity"], d["status"]) for d in ledger["deliveries"]] == [
        ("DN-1", "200", 200),
        ("DN-1", "200", 200),
        ("DN-2", "250", 200),
    ]
    assert len({d["id"] for d in ledger["deliveries"]}) == 3, "a note reported twice is two messages"


async def test_the_same_message_twice(world: Sandbox, ingress: Ingress) -> None:
    await world.quote()
    await world.order()
    again = {"po": "PO-4471", "quantity": "200", "note": "DN-1", "repeat": 2, "same_id": True}
    await world.control("POST", "/warehouse/deliver", again, wait="5")
    assert len({h["key"] for h in ingress.heard}) == 1
    assert len(ingress.heard) == 2
    assert (await order(world))["delivered"] == "200"


async def test_goods_in_words_of_ones_own(world: Sandbox) -> None:
    body = {"po": "PO-77", "sku": "R 10k 1%/a", "quantity": "12.5", "note": "DN-X", "id": "g-1"}
    sent = await world.control("POST", "/warehouse/deliver", body, wait="5")
    assert (sent["id"], sent["status"]) == ("g-1", 200)
    for missing in ("sku", "note"):
        answer = await world.http.post(
            "/control/warehouse/deliver", json={k: v for k, v in body.items() if k != missing}
        )
        assert answer.status_code in (400, 404)
    (seen,) = (await world.http.get("/warehouse/deliveries")).json()["deliveries"]
    assert (seen["note"], seen["status"]) == ("DN-X", 200)


async def test_nothing_is_delivered_on_a_cancelled_order(world: Sandbox, ingress: Ingress) -> None:
    await world.quote()
    await world.script(on_order=[{"after_days": 0}], deliver=[{"after_days": 0.5}, {"after_days": 1}])
    await world.order()
    await world.wait("status", status="confirmed")
    await world.write("/suppliers/A/orders/PO-4471/cancel", {"reason": "no need"}, "PO-4471/cancel")
    answer = await world.http.get("/control/wait", params={"what": "goods", "timeout": "0.5"})
    assert answer.status_code == 408
    assert (await order(world))["status"] == "cancelled"


async def test_the_script_of_a_part_goes_before_that_of_all(world: Sandbox) -> None:
    await world.quote()
    await world.script("*", "*", on_order=[{"after_days": 0, "send": "decline"}])
    await world.script("A", "*", on_order=[{"after_days": 0, "send": "ask"}])
    await world.script("A", "SKU-123", on_order=[{"after_days": 0, "send": "confirm"}])
    await world.order()
    await world.wait("mail", kind="confirm")
    await world.control("DELETE", "/suppliers/A/script/SKU-123")
    await world.order(po="PO-2")
    await world.wait("mail", kind="ask", po="PO-2")


async def test_a_script_may_be_set_with_the_part_in_the_body(world: Sandbox) -> None:
    script = {"sku": "SKU-123", "on_order": [{"after_days": 0}], "on_confirmed": [{"after_days": 0, "deliver": "50"}]}
    await world.control("PUT", "/suppliers/A/script", script)
    shown = await world.control("GET", "/suppliers/A/script/SKU-123")
    assert shown["deliver"][0]["quantity"] == "50"
    wrong = await world.http.put("/control/suppliers/A/script/SKU-123", json={"on_oder": []})
    assert (wrong.status_code, "on_oder" in wrong.json()["error"]) == (400, True)


async def test_a_mail_only_says_that_the_order_has_come(world: Sandbox) -> None:
    await world.quote()
    await world.script(on_order=[{"after_days": 0, "send": "receipt"}, {"after_days": 0, "send": "text", "text": "hm"}])
    await world.order()
    texts = [m["body"]["payload"]["text"] for m in await mails(world, 2)]
    assert "received" in texts[0]
    assert texts[1] == "hm"
    assert (await order(world))["status"] == "open"
    wrong = await world.http.post("/control/suppliers/A/mail", json={"po": "PO-4471", "send": "text"})
    assert (wrong.status_code, "needs `text`" in wrong.json()["error"]) == (400, True)
