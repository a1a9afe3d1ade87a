"""A recorded run read back: the same state at every prefix, and a sentence when today's code no longer follows it."""

import asyncio
from typing import Any

import pytest

from replenisher.handlers.folding import Folded, fold
from replenisher.harness.journal import StepFailed
from replenisher.harness.replay import EndOfRecords, Record, RecordMismatch, ReplayJournal
from support.recorded import STORIES, Run, recorded, the_agent
from support.toy import NOON

AT = NOON.isoformat()


def folded(run: Run, records: list[Record]) -> Folded:
    return asyncio.run(fold(the_agent(), run.assignment, records))


# --- the journal over records -----------------------------------------------------------------------------------------


async def never() -> int:
    raise AssertionError("nothing is executed when a run is read back")


def journal(*records: Record) -> ReplayJournal:
    return ReplayJournal(records)


def test_a_step_gives_its_record_and_does_nothing() -> None:
    done = asyncio.run(journal({"step": "a-1", "at": AT, "result": "7"}).step("a-1", never, int))
    assert (done.value, done.at) == (7, NOON)


def test_a_failed_step_fails_again_with_its_time() -> None:
    with pytest.raises(StepFailed, match="a-1: dry") as failed:
        asyncio.run(journal({"step": "a-1", "at": AT, "error": "dry"}).step("a-1", never, int))
    assert failed.value.at == NOON


def test_waits_and_withdrawals_end_as_they_did() -> None:
    both = journal(
        {"wait": "w-1", "at": AT, "event": "rain", "payload": {"mm": 3}},
        {"wait": "w-2", "at": AT, "event": None, "payload": None},
        {"withdraw": "p", "late": {"payload": {"yes": True}, "at": AT}},
        {"withdraw": "q", "late": None},
    )
    heard = asyncio.run(both.wait("w-1", (), (), NOON))
    silent = asyncio.run(both.wait("w-2", (), (), NOON))
    late = asyncio.run(both.withdraw("p", ""))
    assert (heard.event, heard.payload, heard.at) == ("rain", {"mm": 3}, NOON)
    assert silent.event is None
    assert late is not None
    assert late.payload == {"yes": True}
    assert asyncio.run(both.withdraw("q", "")) is None
    with pytest.raises(EndOfRecords):
        asyncio.run(both.wait("w-3", (), (), NOON))


@pytest.mark.parametrize(
    ("record", "says"),
    [
        ({"step": "b-1", "at": AT, "result": 7}, "the code now asks for step 'a-1' where step 'b-1' was recorded"),
        ({"wait": "w-1", "at": AT}, "the code now asks for step 'a-1' where wait 'w-1' was recorded"),
        ({"withdraw": "p"}, "the code now asks for step 'a-1' where withdraw 'p' was recorded"),
        ({"step": "a-1", "at": AT, "result": "many"}, "the recorded result of 'a-1' is no longer understood"),
        ({"step": "a-1", "at": AT, "result": None}, "the recorded result of 'a-1' is no longer understood"),
    ],
)
def test_another_record_is_a_mismatch_with_a_sentence(record: Record, says: str) -> None:
    with pytest.raises(RecordMismatch) as mismatch:
        asyncio.run(journal(record).step("a-1", never, int))
    assert says in str(mismatch.value)


# --- whole runs -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("story", STORIES)
def test_a_run_read_back_is_the_run(story: str) -> None:
    run = recorded(story)
    back = folded(run, run.copied())
    assert back.state == run.states[-1]
    assert tuple(t.after for t in back.turns) == run.states
    assert back.pending is None


@pytest.mark.parametrize("story", STORIES)
def test_every_beginning_of_it_gives_the_state_of_then(story: str) -> None:
    run = recorded(story)
    for n in range(len(run.records)):
        back = folded(run, run.copied()[:n])
        turns = len(back.turns)
        assert tuple(t.after for t in back.turns) == run.states[:turns]
        if turns:
            assert back.state == run.states[turns - 1]


@pytest.mark.parametrize("story", STORIES)
def test_between_a_decision_and_its_end_the_decision_is_pending(story: str) -> None:
    run = recorded(story)
    for n, record in enumerate(run.records):
        if "wait" in record:
            pending = folded(run, run.copied()[:n]).pending
            assert pending is not None
            assert record["wait"].startswith(f"{pending.tool}-")
            assert pending.until is not None


def steps(run: Run) -> list[int]:
    return [n for n, r in enumerate(run.records) if "step" in r]


@pytest.mark.parametrize("story", ["happy", "eventful"])
def test_any_renamed_step_is_noticed(story: str) -> None:
    run = recorded(story)
    for n, record in enumerate(run.records):
        kind = next(k for k in ("step", "wait", "withdraw") if k in record)
        records = run.copied()
        records[n][kind] = f"renamed_{records[n][kind]}"
        with pytest.raises(RecordMismatch, match="the code now asks for"):
            folded(run, records)


@pytest.mark.parametrize("story", ["happy", "eventful"])
def test_any_result_of_another_shape_is_noticed(story: str) -> None:
    run = recorded(story)
    for n in steps(run):
        records = run.copied()
        records[n]["result"] = [["neither this", "nor that"]]
        with pytest.raises(RecordMismatch, match="no longer understood"):
            folded(run, records)


REQUIRED = {
    "decide": ("tool", "arguments", "why", "by", "options"),
    "get_quotes": ("quotes",),
    "reprice": ("meaning", "deliver_to", "quote"),
}


@pytest.mark.parametrize(("step", "fields"), REQUIRED.items())
def test_any_removed_field_is_noticed(step: str, fields: tuple[str, ...]) -> None:
    run = recorded("happy")
    n = next(i for i in steps(run) if run.records[i]["step"].startswith(f"{step}-"))
    for name in fields:
        records = run.copied()
        del records[n]["result"][name]
        with pytest.raises(RecordMismatch, match="no longer understood") as mismatch:
            folded(run, records)
        assert name in str(mismatch.value)


def test_a_renamed_tool_is_noticed() -> None:
    run = recorded("happy")
    records = run.copied()
    records[0]["result"]["tool"] = "fetch_quotes"
    with pytest.raises(RecordMismatch, match="fetch_quotes"):
        folded(run, records)


@pytest.mark.parametrize("story", STORIES)
def test_what_newer_code_recorded_beside_is_ignored(story: str) -> None:
    """Older code may read a run's records after a roll-back."""
    run = recorded(story)
    records = run.copied()
    for record in records:
        record["noted_by"] = "newer code"
        if isinstance(record.get("result"), dict):
            record["result"]["field_of_newer_code"] = 1
        if isinstance(record.get("payload"), dict):
            record["payload"]["field_of_newer_code"] = 1
    assert folded(run, records).state == run.states[-1]


def without_defaults(value: Any) -> Any:
    return {k: v for k, v in value.items() if v not in (None, [], {}, 0, "0", "", False)}


@pytest.mark.parametrize("story", STORIES)
def test_what_older_code_did_not_record_has_defaults(story: str) -> None:
    run = recorded(story)
    records = run.copied()
    optional = {"until", "rejected", "tokens_in", "tokens_out"}
    for record in records:
        result = record.get("result")
        if isinstance(result, dict) and "tool" in result:
            record["result"] = {k: v for k, v in result.items() if k not in optional or (k == "until" and v)}
        if isinstance(record.get("payload"), dict) and "event" in record["payload"]:
            record["payload"] = without_defaults(record["payload"])
    assert folded(run, records).state == run.states[-1]
