"""People behind a webhook: requests, reminders, questions and notices as JSON, each delivered once under its key."""

from typing import Any, Literal
from urllib.parse import quote

import httpx

from replenisher.domain.ports import ApprovalRequest, BuyerQuestion, Refused, Unavailable
from replenisher.harness.shape import dump
from replenisher.systems.http import TIMEOUT, request

Role = Literal["manager", "escalation", "buyer"]
TAKEN = frozenset({202})


class HttpPeople:
    """`address` is the base URL under which each role has its own paths. Whatever goes wrong is Unavailable: of a
    refused delivery the person knows as little as of a lost one."""

    def __init__(self, address: str, client: httpx.AsyncClient, timeout: httpx.Timeout = TIMEOUT) -> None:
        self._address = address.rstrip("/")
        self._client = client
        self._timeout = timeout

    async def request_approval(self, request: ApprovalRequest) -> None:
        await self._tell("manager", "requests", dump(ApprovalRequest, request), request.id)

    async def remind(self, approval: str, n: int, to: Literal["manager", "escalation"], text: str) -> None:
        body = {"id": approval, "n": n, "to": to, "text": text}
        await self._tell(to, "reminders", body, f"{approval}/reminder/{n}")

    async def ask_buyer(self, question: BuyerQuestion) -> None:
        await self._tell("buyer", "questions", dump(BuyerQuestion, question), question.id)

    async def notify(self, role: Role, key: str, sku: str, po: str | None, text: str) -> None:
        await self._tell(role, "notices", {"id": key, "sku": sku, "po": po, "text": text}, key)

    async def _tell(self, role: Role, what: str, body: dict[str, Any], key: str) -> None:
        url = f"{self._address}/{quote(role)}/{what}"
        try:
            await request(self._client, "POST", url, success=TAKEN, body=body, key=key, timeout=self._timeout)
        except Refused as refused:
            raise Unavailable("error", f"POST {url}: {refused}") from refused
