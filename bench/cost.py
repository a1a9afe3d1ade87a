"""What one replenishment costs: CPU of engine and agent beside a bare workflow of as many steps and waits."""

from dataclasses import dataclass
from statistics import median

from bench.house import House
from bench.machine import cpu_seconds
from bench.stories import Driver, Story, drive_all
from replenisher.engine.admin import literal
from replenisher.engine.process import Deadline

AT_ONCE = 8
QUIET_SECONDS = 60.0
RUNNING = "SELECT count(*) AS n FROM sys_invocation WHERE status NOT IN ('completed', 'scheduled')"


@dataclass(frozen=True)
class Cost:
    """CPU seconds of one, on an average of one batch."""

    agent: float
    engine: float

    @property
    def both(self) -> float:
        return self.agent + self.engine


@dataclass(frozen=True)
class Counted:
    """What the engine's journal holds of one replenishment."""

    run_steps: int
    """Of the replenishment's own run."""
    all_steps: int
    """With those of the entity's handlers around it."""
    waits: int
    invocations: int


async def quiet(house: House) -> None:
    """Until nothing runs any more."""
    deadline = Deadline(QUIET_SECONDS, every=0.2)
    while (await house.admin.query(RUNNING))[0]["n"]:
        await deadline.tick("an end of all invocations")


async def batch(house: House, story: Story, keys: list[str], agent: int, at_once: int = AT_ONCE) -> Cost:
    """Drives the keys; the mean of one."""
    await quiet(house)
    engine = house.server.process.pid
    assert engine is not None
    before = cpu_seconds(agent), cpu_seconds(engine)
    await drive_all(story, keys, at_once)
    await quiet(house)
    after = cpu_seconds(agent), cpu_seconds(engine)
    return Cost((after[0] - before[0]) / len(keys), (after[1] - before[1]) / len(keys))


@dataclass(frozen=True)
class Compared:
    product: list[Cost]
    bare: list[Cost]

    @property
    def ratio(self) -> float:
        """Of the medians."""
        return median(c.both for c in self.product) / median(c.both for c in self.bare)


async def compare(house: House, name: str, repeats: int, each: int, steps: int, pause: float, at_once: int) -> Compared:
    """Product and bare workflow in turn, the first batch of both as a warm-up."""
    driver = Driver(house, pause)
    assert house.product.pid is not None
    assert house.bare.pid is not None
    products: list[Cost] = []
    bares: list[Cost] = []
    for n in range(repeats + 1):
        skus = [f"{name}-{n}-{i}" for i in range(each)]
        house.seed(skus)
        products.append(await batch(house, driver.replenish, skus, house.product.pid, at_once))
        bares.append(await batch(house, driver.plain(steps), skus, house.bare.pid, at_once))
    return Compared(products[1:], bares[1:])


async def counted(house: House, sku: str) -> Counted:
    """Reads the journals of one replenishment that has ended."""
    run = f"replenish-{sku}-1"
    theirs = f"i.target_service_key IN ({literal(sku)}, {literal(run)})"
    rows = await house.admin.query(
        "SELECT i.target_service_name AS service, j.entry_type AS kind, count(*) AS n FROM sys_journal j"
        f" JOIN sys_invocation i ON i.id = j.id WHERE {theirs} GROUP BY i.target_service_name, j.entry_type"
    )
    found = {(row["service"], row["kind"]): int(row["n"]) for row in rows}
    invocations = await house.admin.query(
        f"SELECT count(*) AS n FROM sys_invocation i WHERE status = 'completed' AND {theirs}"
    )
    runs = {service: n for (service, kind), n in found.items() if kind == "Command: Run"}
    # the relay has no key; it has no step either
    return Counted(
        runs.get("Replenish", 0),
        sum(runs.values()),
        found.get(("Replenish", "Command: Sleep"), 0),
        int(invocations[0]["n"]) + 1,
    )
