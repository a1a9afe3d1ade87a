"""docs/howto/change-the-code.md does what it says: its changes are made in a copy of the code, and the recorded
journals pass or fail as told there."""

import os
import re
import subprocess
import sys
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest

import replenisher

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/howto/change-the-code.md").read_text()
CHANGES = re.findall(r"```diff\n--- services/replenisher/(\S+)\n(.*?)```", TEXT, re.DOTALL)
VERSION, WITHOUT_DEFAULT, WITH_DEFAULT, RENAMED, BY_VERSION = range(5)


def changed(copy: Path, *numbers: int) -> None:
    """These changes of the text, made in a copy of the code."""
    copytree(Path(next(iter(replenisher.__path__))), copy / "replenisher", ignore=ignore_patterns("__pycache__"))
    for number in numbers:
        name, lines = CHANGES[number]
        rows = lines.splitlines()
        was = "\n".join(row[1:] for row in rows if row[0] in " -")
        becomes = "\n".join(row[1:] for row in rows if row[0] in " +")
        file = copy / "replenisher" / name
        before = file.read_text()
        assert before.count(was) >= 1, f"{name} does not hold what the text changes:\n{was}"
        file.write_text(before.replace(was, becomes, 1))


def replayed(copy: Path) -> tuple[bool, str]:
    """Whether the recorded happy path and rule change are followed by the copy, and what was said."""
    chosen = "test_todays_code_gives_the_engine_the_same_commands and (happy-path or rule-change)"
    argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", "-k", chosen]
    env = {**os.environ, "PYTHONPATH": str(copy)}
    done = subprocess.run(
        [*argv, str(ROOT / "tests/journals/test_replay.py")],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.returncode == 0, done.stdout


def test_the_text_shows_five_changes() -> None:
    assert len(CHANGES) == 5


@pytest.mark.parametrize("numbers", [(VERSION,), (WITH_DEFAULT,), (VERSION, BY_VERSION)], ids=str)
def test_what_is_said_to_be_safe_is(tmp_path: Path, numbers: tuple[int, ...]) -> None:
    changed(tmp_path, *numbers)
    passed, said = replayed(tmp_path)
    assert passed, said


@pytest.mark.parametrize(
    ("number", "parts"),
    [
        (WITHOUT_DEFAULT, ["result of 'get_quotes-1-A' is no longer understood:", "answered_by Field required"]),
        (RENAMED, ["Found a mismatch between the code paths", "draft_purchase_order-2 != draft-2"]),
    ],
)  # fmt: skip
def test_what_is_said_to_break_does_with_the_sentence_told(tmp_path: Path, number: int, parts: list[str]) -> None:
    changed(tmp_path, number)
    passed, said = replayed(tmp_path)
    assert not passed
    assert "would break" in said
    for part in parts:
        assert part in " ".join(said.split()), said
        assert part in " ".join(TEXT.split()), "the text shows this sentence"
