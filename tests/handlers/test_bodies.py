"""What people and systems may send: taken as it is meant, or refused with a sentence that names the field."""

from decimal import Decimal
from typing import Any

import pytest
from restate.exceptions import TerminalError

from replenisher.handlers.bodies import Answer, Approve, Cancel, Goods, Hold, Reply
from replenisher.handlers.serde import RAW, Garbage, parse

D = Decimal

APPROVE: dict[str, Any] = {"id": "m-17", "approval": "PO-4471/1", "approved": True}
ANSWER: dict[str, Any] = {"id": "m-18", "question": "PO-4471/late-date/1", "choice": "accept"}
REPLY: dict[str, Any] = {"id": "m-1", "event": "supplier-reply", "po": "PO-4471", "payload": {"text": "Confirmed."}}
GOODS: dict[str, Any] = {"id": "g-1", "event": "goods", "po": "PO-4471", "note": "DN-1", "quantity": "200"}
HOLD: dict[str, Any] = {"id": "h-1", "days": 7}

GOOD: list[tuple[type, dict[str, Any]]] = [
    (Approve, APPROVE),
    (Approve, {**APPROVE, "ceiling": "4.30", "reason": "as usual", "by": "boss"}),
    (Approve, {**APPROVE, "ceiling": None}),
    (Approve, {**APPROVE, "approved": False, "another": "C/C-123"}),
    (Answer, ANSWER),
    (Answer, {**ANSWER, "text": "grey", "by": "buyer"}),
    (Answer, {**ANSWER, "reading": {"unit_price": "4.35", "currency": "USD", "promised_date": "2026-12-20"}}),
    (Reply, REPLY),
    (Reply, {**REPLY, "po": None}),
    (Reply, {**REPLY, "payload": {"mime": "Subject: x", "from": "A", "anything": 1}}),
    (Goods, GOODS),
    (Goods, {**GOODS, "quantity": 200}),
    (Goods, {**GOODS, "quantity": "0.5"}),
    (Hold, HOLD),
    (Hold, {**HOLD, "days": 0}),
    (Cancel, {}),
    (Cancel, {"reason": "not needed"}),
]


@pytest.mark.parametrize(("model", "body"), GOOD)
def test_what_is_documented_is_taken(model: type, body: dict[str, Any]) -> None:
    parse(model, body)


BAD: list[tuple[type, dict[str, Any], str]] = [
    # a name or an id is text and never empty
    *((Approve, {**APPROVE, "id": bad}, "id") for bad in ("", "  ", None, 17, "x" * 201)),
    *((Approve, {**APPROVE, "approval": bad}, "approval") for bad in ("", None, ["PO-4471/1"])),
    *((Approve, {**APPROVE, "approved": bad}, "approved") for bad in (None, "maybe", 2, {}, 1, "true", "yes")),
    *(
        (Approve, {**APPROVE, "ceiling": bad}, "ceiling")
        for bad in ("0", "-1", "NaN", "Infinity", "4,30", "much", "1" * 30)
    ),
    (Approve, {**APPROVE, "reason": "x" * 4001}, "reason"),
    (Approve, {**APPROVE, "celing": "4.30"}, "celing"),
    (Approve, {"id": "m-17", "approval": "PO-4471/1"}, "approved"),
    *((Answer, {**ANSWER, "choice": bad}, "choice") for bad in ("", None, 1)),
    (Answer, {**ANSWER, "question": ""}, "question"),
    (Answer, {**ANSWER, "reading": {"unit_price": "-1"}}, "reading.unit_price"),
    (Answer, {**ANSWER, "reading": {"currency": "dollars"}}, "reading.currency"),
    (Answer, {**ANSWER, "reading": {"accepted": True}}, "reading.accepted"),
    (Reply, {**REPLY, "payload": {}}, "payload"),
    (Reply, {**REPLY, "payload": {"subject": "hello"}}, "needs text or mime"),
    (Reply, {**REPLY, "payload": "Confirmed."}, "payload"),
    (Reply, {**REPLY, "payload": {"text": 5}}, "payload.text"),
    (Reply, {**REPLY, "event": "supplier_reply"}, "event"),
    (Reply, {**REPLY, "from": "A"}, "from"),
    *(
        (Goods, {**GOODS, "quantity": bad}, "quantity")
        for bad in ("0", "-5", "NaN", "-Infinity", "two hundred", None, "1E+30")
    ),
    (Goods, {**GOODS, "note": ""}, "note"),
    (Goods, {**GOODS, "note": None}, "note"),
    (Goods, {k: v for k, v in GOODS.items() if k != "po"}, "po"),
    (Goods, {**GOODS, "price": "4.20"}, "price"),
    *((Hold, {**HOLD, "days": bad}, "days") for bad in (-1, 366, "soon", None)),
]


@pytest.mark.parametrize(("model", "body", "names"), BAD)
def test_what_is_not_is_refused_naming_the_field(model: type, body: dict[str, Any], names: str) -> None:
    with pytest.raises(TerminalError) as refused:
        parse(model, body)
    assert refused.value.status_code == 400
    assert names in refused.value.message
    assert refused.value.message.startswith("the message was not understood: ")


@pytest.mark.parametrize("body", [None, [], [1], "text", 5, True, Garbage()])
def test_anything_but_an_object_is_refused(body: Any) -> None:
    with pytest.raises(TerminalError) as refused:
        parse(Goods, body)
    assert refused.value.status_code == 400
    assert "JSON" in refused.value.message


@pytest.mark.parametrize(
    ("said", "meant"), [(4.3, "4.3"), ("4.30", "4.30"), (5, "5"), ("4.411", "4.411"), (0.1, "0.1")]
)
def test_money_is_what_was_written(said: Any, meant: str) -> None:
    """A JSON number is read by its digits, never as the nearest binary fraction."""
    ceiling = parse(Approve, {**APPROVE, "ceiling": said}).ceiling
    assert str(ceiling) == meant


def test_names_lose_the_blanks_around_them() -> None:
    assert parse(Goods, {**GOODS, "po": " PO-4471 "}).po == "PO-4471"


def test_a_reply_keeps_its_words_as_they_came() -> None:
    said = {"from": "A", "subject": " Re ", "text": "a\nb ", "mime": None, "more": "ignored"}
    content = parse(Reply, {**REPLY, "payload": said}).content()
    assert content == {"from": "A", "subject": " Re ", "text": "a\nb "}


# --- JSON as it travels -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sent", "read"), [(b"", None), (b"null", None), (b'{"a":1}', {"a": 1}), (b"[]", []), (b'"\xc3\xa4"', "ä")]
)
def test_an_empty_body_is_null(sent: bytes, read: Any) -> None:
    assert RAW.deserialize(sent) == read


@pytest.mark.parametrize("sent", [b"{", b"approve=yes", b"\xff\xfe", b"{'a': 1}", b"\x00", b"[" * 200_000, b"9" * 9999])
def test_what_is_no_json_is_garbage_and_never_an_endless_retry(sent: bytes) -> None:
    assert isinstance(RAW.deserialize(sent), Garbage)


@pytest.mark.parametrize("value", [None, {"b": 1, "a": "ä"}, [1, 2], "x", {}])
def test_the_same_value_is_always_the_same_bytes(value: Any) -> None:
    assert RAW.serialize(value) == RAW.serialize(RAW.deserialize(RAW.serialize(value)))


@pytest.mark.parametrize(
    "spot", [{"id": "m\ud800"}, {"payload": {"text": "a\udfff"}}, {"payload": {"text": "a", "b\ud800": [1]}}]
)
def test_half_a_surrogate_pair_is_no_text(spot: dict[str, Any]) -> None:
    """Neither the journal nor the records can hold it: taken in, it would be tried again for ever."""
    with pytest.raises(TerminalError) as refused:
        parse(Reply, {**REPLY, **spot})
    assert refused.value.status_code == 400
    assert "surrogate" in refused.value.message
    refused.value.message.encode()


@pytest.mark.parametrize("text", ["\ud800", "\U0001f600", "a\x00b", "\udfff\ud800"])
def test_every_text_can_be_journaled(text: str) -> None:
    assert RAW.deserialize(RAW.serialize({text: text})) == {text: text}
