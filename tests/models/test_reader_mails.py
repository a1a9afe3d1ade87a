"""Labelled mails, read: what the reader says is right, and it says enough. A field left out is no error."""

from functools import cache
from pathlib import Path

import pytest

from replenisher.domain.reading import Reading
from replenisher.models.evaluation import FIELDS, Case, cases
from replenisher.models.reader.read import read_mail

FILES = sorted((Path(__file__).parent / "mails").glob("*.jsonl"))
ABSENT = (None, False)


@cache
def readings(file: Path) -> tuple[tuple[Case, Reading], ...]:
    return tuple((case, read_mail(case.mail, case.books)) for case in cases(file))


def said(reading: Reading) -> dict[str, object]:
    return {f: getattr(reading, f) for f in FIELDS if getattr(reading, f) not in ABSENT}


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_nothing_read_is_wrong(file: Path) -> None:
    wrong = [
        f"{case.id} {field}: read {value}, labelled {case.label.get(field)}: {case.mail.text!r}"
        for case, reading in readings(file)
        for field, value in said(reading).items()
        if value != case.label.get(field)
    ]
    assert wrong == []


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_enough_is_read(file: Path) -> None:
    for field in FIELDS:
        due = [(c.label[field], getattr(r, field)) for c, r in readings(file) if c.label.get(field) not in ABSENT]
        read = sum(got == want for want, got in due)
        assert len(due) < 10 or read / len(due) >= 0.85, f"{field}: {read} of {len(due)}"


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_fields_agree_with_each_other(file: Path) -> None:
    for case, reading in readings(file):
        values = (reading.unit_price, reading.currency, reading.promised_date, reading.quantity)
        assert not (reading.accepted and reading.declined), case.id
        assert reading.accepted or not reading.shipped, case.id
        assert not reading.declined or set(values) == {None}, case.id
        assert reading.currency is None or reading.unit_price is not None, case.id
        assert reading.question == (reading.question_topic is not None) == (reading.question_text is not None), case.id
        if reading.automatic:
            assert reading == Reading(automatic=True, reader=reading.reader, confidence=reading.confidence), case.id
