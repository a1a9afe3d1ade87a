"""What the command line says before anything is asked of an engine: help, wrong usage, and whom it would speak to."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from replenisher.cli import app
from replenisher.cli.words import DOING
from replenisher.engine.ports import free_ports
from replenisher.tools import TOOLS

COMMANDS = sorted(str(command.name or getattr(command.callback, "__name__", "")) for command in app.registered_commands)
SPEAKING = [
    ["status", "SKU-123"], ["watch", "SKU-123"], ["check", "SKU-123"], ["cancel", "SKU-123"], ["outcomes", "SKU-123"],
    ["approve", "SKU-123", "PO-4471/1"], ["answer", "SKU-123", "PO-4471/late-date/1", "accept"],
    ["timeline", "replenish-SKU-123-1"], ["doctor"], ["upgrade", "--status"],
]  # fmt: skip


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In an empty folder, with no settings of this machine."""
    monkeypatch.chdir(tmp_path)
    for name in ("DATA", "INGRESS", "ADMIN", "DAY", "SUPPLIERS"):
        monkeypatch.delenv(f"REPLENISHER_{name}", raising=False)


def said(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200"})
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_shows_an_example(command: str) -> None:
    code, text = said(command, "--help")
    assert code == 0
    assert f"Example: replenisher {command}" in " ".join(text.split())


@pytest.mark.parametrize("arguments", SPEAKING, ids=lambda a: a[0])
def test_a_data_directory_that_was_named_is_never_answered_for_by_another(arguments: list[str]) -> None:
    """Whatever answers at the usual address may be somebody else's."""
    code, text = said(*arguments, "--data", "other")
    assert code == 3
    assert "nothing runs on other: start it with `replenisher run --data other`" in text


def test_nor_is_the_one_that_is_here(tmp_path: Path) -> None:
    (tmp_path / ".replenisher").mkdir()
    assert said("status", "SKU-123")[0] == 3
    assert "nothing runs on .replenisher" in said("status", "SKU-123")[1]


def test_an_address_that_was_given_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    address = f"http://127.0.0.1:{free_ports(1)[0]}"
    monkeypatch.setenv("REPLENISHER_INGRESS", address)
    code, text = said("status", "SKU-123", "--data", "other")
    assert (code, text) == (3, f"nothing answers at {address}: start it with `replenisher run`\n")


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("DAY", "soon", "REPLENISHER_DAY: Input should be a valid number"),
        ("SUPPLIERS", "{A", "a setting is not JSON"),
        ("DATA", "a-file", "a-file is a file: a data directory is needed"),
    ],
)
def test_a_wrong_setting_is_wrong_usage(
    name: str, value: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a-file").touch()
    monkeypatch.setenv(f"REPLENISHER_{name}", value)
    code, text = said("status", "SKU-123")
    assert code == 2
    assert sentence in text


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["watch"], 2, "name a part, or say --all"),
        (["watch", "--all"], 1, "there are no parts in .replenisher/records.sqlite: import some first"),
        (["import", "nowhere.csv"], 2, "no such file: nowhere.csv"),
        (["scenario", "nonsense"], 2, "no scenario 'nonsense'"),
        (["run", "--day", "0"], 2, "a business day must last longer than 0 seconds"),
        (["approve", "SKU-123", "PO-4471/1", "--ceiling", "high"], 2, "--ceiling high is not a number like 4.30"),
    ],
    ids=lambda a: " ".join(a) if isinstance(a, list) else "",
)
def test_wrong_usage_is_said_and_makes_nothing(arguments: list[str], code: int, sentence: str, tmp_path: Path) -> None:
    exits, text = said(*arguments)
    assert exits == code
    assert sentence in text
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_not_understood_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty.csv").touch()
    code, text = said("import", "empty.csv")
    assert code == 1
    assert text.endswith("for each entry; nothing was changed\n")


def test_every_tool_has_its_words() -> None:
    assert {tool.name for tool in TOOLS} == set(DOING)
