"""What every adapter over HTTP shares: one request whose every failure is typed, so that no caller guesses what happened."""

from collections.abc import Mapping
from typing import Any, TypeVar, cast

import httpx
from pydantic import TypeAdapter, ValidationError

from replenisher.domain.ports import Refused, Unavailable

T = TypeVar("T")

TIMEOUT = httpx.Timeout(20.0, connect=5.0)
"""Seconds. A write that times out may have been done: Unavailable says so."""
TRY_LATER = frozenset({408, 425, 429})


async def request(
    client: httpx.AsyncClient,
    method: str,
    url: str,
    *,
    body: Mapping[str, Any] | None = None,
    key: str | None = None,
    params: Mapping[str, str] | None = None,
    missing: bool = False,
) -> httpx.Response | None:
    """The answer, 2xx. None for a 404 that the other side's own contract gives, where `missing` allows it.
    Raises Unavailable (unreachable, timeout, 5xx, malformed) and Refused (any other 4xx)."""
    headers = {} if key is None else {"Idempotency-Key": key}
    try:
        answer = await client.request(method, url, json=body, params=params, headers=headers, timeout=TIMEOUT)
    except httpx.TimeoutException as error:
        raise Unavailable("timeout", f"{method} {url}: no answer in time") from error
    except httpx.HTTPError as error:
        raise Unavailable("unreachable", f"{method} {url}: {error!r}") from error
    if answer.is_success:
        return answer
    if answer.status_code >= 500 or answer.status_code in TRY_LATER or not answer.is_client_error:
        raise Unavailable("error", f"{method} {url}: {answer.status_code}")
    said = sentence(answer)
    if said is None:
        raise Unavailable("malformed", f"{method} {url}: {answer.status_code} without a reason")
    if missing and answer.status_code == 404:
        return None
    raise Refused(said)


def sentence(answer: httpx.Response) -> str | None:
    """The reason in an error answer, as the contract has it; None when it is not of the contract (a proxy's page, say)."""
    try:
        body: Any = answer.json()
    except ValueError:
        return None
    reason: Any = cast("dict[str, Any]", body).get("error") if isinstance(body, dict) else None
    return reason[:300] if isinstance(reason, str) and reason else None


def parse(answer: httpx.Response, shape: type[T]) -> T:
    """The answer's body as this shape. Raises Unavailable("malformed") when it is not."""
    try:
        return TypeAdapter(shape).validate_json(answer.content)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(p) for p in first["loc"])
        raise Unavailable("malformed", f"{answer.request.url}: {where or 'body'}: {first['msg']}") from error
