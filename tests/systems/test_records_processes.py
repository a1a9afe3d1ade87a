"""Several processes on one file of the embedded records: who makes it, and what one that dies leaves behind."""

import subprocess
import sys
from decimal import Decimal
from pathlib import Path

from replenisher.systems.records.master import MasterData
from support.recordkeeping import SKU

D = Decimal


def python(code: str, *arguments: object) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def said(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_processes_that_make_the_file_at_once_share_it(tmp_path: Path) -> None:
    code = """
import pathlib, sys
from replenisher.systems.records.master import MasterData
print("ready", flush=True)
sys.stdin.readline()
MasterData(pathlib.Path(sys.argv[1])).seed_demo(sys.argv[2])
print("done", flush=True)
"""
    file = tmp_path / "records.sqlite"
    processes = [python(code, file, f"SKU-{n}") for n in range(4)]
    try:
        assert {said(p) for p in processes} == {"ready"}
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("\n")
            process.stdin.flush()
        assert {said(p) for p in processes} == {"done"}
    finally:
        for process in processes:
            process.kill()
            process.communicate()
    assert MasterData(file).skus() == [f"SKU-{n}" for n in range(4)]


def test_a_process_killed_in_a_transaction_leaves_nothing_and_keeps_nobody_waiting(tmp_path: Path) -> None:
    file = tmp_path / "records.sqlite"
    MasterData(file).seed_demo()
    code = """
import pathlib, sys
from decimal import Decimal
from replenisher.systems.records.master import MasterData
master = MasterData(pathlib.Path(sys.argv[1]))
with master.transaction():
    master.set_on_hand("SKU-123", Decimal(1))
    master.remove_part("SKU-123")
    print("inside", flush=True)
    sys.stdin.readline()
"""
    process = python(code, file)
    try:
        assert said(process) == "inside"
        assert MasterData(file).figures()[SKU].on_hand == D(60)
    finally:
        process.kill()
        process.communicate()
    master = MasterData(file)
    master.set_on_hand(SKU, D(61))
    assert master.figures()[SKU].on_hand == D(61)
