"""Tells the sandbox what a plan holds for one part, and puts the part on its way."""

import asyncio

import httpx

from chaos.plans import Plan
from sandbox.scenarios.stage import Stage

PAUSE = 0.3


async def stage(on: Stage, plan: Plan) -> None:
    """Everything of the plan is set and the part is watched."""
    for supplier, price in plan.quotes.items():
        await on.quote(supplier, price)
    for supplier, script in plan.scripts.items():
        await on.control("PUT", f"/suppliers/{supplier}/script", {"sku": plan.sku, **script})
    await on.buyer(*plan.buyer)
    for party, fault in plan.faults:
        path = "/people/faults" if party == "people" else f"/suppliers/{party}/faults"
        await on.control("POST", path, {"sku": plan.sku, **fault})
    if plan.price_change is not None:
        supplier, price, days = plan.price_change
        items = [{"item": f"{supplier}-{plan.sku.removeprefix('SKU-')}", "unit_price": price, "pack": "50"}]
        await on.control("PUT", f"/suppliers/{supplier}/quotes/{plan.sku}", {"items": items, "in_days": days})
    await insist(on, "watch")


async def insist(on: Stage, handler: str) -> int:
    """Posts until something answers, whatever is being killed meanwhile; the status. As long as the caller waits."""
    while True:
        try:
            answer = await on.post(handler)
        except httpx.HTTPError:
            pass
        else:
            if answer.status_code < 500:
                return answer.status_code
        await asyncio.sleep(PAUSE)


async def heal(on: Stage, suppliers: tuple[str, ...] = ("A", "B", "C")) -> None:
    """No fault is left anywhere."""
    for supplier in suppliers:
        await on.control("DELETE", f"/suppliers/{supplier}/faults")
    await on.control("DELETE", "/people/faults")
