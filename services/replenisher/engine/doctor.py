"""What stands still in the engine, why, and what to do about it.
It resumes only what a lost connection stopped; nothing here kills or changes a run."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, cast

from replenisher.engine.admin import Admin, AdminError, Row

# The error codes of restate-server: docs.restate.dev/references/errors
_MISMATCH = {"RT0016"}
_CONNECTION = {"RT0010"}
_PROTOCOL = {"RT0011", "RT0012", "RT0013", "RT0014", "RT0015", "RT0018"}
_JOURNAL_MISMATCH = 570
_AT_ONCE = 20


class Cause(StrEnum):
    """Why an invocation stands."""

    CONNECTION = "connection"
    MISMATCH = "journal mismatch"
    PROTOCOL = "deployment"
    ERROR = "error"
    OPERATOR = "paused by hand"


_ADVICE = {
    Cause.CONNECTION: "the agent could not be reached; once it is back: `replenisher doctor --resume`",
    Cause.MISMATCH: "the code no longer does what the journal recorded. Put the old code back and resume it by hand, "
    "or register code that fits and `restate invocations resume ID --deployment latest`. Nothing is lost meanwhile",
    Cause.PROTOCOL: "the registered code does not fit the server or lacks this handler; register the right one, "
    "then resume it by hand",
    Cause.ERROR: "the handler failed again and again; correct what the message names, then resume it by hand",
    Cause.OPERATOR: "somebody paused it; `restate invocations resume ID` goes on",
}


@dataclass(frozen=True)
class Failure:
    """The last thing that went wrong: a status-like code (570 is a journal mismatch), Restate's code, and the text."""

    code: int
    restate_code: str | None
    message: str
    step: str | None = None


@dataclass(frozen=True)
class Standing:
    """An invocation that is paused, or that fails and will be tried again at `next_try`."""

    id: str
    target: str
    paused: bool
    since: datetime
    cause: Cause
    failure: Failure | None
    deployment: str | None
    tries: int
    next_try: datetime | None

    @property
    def advice(self) -> str:
        """What a person can do, in one sentence."""
        if not self.paused and self.cause is Cause.CONNECTION:
            return "tried again by itself; nothing to do but bring the agent back"
        return _ADVICE[self.cause].replace("ID", self.id)


def classify(failure: Failure | None) -> Cause:
    """Only what certainly never reached the code counts as a lost connection."""
    if failure is None:
        return Cause.OPERATOR
    if failure.code == _JOURNAL_MISMATCH or failure.restate_code in _MISMATCH:
        return Cause.MISMATCH
    if failure.restate_code in _CONNECTION:
        return Cause.CONNECTION
    if failure.restate_code in _PROTOCOL:
        return Cause.PROTOCOL
    return Cause.ERROR


async def standing(admin: Admin) -> list[Standing]:
    """Everything paused or backing off, longest first."""
    rows = await admin.query(
        "SELECT id, target, status, modified_at, pinned_deployment_id, retry_count, next_retry_at, last_failure, "
        "last_failure_error_code, last_attempt_deployment_id FROM sys_invocation "
        "WHERE status IN ('paused', 'backing-off')"
    )
    reasons = await _pause_reasons(admin) if any(row["status"] == "paused" for row in rows) else {}
    found = [_standing(row, reasons.get(str(row["id"]))) for row in rows]
    return sorted(found, key=lambda each: each.since)


async def paused(admin: Admin) -> list[Standing]:
    """Everything that goes on only when somebody resumes it."""
    return [each for each in await standing(admin) if each.paused]


async def resume_connection_errors(admin: Admin) -> list[Standing]:
    """Resume what a lost connection paused, and return it; everything else stays as it is.

    What cannot be reached still is tried and pauses again. An invocation that somebody resumed meanwhile is left out.
    """
    resumed: list[Standing] = []
    for each in await paused(admin):
        if each.cause is not Cause.CONNECTION:
            continue
        try:
            await admin.resume(each.id)
        except AdminError as error:
            if error.status is None or error.status >= 500:
                raise
            continue
        resumed.append(each)
    return resumed


async def retry_now(admin: Admin) -> int:
    """Try at once what waits to be tried again after a lost connection, e.g. when the agent is back; how many."""
    waiting = [each for each in await standing(admin) if not each.paused and each.cause is Cause.CONNECTION]
    slots = asyncio.Semaphore(_AT_ONCE)

    async def hurry(each: Standing) -> None:
        async with slots:
            # one that went on by itself meanwhile answers with 4xx
            with suppress(AdminError):
                await admin.resume(each.id)

    await asyncio.gather(*(hurry(each) for each in waiting))
    return len(waiting)


async def _pause_reasons(admin: Admin) -> dict[str, Failure | None]:
    """The failure behind each pause, by invocation; sys_invocation forgets it at the pause."""
    rows = await admin.query(
        "SELECT id, appended_at, event_json FROM sys_journal_events WHERE event_type = 'Paused' ORDER BY appended_at"
    )
    return {str(row["id"]): event_failure(row) for row in rows}


def event_failure(row: Row) -> Failure | None:
    """The failure that a row of `sys_journal_events` tells of; None for a pause without one."""
    event = cast("dict[str, Any]", json.loads(row["event_json"]))
    raw = cast("dict[str, Any] | None", event.get("last_failure") if event.get("ty") == "Paused" else event)
    if not raw:
        return None
    return Failure(
        code=int(raw["error_code"]),
        restate_code=raw.get("restate_doc_error_code"),
        message=str(raw["error_message"]),
        step=raw.get("related_command_name"),
    )


def moment(text: str) -> datetime:
    """A time as the engine writes it: ISO 8601 in UTC, up to nanoseconds."""
    return datetime.fromisoformat(text)


def _standing(row: Row, reason: Failure | None) -> Standing:
    is_paused = row["status"] == "paused"
    failure = reason
    if not is_paused and (message := row.get("last_failure")):
        failure = Failure(500, row.get("last_failure_error_code"), str(message))
    next_try = row.get("next_retry_at")
    return Standing(
        id=str(row["id"]),
        target=str(row["target"]),
        paused=is_paused,
        since=moment(str(row["modified_at"])),
        cause=classify(failure) if failure or is_paused else Cause.ERROR,
        failure=failure,
        deployment=row.get("pinned_deployment_id") or row.get("last_attempt_deployment_id"),
        tries=int(row.get("retry_count") or 0),
        next_try=moment(str(next_try)) if next_try else None,
    )
