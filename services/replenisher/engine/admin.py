"""The admin API of restate-server as typed calls: deployments, invocations, SQL.
Why something is paused is read by doctor.py, what a run did by journal.py; calls to handlers go to the ingress."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, cast
from urllib.parse import quote

import httpx

from replenisher.engine.process import Deadline

Row = Mapping[str, Any]
_TIMEOUT = httpx.Timeout(30.0, connect=5.0)
_RESTARTED_SECONDS = 10.0
# "node N1:7 was shut down or removed": the partitions' former leader, which a restart replaced
_FORMER_SELF = "was shut down or removed"


class AdminError(RuntimeError):
    """The admin API refused or could not be reached. `status` is None in the latter case; `code` is e.g. META0004."""

    def __init__(self, message: str, status: int | None = None, code: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


@dataclass(frozen=True)
class Deployment:
    """Code that was registered: an address, the services it serves by name and revision, and notes given with it."""

    id: str
    uri: str
    created_at: str
    services: Mapping[str, int]
    metadata: Mapping[str, str]


class Admin:
    """A client of one admin API; use it as an async context manager, or call `close`."""

    def __init__(self, base: str) -> None:
        self.base = base.rstrip("/")
        # the engine is on this machine or in this network: a proxy meant for the world is not asked
        self._client = httpx.AsyncClient(base_url=self.base, timeout=_TIMEOUT, trust_env=False)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._client.aclose()

    async def version(self) -> str:
        """The version of the server, e.g. `1.7.12`."""
        return str((await self._json("GET", "/version"))["version"])

    async def register(self, uri: str, *, force: bool = False, metadata: Mapping[str, str] | None = None) -> Deployment:
        """Register the code served at `uri`, with notes of one's own; the same code again changes nothing.

        With `force` changed code at a known address replaces what is known of it; without it that is an AdminError
        of status 409. Also 4xx or 5xx when nothing usable answers at `uri`.
        """
        body = {"uri": uri, "force": force, "metadata": metadata or {}}
        answer = await self._json("POST", "/deployments", body)
        return await self.deployment(str(answer["id"]))

    async def move(self, deployment: str, uri: str) -> None:
        """Tell the engine that the code of a deployment is now served at another address; runs on it follow."""
        await self._json("PATCH", f"/deployments/{deployment}", {"uri": uri})

    async def remove(self, deployment: str) -> None:
        """Forget a deployment. Runs still pinned to it cannot go on: ask `pinned` first."""
        await self._send("DELETE", f"/deployments/{deployment}", params={"force": "true"})

    async def deployment(self, deployment: str) -> Deployment:
        return _deployment(await self._json("GET", f"/deployments/{deployment}"))

    async def deployments(self) -> list[Deployment]:
        """All registered deployments, oldest first."""
        found = [_deployment(each) for each in (await self._json("GET", "/deployments"))["deployments"]]
        return sorted(found, key=lambda each: each.created_at)

    async def pinned(self, deployment: str) -> int:
        """How many invocations that have not ended are bound to a deployment."""
        rows = await self.query(
            f"SELECT count(*) AS n FROM sys_invocation WHERE pinned_deployment_id = {literal(deployment)} "
            "AND status <> 'completed'"
        )
        return int(rows[0]["n"])

    async def query(self, sql: str) -> list[Row]:
        """The rows of an SQL query over the engine's tables (`sys_invocation`, `sys_journal`, `state`, ...).

        For a moment after a restart the engine still looks for its former self; it is then asked again.
        """
        deadline = Deadline(_RESTARTED_SECONDS)
        while True:
            try:
                answer = await self._json("POST", "/query", {"query": sql}, {"Accept": "application/json"})
            except AdminError as error:
                if _FORMER_SELF not in str(error):
                    raise
                await deadline.tick(str(error))
            else:
                return cast("list[Row]", answer["rows"])

    async def cancel(self, invocation: str) -> None:
        """Ask a running invocation to end in order. Of a paused or backing-off one nothing comes: resume it first."""
        await self._invocation(invocation, "cancel")

    async def kill(self, invocation: str) -> None:
        """End an invocation at once, with everything it called; nothing of it is undone."""
        await self._invocation(invocation, "kill")

    async def pause(self, invocation: str) -> None:
        """Stop trying an invocation until it is resumed."""
        await self._invocation(invocation, "pause")

    async def resume(self, invocation: str, deployment: str | None = None) -> None:
        """Go on with a paused invocation, or try a backing-off one now.

        `deployment` is an id or `latest`, to go on with other code; only for a paused one: pause it first.
        """
        await self._invocation(invocation, "resume", None if deployment is None else {"deployment": deployment})

    async def purge(self, invocation: str) -> None:
        """Forget an ended invocation with its journal, promises and state."""
        await self._invocation(invocation, "purge")

    async def _invocation(
        self,
        invocation: str,
        what: Literal["cancel", "kill", "pause", "resume", "purge"],
        params: Mapping[str, str] | None = None,
    ) -> None:
        await self._send("PATCH", f"/invocations/{quote(invocation, safe='')}/{what}", params=params)

    async def _json(
        self, method: str, path: str, body: object | None = None, headers: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        return cast("dict[str, Any]", (await self._send(method, path, body, headers)).json())

    async def _send(
        self,
        method: str,
        path: str,
        body: object | None = None,
        headers: Mapping[str, str] | None = None,
        params: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        try:
            response = await self._client.request(method, path, json=body, headers=headers, params=params)
        except httpx.HTTPError as error:
            raise AdminError(f"no engine at {self.base}: {error or type(error).__name__}") from error
        if response.is_error:
            raise _refusal(response)
        return response


def literal(text: str) -> str:
    """A text as an SQL literal; keys hold whatever a part number holds, quotes included."""
    return "'" + text.replace("'", "''") + "'"


def _deployment(raw: Mapping[str, Any]) -> Deployment:
    services = {str(each["name"]): int(each["revision"]) for each in raw["services"]}
    return Deployment(
        id=str(raw["id"]),
        uri=str(raw.get("uri") or raw.get("arn")),
        created_at=str(raw["created_at"]),
        services=services,
        metadata=cast("dict[str, str]", raw.get("metadata") or {}),
    )


def _refusal(response: httpx.Response) -> AdminError:
    try:
        raw = cast("dict[str, Any]", response.json())
        message, code = str(raw["message"]), raw.get("restate_code")
    except (ValueError, KeyError, TypeError):
        message, code = response.text.strip() or response.reason_phrase, None
    return AdminError(message, response.status_code, code)
