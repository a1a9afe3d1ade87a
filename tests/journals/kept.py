"""The files of recorded journals: one a scenario and variant, in a folder for each released shape."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from journals.wire import Entry, Json

FOLDER = Path(__file__).parent / "recorded"


@dataclass(frozen=True)
class Kept:
    """One invocation with its journal, in the engine's order."""

    target: str
    service: str
    handler: str
    key: str | None
    id: str
    rules_version: int | None
    """Of a replenishment."""
    journal: list[Entry]

    def sets(self, prefix: str) -> list[Json]:
        """What it set under state keys that begin so, in order."""
        return [e["value"] for e in self.journal if e.get("command") == "SetState" and e["key"].startswith(prefix)]

    @property
    def assignment(self) -> Json:
        return self.sets("assignment")[0]

    @property
    def records(self) -> list[Json]:
        return [record for chunk in self.sets("records-") for record in chunk]

    @property
    def result(self) -> Json:
        """What it returned."""
        return self.journal[-1]["value"]


@dataclass(frozen=True)
class Recording:
    """What one scenario left behind."""

    scenario: str
    variant: str | None
    recorded_by: dict[str, str]
    """Versions of the engine and of the SDK, and of the product's code."""
    runs: list[Kept]
    """Replenishments, and the relays after them."""
    entities: list[Json] = field(default_factory=list[Json])
    """What entities set as their state, the fullest and the last of each part."""
    shape: str = ""

    @property
    def name(self) -> str:
        return f"{self.shape}/{file_name(self.scenario, self.variant)}"


def file_name(scenario: str, variant: str | None) -> str:
    return scenario if variant is None else f"{scenario}+{variant}"


def write(recording: Recording, folder: Path) -> Path:
    """One entry a line, so that a difference between two shapes can be read."""
    folder.mkdir(parents=True, exist_ok=True)
    raw: dict[str, Any] = asdict(recording)
    del raw["shape"]
    lines: list[str] = ["{"]
    lines += [f"{_text(k)}: {_text(raw[k])}," for k in ("scenario", "variant", "recorded_by")]
    lines.append('"runs": [')
    for n, run in enumerate(raw["runs"]):
        journal = run.pop("journal")
        lines.append(f'{_text(run)[:-1]}, "journal": [')
        lines += _rows(journal)
        lines.append("]}," if n + 1 < len(raw["runs"]) else "]}")
    lines += ["],", '"entities": [', *_rows(raw["entities"]), "]", "}"]
    path = folder / f"{file_name(recording.scenario, recording.variant)}.json"
    path.write_text("\n".join(lines) + "\n")
    return path


def _rows(values: list[Any]) -> list[str]:
    return [_text(v) + ("," if n + 1 < len(values) else "") for n, v in enumerate(values)]


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def read(path: Path) -> Recording:
    raw = json.loads(path.read_text())
    runs = [Kept(**run) for run in raw.pop("runs")]
    return Recording(runs=runs, shape=path.parent.name, **raw)


def everything(folder: Path = FOLDER) -> Iterator[Recording]:
    for path in sorted(folder.glob("*/*.json")):
        yield read(path)
