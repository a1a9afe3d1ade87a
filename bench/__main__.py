"""`python -m bench`: all figures from one run. About ten minutes; `--quick` takes a tenth and is good for a look."""

import argparse
import asyncio
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.cost import Costs, Counted, compare, counted, quiet, typical
from bench.house import House, house
from bench.machine import described
from bench.stories import Driver
from bench.waiting import held
from bench.wake import Wakes, after_suspension, in_memory

TARGET = 1.25
SHORT, LONG = 0.05, 1.5
"""Seconds of each wait: within, and beyond, what a run may wait in memory."""


def say(line: str = "") -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def show_costs(title: str, costs: Costs) -> None:
    say(f"\n{title}")
    say(f"  {'CPU ms of one':44} {'agent':>7} {'engine':>7} {'both':>7}  product to it")
    product = typical(costs["product"])
    for what, each in costs.items():
        cost = typical(each)
        spread = f"{min(c.both for c in each) * 1000:.0f}-{max(c.both for c in each) * 1000:.0f}"
        say(
            f"  {what:44} {cost.agent * 1000:7.1f} {cost.engine * 1000:7.1f} {cost.both * 1000:7.1f}"
            f"  {product.both / cost.both:5.2f}  (batches {spread})"
        )


def show_wakes(what: str, wakes: Wakes) -> None:
    p50, p99 = (wakes.percentile(p) * 1000 for p in (50, 99))
    say(f"  {what:44} p50 {p50:6.1f} ms   p99 {p99:6.1f} ms   of {len(wakes.seconds)}")


async def first(here: House) -> Counted:
    """One replenishment to see that everything works, and what it is made of."""
    here.seed(["first"])
    await Driver(here, SHORT).replenish("first")
    await quiet(here)
    return await counted(here, "first")


async def main(scale: float) -> None:
    say(described())
    with TemporaryDirectory(prefix="bench-") as folder:
        async with house(Path(folder)) as here:
            of = await first(here)
            say(
                f"one replenishment of happy-path: {of.run_steps} steps and {of.waits} waits in its run,"
                f" {of.all_steps} steps in {of.invocations} invocations in all"
            )
            bares = {
                f"bare workflow, {of.run_steps} steps, {of.waits} waits": of.run_steps,
                f"bare workflow, {of.all_steps} steps, {of.waits} waits": of.all_steps,
            }
            repeats, each = max(1, round(5 * scale)), max(10, round(40 * scale))
            costs = await compare(here, "short", repeats, each, bares, SHORT, 8)
            show_costs(f"waits of {SHORT:g} s, in memory ({repeats} batches of {each})", costs)
            costs = await compare(here, "long", repeats, each, bares, LONG, 40)
            show_costs(f"waits of {LONG:g} s, suspended ({repeats} batches of {each})", costs)
            say("\nwake of a waiting replenishment, message sent to next step")
            show_wakes("in memory", await in_memory(here, "wake", max(10, round(150 * scale))))
            show_wakes("after suspension", await after_suspension(here, "sleep", max(10, round(150 * scale)), 8))
            await quiet(here)
            n = max(100, round(2000 * scale))
            of_each = await held(here, "held", n, 16)
            say(f"\nheld by each of {n} waiting replenishments")
            say(f"  engine, memory {of_each.engine / 1024:6.1f} KiB   engine, disk {of_each.disk / 1024:6.1f} KiB")
            say(f"  agent, memory  {of_each.agent / 1024:6.1f} KiB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of everything")
    asyncio.run(main(0.1 if parser.parse_args().quick else 1.0))
