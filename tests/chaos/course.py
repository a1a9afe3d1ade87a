"""One chaos run: parts put on their way a few at a time, processes killed meanwhile, then everything healed and run
to its end."""

import asyncio
import resource
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import httpx

from chaos import seen
from chaos.havoc import Havoc
from chaos.manager import Manager
from chaos.plans import Plan, draw
from chaos.seen import Seen
from chaos.staging import heal, insist, stage
from replenisher.cli.world import World
from replenisher.domain import limits
from replenisher.domain.order import OrderStatus
from replenisher.engine.admin import Admin, AdminError
from replenisher.handlers.entity import Entity
from sandbox.scenarios.stage import Stage

CHECK_EVERY = 2
"""Business days between two checks of a part."""
LOOK = 1.0
"""Real seconds between two looks at all entities."""
MOST_RUNS = 8
"""Replenishments of one part after which it is let go and listed."""
NOISE = ("check", "check", "check", "watch", "status", "outcomes")


@dataclass(frozen=True)
class Setting:
    n: int
    seed: int
    kills: int
    at_once: int = 50
    day: float = 2.0
    inactivity: float = 1.0
    """Real seconds without progress before a run is suspended; 0 makes every wait a replay."""
    retry_first: float = 0.05
    gap: tuple[float, float] = (1.0, 5.0)
    """Real seconds between two kills."""
    within: float = 600.0
    """Real seconds until everything is healed; what has not ended a third of that later is reported."""


@dataclass
class Course:
    """How it went beside what is compared."""

    setting: Setting
    plans: Mapping[str, Plan]
    seen: Seen
    kills: list[str]
    faults: dict[str, int] = field(default_factory=dict[str, int])
    """How many struck, by operation and kind."""
    seconds: float = 0
    cpu: float = 0
    """Seconds of CPU of all processes."""


async def play(setting: Setting, data: Path, say: Callable[[str], None]) -> Course:
    began, spent = time.monotonic(), _cpu()
    skus = tuple(f"SKU-{1001 + n}" for n in range(setting.n))
    plans = {sku: draw(setting.seed, sku) for sku in skus}
    env = {"REPLENISHER_RETRY_FIRST": str(setting.retry_first), "REPLENISHER_CHECK_EVERY": str(CHECK_EVERY)}
    world = World(data, skus, setting.day, setting.inactivity, env=env)
    async with world.stages(say) as stages, Admin(world.supervisor.admin) as admin:
        runner = _Runner(setting, plans, {s.sku: s for s in stages}, admin, say, began + setting.within)
        kills = await runner.run(Havoc(world, setting.seed, setting.gap, say))
        known = await seen.entities(admin)
        found = Seen(
            seen.books(data),
            await stages[0].control("GET", "/ledger"),
            known,
            await seen.runs(stages[0].ingress, seen.run_names(known)),
            await seen.unfinished(admin),
            skus,
        )
        faults = await _struck(stages[0])
    return Course(setting, plans, found, kills, faults, time.monotonic() - began, _cpu() - spent)


class _Runner:
    def __init__(
        self,
        setting: Setting,
        plans: Mapping[str, Plan],
        stages: Mapping[str, Stage],
        admin: Admin,
        say: Callable[[str], None],
        deadline: float,
    ) -> None:
        self._setting = setting
        self._plans = plans
        self._stages = stages
        self._admin = admin
        self._say = say
        self._deadline = deadline
        self._entities: dict[str, Entity] = {}
        self._under_way: set[str] = set()
        self._ended: set[str] = set()

    async def run(self, havoc: Havoc) -> list[str]:
        over = asyncio.Event()
        any_stage = next(iter(self._stages.values()))
        async with asyncio.TaskGroup() as tasks:
            manager = Manager(any_stage.sandbox, self._plans, self._setting.seed, self._setting.day)
            serving = tasks.create_task(manager.serve())
            noise = tasks.create_task(self._noise())
            wreaking = tasks.create_task(havoc.wreak(self._setting.kills, over))
            await self._all_parts(tasks)
            over.set()
            await wreaking
            noise.cancel()
            self._say("healing")
            await heal(any_stage)
            await self._to_the_end(any_stage)
            serving.cancel()
        return havoc.kills

    # --- the storm ----------------------------------------------------------------------------------------------------

    async def _all_parts(self, tasks: asyncio.TaskGroup) -> None:
        """Every part is put on its way, at most so many at once, until each has come to its end."""
        waiting = list(self._plans)
        while (waiting or self._under_way) and time.monotonic() < self._deadline:
            while waiting and len(self._under_way) < self._setting.at_once:
                sku = waiting.pop(0)
                self._under_way.add(sku)
                tasks.create_task(self._begin(sku))
            await self._look()
            for sku in [s for s in self._under_way if self._at_its_end(s)]:
                if await self._left_alone(sku):
                    self._under_way.discard(sku)
                    self._ended.add(sku)
                    if len(self._ended) % 20 == 0:
                        self._say(f"{len(self._ended)} of {self._setting.n} parts have ended")
            await asyncio.sleep(LOOK)

    async def _begin(self, sku: str) -> None:
        plan, on = self._plans[sku], self._stages[sku]
        await stage(on, plan)
        if plan.cancel_after is not None:
            await asyncio.sleep(plan.cancel_after * self._setting.day)
            await insist(on, "cancel")

    async def _look(self) -> None:
        try:
            self._entities = await seen.entities(self._admin)
        except AdminError:
            return

    def _at_its_end(self, sku: str) -> bool:
        """It ended as planned, or has been tried often enough, and nothing of it is open."""
        entity = self._entities.get(sku)
        if entity is None or entity.active is not None or entity.mailbox:
            return False
        rejected = "rejected" in self._plans[sku].other_ends & {o.status.value for o in entity.outcomes}
        in_stock = any(order.status == "received" for outcome in entity.outcomes for order in outcome.orders)
        enough = rejected or in_stock or len(entity.outcomes) >= MOST_RUNS
        return enough and all(_spent(o.status, o.checks) for o in entity.orders.values())

    async def _left_alone(self, sku: str) -> bool:
        """No more checks: it is not watched any more."""
        try:
            async with asyncio.timeout(2 * LOOK):
                return await insist(self._stages[sku], "unwatch") < 300
        except TimeoutError:
            return False

    async def _noise(self) -> None:
        """Operators who look and check at any time."""
        rng = Random(f"{self._setting.seed}/noise")
        while True:
            await asyncio.sleep(rng.uniform(0.1, 1.0))
            under_way = sorted(self._under_way)
            if under_way:
                handler = rng.choice(NOISE)
                on = self._stages[rng.choice(under_way)]
                try:
                    await on.ingress.post(f"/SkuAgent/{on.sku}/{handler}", timeout=2)
                except httpx.HTTPError:
                    continue

    # --- the end ------------------------------------------------------------------------------------------------------

    async def _to_the_end(self, on: Stage) -> None:
        """Late confirmations of orders nobody knows come in, and everything that moves comes to rest."""
        told: set[str] = set()
        quiet = 0
        while quiet < 3 and time.monotonic() < self._deadline + self._setting.within / 3:
            await asyncio.sleep(LOOK)
            await self._look()
            ledger = await on.control("GET", "/ledger")
            books = {(o["supplier"], o["po"]): o for o in ledger["orders"]}
            for entity in self._entities.values():
                for order in entity.orders.values():
                    held = books.get((order.supplier, order.po))
                    lost = order.status is OrderStatus.UNKNOWN and entity.active is None
                    if lost and held is not None and order.po not in told:
                        told.add(order.po)
                        await on.control("POST", f"/suppliers/{order.supplier}/mail", {"po": order.po}, {"wait": "0"})
            moving = any(e.active is not None or e.mailbox for e in self._entities.values())
            talking = any(m["state"] == "pending" for m in ledger["told"])
            quiet = 0 if moving or talking else quiet + 1


def _spent(status: OrderStatus, checks: int) -> bool:
    """Only a message can tell what became of this order: nothing is done about it by itself any more."""
    return status is OrderStatus.UNKNOWN and checks >= limits.ORDER_CHECKS


async def _struck(on: Stage) -> dict[str, int]:
    found: dict[str, int] = {}
    for event in (await on.control("GET", "/events", params={"what": "fault", "timeout": "0"}))["events"]:
        name = f"{event['operation']} {event['kind']}"
        found[name] = found.get(name, 0) + 1
    return found


def _cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)
