"""What happens around one part, drawn from a seed: suppliers' scripts, manager, buyer, faults, and how it should end.
Telling the sandbox is staging.py's part, deciding as the manager manager.py's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

Json = Any

PRICES = {"A": "4.20", "B": "4.35", "C": "4.50"}
WITHIN = {"A": "4.30", "B": "4.45", "C": "4.62"}
ABOVE = {"A": "4.60", "B": "4.80", "C": "4.90"}
"""Prices a supplier confirms at: the one quoted, one within 5 % of it, one above."""

OPERATIONS = {"quotes": 0.15, "orders": 0.3, "find": 0.1, "messages": 0.2, "accept": 0.3, "cancel": 0.3}
PEOPLE = {"requests": 0.2, "reminders": 0.15, "questions": 0.2, "notices": 0.15}
"""How likely a part meets a fault of each operation."""
LONG = 7
"""Requests that meet a long fault: one more than a step has attempts, so that the step fails."""
FREE_TEXT = (
    "Thanks, we will get back to you.",
    "Hi, all fine from our side, cheers",
    "Bonjour, nous avons bien note votre demande.",
    "see attachment",
)


@dataclass(frozen=True)
class Style:
    """How the manager of this part decides."""

    name: str
    after: tuple[float, float] = (0.05, 1.0)
    """Business days until he does."""
    rejects: int | None = None
    """The request (counted from 1) to which he says no; None approves all."""
    ignores: int = 0
    """So many requests he never answers."""
    another: bool = False
    """With `rejects`: he wants another of the quotes."""
    lowers: bool = False
    raises: bool = False
    """He first tries to raise the ceiling, which is refused."""
    twice: bool = False
    """He says the opposite a moment later, which is refused."""


@dataclass(frozen=True)
class Plan:
    sku: str
    story: tuple[str, ...]
    """What was drawn, in words, for the table."""
    manager: Style
    quotes: Mapping[str, str | None]
    scripts: Mapping[str, Mapping[str, Json]]
    buyer: Sequence[Mapping[str, Json]]
    faults: Sequence[tuple[str, Mapping[str, Json]]]
    """Party (a supplier or `people`) and fault."""
    price_change: tuple[str, str, float] | None = None
    """Supplier, price, and after how many days he asks it."""
    cancel_after: float | None = None
    """Business days after which the operator cancels what runs."""

    @property
    def other_ends(self) -> frozenset[str]:
        """Outcomes beside `received` that people here ask for."""
        says_no = self.manager.rejects is not None and not self.manager.another
        asked = {"rejected"} if says_no else set[str]()
        return frozenset(asked if self.cancel_after is None else {*asked, "cancelled"})


def draw(seed: int, sku: str) -> Plan:
    """The plan of a part; the same seed draws the same."""
    rng = Random(f"{seed}/{sku}")
    style = _style(rng)
    story = [f"manager {style.name}"]
    scripts: dict[str, Mapping[str, Json]] = {}
    # the last resort always supplies, so that an undisturbed world ends with the goods in
    for supplier, kinds in (("A", _KINDS), ("B", _KINDS), ("C", _SAFE)):
        name = rng.choices(tuple(kinds), tuple(kinds.values()))[0]
        goods = rng.choices(tuple(_GOODS), tuple(_GOODS.values()))[0]
        scripts[supplier] = _script(rng, supplier, name, goods)
        if supplier == "A":
            story += [f"A {name}", f"goods {goods}"]
    quotes = {s: None if s != "C" and rng.random() < 0.04 else p for s, p in PRICES.items()}
    change = ("A", rng.choice(("4.30", "4.50")), rng.uniform(0.1, 1.5)) if rng.random() < 0.08 else None
    cancel = rng.uniform(0.2, 5) if rng.random() < 0.03 else None
    if change:
        story.append("price moved")
    if cancel is not None:
        story.append("operator cancels")
    return Plan(
        sku,
        tuple(story),
        style,
        quotes,
        scripts,
        _buyer(rng),
        _faults(rng),
        change,
        cancel,
    )


def _style(rng: Random) -> Style:
    late = (3.3, 7.5)
    styles = (
        (Style("prompt"), 55),
        (Style("late", late), 10),
        (Style("lowers", lowers=True), 10),
        (Style("decides twice", twice=True), 8),
        (Style("raises first", raises=True), 5),
        (Style("rejects", rejects=1), 1),
        (Style("rejects terms", rejects=2), 1),
        (Style("wants another", rejects=1, another=True), 4),
        (Style("ignores, then late", late, ignores=1), 2),
    )
    return rng.choices([s for s, _ in styles], [w for _, w in styles])[0]


_KINDS = {
    "confirms": 30,
    "confirms within": 10,
    "confirms above": 6,
    "confirms with a date": 8,
    "confirms too late": 4,
    "confirms short": 3,
    "other currency": 2,
    "declines": 6,
    "asks": 9,
    "asks the buyer": 5,
    "silent": 8,
    "free text": 6,
    "receipt first": 4,
    "says it twice": 5,
    "raises afterwards": 4,
}
_SAFE = {"confirms": 6, "confirms within": 1, "confirms with a date": 1, "silent": 1, "asks": 1}
_GOODS = {"whole": 40, "parts": 20, "note twice": 12, "message twice": 8, "a few more": 6, "many more": 5, "early": 9}


def _script(rng: Random, supplier: str, kind: str, goods: str) -> Mapping[str, Json]:
    soon = {"after_days": round(rng.uniform(0.05, 2), 2)}
    later = {"after_days": round(rng.uniform(2.2, 4), 2)}
    again = {"after_days": 0.4, "send": "confirm"}
    confirm: dict[str, Json] = soon | {"send": "confirm"}
    script: dict[str, Json] = {"on_order": [confirm], "on_chase": [again], "on_answer": [again]}
    match kind:
        case "confirms within":
            script["on_order"] = [confirm | {"unit_price": WITHIN[supplier]}]
            script["on_chase"] = [again | {"unit_price": WITHIN[supplier]}]
        case "confirms above":
            script["on_order"] = [confirm | {"unit_price": ABOVE[supplier]}]
            script["on_chase"] = [again | {"unit_price": ABOVE[supplier]}]
        case "confirms with a date":
            script["on_order"] = [confirm | {"promised_days": rng.randint(2, 9)}]
        case "confirms too late":
            script["on_order"] = [confirm | {"promised_days": 16}]
        case "confirms short":
            script["on_order"] = [confirm | {"quantity": "400"}]
        case "other currency":
            script["on_order"] = [confirm | {"currency": "EUR"}]
        case "declines":
            script["on_order"] = [soon | {"send": "decline"}]
            script["on_chase"] = [{"after_days": 0.4, "send": "decline"}]
        case "asks":
            script["on_order"] = [soon | {"send": "ask", "topic": rng.choice(("dock", "address", "contact", "vat"))}]
        case "asks the buyer":
            script["on_order"] = [soon | {"send": "ask", "text": "Which colour of cap do you need for this order?"}]
        case "silent":
            script["on_order"] = []
        case "free text":
            script["on_order"] = [soon | {"send": "text", "text": rng.choice(FREE_TEXT)}, later | {"send": "confirm"}]
        case "receipt first":
            script["on_order"] = [soon | {"send": "receipt"}, later | {"send": "confirm"}]
        case "says it twice":
            script["on_order"] = [confirm, {**confirm, "after_days": soon["after_days"] + 0.05}]
        case "raises afterwards":
            script["on_order"] = [confirm, later | {"send": "confirm", "unit_price": ABOVE[supplier]}]
        case _:
            pass
    return script | _deliveries(rng, goods)


def _deliveries(rng: Random, goods: str) -> Mapping[str, Json]:
    first, second = round(rng.uniform(0.5, 4), 2), round(rng.uniform(4.1, 7), 2)
    match goods:
        case "parts":
            return {"deliver": [{"after_days": first, "quantity": "200"}, {"after_days": second}]}
        case "note twice":
            return {"deliver": [{"after_days": first, "quantity": "200", "repeat": 2}, {"after_days": second}]}
        case "message twice":
            return {"deliver": [{"after_days": first, "repeat": 2, "same_id": True}]}
        case "a few more":
            return {"deliver": [{"after_days": first, "quantity": "460"}]}
        case "many more":
            return {"deliver": [{"after_days": first, "quantity": "520"}]}
        case "early":
            return {
                "deliver": [{"after_days": 0.3, "quantity": "200"}, {"after_days": second}],
                "deliver_from": "order",
            }
        case _:
            return {"deliver": [{"after_days": rng.choice((first, second, 14.0))}]}


def _buyer(rng: Random) -> Sequence[Mapping[str, Json]]:
    choices = {
        "question": "answer",
        "unreadable": rng.choice(("ignore", "confirmed")),
        "acknowledged-quantity": "accept",
        "late-date": "accept",
        "over-delivery": rng.choice(("accept", "leave")),
        "no-reply": "chase_again",
        "no-goods": "chase_again",
        "no-decision": "look_again",
        "terms-unanswered": "cancel",
        "cancel-refused": "accept",
        "cancel-unknown": "look_again",
        "no-quote": "look_again",
        "excess-quantity": "accept",
    }
    return [
        {"subject": s, "choice": c, "text": "Please go ahead.", "after_days": round(rng.uniform(0.05, 1), 2)}
        for s, c in choices.items()
    ]


def _faults(rng: Random) -> Sequence[tuple[str, Mapping[str, Json]]]:
    found: list[tuple[str, Mapping[str, Json]]] = []
    for supplier in PRICES:
        found += [(supplier, _fault(rng, op)) for op, chance in OPERATIONS.items() if rng.random() < chance]
    found += [("people", _fault(rng, op)) for op, chance in PEOPLE.items() if rng.random() < chance]
    if rng.random() < 0.04:
        # he takes the order and nobody hears of him for days
        gone = {"operation": "*", "kind": "drop", "times": None, "for_days": round(rng.uniform(3, 12), 1)}
        found.insert(0, ("A", {"operation": "orders", "kind": "reply_lost", "then": {"fault": gone}}))
    return found


def _fault(rng: Random, operation: str) -> Mapping[str, Json]:
    kind = rng.choice(("down", "drop", "reply_lost", "slow", "malformed"))
    fault: dict[str, Json] = {"operation": operation, "kind": kind, "skip": rng.choice((0, 0, 0, 1))}
    fault["times"] = LONG if rng.random() < 0.12 else rng.randint(1, 3)
    if kind == "slow":
        fault["seconds"] = round(rng.uniform(0.2, 2.5), 2)
    if kind == "malformed":
        fault["work"] = rng.random() < 0.5
    return fault
