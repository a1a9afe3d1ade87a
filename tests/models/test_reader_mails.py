"""Labelled mails, read: what the reader says is right, and it says enough. A field left out is no error."""

from pathlib import Path

import pytest

from replenisher.domain.reading import Reading
from replenisher.models.evaluation import FIELDS, Case, cases, evaluate
from replenisher.models.reader.read import read_mail

MAILS = Path(__file__).parent / "mails"
FILES = sorted(MAILS.glob("*.jsonl"))
CASES = [pytest.param(case, id=f"{file.stem}-{case.id}") for file in FILES for case in cases(file)]


@pytest.mark.parametrize("case", CASES)
def test_nothing_read_is_wrong(case: Case) -> None:
    reading = read_mail(case.mail, case.books)
    said = {f: getattr(reading, f) for f in FIELDS if getattr(reading, f) not in (None, False)}
    assert said == {f: case.label.get(f) for f in said}


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_enough_is_read(file: Path) -> None:
    recall = {s.field: s.recall.value for s in evaluate(file).scores if s.recall.of >= 10}
    assert {f: r for f, r in recall.items() if r is not None and r < 0.85} == {}


@pytest.mark.parametrize("case", CASES)
def test_flags_do_not_contradict_each_other(case: Case) -> None:
    reading = read_mail(case.mail, case.books)
    assert not (reading.accepted and reading.declined)
    assert not (reading.shipped and not reading.accepted)
    assert not reading.declined or (reading.unit_price, reading.currency, reading.promised_date, reading.quantity) == (
        None,
        None,
        None,
        None,
    )
    assert reading.currency is None or reading.unit_price is not None
    assert reading.question == (reading.question_topic is not None) == (reading.question_text is not None)
    if reading.automatic:
        assert reading == Reading(automatic=True, reader=reading.reader, confidence=reading.confidence)
