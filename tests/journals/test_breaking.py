"""The check itself is checked: each change to the code that would break running replenishments makes their replay
fail, with a sentence that names a recorded run and what differs; changes that are allowed do not."""

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, fields, make_dataclass
from datetime import datetime
from typing import Any

import pytest

from journals.recordings import one
from journals.replaying import WouldBreak, lacks, replay
from replenisher.domain import rules
from replenisher.domain.outcome import Outcome, OutcomeStatus
from replenisher.handlers import entity as entity_module
from replenisher.handlers import journal as journal_module
from replenisher.handlers import replenish as replenish_module
from replenisher.handlers import serde
from replenisher.handlers.entity import Active, Entity
from replenisher.handlers.journal import RestateJournal
from replenisher.harness import loop
from replenisher.harness.decider import Decision
from replenisher.harness.journal import Ended
from replenisher.harness.shape import dump, load
from replenisher.tools import TOOLS, drafting
from replenisher.tools.closing import ClosePurchaseOrder
from replenisher.tools.mailroom import ReplenishmentMail

Patch = pytest.MonkeyPatch


def why(name: str, service: str = "Replenish", n: int = 0) -> str:
    """The sentence with which the replay of this recording fails."""
    recording, run = one(name, service, n)
    with pytest.raises(WouldBreak) as broken:
        replay(recording, run)
    sentence = str(broken.value)
    assert sentence.startswith(f"{run.target} as recorded in {recording.name}")
    assert "would break:" in sentence
    return sentence


def follows(name: str, service: str = "Replenish", n: int = 0) -> None:
    replay(*one(name, service, n))


# --- names ------------------------------------------------------------------------------------------------------------


def renaming(monkeypatch: Patch, what: str, was: str, becomes: str) -> None:
    """`step`, `wait` or `withdraw` of the journal get another name wherever it begins with `was`."""
    before: Callable[..., Any] = getattr(RestateJournal, what)

    def renamed(self: RestateJournal, name: str, *rest: Any) -> Awaitable[Any]:
        return before(self, name.replace(was, becomes), *rest)

    monkeypatch.setattr(RestateJournal, what, renamed)


def test_a_renamed_step(monkeypatch: Patch) -> None:
    renaming(monkeypatch, "step", "draft_purchase_order-", "draft-")
    said = why("happy-path")
    assert "draft-2" in said
    assert "draft_purchase_order-2" in said


def test_a_renamed_wait(monkeypatch: Patch) -> None:
    renaming(monkeypatch, "wait", "wait_for_goods-", "await_goods-")
    said = why("happy-path")
    assert "await_goods-8-timeout" in said


def test_a_renamed_promise(monkeypatch: Patch) -> None:
    before = RestateJournal._future

    def renamed(self: RestateJournal, promise: str) -> Any:
        return before(self, promise.replace("goods-", "delivery-"))

    monkeypatch.setattr(RestateJournal, "_future", renamed)
    said = why("happy-path")
    assert "delivery-1" in said
    assert "goods-1" in said


def test_a_renamed_withdrawal(monkeypatch: Patch) -> None:
    renaming(monkeypatch, "withdraw", "PO-", "ORDER-")
    assert "ORDER-" in why("cancelled-in-engine")


def test_promises_in_another_order(monkeypatch: Patch) -> None:
    monkeypatch.setattr(ReplenishmentMail, "streams", tuple(reversed(ReplenishmentMail.streams)))
    assert "promise" in why("happy-path")


def test_a_renamed_state_key(monkeypatch: Patch) -> None:
    monkeypatch.setattr(journal_module, "RECORDS", "published-")
    said = why("happy-path")
    assert "published-0" in said
    assert "records-0" in said


def test_a_renamed_tool(monkeypatch: Patch) -> None:
    monkeypatch.setattr(ClosePurchaseOrder, "name", "close_order")
    assert "close_purchase_order" in why("happy-path")


def test_a_tool_that_is_gone(monkeypatch: Patch) -> None:
    monkeypatch.setattr("replenisher.tools.mailroom.TOOLS", [t for t in TOOLS if t.name != "close_purchase_order"])
    assert "'close_purchase_order', which is not a tool of this code" in why("happy-path")


# --- steps ------------------------------------------------------------------------------------------------------------


def test_a_step_more(monkeypatch: Patch) -> None:
    before = RestateJournal.step

    async def twice(self: RestateJournal, name: str, action: Any, shape: Any) -> Any:
        if name.startswith("place_order-"):
            await before(self, f"credit-{name}", action, shape)
        return await before(self, name, action, shape)

    monkeypatch.setattr(RestateJournal, "step", twice)
    said = why("happy-path")
    assert "credit-place_order-5" in said


def test_a_step_less(monkeypatch: Patch) -> None:
    async def unrecorded(self: Any, state: Any, arguments: Any, context: Any, journal: Any, turn: int) -> Any:
        return drafting.Drafted("PO-4471", drafting.purchases(state)[0], state.now)

    monkeypatch.setattr(drafting.DraftPurchaseOrder, "execute", unrecorded)
    assert "draft_purchase_order-2" in why("happy-path")


def test_a_turn_more_at_the_end(monkeypatch: Patch) -> None:
    """The loop does not end where it ended: after everything recorded it goes on."""
    monkeypatch.setattr("replenisher.domain.state.State.ended", property(lambda self: False))
    assert "would break" in why("happy-path")


# --- shapes of results ------------------------------------------------------------------------------------------------


def test_a_new_field_without_a_default(monkeypatch: Patch) -> None:
    @dataclass(frozen=True, slots=True)
    class Quoted:
        quotes: list[drafting.Quote]
        asked_at: datetime
        refused: str | None = None

    monkeypatch.setattr(drafting, "Quoted", Quoted)
    said = why("happy-path")
    assert "asked_at" in said


def test_a_renamed_field(monkeypatch: Patch) -> None:
    @dataclass(frozen=True, slots=True)
    class Quoted:
        offers: list[drafting.Quote]
        refused: str | None = None

    monkeypatch.setattr(drafting, "Quoted", Quoted)
    assert "offers" in why("happy-path")


def test_another_type(monkeypatch: Patch) -> None:
    async def numbered(self: Any, state: Any, arguments: Any, context: Any, journal: Any, turn: int) -> Any:
        return await journal.step(f"{self.name}-{turn}", None, int)

    monkeypatch.setattr(drafting.DraftPurchaseOrder, "execute", numbered)
    assert "int" in why("happy-path")


def test_a_new_field_with_a_default_is_allowed(monkeypatch: Patch) -> None:
    """The recorded result is published as it was recorded, so its bytes stay."""

    @dataclass(frozen=True, slots=True)
    class Wider(Decision):
        confidence: float = 1.0

    monkeypatch.setattr(loop, "Decision", Wider)
    follows("happy-path")


# --- what is set and sent ---------------------------------------------------------------------------------------------


def test_a_changed_byte_of_what_is_set(monkeypatch: Patch) -> None:
    def spaced(self: Any, obj: Any) -> bytes:
        return json.dumps(obj, ensure_ascii=False).encode()

    monkeypatch.setattr(serde.RawJson, "serialize", spaced)
    assert "set state" in why("happy-path").lower()


def test_a_field_more_in_what_is_published(monkeypatch: Patch) -> None:
    before = RestateJournal.step

    async def stamped(self: RestateJournal, name: str, action: Any, shape: Any) -> Any:
        recorded = await before(self, name, action, shape)
        self._records[-1]["code"] = 2
        return recorded

    monkeypatch.setattr(RestateJournal, "step", stamped)
    assert "set state" in why("happy-path").lower()


def test_publishing_at_another_moment(monkeypatch: Patch) -> None:
    before = RestateJournal.wait

    async def late(
        self: RestateJournal, name: str, streams: Sequence[str], promises: Sequence[str], until: Any
    ) -> Ended:
        ended = await before(self, name, streams, promises, until)
        self.publish()
        return ended

    monkeypatch.setattr(RestateJournal, "wait", late)
    assert "would break" in why("happy-path")


def test_what_a_relay_sends(monkeypatch: Patch) -> None:
    monkeypatch.setattr(serde.RawJson, "serialize", lambda self, obj: json.dumps(obj, indent=1).encode())
    assert "Relay" in why("happy-path", "Relay")


def test_a_field_less_in_the_result(monkeypatch: Patch) -> None:
    kept = [(f.name, f.type, f) for f in fields(replenish_module.Result) if f.name != "consumed"]
    smaller = make_dataclass("Result", [(n, t) if f.default is not None else (n, t, None) for n, t, f in kept])
    monkeypatch.setattr(
        replenish_module,
        "Result",
        lambda outcome, consumed, orders, begun_with=None: smaller(outcome, orders, begun_with),
    )
    monkeypatch.setattr(replenish_module, "dump", lambda shape, value: dump(smaller, value))
    assert "consumed is gone" in why("happy-path")


def test_an_outcome_that_says_something_else(monkeypatch: Patch) -> None:
    before = replenish_module.dump

    def otherwise(shape: Any, value: Any) -> Any:
        told = before(shape, value)
        if "outcome" in told:
            told["outcome"]["status"] = OutcomeStatus.GAVE_UP.value
        return told

    monkeypatch.setattr(replenish_module, "dump", otherwise)
    assert "outcome.status is 'gave_up' where 'received' was recorded" in why("happy-path")


# --- rules ------------------------------------------------------------------------------------------------------------


def test_a_rule_changed_for_a_version_that_runs_have_changes_no_command(monkeypatch: Patch) -> None:
    """Recorded decisions stand: nothing fails, and that is why rules ask for the version. Only what is decided from
    now on would go by the changed rule."""
    monkeypatch.setitem(rules.VALID_QUOTES_NEEDED, 1, 4)
    follows("happy-path")


def test_a_rules_version_that_is_no_longer_known(monkeypatch: Patch) -> None:
    monkeypatch.delitem(rules.VALID_QUOTES_NEEDED, 1)
    assert "would break" in why("happy-path")


def test_a_new_rules_version_is_allowed(monkeypatch: Patch) -> None:
    monkeypatch.setitem(rules.VALID_QUOTES_NEEDED, 3, 2)
    follows("happy-path")
    follows("rule-change", n=1)


# --- stored state -----------------------------------------------------------------------------------------------------


def a_stored_entity() -> Any:
    recording, _ = one("happy-path")
    return recording.entities[0]


@pytest.mark.parametrize("gone", ["generation", "seen", "orders"])
def test_a_removed_field_of_the_entity_is_noticed(gone: str) -> None:
    left = [(f.name, f.type, field(default=None)) for f in fields(Entity) if f.name != gone]
    namespace = {"__module__": entity_module.__name__}
    smaller = make_dataclass("Entity", left, namespace=namespace)
    read_back = {k: v for k, v in a_stored_entity().items() if k in {f.name for f in fields(smaller)}}
    assert lacks(read_back, a_stored_entity()) == f"{gone} is gone"


def test_a_new_field_of_the_entity_with_a_default_is_allowed() -> None:
    @dataclass(frozen=True, slots=True)
    class Wider(Entity):
        priority: int = 0

    assert lacks(dump(Wider, load(Wider, a_stored_entity())), a_stored_entity()) is None


def test_lacks_names_the_place() -> None:
    active = dump(Active, Active("r", 1, "i", "y", datetime.fromisoformat("2026-06-01T00:00:00+00:00")))
    assert lacks({**active, "more": 1}, active) is None
    assert lacks({"active": {**active, "n": 2}}, {"active": active}) == "active.n is 2 where 1 was recorded"
    assert lacks([1], [1, 2]) == " is [1] where [1, 2] was recorded"
    shorter = {f.name for f in fields(Outcome)} - {"reason"}
    assert lacks(dict.fromkeys(shorter), dict.fromkeys([*shorter, "reason"])) == "reason is gone"
