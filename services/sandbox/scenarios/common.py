"""What scripts share: the scenario as a value, the usual world, and what the ledger must show."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from sandbox.scenarios.stage import Stage, approve, confirm, goods

Script = Callable[[Sequence[Stage]], Awaitable[None]]
"""A script plays on one stage a part."""


def one(script: Callable[[Stage], Awaitable[None]]) -> Script:
    """A script for a single part."""

    async def play(stages: Sequence[Stage]) -> None:
        await script(stages[0])

    return play


@dataclass(frozen=True)
class Scenario:
    """A script with its variants; `variant` None is the base script. `skus` are the parts it plays with."""

    name: str
    shows: str
    variants: dict[str | None, Script]
    skus: tuple[str, ...] = ("SKU-123",)
    suppliers: tuple[str, ...] = ("A", "B", "C")
    """Approved suppliers of these parts."""
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    """Settings of its agent beside the usual ones."""


async def usual(stage: Stage) -> None:
    """The manager approves, A confirms at the order's own terms and delivers in full."""
    await stage.manager(approve())
    await stage.script("A", on_order=[confirm()], on_confirmed=[goods()])


async def one_order_at_a(stage: Stage, price: str = "4.20") -> None:
    """What the ledger must show at the end of a story in which A supplies everything once."""
    orders = await stage.orders()
    stage.equal("orders", [(o["supplier"], o["status"]) for o in orders], [("A", "received")])
    for order in orders:
        stage.equal("quantity", order["quantity"], "450")
        stage.equal("price", order["unit_price"], price)
        stage.equal("one key", order["idempotency_keys"], [order["po"]])
        stage.equal("one body", len(order["bodies"]), 1)


async def ends(stage: Stage, status: str, n: int = 1) -> None:
    outcome = await stage.outcome(n)
    stage.equal("outcome", outcome["status"], status)
