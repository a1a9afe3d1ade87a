"""The guard around the decider: code has the last word on every choice, and keeps why an answer was not taken."""

import asyncio
from collections.abc import Mapping

import pytest

from replenisher.harness.decider import ASKED_TWICE, Choice, Unusable, choose, flaw
from replenisher.harness.tool import Option
from support.toy import Scripted

WATER = Option("water", "Pour a can.", {"can": ("green", "blue")})
MOVE = Option("move", "Carry it.", {"to": ("shade", "sun"), "by": ("hand", "cart")})
STOP = Option("stop", "Go inside.", {})
OPTIONS = (WATER, MOVE, STOP)
GOOD = Choice("water", {"can": "blue"}, "thirsty", "model")


@pytest.mark.parametrize(
    "choice",
    [
        GOOD,
        Choice("water", {"can": "green"}),
        Choice("stop"),
        Choice("move", {"to": "sun", "by": "hand"}),
        Choice("move", {"by": "cart", "to": "shade"}),
    ],
)
def test_a_choice_from_the_menu_has_no_flaw(choice: Choice) -> None:
    assert flaw(choice, OPTIONS) is None


BAD: list[tuple[Choice, str]] = [
    (Choice("fire"), "'fire' is not one of water, move, stop"),
    (Choice(""), "'' is not one of"),
    (Choice("Water", {"can": "green"}), "'Water' is not one of"),
    (Choice("water"), "water takes ['can'], got []"),
    (Choice("water", {"cam": "green"}), "water takes ['can'], got ['cam']"),
    (Choice("water", {"can": "green", "price": "6.00"}), "water takes ['can'], got ['can', 'price']"),
    (Choice("water", {"can": "red"}), "can='red' is not one of green, blue"),
    (Choice("water", {"can": ""}), "can='' is not one of green, blue"),
    (Choice("water", {"can": "green "}), "can='green ' is not one of"),
    (Choice("move", {"to": "sun"}), "move takes ['by', 'to'], got ['to']"),
    (Choice("move", {"to": "sun", "by": "cat"}), "by='cat' is not one of hand, cart"),
    (Choice("stop", {"why": "tired"}), "stop takes [], got ['why']"),
]


@pytest.mark.parametrize(("choice", "says"), BAD)
def test_a_choice_off_the_menu_is_said_to_be_so(choice: Choice, says: str) -> None:
    wrong = flaw(choice, OPTIONS)
    assert wrong is not None
    assert says in wrong


def chosen(decider: Scripted, rules: Scripted | None = None) -> tuple[Choice, list[str]]:
    return asyncio.run(choose(decider, rules or Scripted(by="rules"), "goal", {"thirst": 2}, OPTIONS))


def test_a_good_answer_is_taken_as_it_is() -> None:
    assert chosen(Scripted([GOOD])) == (GOOD, [])


@pytest.mark.parametrize(("bad", "says"), BAD)
def test_after_one_bad_answer_the_model_is_told_and_asked_again(bad: Choice, says: str) -> None:
    decider = Scripted([bad, GOOD])
    choice, rejected = chosen(decider)
    assert choice == GOOD
    assert len(rejected) == 1
    assert says in rejected[0]
    assert decider.seen[0][0] == {"thirst": 2}
    assert decider.seen[1][0] == {"thirst": 2, "not_taken": rejected}


@pytest.mark.parametrize(
    "answers",
    [
        [Choice("fire"), Choice("water", {"can": "red"})],
        [Unusable("it refused"), Choice("fire")],
        [Choice("fire"), Unusable("cut off")],
        [Unusable("it refused"), Unusable("cut off")],
    ],
)
def test_after_two_the_rules_choose_and_the_reasons_are_kept(answers: list[Choice | Exception]) -> None:
    decider, rules = Scripted(list(answers)), Scripted(by="rules")
    choice, rejected = chosen(decider, rules)
    assert (choice.tool, choice.by) == ("water", "rules")
    assert (len(rejected), len(decider.seen), len(rules.seen)) == (ASKED_TWICE, 2, 1)
    said: Mapping[str, object] = rules.seen[0][0]
    assert "not_taken" not in said


def test_reasons_are_bounded() -> None:
    _, rejected = chosen(Scripted([Unusable("x" * 10_000), Choice("y" * 10_000)]))
    assert [len(r) for r in rejected] == [300, 300]


def test_rules_off_the_menu_are_a_fault_of_the_program() -> None:
    with pytest.raises(AssertionError, match="not allowed"):
        chosen(Scripted([Choice("a"), Choice("b")]), Scripted([Choice("c")]))


@pytest.mark.parametrize(
    ("options", "forced"),
    [
        ((STOP,), True),
        ((Option("water", "", {"can": ("green",)}),), True),
        ((Option("move", "", {"to": ("sun",), "by": ("cart",)}),), True),
        ((WATER,), False),
        ((Option("move", "", {"to": ("sun",), "by": ("cart", "hand")}),), False),
        ((STOP, Option("water", "", {"can": ("green",)})), False),
    ],
)
def test_no_model_is_paid_for_a_forced_move(options: tuple[Option, ...], forced: bool) -> None:
    decider = Scripted()
    choice, _ = asyncio.run(choose(decider, Scripted(), "goal", {}, options))
    assert (decider.seen == []) is forced
    assert choice.tool == options[0].tool
