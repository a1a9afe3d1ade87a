"""How commands reach what runs: addresses from the data directory or the settings, and every answer as a value or an
exit."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import quote

import httpx
import typer

from replenisher.engine.running import Running
from replenisher.settings import Settings

FAILED, USAGE, UNREACHABLE, REFUSED = 1, 2, 3, 4
PATIENCE = 60.0
"""Seconds a command waits for one answer."""


def settings(data: Path | None) -> Settings:
    """The settings, with the addresses of what runs on this data directory."""
    chosen = Settings() if data is None else Settings(data=data)
    running = Running.find(chosen.data)
    if running is None:
        return chosen
    return chosen.model_copy(update={"ingress": running.ingress, "admin": running.admin})


def sandbox_address(chosen: Settings) -> str | None:
    """Where the sandbox of what runs answers; None when there is none."""
    running = Running.find(chosen.data)
    return None if running is None else running.sandbox


def stop(code: int, sentence: str) -> NoReturn:
    """Ends the command with a sentence on stderr."""
    print(sentence, file=sys.stderr)
    raise typer.Exit(code)


class Ingress:
    """The Restate ingress, as any client sees it."""

    def __init__(self, base: str) -> None:
        self._client = httpx.Client(base_url=base, timeout=PATIENCE, trust_env=False)

    def call(self, sku: str, handler: str, body: Mapping[str, Any] | None = None) -> Any:
        """SkuAgent/{sku}/{handler}. Ends the command when it is refused or nothing answers."""
        return self.post(f"/SkuAgent/{quote(sku, safe='')}/{handler}", body)

    def post(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        try:
            answer = self._client.post(path, json=body) if body is not None else self._client.post(path)
        except httpx.HTTPError as error:
            base = str(self._client.base_url)
            stop(UNREACHABLE, f"nothing answers at {base} ({error!r}): start it with `replenisher run`")
        if answer.is_success:
            return answer.json() if answer.content else None
        stop(REFUSED if answer.is_client_error else FAILED, reason(answer))


def reason(answer: httpx.Response) -> str:
    """The sentence in an error answer."""
    try:
        return str(answer.json()["message"])
    except (ValueError, KeyError, TypeError):
        return f"{answer.status_code}: {answer.text[:300]}"


def show(value: Any, as_json: bool, text: str) -> None:
    print(json.dumps(value, ensure_ascii=False) if as_json else text)
