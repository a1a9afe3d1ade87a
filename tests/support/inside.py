"""What only the operator of an engine sees and does: an entity's memory, its invocations, cancel and kill."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from replenisher.cli.world import World
from replenisher.domain.message import Message
from replenisher.engine.admin import Admin, literal
from replenisher.handlers.entity import Active, Entity
from replenisher.harness.shape import load
from sandbox.scenarios import stage as stage_module
from sandbox.scenarios.stage import Stage
from support.engine import eventually

IDLE = ("completed",)


class Inside:
    def __init__(self, admin: Admin) -> None:
        self.admin = admin

    async def memory(self, sku: str) -> str:
        """The entity's state as it is kept; empty for one that nobody spoke to."""
        where = f"service_name = 'SkuAgent' AND key = 'entity' AND service_key = {literal(sku)}"
        rows = await self.admin.query(f"SELECT value_utf8 FROM state WHERE {where}")
        return str(rows[0]["value_utf8"]) if rows else ""

    async def entity(self, sku: str) -> Entity:
        return load(Entity, json.loads(await self.memory(sku) or "{}"))

    async def active(self, sku: str) -> Active:
        """The replenishment under way, when there is one."""

        async def look() -> Active | None:
            return (await self.entity(sku)).active

        found = await eventually(look, f"{sku} is replenishing")
        assert found is not None
        return found

    async def free(self, sku: str) -> Entity:
        """The entity once nothing runs and nothing waits to be taken in."""

        async def look() -> Entity | None:
            entity = await self.entity(sku)
            return entity if entity.active is None and not entity.mailbox else None

        found = await eventually(look, f"{sku} is free again")
        assert found is not None
        return found

    async def calls(self, target: str, *statuses: str) -> list[str]:
        """Ids of the invocations of this target, e.g. SkuAgent/SKU-123/tick, that have not ended or have one of these
        statuses."""
        which = f"IN ({', '.join(literal(s) for s in statuses)})" if statuses else "<> 'completed'"
        sql = f"SELECT id FROM sys_invocation WHERE target = {literal(target)} AND status {which}"
        return [str(row["id"]) for row in await self.admin.query(sql)]

    async def ended(self, invocation: str) -> None:
        """Until the engine has this invocation no more, or as one that has ended."""

        async def look() -> bool:
            rows = await self.admin.query(f"SELECT status FROM sys_invocation WHERE id = {literal(invocation)}")
            return all(row["status"] == "completed" for row in rows)

        await eventually(look, f"{invocation} has ended")


async def heard(stage: Stage, runs: int) -> list[str]:
    """Ids of the messages that the part's replenishments took in, each as often as it was."""
    found: list[str] = []
    for n in range(1, runs + 1):
        found += (await stage.run_state(n))["heard"]
    return found


def ids(messages: list[Message]) -> list[str]:
    return [m.id for m in messages]


@asynccontextmanager
async def opened(world: World) -> AsyncGenerator[tuple[dict[str, Stage], Inside]]:
    """The world with a stage by SKU and the operator's view of it. What is waited for in vain is said sooner than the
    test's own time is up, which would end everybody's loop."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(stage_module, "WITHIN", 45.0)
        async with world.stages(lambda _: None) as stages, Admin(world.supervisor.admin) as admin:
            yield {stage.sku: stage for stage in stages}, Inside(admin)


def reply(number: str, po: str, text: str = "We confirm your order as placed.", **more: Any) -> dict[str, Any]:
    return {"id": number, "event": "supplier-reply", "po": po, "payload": {"from": "A", "text": text}, **more}


def receipt(number: str, po: str, quantity: str = "450", note: str = "DN-1") -> dict[str, Any]:
    return {"id": number, "event": "goods", "po": po, "note": note, "quantity": quantity}
