"""What every adapter over HTTP shares: one request, and a type for every way it can fail, so that nobody guesses."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeVar, cast
from urllib.parse import quote

import httpx
from pydantic import TypeAdapter, ValidationError

from replenisher.domain.ports import Refused, Unavailable

T = TypeVar("T")

TIMEOUT = httpx.Timeout(20.0, connect=5.0)
"""Seconds between two signs of life. A write that times out may have been done: Unavailable says so."""
IN_ALL = 60.0
"""Seconds from first to last byte; one that sends a byte now and then would otherwise hold a step for ever."""
LARGEST = 8 * 1024 * 1024
"""Bytes of an answer; a longer one is nobody's quote."""
TRY_LATER = frozenset({408, 425, 429})
KEY_CONFLICT = "idempotency-conflict"
"""The code of a refusal that does not say what became of the first request under this key."""
SENTENCE = 300


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer that was read to its end."""

    where: str
    """Method and address, for messages."""
    status: int
    kind: str
    """Its media type."""
    content: bytes


async def request(
    client: httpx.AsyncClient,
    method: str,
    url: str,
    *,
    success: frozenset[int],
    body: Mapping[str, Any] | None = None,
    key: str | None = None,
    params: Mapping[str, str] | None = None,
    missing: bool = False,
    timeout: httpx.Timeout = TIMEOUT,
) -> Answer | None:
    """The answer, of one of these statuses. None for a 404 that the other side's own contract gives, where `missing`
    allows it. Raises Refused for any other 4xx of the contract, which says why, and Unavailable for everything else:
    unreachable, timeout, error (5xx), malformed."""
    answer = await _exchange(client, method, url, body, key, params, timeout)
    if answer.status in success:
        return answer
    if answer.status >= 500 or answer.status in TRY_LATER:
        raise Unavailable("error", f"{answer.where}: {answer.status}")
    if not 400 <= answer.status < 500:
        # a page of a proxy or a login comes as 200 or 302, and it says nothing about what was asked
        raise Unavailable("malformed", f"{answer.where}: {answer.status} is no answer of the contract")
    said = _said(answer)
    reason = said.get("error")
    if not isinstance(reason, str) or not reason.strip():
        raise Unavailable("malformed", f"{answer.where}: {answer.status} without a reason")
    if missing and answer.status == 404:
        return None
    if said.get("code") == KEY_CONFLICT:
        raise Unavailable("error", f"{answer.where}: {reason[:SENTENCE]}")
    raise Refused(reason.strip()[:SENTENCE])


def parse(answer: Answer, shape: type[T]) -> T:
    """The answer's body as this shape, its numbers exact. Raises Unavailable("malformed") when it is not JSON of it."""
    try:
        return TypeAdapter(shape).validate_python(_loads(answer))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(p) for p in first["loc"])
        raise Unavailable("malformed", f"{answer.where}: {where or 'body'}: {first['msg']}"[:SENTENCE]) from error


async def _exchange(
    client: httpx.AsyncClient,
    method: str,
    url: str,
    body: Mapping[str, Any] | None,
    key: str | None,
    params: Mapping[str, str] | None,
    timeout: httpx.Timeout,
) -> Answer:
    where = f"{method} {url}"
    # a key may hold a part's number, which holds anything; a header holds ASCII
    headers = {} if key is None else {"Idempotency-Key": quote(key, safe="/:-._~")}
    try:
        async with (
            asyncio.timeout(IN_ALL),
            client.stream(method, url, json=body, params=params, headers=headers, timeout=timeout) as answer,
        ):
            content = bytearray()
            async for chunk in answer.aiter_bytes():
                content += chunk
                if len(content) > LARGEST:
                    raise Unavailable("malformed", f"{where}: the answer is longer than {LARGEST} bytes")
            kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
            return Answer(where, answer.status_code, kind, bytes(content))
    except (httpx.TimeoutException, TimeoutError) as error:
        raise Unavailable("timeout", f"{where}: no answer in time") from error
    except httpx.DecodingError as error:
        raise Unavailable("malformed", f"{where}: {error}"[:SENTENCE]) from error
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise Unavailable("unreachable", f"{where}: {error!r}"[:SENTENCE]) from error


def _said(answer: Answer) -> dict[str, Any]:
    """The members of an error answer; none when it is not JSON (a proxy's page, say)."""
    try:
        body = _loads(answer)
    except Unavailable:
        return {}
    return cast("dict[str, Any]", body) if isinstance(body, dict) else {}


def _loads(answer: Answer) -> Any:
    if answer.kind != "application/json" and not answer.kind.endswith("+json"):
        raise Unavailable("malformed", f"{answer.where}: {answer.kind or 'nothing'} instead of JSON"[:SENTENCE])
    try:
        body = json.loads(answer.content.decode(), parse_float=Decimal, parse_constant=_no_number)
        if b"\\ud" in answer.content.lower():
            # an escape can spell half of a surrogate pair, which neither records nor journal can hold
            json.dumps(body, ensure_ascii=False, default=str).encode()
        return body
    except (ValueError, RecursionError, ArithmeticError) as error:
        raise Unavailable("malformed", f"{answer.where}: not JSON: {error}"[:SENTENCE]) from error


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no number")
