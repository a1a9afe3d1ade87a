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
from pydantic import ValidationError
from pydantic_settings import SettingsError

from replenisher.engine.running import Running
from replenisher.settings import Settings

FAILED, USAGE, UNREACHABLE, REFUSED = 1, 2, 3, 4
PATIENCE = 60.0
"""Seconds a command waits for one answer."""


def settings(data: Path | None) -> Settings:
    """The settings, with the addresses of what runs on this data directory. Ends the command when they cannot be."""
    try:
        chosen = Settings() if data is None else Settings(data=data)
    except SettingsError as error:
        stop(USAGE, f"a setting is not JSON: {error}")
    except ValidationError as error:
        wrong = [f"REPLENISHER_{'_'.join(map(str, e['loc'])).upper()}: {e['msg']}" for e in error.errors() if e["loc"]]
        stop(USAGE, "\n".join(wrong or [str(e["msg"]) for e in error.errors()]))
    if chosen.data.exists() and not chosen.data.is_dir():
        stop(USAGE, f"{chosen.data} is a file: a data directory is needed")
    running = Running.find(chosen.data)
    if running is None:
        return chosen
    return chosen.model_copy(update={"ingress": running.ingress, "admin": running.admin})


def reachable(data: Path | None) -> Settings:
    """The settings of what a command is to speak to. A data directory that was named, or that is here, means what runs
    on it and nothing else: whatever answers at the usual address instead may be somebody else's."""
    chosen = settings(data)
    named = {"ingress", "admin"} & chosen.model_fields_set
    meant = data is not None or chosen.data.exists()
    if meant and not named and Running.find(chosen.data) is None:
        start = "replenisher run" if data is None else f"replenisher run --data {data}"
        where = "with REPLENISHER_INGRESS and REPLENISHER_ADMIN when it runs elsewhere"
        stop(UNREACHABLE, f"nothing runs on {chosen.data}: start it with `{start}`, or say where it is {where}")
    return chosen


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
        except httpx.ConnectError:
            stop(UNREACHABLE, f"nothing answers at {self._client.base_url}: start it with `replenisher run`")
        except httpx.TimeoutException:
            late = f"{self._client.base_url} did not answer within {PATIENCE:g} s; what was sent may still be taken"
            stop(UNREACHABLE, f"{late}: `replenisher doctor` says what stands still")
        except httpx.HTTPError as error:
            stop(UNREACHABLE, f"{self._client.base_url} broke off ({error!r}): `replenisher doctor` says what is wrong")
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
