"""What an import did, in figures and by line, for people and for programs. It decides nothing."""

from dataclasses import dataclass, field
from typing import Any

from replenisher.systems.records.csv_files import Problem
from replenisher.systems.records.csv_rows import FileKind

SHOWN = 40
"""Problems told in text; --json has them all."""


@dataclass
class Tally:
    """How many of one kind the files told of, by what they meant to the records."""

    new: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0

    def count(self, *, new: bool, changed: bool) -> None:
        self.new += new
        self.changed += changed and not new
        self.unchanged += not changed and not new

    @property
    def changes(self) -> int:
        return self.new + self.changed + self.removed

    def text(self, what: str) -> str:
        said = f"{what:<12} {self.new:>6} new {self.changed:>6} changed {self.unchanged:>6} unchanged"
        return said + (f" {self.removed:>6} removed" if self.removed else "")


@dataclass
class ImportReport:
    """The figures of one import. Parts priced and unpriced are those of the records after it."""

    files: list[tuple[str, FileKind, int]] = field(default_factory=list[tuple[str, FileKind, int]])
    """Name, kind and number of lines."""
    parts: Tally = field(default_factory=Tally)
    items: Tally = field(default_factory=Tally)
    prices: Tally = field(default_factory=Tally)
    counts: Tally = field(default_factory=Tally)
    rates: Tally = field(default_factory=Tally)
    priced: int = 0
    unpriced: int = 0
    problems: list[Problem] = field(default_factory=list[Problem])

    @property
    def changes(self) -> int:
        """0 when the records said it all before."""
        return sum(t.changes for t in (self.parts, self.items, self.prices, self.counts, self.rates))

    @property
    def left_out(self) -> list[Problem]:
        return [p for p in self.problems if not p.taken]

    @property
    def oddities(self) -> list[Problem]:
        return [p for p in self.problems if p.taken]

    def as_json(self) -> dict[str, Any]:
        return {
            "changes": self.changes,
            "files": [{"file": name, "kind": kind, "lines": lines} for name, kind, lines in self.files],
            **{name: vars(tally) for name, tally in self._tallies()},
            "parts_with_usable_price": self.priced,
            "parts_without_usable_price": self.unpriced,
            "left_out": [_as_json(p) for p in self.left_out],
            "oddities": [_as_json(p) for p in self.oddities],
        }

    def text(self) -> str:
        lines = [f"{name}: {count} lines, read as {kind}" for name, kind, count in self.files]
        lines += [tally.text(name.replace("_", " ")) for name, tally in self._tallies()]
        lines.append(
            f"{self.priced} parts have a usable price, {self.unpriced} of {self.priced + self.unpriced} have none"
        )
        lines += _listed("left out", self.left_out) + _listed("odd, taken as it stands", self.oddities)
        if not self.changes:
            lines.append("nothing changed: the records said all of it already")
        return "\n".join(lines)

    def _tallies(self) -> list[tuple[str, Tally]]:
        return [
            ("parts", self.parts),
            ("items", self.items),
            ("price_lines", self.prices),
            ("stock_counts", self.counts),
            ("rates", self.rates),
        ]


def _as_json(problem: Problem) -> dict[str, str]:
    return {"place": problem.place, "reason": problem.reason, "suggestion": problem.suggestion}


def _listed(title: str, problems: list[Problem]) -> list[str]:
    if not problems:
        return []
    more = [f"  and {len(problems) - SHOWN} more: --json tells them all"] if len(problems) > SHOWN else []
    return [f"{title}: {len(problems)}", *(f"  {p}" for p in problems[:SHOWN]), *more]
