"""Finding and installing the engine: paths, overrides, and what to do when something is missing."""

import json
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from replenisher.engine import install
from replenisher.engine.install import CHECKOUT, EngineMissingError, find_binaries, find_binary, platform_suffix


def test_both_programs_are_found_and_are_of_the_pinned_version() -> None:
    found = find_binaries()
    for program in (found.server, found.cli):
        assert "1.7.12" in subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout


def test_a_missing_program_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RESTATE_SERVER", raising=False)
    with pytest.raises(EngineMissingError, match="make setup"):
        find_binary("restate-server", tmp_path)


def test_a_program_of_ones_own_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "server"
    own.write_text("#!/bin/sh\n")
    monkeypatch.setenv("RESTATE_SERVER", str(own))
    with pytest.raises(EngineMissingError, match="not a program"):
        find_binary("restate-server")
    own.chmod(0o755)
    assert find_binary("restate-server") == own


@pytest.mark.parametrize(
    ("system", "machine", "suffix"),
    [
        ("Linux", "x86_64", "linux-x64"),
        ("Linux", "aarch64", "linux-arm64"),
        ("Darwin", "arm64", "darwin-arm64"),
        ("Darwin", "x86_64", "darwin-x64"),
    ],
)
def test_platforms(system: str, machine: str, suffix: str) -> None:
    assert platform_suffix(system, machine) == suffix


@pytest.mark.parametrize(("system", "machine"), [("Windows", "AMD64"), ("Linux", "riscv64")])
def test_a_platform_without_a_server_is_told_of_docker(system: str, machine: str) -> None:
    with pytest.raises(EngineMissingError, match="docker-compose"):
        platform_suffix(system, machine)


def test_installing_again_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError("installed again")

    monkeypatch.setattr(install, "_run_with_progress", never)
    assert install.install() == find_binaries()


def test_outside_a_checkout_nothing_is_installed(tmp_path: Path) -> None:
    with pytest.raises(EngineMissingError, match="checkout"):
        install.install(tmp_path)


def test_the_lock_names_exact_versions_with_digests_and_no_addresses() -> None:
    text = (CHECKOUT / "package-lock.json").read_text()
    packages = {name: entry for name, entry in json.loads(text)["packages"].items() if name}
    assert "://" not in re.sub(r'"(funding|url)": "[^"]*"', "", text)
    assert all(entry["integrity"].startswith("sha512-") for entry in packages.values())
    restate = {entry["version"] for name, entry in packages.items() if "@restatedev" in name}
    assert restate == {"1.7.12"}


def test_every_dependency_is_pinned_the_same_in_both_files() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    wanted = project["dependencies"] + project["optional-dependencies"]["dev"]
    pins = [line for line in (CHECKOUT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    known = {re.sub(r"[-_.]+", "-", pin).lower() for pin in pins}
    assert all("==" in pin for pin in pins)
    for dependency in wanted:
        assert re.sub(r"[-_.]+", "-", re.sub(r"\[.*?\]", "", dependency)).lower() in known


def test_the_server_knows_every_key_of_restate_toml() -> None:
    config = CHECKOUT / "restate.toml"
    command = [find_binary("restate-server"), "--config-file", config, "--dump-config"]
    dumped = tomllib.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert not _unlike(tomllib.loads(config.read_text()), dumped)


def _unlike(wanted: dict[str, Any], seen: dict[str, Any], at: str = "") -> list[str]:
    """Keys that the server ignored or read otherwise."""
    found: list[str] = []
    for key, value in wanted.items():
        if isinstance(value, dict):
            found += _unlike(value, seen.get(key, {}), f"{at}{key}.")
        elif seen.get(key) != value:
            found.append(f"{at}{key}: {value} read as {seen.get(key)}")
    return found


def test_containers_run_the_same_version() -> None:
    images = re.findall(r"image: (\S*restate:\S+)", (CHECKOUT / "docker-compose.yml").read_text())
    assert [image.rsplit(":", 1)[1] for image in images] == ["1.7.12"]
