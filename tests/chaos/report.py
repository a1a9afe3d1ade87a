"""The table at the end of a chaos run: what must be 0, how the parts ended and why, what was done to them."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from chaos.audit import Finding
from chaos.course import Course

ENOUGH = 0.95
SHOWN = 12


def others(course: Course) -> dict[str, list[str]]:
    """Parts that were not `received`, with all their outcomes."""
    ends = {sku: [o.status.value for o in entity.outcomes] for sku, entity in course.seen.entities.items()}
    return {sku: ends.get(sku, []) for sku in course.plans if "received" not in ends.get(sku, [])}


def as_asked(course: Course) -> set[str]:
    """Of the others those that ended as people asked: rejected, or cancelled by the operator."""
    return {sku for sku, ends in others(course).items() if course.plans[sku].other_ends.intersection(ends)}


def received(course: Course) -> float:
    """The share of `received` among the parts that nobody kept from it."""
    could = len(course.plans) - len(as_asked(course))
    return (len(course.plans) - len(others(course))) / max(1, could)


def breached(course: Course, findings: Sequence[Finding]) -> bool:
    return any(f.cases for f in findings) or received(course) < ENOUGH


def table(course: Course, findings: Sequence[Finding]) -> Iterator[str]:
    setting = course.setting
    yield f"chaos: {setting.n} replenishments, seed {setting.seed}, a day is {setting.day:g} s"
    yield f"{len(course.kills)} kills: {_counted(Counter(course.kills))}"
    yield f"{sum(course.faults.values())} faults: {_counted(Counter(course.faults))}"
    yield f"{course.seconds:.0f} s, {course.cpu:.0f} s of CPU"
    yield ""
    for finding in findings:
        yield f"{len(finding.cases):>5}  {finding.what}"
        yield from (f"         {case}" for case in finding.cases[:SHOWN])
    yield ""
    asked = as_asked(course)
    in_stock = len(course.plans) - len(others(course))
    yield f"{in_stock:>5}  parts received, {received(course):.1%} of those nobody kept from it"
    for sku, ends in others(course).items():
        why = "as asked" if sku in asked else "why"
        reasons = "; ".join(o.reason for o in course.seen.entities[sku].outcomes) if sku in course.seen.entities else ""
        yield f"         {sku}: {', '.join(ends) or 'nothing'} ({why}: {reasons or ', '.join(course.plans[sku].story)})"
    yield ""
    outcomes = [(sku, o) for sku, e in course.seen.entities.items() for o in e.outcomes]
    for status, n in Counter(o.status.value for _, o in outcomes).most_common():
        yield f"{n:>5}  {status}"
        others_of_it = [(sku, o) for sku, o in outcomes if o.status.value == status != "received"]
        yield from (f"         {sku}: {o.reason} [{', '.join(course.plans[sku].story)}]" for sku, o in others_of_it)
    yield from _refusals(course)
    lost = [o for e in course.seen.entities.values() for o in e.orders.values()]
    if lost:
        yield "carried on: " + ", ".join(f"{o.po} {o.status.value}" for o in lost)


def _refusals(course: Course) -> Iterator[str]:
    refused = [m for m in course.seen.ledger["told"] if m["state"] == "refused"]
    yield f"{len(refused):>5}  messages refused with a sentence"
    sentences = Counter(f"{m['handler']} {m['status']}: {_reason(m['answer'])}" for m in refused)
    yield from (f"         {n} {sentence}" for sentence, n in sentences.most_common())


def _reason(text: str) -> str:
    """Without numbers and names, so that alike is counted as alike."""
    plain = re.sub(r"\{.*?\"message\":\s*\"(.*?)\".*\}", r"\1", text)
    return re.sub(r"SKU-\d+|\d[\d.:-]*", "…", plain)[:160]


def _counted(counter: Counter[str]) -> str:
    return ", ".join(f"{n} {name}" for name, n in counter.most_common())
