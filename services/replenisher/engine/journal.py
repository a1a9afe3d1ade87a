"""What one invocation did, read from the engine's journal by SQL and joined into one record for each command.
What the values mean (turns, orders, approvals) is for who reads them, e.g. the timeline."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, cast

from replenisher.engine.admin import Admin, AdminError, Row, literal
from replenisher.engine.doctor import Failure, event_failure, moment

# signals below 17 are the engine's own; the first is the request to cancel
_CANCEL = 1


class NoSuchRunError(LookupError):
    """The engine knows no invocation by that id or key; its retention may be over."""


@dataclass(frozen=True)
class Invocation:
    """One call of a handler, as the engine keeps it. `status`: running, suspended, backing-off, paused, completed."""

    id: str
    target: str
    key: str | None
    status: str
    created_at: datetime
    completed_at: datetime | None
    result: str | None
    failure: str | None
    deployment: str | None


@dataclass(frozen=True)
class Retry:
    """One failed attempt, or the pause after the last."""

    at: datetime
    failure: Failure | None
    paused: bool


@dataclass(frozen=True)
class Entry:
    """One command of the journal and, once it has ended, its outcome.

    `kind` is the engine's name of it in snake case: input, run, sleep, get_promise, set_state, one_way_call, call,
    output, ...; also `signal` for what came from outside: a cancellation (named `cancel`) or an awakeable.
    `name` is the step's name, the promise's or state's key, or the target of a call. `value` holds what was
    recorded: of a run or a promise its result, of set_state, input, output and sends what was given. `ended` is None
    for a step that never finished and a wait that goes on; commands that need no answer end when they are written.
    """

    index: int
    kind: str
    name: str
    at: datetime
    value: bytes | None = None
    failure: Failure | None = None
    ended: datetime | None = None
    ended_index: int | None = None
    wake_at: datetime | None = None
    invocation: str | None = None
    retries: Sequence[Retry] = field(default=())

    def json(self) -> Any:
        """The value as JSON; None when there is none."""
        return json.loads(self.value) if self.value else None


@dataclass(frozen=True)
class Journal:
    """An invocation with its entries in order; `retries` are those that belong to no command."""

    invocation: Invocation
    entries: Sequence[Entry]
    retries: Sequence[Retry] = ()

    def named(self, name: str) -> Entry:
        """The entry of that name; KeyError when there is none."""
        for entry in self.entries:
            if entry.name == name:
                return entry
        raise KeyError(name)


async def read(admin: Admin, invocation: str) -> Journal:
    """The journal of an invocation by its id (`inv_...`)."""
    try:
        found = await _invocations(admin, f"id = {literal(invocation)}")
    except AdminError as error:
        if "invocation id" not in str(error):
            raise
        found = []
    if not found:
        raise NoSuchRunError(f"the engine knows no invocation {invocation}")
    where = f"WHERE id = {literal(invocation)}"
    rows = await admin.query(
        f'SELECT "index", entry_type, name, appended_at, entry_json FROM sys_journal {where} ORDER BY "index"'
    )
    events = await admin.query(
        f"SELECT event_type, appended_at, event_json FROM sys_journal_events {where} ORDER BY appended_at"
    )
    entries, rest = _join(rows, events)
    return Journal(found[0], entries, rest)


async def read_run(admin: Admin, workflow: str, key: str, handler: str = "run") -> Journal:
    """The journal of a workflow's run by its key, e.g. `read_run(admin, "Replenish", "replenish-SKU-123-1")`."""
    found = await runs(admin, workflow, key, handler)
    if not found:
        raise NoSuchRunError(f"the engine knows no {workflow}/{key}/{handler}")
    return await read(admin, found[-1].id)


async def runs(admin: Admin, service: str, key: str | None = None, handler: str = "run") -> list[Invocation]:
    """The invocations of a handler, of one key or of all, oldest first."""
    where = f"target_service_name = {literal(service)} AND target_handler_name = {literal(handler)}"
    if key is not None:
        where += f" AND target_service_key = {literal(key)}"
    return await _invocations(admin, where)


async def _invocations(admin: Admin, where: str) -> list[Invocation]:
    rows = await admin.query(
        "SELECT id, target, target_service_key, status, created_at, completed_at, completion_result, "
        f"completion_failure, pinned_deployment_id FROM sys_invocation WHERE {where} ORDER BY created_at"
    )
    return [
        Invocation(
            id=str(row["id"]),
            target=str(row["target"]),
            key=row.get("target_service_key"),
            status=str(row["status"]),
            created_at=moment(str(row["created_at"])),
            completed_at=moment(str(row["completed_at"])) if row.get("completed_at") else None,
            result=row.get("completion_result"),
            failure=row.get("completion_failure"),
            deployment=row.get("pinned_deployment_id"),
        )
        for row in rows
    ]


@dataclass(frozen=True)
class _Ending:
    index: int
    at: datetime
    body: Mapping[str, Any]


def _join(rows: Sequence[Row], events: Sequence[Row]) -> tuple[list[Entry], list[Retry]]:
    """Commands joined with the notification of the same completion id, and with the attempts that failed in them."""
    endings: dict[int, _Ending] = {}
    commands: list[tuple[Row, str, Mapping[str, Any]]] = []
    for row in rows:
        ((side, content),) = cast("dict[str, dict[str, Any]]", json.loads(row["entry_json"])).items()
        ((kind, body),) = content.items()
        if side == "Notification" and kind == "Completion":
            ((_, completion),) = cast("dict[str, dict[str, Any]]", body).items()
            endings[int(completion["completion_id"])] = _Ending(
                int(row["index"]), moment(str(row["appended_at"])), completion
            )
        else:
            commands.append((row, kind, cast("Mapping[str, Any]", body) if isinstance(body, dict) else {}))
    retries, rest = _retries(events)
    order = -1  # events count commands alone
    entries: list[Entry] = []
    for row, kind, body in commands:
        if not str(row["entry_type"]).startswith("Notification"):
            order += 1
        entries.append(_entry(row, kind, body, endings, retries.get(order, ())))
    return entries, rest


def _retries(events: Sequence[Row]) -> tuple[dict[int, list[Retry]], list[Retry]]:
    by_command: dict[int, list[Retry]] = {}
    rest: list[Retry] = []
    for row in events:
        event = cast("dict[str, Any]", json.loads(row["event_json"]))
        paused = row["event_type"] == "Paused"
        retry = Retry(moment(str(row["appended_at"])), event_failure(row), paused)
        raw = cast("dict[str, Any]", event.get("last_failure") or {}) if paused else event
        command = raw.get("related_command_index")
        (rest if command is None else by_command.setdefault(int(command), [])).append(retry)
    return by_command, rest


def _entry(
    row: Row, kind: str, body: Mapping[str, Any], endings: Mapping[int, _Ending], retries: Sequence[Retry]
) -> Entry:
    at = moment(str(row["appended_at"]))
    wait = body.get("completion_id", body.get("result_completion_id"))
    ending = endings.get(int(wait)) if wait is not None else None
    request = cast("Mapping[str, Any]", body.get("request") or {})
    outcome, failure = _result(body.get("result") if ending is None else ending.body.get("result"))
    if outcome is None and failure is None:
        outcome, failure = _result(body.get("payload") or body.get("value") or request.get("parameter"))
    wake = body.get("wake_up_time") or body.get("invoke_time")
    # a call that is not waited for has an id, but no result
    own_end = at if wait is None else None
    return Entry(
        index=int(row["index"]),
        kind="signal" if str(row["entry_type"]).startswith("Notification") else _snake(kind),
        name=_name(row, body, request),
        at=at,
        value=outcome,
        failure=failure,
        ended=ending.at if ending else own_end,
        ended_index=ending.index if ending else None,
        wake_at=datetime.fromtimestamp(wake / 1000, UTC) if wake else None,
        invocation=request.get("invocation_id"),
        retries=tuple(retries),
    )


def _result(raw: object) -> tuple[bytes | None, Failure | None]:
    """What was recorded: bytes, `{"Success": bytes}`, `{"Failure": {code, message}}`, or a word for an empty result."""
    if not isinstance(raw, dict):
        return _bytes(raw), None
    result = cast("dict[str, Any]", raw)
    if failure := result.get("Failure"):
        return None, Failure(int(failure["code"]), None, str(failure["message"]))
    return _bytes(result.get("Success")), None


def _bytes(raw: object) -> bytes | None:
    """Values are arrays of byte numbers in the engine's JSON."""
    return bytes(cast("list[int]", raw)) if isinstance(raw, list) else None


def _name(row: Row, body: Mapping[str, Any], request: Mapping[str, Any]) -> str:
    for candidate in (row.get("name"), body.get("name"), body.get("key")):
        if candidate:
            return str(candidate)
    target = cast("Mapping[str, Mapping[str, Any]]", request.get("invocation_target") or {})
    for kind in target.values():
        parts = [kind.get("name"), kind.get("key"), kind.get("handler")]
        return "/".join(str(part) for part in parts if part is not None)
    match body:
        case {"id": {"Index": index}}:
            return "cancel" if index == _CANCEL else f"signal-{index}"
        case {"target": {"InvocationId": str(invocation)}} | {"id": str(invocation)}:
            return invocation
        case _:
            return ""


def _snake(kind: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind).lower()
