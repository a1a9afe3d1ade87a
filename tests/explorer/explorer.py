"""Walks every sequence of moves of a hijacked decider and a hostile world, on the product's own tools and rules."""

from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import product
from typing import Any, TypeVar, cast

from explorer.world import Words, World, context
from replenisher.domain.approval import Verdict
from replenisher.domain.message import ANSWER, GOODS, OPERATOR, SUPPLIER_REPLY, Message
from replenisher.domain.order import AT_SUPPLIER, OrderStatus
from replenisher.domain.ports import Refused, Unavailable
from replenisher.domain.reading import Reading
from replenisher.domain.state import State
from replenisher.harness.journal import Ended, Recorded, StepFailed
from replenisher.harness.loop import offers
from replenisher.harness.shape import dump
from replenisher.harness.tool import Action, Wait
from replenisher.tools import TOOLS
from replenisher.tools.mailroom import ReplenishmentMail
from support.inmemory import D

T = TypeVar("T")
MAIL = ReplenishmentMail()


def readings(now: datetime) -> dict[str, Reading]:
    """What mails can say: honest, greedy and lying."""
    far = (now + timedelta(days=40)).date()
    return {
        "agrees": Reading(accepted=True),
        "within": Reading(accepted=True, unit_price=D("4.35"), currency="USD"),
        "above": Reading(accepted=True, unit_price=D("6.00"), currency="USD"),
        "euro": Reading(accepted=True, unit_price=D("4.20"), currency="EUR"),
        "more": Reading(accepted=True, quantity=D(4500)),
        "fewer": Reading(accepted=True, quantity=D(200)),
        "late": Reading(accepted=True, promised_date=far),
        "declines": Reading(declined=True),
        "asks": Reading(question=True, question_topic="dock"),
        "noise": Reading(automatic=True),
        "nothing": Reading(),
    }


FATES: dict[str, tuple[tuple[str, ...], ...]] = {
    "get_quotes": ((), ("down", "down")),
    "check_order": ((), ("down", "down")),
    "cancel_order": ((), ("refused",), ("down", "down"), ("lost", "ok")),
    "accept_terms": ((), ("down", "down"), ("lost", "lost"), ("late",)),
    # the first is the reprice; then the attempts to order
    "place_order": (
        (),
        ("ok", "lost", "ok"),
        ("ok", "lost", "lost"),
        ("ok", "down", "down"),
        ("ok", "refused"),
        ("late",),
        ("ok", "lost", "late"),
        ("down", "down"),
    ),
}
MOVED = {"place_order": ({}, {"A": (D("4.30"), "USD")}, {"A": (D("4.60"), "USD")}, {"A": (D("4.20"), "EUR")})}
"""Quotes may move before the price is fetched again."""


class OneMove:
    """The journal of one move: two attempts a step, no engine."""

    def __init__(self, world: World) -> None:
        self.world = world

    async def step(self, name: str, action: Callable[[], Awaitable[T]], shape: type[T]) -> Recorded[T]:
        for _ in range(2):
            self.world.attempt_begins()
            try:
                return Recorded(await action(), self.world.time)
            except Unavailable:
                continue
            except Refused as refused:
                raise StepFailed(name, str(refused), self.world.time) from refused
        raise StepFailed(name, "unreachable", self.world.time)

    async def wait(self, name: str, streams: Sequence[str], promises: Sequence[str], until: datetime) -> Ended:
        raise AssertionError("a move never waits")

    async def withdraw(self, promise: str, reason: str) -> Ended | None:
        return None

    def publish(self) -> None:
        return None

    async def announce(self) -> None:
        return None


def finish(move: Coroutine[Any, Any, T]) -> T:
    """Nothing in memory really waits, so one push runs a coroutine to its end."""
    try:
        move.send(None)
    except StopIteration as end:
        return cast("T", end.value)
    raise AssertionError("something waited")


@dataclass
class Report:
    states: int = 0
    depth: int = 0
    tools: set[str] = field(default_factory=set[str])
    statuses: set[OrderStatus] = field(default_factory=set[OrderStatus])
    breaches: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Each breach with the moves that led to it."""
    ended: set[str] = field(default_factory=set[str])


Node = tuple[State, World, tuple[str, ...]]


def explore(starts: Sequence[tuple[State, World]], depth: int, most: int, report: Report | None = None) -> Report:
    """Breadth first to this depth, or until `most` states were seen at the last one."""
    report = report or Report()
    level: list[Node] = [(state, world, ()) for state, world in starts]
    seen = {key(s, w) for s, w, _ in level}
    for at in range(1, depth + 1):
        following: list[Node] = []
        for state, world, path in level:
            for after, outside, move in moves(state, world, report):
                if outside.breaches:
                    report.breaches.setdefault(outside.breaches[0], (*path, move))
                    continue
                k = key(after, outside)
                if k in seen:
                    continue
                seen.add(k)
                report.statuses |= {o.status for o in after.orders.values()}
                if after.outcome is not None:
                    report.ended.add(after.outcome.status.value)
                    continue
                following.append((after, outside, (*path, move)))
        report.states += len(following)
        report.depth = at
        if len(following) > most:
            stride = len(following) / most
            following = [following[int(i * stride)] for i in range(most)]
        level = following
        if not level:
            break
    return report


def key(state: State, world: World) -> int:
    return hash((repr(replace(state, heard=(), quoted_at=None)), world.key()))


def moves(state: State, world: World, report: Report) -> Iterator[tuple[State, World, str]]:
    for tool in offers(TOOLS, state):
        report.tools.add(tool.name)
        if isinstance(tool, Wait):
            yield from heard(tool, state, world)
            continue
        choices = tool.choices(state)
        for values in product(*choices.values()):
            arguments = dict(zip(choices, values, strict=True))
            for moved in MOVED.get(tool.name, ({},)):
                for fates in FATES.get(tool.name, ((),)):
                    outside = world.copy()
                    outside.price.update(moved)
                    outside.fates = fates
                    after = act(cast("Action[State, Any, Any]", tool), state, arguments, outside)
                    yield after, outside, f"{tool.name}{values or ''}{moved or ''}{fates or ''}"


def act(tool: Action[State, Any, Any], state: State, arguments: dict[str, str], world: World) -> State:
    ctx = context(world, Words(readings(state.now)))
    result = finish(cast("Coroutine[Any, Any, Any]", tool.execute(state, arguments, ctx, OneMove(world), 1)))
    world.fates = ()
    return withdrawn(tool.apply(state, arguments, result))


def withdrawn(state: State) -> State:
    for promise, _ in MAIL.withdrawn(state):
        state = MAIL.settled(state, promise, None)
    return state


def heard(tool: Wait[State, Any], state: State, world: World) -> Iterator[tuple[State, World, str]]:
    """Everything that may end a wait."""
    outside = world.copy()
    outside.time = max(world.time, tool.until(state))
    yield withdrawn(tool.timed_out(state, outside.time)), outside, f"{tool.name}: time"
    for approval in MAIL.promises(state):
        asked = state.approvals[approval]
        for verdict in (Verdict(True, "boss"), Verdict(True, "boss", asked.unit_price), Verdict(False, "boss")):
            outside = world.copy()
            if verdict.approved and approval in outside.asked:
                outside.says_yes(approval, verdict.ceiling)
            if not verdict.approved:
                outside.gives_reason(asked.po)
            payload = {**dump(Verdict, verdict), "at": world.time.isoformat()}
            yield hear(state, Ended(approval, payload, world.time)), outside, f"{approval} {verdict.approved}"
    for message, outside, move in messages(state, world):
        after = hear(state, Ended(message.event, dump(Message, message), world.time))
        yield after, outside, move


def hear(state: State, ended: Ended) -> State:
    return withdrawn(MAIL.hear(state, ended))


def messages(state: State, world: World) -> Iterator[tuple[Message, World, str]]:
    number = len(state.heard)
    at = max(world.time, state.now)
    for order in state.orders.values():
        if order.status not in AT_SUPPLIER:
            continue
        for name in readings(at):
            for sender in (order.supplier, "B" if order.supplier == "A" else "A"):
                if sender != order.supplier and name not in ("above", "declines"):
                    continue
                outside = world.copy()
                if sender == order.supplier and name != "agrees":
                    outside.gives_reason(order.po)
                yield (
                    Message(f"m{number}", SUPPLIER_REPLY, at, sender, order.po, {"text": name}),
                    outside,
                    f"{sender} on {order.po}: {name}",
                )
        if order.po in world.book:
            for quantity in {order.outstanding, D(200)} - {D(0)}:
                outside = world.copy()
                outside.on_hand += quantity
                received = order.received + quantity
                whole = received >= order.quantity
                outside.book[order.po] = outside.book[order.po]._replace(status="received" if whole else "confirmed")
                yield (
                    Message(
                        f"m{number}",
                        GOODS,
                        at,
                        "warehouse",
                        order.po,
                        note=f"DN{number}",
                        booked=quantity,
                        received=received,
                        on_hand=outside.on_hand,
                    ),
                    outside,
                    f"goods {quantity} on {order.po}",
                )
    for question in state.questions.values():
        if question.open:
            for choice in question.choices:
                outside = world.copy()
                if choice in ("cancel", "declined") and question.po is not None:
                    outside.gives_reason(question.po)
                yield (
                    Message(f"m{number}", ANSWER, at, "buyer", question=question.id, choice=choice, text="yes"),
                    outside,
                    f"{question.id}: {choice}",
                )
    outside = world.copy()
    outside.gives_reason(*(o.po for o in state.orders.values() if o.sku == state.sku))
    yield Message(f"m{number}", OPERATOR, at, "operator", text="stop"), outside, "cancel"
