"""The walls between the rooms: who may import whom, and who may speak to the outside world."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SERVICES = Path(__file__).resolve().parents[2] / "services"
STANDARD = frozenset(sys.stdlib_module_names)

# standard modules that reach outside the process, or bring chance and the clock
REACHING = """asyncio ftplib http imaplib multiprocessing os poplib random secrets select shutil signal smtplib socket
socketserver sqlite3 ssl subprocess tempfile threading time urllib uuid webbrowser xmlrpc"""
OUTSIDE = frozenset(REACHING.split())
PURE = STANDARD - OUTSIDE | {"pydantic"}

# room -> the rooms of replenisher it may import beside itself; rooms that are not listed are free
ROOMS: dict[str, frozenset[str]] = {
    "harness": frozenset(),
    "domain": frozenset(),
    "tools": frozenset({"harness", "domain"}),
    "handlers": frozenset({"harness", "domain", "tools", "engine", "clock", "settings"}),
    "models": frozenset({"harness", "domain", "tools", "clock", "settings"}),
    "systems": frozenset({"harness", "domain", "clock", "settings"}),
    "engine": frozenset(),
    "clock": frozenset(),
    "settings": frozenset({"clock"}),
}
# rooms that may import nothing but these top-level packages
PACKAGES: dict[str, frozenset[str]] = {"harness": PURE, "domain": PURE, "tools": PURE}
# only these know an adapter by name
COMPOSERS = frozenset({"app", "systems", "models", "cli"})
# only these speak to a server, a model or a database
SPEAKERS = frozenset({"app", "systems", "models", "engine", "cli", "console"})
CLIENTS = frozenset({"anthropic", "httpx", "smtplib", "imaplib", "sqlite3", "socket", "urllib"})


def modules(package: str) -> list[Path]:
    return sorted((SERVICES / package).rglob("*.py"))


def room(path: Path) -> str:
    """`services/replenisher/domain/money.py` is in `domain`, `services/replenisher/app.py` is a room of its own."""
    return path.relative_to(SERVICES).with_suffix("").parts[1]


def imported(path: Path) -> Iterator[tuple[str, int]]:
    """Absolute names of what a file imports anywhere in it, and the line."""
    for node in ast.walk(ast.parse(path.read_text(), str(path))):
        match node:
            case ast.Import(names=names):
                yield from ((name.name, node.lineno) for name in names)
            case ast.ImportFrom(level=0, module=str(module), names=names):
                # `from replenisher import app` names a room only in its second half
                yield from ((f"{module}.{name.name}", node.lineno) for name in names)
            case ast.ImportFrom(level=level) if level:
                parents = path.relative_to(SERVICES).parts[:-level]
                inner = f".{node.module}" if node.module else ""
                yield from ((f"{'.'.join(parents)}{inner}.{name.name}", node.lineno) for name in node.names)


def named(path: Path) -> str:
    return str(path.relative_to(SERVICES))


@pytest.mark.parametrize("path", modules("replenisher"), ids=named)
def test_a_room_imports_only_the_rooms_below_it(path: Path) -> None:
    here = room(path)
    allowed = ROOMS.get(here)
    wrong = [
        f"line {line}: {name}"
        for name, line in imported(path)
        if name.startswith("replenisher.") and allowed is not None and name.split(".")[1] not in allowed | {here}
    ]
    assert not wrong, f"{here} may import {sorted(allowed or ())}"


@pytest.mark.parametrize("path", modules("replenisher"), ids=named)
def test_inner_rooms_import_only_pydantic_and_what_is_pure_of_the_standard_library(path: Path) -> None:
    packages = PACKAGES.get(room(path))
    if packages is None:
        return
    tops = {(name.split(".")[0], line) for name, line in imported(path)}
    assert not [f"line {line}: {top}" for top, line in tops if top not in packages | {"replenisher"}]


@pytest.mark.parametrize("path", modules("replenisher"), ids=named)
def test_only_the_composition_root_knows_the_adapters(path: Path) -> None:
    if room(path) in COMPOSERS:
        return
    adapters = ("replenisher.systems", "replenisher.models")
    assert not [f"line {line}: {name}" for name, line in imported(path) if name.startswith(adapters)]


@pytest.mark.parametrize("path", modules("replenisher"), ids=named)
def test_only_the_outer_rooms_speak_to_the_outside(path: Path) -> None:
    if room(path) in SPEAKERS:
        return
    allowed = {"urllib.parse.quote", "urllib.parse.unquote"}
    seen = [(name, line) for name, line in imported(path) if name.split(".")[0] in CLIENTS and name not in allowed]
    assert not seen


@pytest.mark.parametrize("path", modules("sandbox") if (SERVICES / "sandbox").exists() else [], ids=named)
def test_the_sandbox_is_another_world(path: Path) -> None:
    """It shares only the arithmetic of business time; its scenarios start an agent, through the engine's room."""
    allowed = ("replenisher.clock", *(["replenisher.engine"] if "scenarios" in path.parts else []))
    wrong = [name for name, _ in imported(path) if name.startswith("replenisher") and not name.startswith(allowed)]
    assert not wrong


@pytest.mark.parametrize("path", modules("replenisher"), ids=named)
def test_the_product_does_not_know_the_sandbox(path: Path) -> None:
    if room(path) == "cli":
        return
    assert not [name for name, _ in imported(path) if name.split(".")[0] == "sandbox"]


def test_a_breach_would_be_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "SERVICES", tmp_path)
    path = tmp_path / "replenisher" / "domain" / "money.py"
    path.parent.mkdir(parents=True)
    path.write_text("import socket\nfrom replenisher import app\nfrom ..tools import base\nfrom . import part\n")
    assert [name for name, _ in imported(path)] == [
        "socket",
        "replenisher.app",
        "replenisher.tools.base",
        "replenisher.domain.part",
    ]
    with pytest.raises(AssertionError, match=r"domain may import"):
        test_a_room_imports_only_the_rooms_below_it(path)
    with pytest.raises(AssertionError, match="socket"):
        test_inner_rooms_import_only_pydantic_and_what_is_pure_of_the_standard_library(path)
    with pytest.raises(AssertionError):
        test_only_the_outer_rooms_speak_to_the_outside(path)
