"""The manager of every part: hears of requests as they reach the sandbox, and decides as the part's plan says."""

import asyncio
from collections.abc import Mapping
from decimal import ROUND_DOWN, Decimal
from random import Random
from typing import Any

import httpx

from chaos.plans import Plan, Style

CENT = Decimal("0.01")
LISTEN, PATIENCE = 20.0, 120.0
"""Real seconds."""
BAD = 400


class Manager:
    """`day`: real seconds of a business day."""

    def __init__(self, sandbox: httpx.AsyncClient, plans: Mapping[str, Plan], seed: int, day: float) -> None:
        self._sandbox = sandbox
        self._plans = plans
        self._rng = Random(f"{seed}/manager")
        self._day = day
        self._requests: dict[str, int] = {}

    async def serve(self) -> None:
        """Until cancelled."""
        after = 0
        async with asyncio.TaskGroup() as deciding:
            while True:
                params = {"what": "approval", "after": str(after), "timeout": str(LISTEN)}
                answer = await self._sandbox.get("/control/events", params=params, timeout=LISTEN + 60)
                heard = answer.raise_for_status().json()
                after = heard["last"]
                for event in heard["events"]:
                    deciding.create_task(self._decide(event))

    async def _decide(self, event: Mapping[str, Any]) -> None:
        style = self._plans[event["sku"]].manager
        n = self._requests[event["sku"]] = self._requests.get(event["sku"], 0) + 1
        if n <= style.ignores:
            return
        await asyncio.sleep(self._rng.uniform(*style.after) * self._day)
        approval, price = event["approval"], Decimal(event["price"])
        if style.rejects == n:
            # the other one may not be on offer: then this one it is
            if await self._say(approval, approved=False, **_why(style, event)) == BAD:
                await self._say(approval, approved=True)
            return
        if style.raises:
            await self._say(approval, approved=True, ceiling=str(price * 2))
        if style.lowers:
            room = price * Decimal("0.05") if event["reason"] == "order" else Decimal(0)
            lowered = price + (room * Decimal(str(self._rng.random()))).quantize(CENT, ROUND_DOWN)
            await self._say(approval, approved=True, ceiling=str(lowered))
        else:
            await self._say(approval, approved=True)
        if style.twice:
            await self._say(approval, approved=False, reason="on second thoughts")

    async def _say(self, approval: str, **said: Any) -> int | None:
        """Decides; the status with which the agent answered."""
        body, params = {"approval": approval, **said}, {"wait": str(PATIENCE)}
        answer = await self._sandbox.post(
            "/control/people/manager/decide", json=body, params=params, timeout=LISTEN + PATIENCE
        )
        status: int | None = answer.raise_for_status().json()["status"]
        return status


def _why(style: Style, event: Mapping[str, Any]) -> dict[str, Any]:
    if style.another and event["reason"] == "order":
        return {"reason": "the other one", "another": f"C/C-{event['sku'].removeprefix('SKU-')}"}
    return {"reason": "too dear"}
