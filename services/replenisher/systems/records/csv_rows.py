"""CSV files as people keep them: told apart by their header, whatever the delimiter, decimal mark or line ending.
Cells with their place only; what they mean is in lines.py."""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Literal

FileKind = Literal["parts", "supplier_parts", "rates", "stock_count"]
Mark = Literal[".", ",", "mixed"]

MAX_BYTES = 64 * 2**20
MAX_FIELD = 100_000
"""A longer field is a quotation mark left open rather than something to read."""
MAX_TEXT = 300
"""Longest cell anybody means."""

REQUIRED: dict[FileKind, tuple[str, ...]] = {
    "parts": ("sku", "name", "unit", "on_hand", "safety_stock"),
    "supplier_parts": ("sku", "supplier", "supplier_sku", "pack_quantity", "min_quantity", "unit_price", "currency"),
    "rates": ("currency",),
    "stock_count": ("sku", "on_hand"),
}
OPTIONAL: dict[FileKind, tuple[str, ...]] = {
    "parts": ("reorder_point", "target"),
    "supplier_parts": ("lead_time_days", "freight", "minimum", "minimum_order_value"),
    "rates": ("as_of",),
    "stock_count": ("counted_on",),
}
_WORDS = frozenset(
    {"sku", "name", "unit", "supplier", "supplier_sku", "currency", "as_of", "counted_on", "pack_quantity"}
)
_TELLING: tuple[tuple[FileKind, frozenset[str]], ...] = (
    ("supplier_parts", frozenset({"supplier", "supplier_sku", "pack_quantity", "unit_price"})),
    ("parts", frozenset({"safety_stock", "unit"})),
    ("stock_count", frozenset({"on_hand"})),
    ("rates", frozenset({"currency"})),
)
_DECIMAL = re.compile(r"[+-]?\d*([.,])(\d+)", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class StructuralError(Exception):
    """A file that cannot be read as what it should be; nothing at all is imported then."""

    def __init__(self, place: str, reason: str, suggestion: str) -> None:
        super().__init__(f"{place}: {reason} {suggestion}")
        self.place, self.reason, self.suggestion = place, reason, suggestion


class NotANumber(ValueError):
    """A cell that holds no plain number; the message goes on where "'12x' " stops."""


@dataclass(frozen=True, slots=True)
class Row:
    """One record of a file, its cells by column, stripped."""

    file: str
    line: int
    """Where the record begins, counted as an editor does."""
    cells: Mapping[str, str]
    broken: str | None = None
    """Why the record as a whole cannot be used."""

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"

    def __getitem__(self, column: str) -> str:
        return self.cells.get(column, "")


@dataclass(frozen=True, slots=True)
class CsvFile:
    name: str
    kind: FileKind
    rows: Sequence[Row]
    mark: Mark = "."
    """How this file writes decimals; a comma never in one separated by commas."""
    base: str = ""
    """Of rates: the currency their values are in."""
    ignored: Sequence[str] = ()
    """Columns nobody asked for."""


def read_file(path: Path, name: str, columns: Mapping[str, str] | None = None) -> CsvFile:
    """The records of one file, told of by `name`. `columns` maps other column names to ours. Raises StructuralError."""
    text = _text(path, name)
    delimiter = _delimiter(text)
    records = _records(name, text, delimiter)
    if not records:
        raise StructuralError(name, "the file is empty.", "It needs a line of column names and a line for each entry.")
    named = {_plain(theirs): ours for theirs, ours in (columns or {}).items()}
    header = [named.get(_plain(column), _plain(column)) for column in records[0][1]]
    kind = _kind(name, header)
    base = _base(name, header) if kind == "rates" else ""
    wanted = {*REQUIRED[kind], *OPTIONAL[kind], base.lower()}
    _once(name, [column for column in header if column in wanted])
    rows = [_row(name, line, header, cells) for line, cells in records[1:]]
    mark = "." if delimiter == "," else _mark(rows, wanted)
    return CsvFile(name, kind, rows, mark, base, [c for c in header if c and c not in wanted])


def number(text: str, mark: Mark, *, whole: bool = False) -> Decimal:
    """A plain number as a cell holds it: digits and at most one decimal mark. Raises NotANumber.

    Thousands separators are refused: a figure a thousand times too big is worse than a line left out. So is a mark
    before exactly three digits where it may be one: the file mixes marks, or it is a comma among `whole` things.
    """
    if len(text) > 30:
        raise NotANumber("is too long for a number")
    if re.fullmatch(r"[+-]?\d+", text, re.ASCII):
        return Decimal(text)
    found = _DECIMAL.fullmatch(text)
    if found is not None:
        thousands = len(found[2]) == 3 and (mark == "mixed" or (whole and found[1] == ","))
        if not thousands and (found[1] == "." or mark != "."):
            return Decimal(text.replace(",", "."))
    if re.fullmatch(r"[+-]?[\d.,'\s]+", text) and any(c.isdigit() for c in text):
        raise NotANumber("may be read in two ways: write it without thousands separators and with a decimal point")
    raise NotANumber("is not a number")


def _text(path: Path, name: str) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise StructuralError(name, f"the file is larger than {MAX_BYTES >> 20} MB.", "Split it.")
        raw = path.read_bytes()
    except OSError as gone:
        why = (gone.strerror or "unknown reason").lower()
        raise StructuralError(name, f"the file cannot be read: {why}.", "Check its name and permissions.") from gone
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise StructuralError(name, "the file is UTF-16.", "Save it as CSV UTF-8.")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as bad:
        line = raw.count(b"\n", 0, bad.start) + 1
        raise StructuralError(f"{name}:{line}", "the file is not UTF-8.", "Save it as CSV UTF-8.") from bad


def _delimiter(text: str) -> str:
    header = next((line for line in text.splitlines() if line.strip()), "")
    return max(",;\t", key=header.count)


def _records(name: str, text: str, delimiter: str) -> list[tuple[int, list[str]]]:
    """Records that are not blank, with the line each begins at. A quoted field may hold line breaks."""
    records: list[tuple[int, list[str]]] = []
    line = 1
    usual = csv.field_size_limit(MAX_FIELD)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                records.append((line, [cell.strip() for cell in cells]))
            line = reader.line_num + 1
    except csv.Error as bad:
        hint = "Look for a quotation mark that is not closed."
        raise StructuralError(f"{name}:{line}", f"the file is not CSV from here on ({bad}).", hint) from bad
    finally:
        csv.field_size_limit(usual)
    return records


def _plain(column: str) -> str:
    return re.sub(r"\W+", "_", column.strip().casefold()).strip("_")


def _kind(name: str, header: Sequence[str]) -> FileKind:
    kind: FileKind | None = next((k for k, tells in _TELLING if tells & set(header)), None)
    if kind is None:
        known = "; ".join(f"{k}.csv: {', '.join(columns)}" for k, columns in REQUIRED.items())
        raise StructuralError(name, "its columns are those of no known file.", f"Known are {known}.")
    missing = [column for column in REQUIRED[kind] if column not in header]
    if missing:
        columns = f"the column{'s' if len(missing) > 1 else ''} {', '.join(missing)}"
        raise StructuralError(f"{name}:1", f"read as {kind}.csv, it lacks {columns}.", "Add it.")
    return kind


def _base(name: str, header: Sequence[str]) -> str:
    codes = [column for column in header if re.fullmatch("[a-z]{3}", column) and column not in _WORDS]
    if len(codes) != 1:
        hint = "Name it by its currency: currency,usd says what one unit of each is worth in USD."
        raise StructuralError(f"{name}:1", "it needs exactly one column with the values of the currencies.", hint)
    return codes[0].upper()


def _once(name: str, header: Sequence[str]) -> None:
    twice = sorted({column for column in header if header.count(column) > 1})
    if twice:
        raise StructuralError(f"{name}:1", f"the column {twice[0]} is there twice.", "Keep one of them.")


def _row(name: str, line: int, header: Sequence[str], cells: list[str]) -> Row:
    if len(cells) < len(header) or any(cells[len(header) :]):
        broken = f"it has {len(cells)} cells, the header {len(header)}: is one with a separator in it not quoted?"
        return Row(name, line, {}, broken)
    by_column = dict(zip(header, cells, strict=False))
    if "name" in by_column:
        by_column["name"] = re.sub(r"[\r\n\t ]+", " ", by_column["name"])
    broken = next((why for column, cell in by_column.items() if (why := _unreadable(column, cell))), None)
    return Row(name, line, by_column, broken)


def _unreadable(column: str, cell: str) -> str | None:
    if len(cell) > MAX_TEXT:
        return f"{column} is {len(cell)} characters long, more than {MAX_TEXT}."
    found = _CONTROL.search(cell)
    return f"{column} holds the control character {found[0]!r}." if found else None


def _mark(rows: Sequence[Row], wanted: set[str]) -> Mark:
    """How the number cells of a file write decimals."""
    cells = (cell for row in rows for column, cell in row.cells.items() if column in wanted - _WORDS)
    marks = {found[1] for cell in cells if (found := _DECIMAL.fullmatch(cell))}
    return "mixed" if len(marks) > 1 else "," if marks == {","} else "."
