"""One journal entry in two forms: the JSON of a recorded file, and the message of Restate's service protocol (6) that
an engine sends when it replays. What is recorded is checked at its recording to give the engine's own bytes back."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

PROTOCOL = 6
CONTENT_TYPE = f"application/vnd.restate.invocation.v{PROTOCOL}"

Json = Any
Entry = dict[str, Json]
"""`{"command": "Run", "name": "decide-1", "id": 1}` and the like; an outcome is in "value" (JSON), "failure" (code and
message) or "void"."""

START, SUSPENSION, ERROR, END, RUN_PROPOSAL = 0x0000, 0x0001, 0x0002, 0x0003, 0x0005
COMMANDS = {
    "Input": 0x0400,
    "Output": 0x0401,
    "SetState": 0x0403,
    "GetPromise": 0x0409,
    "PeekPromise": 0x040A,
    "CompletePromise": 0x040B,
    "Sleep": 0x040C,
    "OneWayCall": 0x040E,
    "Run": 0x0411,
    "AttachInvocation": 0x0412,
}
NOTIFICATIONS = {
    "GetPromise": 0x8009,
    "PeekPromise": 0x800A,
    "CompletePromise": 0x800B,
    "Sleep": 0x800C,
    "CallInvocationId": 0x800E,
    "Run": 0x8011,
    "AttachInvocation": 0x8012,
    "Signal": 0xFBFF,
}
_NAMES = {code: name for name, code in COMMANDS.items()}


class NotKept(ValueError):
    """An entry of a kind that recorded files have no form for yet."""


# --- from the engine's table ------------------------------------------------------------------------------------------


def from_engine(entry_json: str) -> Entry:
    """The entry as the engine's `sys_journal.entry_json` tells it. Raises NotKept."""
    ((side, content),) = json.loads(entry_json).items()
    ((kind, body),) = content.items()
    if side == "Command":
        return {"command": kind, **_command(kind, body)}
    if kind == "Completion":
        ((kind, body),) = body.items()
    if kind not in NOTIFICATIONS:
        raise NotKept(f"notification {kind}")
    if kind == "CallInvocationId":
        return {"notification": kind, "id": body["completion_id"], "invocation": body["invocation_id"]}
    if kind == "Signal":
        return {"notification": kind, "id": body["id"]["Index"], **_outcome(body["result"])}
    return {"notification": kind, "id": body["completion_id"], **_outcome(body.get("result"))}


def _command(kind: str, body: Mapping[str, Json]) -> Entry:
    match kind:
        case "Input":
            headers = [[h["name"], h["value"]] for h in body["headers"]]
            return {"value": _json(body["payload"]), **({"headers": headers} if headers else {})}
        case "Output":
            return _outcome(body["result"])
        case "SetState":
            return {"key": body["key"], "value": _json(body["value"])}
        case "GetPromise" | "PeekPromise":
            return {"key": body["key"], "id": body["completion_id"]}
        case "CompletePromise":
            return {"key": body["key"], **_outcome(body["value"]), "id": body["completion_id"]}
        case "Sleep":
            return {"name": body["name"], "wake": body["wake_up_time"], "id": body["completion_id"]}
        case "Run":
            return {"name": body["name"], "id": body["completion_id"]}
        case "AttachInvocation":
            return {"invocation": body["target"]["InvocationId"], "id": body["completion_id"]}
        case "OneWayCall":
            ((_, target),) = body["request"]["invocation_target"].items()
            to = {k: target[k] for k in ("name", "handler", "key") if k in target}
            return {"to": to, "value": _json(body["request"]["parameter"]), "id": body["invocation_id_completion_id"]}
        case _:
            raise NotKept(f"command {kind}")


def _outcome(result: Json) -> Entry:
    if not isinstance(result, dict):
        return {"void": True}
    if "Failure" in result:
        failure = result["Failure"]
        return {"failure": {"code": failure["code"], "message": failure["message"]}}
    return {"value": _json(result["Success"])}


def _json(content: list[int]) -> Json:
    return json.loads(bytes(content))


# --- to the protocol --------------------------------------------------------------------------------------------------


def encoded(entry: Entry) -> bytes:
    """The entry as a protocol message without its head."""
    kind = entry.get("command")
    if kind is None:
        return _notification(entry)
    match kind:
        case "Input":
            headers = b"".join(_field(1, _field(1, k) + _field(2, v)) for k, v in entry.get("headers", []))
            return headers + _field(14, _value(entry))
        case "Output":
            return _result(entry, value=14, failure=15)
        case "SetState":
            return _field(1, entry["key"]) + _field(3, _value(entry))
        case "GetPromise" | "PeekPromise":
            return _field(1, entry["key"]) + _field(11, entry["id"])
        case "CompletePromise":
            return _field(1, entry["key"]) + _result(entry, value=2, failure=3) + _field(11, entry["id"])
        case "Sleep":
            return _field(1, entry["wake"]) + _field(11, entry["id"]) + _field(12, entry["name"])
        case "Run":
            return _field(11, entry["id"]) + _field(12, entry["name"])
        case "AttachInvocation":
            return _field(1, entry["invocation"]) + _field(11, entry["id"])
        case "OneWayCall":
            to = entry["to"]
            sent = _field(1, to["name"]) + _field(2, to["handler"]) + _field(3, dumped(entry["value"]))
            return sent + (_field(6, to["key"]) if "key" in to else b"") + _field(10, entry["id"])
        case _:
            raise NotKept(f"command {kind}")


def _notification(entry: Entry) -> bytes:
    number = 2 if entry["notification"] == "Signal" else 1
    if entry["notification"] == "CallInvocationId":
        return _field(1, entry["id"]) + _field(16, entry["invocation"])
    if "void" in entry:
        return _field(number, entry["id"]) + _field(4, b"")
    return _field(number, entry["id"]) + _result(entry, value=5, failure=6)


def _result(entry: Entry, value: int, failure: int) -> bytes:
    if "failure" in entry:
        told = entry["failure"]
        return _field(failure, _field(1, told["code"]) + (_field(2, told["message"]) if told["message"] else b""))
    return _field(value, _value(entry))


def _value(entry: Entry) -> bytes:
    content = dumped(entry["value"])
    return _field(1, content)


def dumped(value: Json) -> bytes:
    """The bytes the product writes for a JSON value. A text of its own, so that a changed serializer is noticed."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def message(kind: int, body: bytes) -> bytes:
    """With its head: kind, flags, length."""
    return kind.to_bytes(2, "big") + b"\0\0" + len(body).to_bytes(4, "big") + body


def framed(entry: Entry) -> bytes:
    kind = COMMANDS[entry["command"]] if "command" in entry else NOTIFICATIONS[entry["notification"]]
    return message(kind, encoded(entry))


def start(invocation: str, key: str | None, known: int, state: Mapping[str, Json] | None = None) -> bytes:
    """The first message of an attempt, of an invocation of which so many entries are known, with its key's state."""
    body = _field(1, invocation) + _field(2, invocation) + _field(3, known)
    body += b"".join(_field(4, _field(1, k) + _field(2, dumped(v))) for k, v in (state or {}).items())
    return message(START, body + (_field(6, key) if key else b""))


def _field(number: int, content: bytes | str | int) -> bytes:
    if isinstance(content, int):
        return _varint(number << 3) + _varint(content)
    raw = content.encode() if isinstance(content, str) else content
    return _varint(number << 3 | 2) + _varint(len(raw)) + raw


def _varint(n: int) -> bytes:
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    return bytes([*out, n])


# --- what comes back --------------------------------------------------------------------------------------------------


def messages(stream: bytes) -> Iterator[tuple[int, bytes]]:
    """The messages of a stream: kind and body."""
    at = 0
    while at < len(stream):
        length = int.from_bytes(stream[at + 4 : at + 8], "big")
        yield int.from_bytes(stream[at : at + 2], "big"), stream[at + 8 : at + 8 + length]
        at += 8 + length


def fields(body: bytes) -> dict[int, bytes | int]:
    """The fields of a message by number; of a repeated one the last."""
    found: dict[int, bytes | int] = {}
    at = 0
    while at < len(body):
        tag, at = _read_varint(body, at)
        length, at = _read_varint(body, at)
        if tag & 7 == 2:
            found[tag >> 3], at = body[at : at + length], at + length
        else:
            found[tag >> 3] = length
    return found


def _read_varint(body: bytes, at: int) -> tuple[int, int]:
    n = shift = 0
    while True:
        n |= (body[at] & 0x7F) << shift
        if body[at] < 0x80:
            return n, at + 1
        shift, at = shift + 7, at + 1


def completions(kind: int, body: bytes) -> Iterator[bytes]:
    """What an engine answers at once to a message of an attempt: a step's result is kept, a send gets its id."""
    told = fields(body)
    if kind == RUN_PROPOSAL:
        result = told[14]
        assert isinstance(result, bytes)
        step = told[1]
        assert isinstance(step, int)
        yield message(NOTIFICATIONS["Run"], _field(1, step) + _field(5, _field(1, result)))
    elif kind == COMMANDS["OneWayCall"]:
        n = told[10]
        assert isinstance(n, int)
        yield message(NOTIFICATIONS["CallInvocationId"], _field(1, n) + _field(16, f"inv_{n}"))


def sent_value(call: bytes) -> Json:
    """The JSON that a OneWayCall message carries."""
    carried = fields(call).get(3, b"null")
    assert isinstance(carried, bytes)
    return json.loads(carried)


def value_of(output: bytes) -> Json:
    """The JSON in an Output message."""
    inner = fields(output)[14]
    assert isinstance(inner, bytes)
    return json.loads(fields(inner).get(1, b"null"))


def kind_name(kind: int) -> str:
    return _NAMES.get(kind, f"message {kind:#06x}")
