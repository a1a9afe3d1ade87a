"""The journal of a run as rows: what happened, from when to when, with what result, and the attempts that failed."""

import json
from datetime import datetime
from typing import Any, cast

from replenisher.engine.journal import Entry, Journal

SHOWN = ("run", "sleep", "get_promise", "complete_promise", "signal", "output")
WIDTH = 110


def rows(journal: Journal) -> list[dict[str, Any]]:
    """One row a command of the journal that means something to people, in order. `seconds` are real ones."""
    found: list[dict[str, Any]] = []
    for entry in journal.entries:
        if entry.kind not in SHOWN or (entry.kind == "get_promise" and entry.ended is None):
            continue
        found.append(
            {
                "at": entry.at,
                "ended": entry.ended,
                "seconds": None if entry.ended is None else round((entry.ended - entry.at).total_seconds(), 3),
                "what": _what(entry),
                "name": entry.name,
                "result": _result(entry),
                "failed_attempts": [r.failure.message.splitlines()[0][:200] for r in entry.retries if r.failure],
            }
        )
    return sorted(found, key=lambda row: row["ended"] if row["what"] == "heard" else row["at"])


def _what(entry: Entry) -> str:
    names = {"run": "step", "sleep": "timer", "get_promise": "heard", "complete_promise": "withdrew", "output": "ended"}
    return names.get(entry.kind, entry.kind)


def _result(entry: Entry) -> Any:
    if entry.failure is not None:
        return f"failed: {entry.failure.message.splitlines()[0][:200]}"
    try:
        value: Any = entry.json()
    except ValueError:
        return None
    return cast("dict[str, Any]", value).get("result", value) if isinstance(value, dict) else value


def as_text(happened: list[dict[str, Any]]) -> str:
    lines: list[str] = []
    for row in happened:
        # what was heard counts from when it came, not from when somebody first listened
        at: datetime = row["ended"] if row["what"] == "heard" else row["at"]
        took = "" if row["seconds"] is None else f"{row['seconds']:>9.3f} s"
        if row["what"] == "heard":
            took = ""
        if row["what"] == "timer" and row["ended"] is None:
            took = "not run out"
        lines.append(f"{at:%Y-%m-%d %H:%M:%S}  {took:>11}  {row['what']:<8} {row['name']:<32} {_short(row)}".rstrip())
        lines += [f"{'':34}attempt failed: {failed}" for failed in row["failed_attempts"]]
    return "\n".join(lines)


def _short(row: dict[str, Any]) -> str:
    result: Any = row["result"]
    if isinstance(result, dict) and "tool" in result:
        decision = cast("dict[str, Any]", result)
        arguments = " ".join(f"{k}={v}" for k, v in decision["arguments"].items())
        return f"-> {decision['tool']} {arguments} ({decision['by']}: {decision['why']})"[:WIDTH]
    if result is None:
        return ""
    text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
    return text[:WIDTH]
