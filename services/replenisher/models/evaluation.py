"""How well a reader reads labelled mails: precision and recall per field, and every wrong value. Printing is the
command line's."""

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import TypeAlias, cast

from replenisher.domain.reading import Books, Reading
from replenisher.models.reader.mime import Mail, plain
from replenisher.models.reader.read import read_mail

Json: TypeAlias = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
Value: TypeAlias = None | bool | str | Decimal | date

FLAGS = ("accepted", "declined", "question", "shipped")
VALUES = ("po", "unit_price", "currency", "promised_date", "quantity")
FIELDS = (*FLAGS, *VALUES)


@dataclass(frozen=True, slots=True)
class Case:
    """One labelled mail."""

    id: str
    mail: Mail
    books: Books
    label: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Wrong:
    id: str
    field: str
    read: str
    label: str


@dataclass(frozen=True, slots=True)
class Rate:
    """A share with its 95 % Wilson interval."""

    right: int
    of: int

    @property
    def value(self) -> float | None:
        return self.right / self.of if self.of else None

    @property
    def interval(self) -> tuple[float, float]:
        if not self.of:
            return 0.0, 1.0
        z, n, p = 1.959964, self.of, self.right / self.of
        middle = p + z * z / (2 * n)
        spread = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return max(0.0, (middle - spread) / (1 + z * z / n)), min(1.0, (middle + spread) / (1 + z * z / n))


@dataclass(frozen=True, slots=True)
class FieldScore:
    field: str
    precision: Rate
    """Of the values (or raised flags) that were read, how many are right."""
    recall: Rate
    """Of the values (or raised flags) in the labels, how many were read."""


@dataclass(frozen=True, slots=True)
class Report:
    readings: tuple[tuple[str, Reading], ...]
    scores: tuple[FieldScore, ...]
    wrong: tuple[Wrong, ...]
    """Values that contradict the label; a value left out, or a flag not raised, is not among them."""
    missed: tuple[Wrong, ...]

    def lines(self) -> Iterable[Json]:
        """One JSON value per mail, then the summary."""
        for name, reading in self.readings:
            yield {"id": name, "reading": as_json(reading)}
        yield {
            "mails": len(self.readings),
            "fields": {s.field: {"precision": _rate(s.precision), "recall": _rate(s.recall)} for s in self.scores},
            "wrong": [{"id": w.id, "field": w.field, "read": w.read, "label": w.label} for w in self.wrong],
        }


def evaluate(path: Path, read: Callable[[Mail, Books], Reading] = read_mail) -> Report:
    """Reads every mail of a file of JSON lines like the ones in cases/. Raises ValueError naming the line that is not
    one."""
    readings: list[tuple[str, Reading]] = []
    wrong: list[Wrong] = []
    missed: list[Wrong] = []
    counts = {f: [0, 0, 0] for f in FIELDS}
    for case in cases(path):
        reading = read(case.mail, case.books)
        readings.append((case.id, reading))
        for field in FIELDS:
            got = cast(Value, getattr(reading, field))
            want = case.label.get(field)
            said, due = got not in (None, False), want not in (None, False)
            right = said and got == want
            counts[field][0] += right
            counts[field][1] += said
            counts[field][2] += due
            if said and not right:
                wrong.append(Wrong(case.id, field, str(got), str(want)))
            elif due and not said:
                missed.append(Wrong(case.id, field, str(got), str(want)))
    scores = tuple(FieldScore(f, Rate(r, s), Rate(r, d)) for f, (r, s, d) in counts.items())
    return Report(tuple(readings), scores, tuple(wrong), tuple(missed))


def cases(path: Path) -> Iterable[Case]:
    """The labelled mails of a file."""
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            yield _case(cast(Mapping[str, Mapping[str, str]], json.loads(line)))
        except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as e:
            raise ValueError(f"{path.name}:{number}: not a labelled mail: {e}") from e


def _case(data: Mapping[str, Mapping[str, str]]) -> Case:
    context, headers = data["context"], data.get("headers", {})
    due = context.get("due")
    books = Books(
        po=context["po"],
        sku=context["sku"],
        quantity=Decimal(str(context["quantity"])),
        unit_price=Decimal(str(context["unit_price"])),
        currency=context["currency"],
        due=date.fromisoformat(due) if due else None,
        received=date.fromisoformat(context["received"]),
        other_pos=tuple(context.get("other_pos", ())),
        pack=Decimal(str(context["pack"])) if context.get("pack") else None,
    )
    lower = {k.lower(): v for k, v in headers.items()}
    text = plain(str(data.get("body", "")), is_html=True if data.get("html") else None)
    mail = Mail(lower.pop("subject", ""), text, lower)
    return Case(str(data["id"]), mail, books, _label(cast(Mapping[str, Json], data.get("label", {}))))


def _label(data: Mapping[str, Json]) -> Mapping[str, Value]:
    label: dict[str, Value] = {}
    for field in FIELDS:
        value = data.get(field)
        if field in FLAGS:
            label[field] = bool(value)
        elif value is None:
            label[field] = None
        elif field in ("unit_price", "quantity"):
            label[field] = Decimal(str(value))
        elif field == "promised_date":
            label[field] = date.fromisoformat(str(value))
        else:
            label[field] = str(value)
    return label


def as_json(reading: Reading) -> Mapping[str, Json]:
    """A reading as it is printed: money and quantities as decimal strings."""
    return {
        "po": reading.po,
        "accepted": reading.accepted,
        "declined": reading.declined,
        "question": reading.question,
        "question_topic": reading.question_topic,
        "question_text": reading.question_text,
        "shipped": reading.shipped,
        "unit_price": None if reading.unit_price is None else format(reading.unit_price, "f"),
        "currency": reading.currency,
        "promised_date": None if reading.promised_date is None else reading.promised_date.isoformat(),
        "quantity": None if reading.quantity is None else format(reading.quantity, "f"),
        "bank_details_changed": reading.bank_details_changed,
        "automatic": reading.automatic,
        "confidence": format(reading.confidence, "f"),
    }


def _rate(rate: Rate) -> Json:
    low, high = rate.interval
    value = rate.value
    return {
        "right": rate.right,
        "of": rate.of,
        "value": None if value is None else round(value, 4),
        "interval": [round(low, 4), round(high, 4)],
    }
