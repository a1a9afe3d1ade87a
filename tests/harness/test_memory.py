"""The journal in memory: attempts, records that look like the engine's, waits that a script ends."""

import asyncio
from collections.abc import Awaitable, Callable
from decimal import Decimal

import pytest

from replenisher.harness.journal import Recorded, StepFailed
from support.toy import DAY, NOON, Days


def failing(times: int, error: Exception, attempts: list[int]) -> Callable[[], Awaitable[int]]:
    async def action() -> int:
        attempts.append(1)
        if len(attempts) <= times:
            raise error
        return 42

    return action


@pytest.mark.parametrize("times", [0, 1, 5])
def test_a_step_is_tried_until_it_works(times: int) -> None:
    journal, attempts = Days().journal(), list[int]()
    done = asyncio.run(journal.step("pour-1", failing(times, ConnectionError("dry"), attempts), int))
    assert done == Recorded(42, NOON)
    assert len(attempts) == times + 1
    assert journal.records == [{"step": "pour-1", "at": NOON.isoformat(), "result": 42}]


@pytest.mark.parametrize("error", [ConnectionError("dry"), TimeoutError("slow")])
def test_after_six_attempts_it_has_failed(error: Exception) -> None:
    journal, attempts = Days().journal(), list[int]()
    with pytest.raises(StepFailed) as failed:
        asyncio.run(journal.step("pour-1", failing(9, error, attempts), int))
    assert len(attempts) == 6
    assert (failed.value.name, failed.value.error, failed.value.at) == ("pour-1", repr(error), NOON)
    assert journal.records == [{"step": "pour-1", "at": NOON.isoformat(), "error": repr(error)}]


def test_a_fault_of_the_program_is_not_tried_again() -> None:
    journal, attempts = Days().journal(), list[int]()
    with pytest.raises(ZeroDivisionError):
        asyncio.run(journal.step("pour-1", failing(9, ZeroDivisionError(), attempts), int))
    assert len(attempts) == 1
    assert journal.records == []


def test_a_result_is_what_its_record_reads_back_to() -> None:
    async def price() -> Decimal:
        return Decimal("4.20")

    journal = Days().journal()
    assert asyncio.run(journal.step("price-1", price, Decimal)).value == Decimal("4.20")
    assert journal.records[0]["result"] == "4.20"


def test_a_wait_ends_with_what_comes_or_with_its_time() -> None:
    days = Days({2: ("rain", {"mm": 3})})
    journal = days.journal()
    silent = asyncio.run(journal.wait("wait-1", ("rain",), (), NOON + DAY))
    heard = asyncio.run(journal.wait("wait-2", ("rain",), (), NOON + 5 * DAY))
    assert (silent.event, silent.payload, silent.at) == (None, None, NOON + DAY)
    assert (heard.event, heard.payload, heard.at) == ("rain", {"mm": 3}, NOON + DAY)
    assert [r["event"] for r in journal.records] == [None, "rain"]


def test_a_promise_settled_first_comes_back_from_its_withdrawal() -> None:
    journal = Days().journal(promised={"fence": {"yes": True}})
    late = asyncio.run(journal.withdraw("fence", "it rained"))
    assert late is not None
    assert (late.event, late.payload) == ("fence", {"yes": True})
    assert asyncio.run(journal.withdraw("shade", "it rained")) is None
    assert journal.withdrawn == {"fence": "it rained", "shade": "it rained"}
