"""What one replenishment costs: CPU of engine and agent, beside the bare workflow and the empty shape."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from bench.house import House
from bench.machine import cpu_seconds
from bench.stories import Driver, Story, drive_all
from replenisher.engine.admin import literal
from replenisher.engine.process import Deadline

QUIET_SECONDS = 120.0
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
    """What the engine's journals hold of one replenishment."""

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


async def batch(house: House, story: Story, keys: Sequence[str], agent: int, at_once: int) -> Cost:
    """Drives the keys; the mean of one."""
    await quiet(house)
    before = cpu_seconds(agent), cpu_seconds(house.engine)
    await drive_all(story, keys, at_once)
    await quiet(house)
    after = cpu_seconds(agent), cpu_seconds(house.engine)
    return Cost((after[0] - before[0]) / len(keys), (after[1] - before[1]) / len(keys))


Costs = Mapping[str, Sequence[Cost]]


def typical(costs: Sequence[Cost]) -> Cost:
    """The medians over the batches."""
    return Cost(median(c.agent for c in costs), median(c.engine for c in costs))


async def compare(
    house: House, name: str, repeats: int, each: int, bares: Mapping[str, int], pause: float, at_once: int
) -> Costs:
    """The product, its shape and bare workflows of so many steps, batch by batch in turn, so that what else the machine
    does meets all alike. The first batch of each is a warm-up."""
    driver = Driver(house, pause)
    costs: dict[str, list[Cost]] = {what: [] for what in ("product", "shape", *bares)}
    for n in range(repeats + 1):
        keys = [f"{name}-{n}-{i}" for i in range(each)]
        house.seed(keys)
        costs["product"].append(await batch(house, driver.replenish, keys, house.product_pid, at_once))
        costs["shape"].append(await batch(house, driver.shell, keys, house.bare_pid, at_once))
        for what, steps in bares.items():
            mine = [f"{key}-{steps}" for key in keys]
            costs[what].append(await batch(house, driver.plain(steps), mine, house.bare_pid, at_once))
    return {what: each[1:] for what, each in costs.items()}


async def counted(house: House, sku: str) -> Counted:
    """Reads the journals of one replenishment that has ended."""
    theirs = f"i.target_service_key IN ({literal(sku)}, {literal(f'replenish-{sku}-1')})"
    rows = await house.admin.query(
        "SELECT i.target_service_name AS service, j.entry_type AS kind, count(*) AS n FROM sys_journal j"
        f" JOIN sys_invocation i ON i.id = j.id WHERE {theirs} GROUP BY i.target_service_name, j.entry_type"
    )
    found = {(row["service"], row["kind"]): int(row["n"]) for row in rows}
    invocations = await house.admin.query(
        f"SELECT count(*) AS n FROM sys_invocation i WHERE status = 'completed' AND {theirs}"
    )
    runs = {service: n for (service, kind), n in found.items() if kind == "Command: Run"}
    # the relay has no key, and no step either
    return Counted(
        runs["Replenish"], sum(runs.values()), found["Replenish", "Command: Sleep"], int(invocations[0]["n"]) + 1
    )
