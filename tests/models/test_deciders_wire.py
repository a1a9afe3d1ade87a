"""The real clients of Claude and Jev against a scripted server: what each answer and each failure becomes."""

import json
from collections.abc import AsyncGenerator
from typing import Any

import anthropic
import pytest
from typesafe_sdk import AsyncTypeSafeClient

from replenisher.harness.decider import Choice, Decider, NoAccess, TryLater, Unusable, choose
from replenisher.harness.tool import Option
from replenisher.models.claude import ClaudeDecider
from replenisher.models.jev import JevDecider
from replenisher.models.rules_decider import RulesDecider
from support.modelserver import HANG, Answer, ModelServer, chose, failed, model_server, said

OPTIONS = (
    Option("get_quotes", "Ask the suppliers.", {}),
    Option("draft_purchase_order", "Draft an order.", {"quote": ("A/A-123", "B/B-123")}),
)
VIEW = {"sku": "SKU-123", "on_hand": "60"}
RULES = RulesDecider(["draft_purchase_order", "get_quotes"])


@pytest.fixture
async def server() -> AsyncGenerator[ModelServer]:
    async with model_server() as running:
        yield running


@pytest.fixture
async def claude(server: ModelServer) -> AsyncGenerator[ClaudeDecider]:
    http = anthropic.DefaultAsyncHttpxClient()
    async with anthropic.AsyncAnthropic(api_key="test", base_url=server.url, http_client=http) as client:
        yield ClaudeDecider(client, "claude-test")


@pytest.fixture
async def jev(server: ModelServer) -> AsyncGenerator[JevDecider]:
    async with AsyncTypeSafeClient(api_key="test", base_url=server.url, compression=False) as client:
        yield JevDecider(client, "jev-test")


def action(tool: str, why: str = "short", **arguments: str) -> str:
    return json.dumps({"why": why, "tool": tool, "quote": None, **arguments})


async def ask(decider: Decider) -> Choice:
    return await decider.decide("Keep it in stock.", VIEW, OPTIONS)


# --- Claude -----------------------------------------------------------------------------------------------------------


async def test_a_good_answer_is_a_choice_with_its_tokens(server: ModelServer, claude: ClaudeDecider) -> None:
    server.script = [said(action("draft_purchase_order", quote="B/B-123"))]
    choice = await ask(claude)
    assert (choice.tool, choice.arguments, choice.by) == ("draft_purchase_order", {"quote": "B/B-123"}, "claude-test")
    assert (choice.tokens_in, choice.tokens_out) == (700, 40)


async def test_what_is_sent(server: ModelServer, claude: ClaudeDecider) -> None:
    server.script = [said(action("get_quotes"))]
    await ask(claude)
    [sent] = server.requests
    assert not {"temperature", "top_p", "top_k", "tools", "tool_choice"} & set(sent)
    schema = sent["output_config"]["format"]["schema"]
    assert set(schema["properties"]["tool"]["enum"]) == {"get_quotes", "draft_purchase_order", "none_of_these"}
    assert "SKU-123" in sent["messages"][0]["content"]


async def test_thinking_before_the_answer_is_passed_over(server: ModelServer, claude: ClaudeDecider) -> None:
    thinking = {"type": "thinking", "thinking": "hm", "signature": "s"}
    server.script = [said(action("get_quotes"), before=[thinking])]
    assert (await ask(claude)).tool == "get_quotes"


UNUSABLE: dict[str, Answer] = {
    "a refusal": said("", "refusal"),
    "a truncation": said('{"why": "because', "max_tokens"),
    "prose": said("I would draft an order."),
    "a tool off the menu": said(action("place_order")),
    "a value off the list": said(action("draft_purchase_order", quote="Z/Z-9")),
    "none of these": said(action("none_of_these")),
}


@pytest.mark.parametrize("case", UNUSABLE)
async def test_what_is_no_action_from_the_menu_is_unusable(
    server: ModelServer, claude: ClaudeDecider, case: str
) -> None:
    server.script = [UNUSABLE[case]]
    with pytest.raises(Unusable):
        await ask(claude)


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 529])
async def test_what_may_pass_is_tried_later_and_asked_once_an_attempt(
    server: ModelServer, claude: ClaudeDecider, status: int
) -> None:
    server.script = [failed(status, retry_after="7")]
    with pytest.raises(TryLater) as busy:
        await ask(claude)
    assert busy.value.retry_after == 7
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413])
async def test_what_will_never_pass_is_not_tried_again(server: ModelServer, claude: ClaudeDecider, status: int) -> None:
    server.script = [failed(status)]
    with pytest.raises(NoAccess):
        await ask(claude)
    assert len(server.requests) == 1


@pytest.mark.parametrize("body", ["<html>gateway</html>", HANG])
async def test_an_answer_that_is_none_is_tried_later(server: ModelServer, claude: ClaudeDecider, body: str) -> None:
    server.script = [(200, body, {})]
    with pytest.raises(TryLater):
        await ask(claude)


async def test_after_two_unusable_answers_the_rules_decide_and_the_reasons_are_kept(
    server: ModelServer, claude: ClaudeDecider
) -> None:
    server.script = [said(action("place_order")), said("", "refusal")]
    choice, rejected = await choose(claude, RULES, "goal", VIEW, OPTIONS)
    assert (choice.tool, choice.by) == ("draft_purchase_order", "rules/1")
    assert len(rejected) == 2
    assert "not_taken" in server.requests[1]["messages"][0]["content"]


async def test_a_second_answer_that_is_usable_is_taken(server: ModelServer, claude: ClaudeDecider) -> None:
    server.script = [said(action("place_order")), said(action("get_quotes"))]
    choice, rejected = await choose(claude, RULES, "goal", VIEW, OPTIONS)
    assert (choice.tool, len(rejected)) == ("get_quotes", 1)


async def test_an_argument_of_another_tool_is_left_out(server: ModelServer, claude: ClaudeDecider) -> None:
    server.script = [said(action("get_quotes", quote="A/A-123"))]
    assert (await ask(claude)).arguments == {}


# --- Jev --------------------------------------------------------------------------------------------------------------


async def test_jev_chooses_an_action_with_its_arguments(server: ModelServer, jev: JevDecider) -> None:
    server.script = [chose("draft_purchase_order quote=B/B-123")]
    choice = await ask(jev)
    assert (choice.tool, choice.arguments) == ("draft_purchase_order", {"quote": "B/B-123"})
    assert (choice.by, choice.tokens_in) == ("jev-test", 300)
    criteria: dict[str, Any] = server.requests[0]["questions"]["next_action"]["criteria"]
    assert "none_of_these" in criteria
    assert len(criteria) == 4


@pytest.mark.parametrize(
    "answer",
    [
        chose("draft_purchase_order quote=B/B-123", 0.3),
        chose("none_of_these"),
        chose("place_order po=PO-1"),
    ],
    ids=["unsure", "none of these", "off the menu"],
)
async def test_jev_unsure_or_off_the_menu_is_no_answer(server: ModelServer, jev: JevDecider, answer: Answer) -> None:
    server.script = [answer]
    with pytest.raises(Unusable):
        await ask(jev)


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_jev_busy_is_tried_later_once_an_attempt(server: ModelServer, jev: JevDecider, status: int) -> None:
    server.script = [failed(status, retry_after="3")]
    with pytest.raises(TryLater):
        await ask(jev)
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
async def test_jev_without_access_is_not_tried_again(server: ModelServer, jev: JevDecider, status: int) -> None:
    server.script = [failed(status)]
    with pytest.raises(NoAccess):
        await ask(jev)


async def test_jev_answering_a_page_is_tried_later(server: ModelServer, jev: JevDecider) -> None:
    server.script = [(200, "<html>gateway</html>", {})]
    with pytest.raises(TryLater):
        await ask(jev)
