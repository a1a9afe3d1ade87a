"""A world for a scenario, the demo or a test: engine, agent, sandbox and records in a folder of their own, as
processes that
may be ended, started again, and given other code."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from shutil import copytree, ignore_patterns

import httpx

import replenisher
from replenisher.engine.admin import Admin
from replenisher.engine.doctor import Cause, paused
from replenisher.engine.process import ManagedProcess
from replenisher.engine.supervisor import AGENT, SANDBOX, Plan, Supervisor
from replenisher.settings import Settings
from replenisher.systems.records.master import MasterData
from replenisher.systems.records.prices import ItemTerms
from sandbox.scenarios.stage import Stage

RETRY_FIRST = 0.1
"""Real seconds before a step's second attempt."""
RENAMED = ("tools/drafting.py", 'f"{self.name}-{turn}", lambda', 'f"draft-{turn}", lambda')
"""The step that `renamed-step` renames in a copy of the code: file, what stands there, what takes its place."""

Say = Callable[[str], None]


class World:
    """`inactivity` 0 makes every wait a replay; `day` is real seconds of a business day."""

    def __init__(
        self,
        data: Path,
        skus: Sequence[str],
        day: float,
        inactivity: float,
        *,
        auto: bool = False,
        suppliers: Sequence[str] = ("A", "B", "C"),
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.data = data
        self.day = day
        self.skus = skus
        self.suppliers = suppliers
        epoch = datetime.now(UTC).isoformat()
        given = {
            "REPLENISHER_DAY": str(day),
            "REPLENISHER_EPOCH": epoch,
            "REPLENISHER_RETRY_FIRST": str(RETRY_FIRST),
            "REPLENISHER_INACTIVITY": str(inactivity),
            "SANDBOX_DAY": str(day),
            "SANDBOX_EPOCH": epoch,
            "SANDBOX_AUTO": "1" if auto else "",
        }
        plan = Plan(data, AGENT, SANDBOX, inactivity=timedelta(seconds=inactivity), env={**given, **(env or {})})
        self.supervisor = Supervisor(plan)

    # --- processes ----------------------------------------------------------------------------------------------------

    @property
    def agent(self) -> ManagedProcess:
        assert self.supervisor.agent is not None
        return self.supervisor.agent

    async def kill_agent(self) -> None:
        await self.agent.kill()

    async def start_agent(self) -> None:
        await self.supervisor.start_agent()

    async def kill_engine(self) -> None:
        await self.supervisor.server.kill()

    async def start_engine(self) -> None:
        await self.supervisor.start_server()

    # --- other code ---------------------------------------------------------------------------------------------------

    async def deploy_beside(self, rules_version: int) -> None:
        """A second agent under other rules beside the first, as `replenisher upgrade` does it: what runs stays."""
        await self.supervisor.upgrade(AGENT.argv, {"REPLENISHER_RULES_VERSION": str(rules_version)})

    async def deploy_in_place(self, rules_version: int) -> None:
        """The agent is ended and comes back under other rules, on the same address."""
        await self.agent.stop()
        self.agent.env["REPLENISHER_RULES_VERSION"] = str(rules_version)
        await self.start_agent()

    async def rename_a_step(self) -> None:
        """The agent comes back with a step renamed: the mistake that journals exist to catch."""
        await self.agent.stop()
        copy = self.data / "renamed"
        code = Path(next(iter(replenisher.__path__)))
        copytree(code, copy / "replenisher", ignore=ignore_patterns("__pycache__"))
        name, was, becomes = RENAMED
        file = copy / "replenisher" / name
        text = file.read_text()
        if was not in text:
            raise AssertionError(f"{name} has no step to rename any more")
        file.write_text(text.replace(was, becomes))
        self.agent.env["PYTHONPATH"] = str(copy)
        await self.start_agent()

    async def restore_the_code(self) -> None:
        """The right code is back on the same address, and what a mismatch paused is resumed by hand."""
        await self.agent.stop()
        self.agent.env.pop("PYTHONPATH", None)
        await self.start_agent()
        async with Admin(self.supervisor.admin) as admin:
            for each in await paused(admin):
                await admin.resume(each.id)

    async def paused_by_mismatch(self) -> list[str]:
        """What the engine paused since the code no longer follows its journal."""
        async with Admin(self.supervisor.admin) as admin:
            return [each.target for each in await paused(admin) if each.cause is Cause.MISMATCH]

    # --- the whole ----------------------------------------------------------------------------------------------------

    def seed(self) -> None:
        """The parts, set as SKU-123, with an item of each supplier."""
        master = MasterData(Settings(data=self.data).records_file)
        for sku in self.skus:
            master.seed_demo(sku)
            for supplier in set(self.suppliers) - {"A", "B", "C"}:
                item = f"{supplier}-{sku.removeprefix('SKU-')}"
                master.put_item((sku, supplier, item), ItemTerms(Decimal(50)))
        master.close()

    @asynccontextmanager
    async def stages(self, say: Say) -> AsyncGenerator[list[Stage]]:
        """Everything up, with a stage for each part; everything ended afterwards."""
        self.seed()
        async with (
            self.supervisor,
            httpx.AsyncClient(base_url=str(self.supervisor.sandbox_url), timeout=60, trust_env=False) as sandbox,
            httpx.AsyncClient(base_url=self.supervisor.ingress, timeout=60, trust_env=False) as ingress,
        ):
            yield [Stage(sku, sandbox, ingress, self, self.day, say) for sku in self.skus]
