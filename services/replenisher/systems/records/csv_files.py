"""What the files of an import say, by line: parts, what suppliers sell, rates, counts, and what was not understood.
How a line is read is in lines.py; what it changes in the records is in importer.py."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TypeVar

from replenisher.systems.records import lines
from replenisher.systems.records.csv_rows import CsvFile, FileKind, Row, StructuralError, read_file
from replenisher.systems.records.lines import CountLine, ItemLine, LeftOut, PartLine, RateLine

__all__ = ["Catalogue", "Problem", "StructuralError", "read_files"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Problem:
    """Something a person should look at."""

    place: str
    """file:line"""
    reason: str
    suggestion: str = ""
    taken: bool = False
    """True: odd, and taken as it stands. False: the line was left out."""

    def __str__(self) -> str:
        return f"{self.place}: {self.reason} {self.suggestion}".rstrip()


@dataclass
class Catalogue:
    """All that the files say. Lines by the place they stand at; of a line said twice only the first."""

    files: list[tuple[str, FileKind, int]] = field(default_factory=list[tuple[str, FileKind, int]])
    """Name, kind and number of lines."""
    parts: dict[str, PartLine] = field(default_factory=dict[str, PartLine])
    items: dict[str, ItemLine] = field(default_factory=dict[str, ItemLine])
    counts: dict[str, CountLine] = field(default_factory=dict[str, CountLine])
    rates: dict[str, RateLine] = field(default_factory=dict[str, RateLine])
    base: str | None = None
    """The currency the rates are in."""
    problems: list[Problem] = field(default_factory=list[Problem])
    refused_skus: dict[str, str] = field(default_factory=dict[str, str])
    """SKUs whose part was left out, and where."""
    refused_items: set[tuple[str, str, str]] = field(default_factory=set[tuple[str, str, str]])
    """Items of which some line was left out: what the files say of them is not the whole."""
    unnamed_items: bool = False
    """Some line of supplier_parts was left out whose item cannot be told."""

    def left_out(self, place: str, reason: str, suggestion: str = "") -> None:
        self.problems.append(Problem(place, reason, suggestion))

    def odd(self, place: str, reason: str, suggestion: str = "") -> None:
        self.problems.append(Problem(place, reason, suggestion, taken=True))


def read_files(paths: Iterable[Path], columns: Mapping[str, str] | None = None) -> Catalogue:
    """Everything the files say, in any order and with more than one of a kind. `columns` maps other column names
    to ours. Raises StructuralError when one of them cannot be read at all."""
    distinct = list({path.resolve(): path for path in paths}.values())
    names = [path.name for path in distinct]
    catalogue = Catalogue()
    for path in distinct:
        file = read_file(path, path.name if names.count(path.name) == 1 else str(path), columns)
        catalogue.files.append((file.name, file.kind, len(file.rows)))
        if file.ignored:
            catalogue.odd(f"{file.name}:1", f"nothing is read from the columns {', '.join(file.ignored)}.")
        if file.base:
            if catalogue.base not in (None, file.base):
                hint = "Give the rates in one currency, the company's own."
                raise StructuralError(f"{file.name}:1", f"rates in {file.base} beside rates in {catalogue.base}.", hint)
            catalogue.base = file.base
        for row in file.rows:
            _take(catalogue, file, row)
    catalogue.refused_skus |= _keep_agreed(catalogue, catalogue.parts, lambda line: line.sku, lambda _: None)
    _keep_agreed(catalogue, catalogue.counts, lambda line: line.sku, lambda line: line.counted_on)
    _keep_agreed(catalogue, catalogue.rates, lambda line: line.currency, lambda line: line.as_of)
    return catalogue


def _take(catalogue: Catalogue, file: CsvFile, row: Row) -> None:
    try:
        if row.broken is not None:
            raise LeftOut(row.broken)
        if file.kind == "parts":
            catalogue.parts[row.place] = part = lines.part(row, file)
            for oddity in part.oddities:
                catalogue.odd(row.place, oddity)
        elif file.kind == "supplier_parts":
            catalogue.items[row.place] = lines.item(row, file)
        elif file.kind == "stock_count":
            catalogue.counts[row.place] = lines.count(row, file)
        else:
            catalogue.rates[row.place] = lines.rate(row, file)
    except LeftOut as bad:
        catalogue.left_out(row.place, bad.reason, bad.suggestion)
        if file.kind == "parts" and row["sku"]:
            catalogue.refused_skus[row["sku"]] = row.place
        if file.kind == "supplier_parts":
            key = (row["sku"], row["supplier"], row["supplier_sku"])
            catalogue.refused_items.add(key)
            catalogue.unnamed_items |= not all(key)


def _keep_agreed(
    catalogue: Catalogue, said: dict[str, T], about: Callable[[T], str], dated: Callable[[T], date | None]
) -> dict[str, str]:
    """Keeps of lines about one thing the newest where all are dated, one when they agree, none when they contradict.
    Returns what was left out for that, and where."""
    refused: dict[str, str] = {}
    groups: dict[str, list[str]] = {}
    for place, line in said.items():
        groups.setdefault(about(line), []).append(place)
    lines_at = dict(said)
    for thing, places in groups.items():
        dates = {place: dated(said[place]) for place in places}
        known = [day for day in dates.values() if day is not None]
        newest = max(known) if len(known) == len(places) else None
        current = [place for place in places if newest is None or dates[place] == newest]
        contradictory = any(said[place] != said[current[0]] for place in current)
        for place in places:
            if place not in current:
                catalogue.odd(place, f"{thing} is older than in {current[0]}: not taken.")
            elif contradictory:
                other = next(p for p in current if lines_at[p] != lines_at[place])
                catalogue.left_out(place, f"{thing} is said otherwise in {other}.", "Keep the line that is right.")
                refused[thing] = place
            elif place != current[0]:
                catalogue.odd(place, f"{thing} is said in {current[0]} already.")
            else:
                continue
            del said[place]
    return refused
