"""Code that changes under a running task: a business rule, deployed both ways, and a step that was renamed by
mistake."""

from collections.abc import Sequence
from functools import partial

from sandbox.scenarios.common import Scenario, ends, one, one_order_at_a
from sandbox.scenarios.stage import D_QUOTE, QUOTES, Stage, approve, confirm, goods


async def rule_change(stages: Sequence[Stage], *, beside: bool) -> None:
    """SKU-123 waits for approval of a PO drafted on three quotes; then a draft needs four. SKU-124 is new."""
    running, new = stages
    for stage in stages:
        await stage.script("A", on_order=[confirm()], on_confirmed=[goods()])
    await running.begin()
    asked = (await running.wait("approval"))[0]["approval"]
    await running.waits("wait_for_approval")
    if beside:
        await running.house.deploy_beside(2)
    else:
        await running.house.deploy_in_place(2)

    await new.begin(*QUOTES)
    question = (await new.wait("question"))[0]
    new.equal("three quotes are too few for the new one", question["subject"], "no-quote")
    new.equal("nothing is drafted on three", (await new.run_state())["orders"], {})
    for stage in stages:
        await stage.quote("D", D_QUOTE)
    await new.manager(approve())
    said = {"id": "look-again", "question": question["question"], "choice": "look_again"}
    new.equal("the buyer lets it look again", (await new.post("answer", said)).status_code, 200)
    await ends(new, "received")
    await one_order_at_a(new)

    await running.decide(asked, True)
    await ends(running, "received")
    await one_order_at_a(running)
    versions = [(await s.run_state())["rules_version"] for s in stages]
    running.equal("rules versions of the running and the new one", versions, [1, 2])
    quoted = [len((await s.run_state())["quotes"]) for s in stages]
    running.equal("quotes each was drafted on", quoted, [3, 4])


async def renamed_step(stage: Stage) -> None:
    await stage.script("A", on_order=[confirm()], on_confirmed=[goods()])
    await stage.begin()
    asked = (await stage.wait("approval"))[0]["approval"]
    await stage.waits("wait_for_approval")
    await stage.house.rename_a_step()
    paused = await stage.until("the run is paused", stage.house.paused_by_mismatch)
    stage.check("Restate reports the mismatch and pauses the run", any("Replenish" in p for p in paused), paused)
    stage.equal("orders meanwhile", len(await stage.orders()), 0)
    await stage.house.restore_the_code()
    stage.equal("the approval is taken when the old code is back", (await stage.decide(asked, True))["status"], 200)
    await ends(stage, "received")
    await one_order_at_a(stage)
    stage.equal("approval requests", (await stage.ledger())["requests"]["approval_requests"], 1)


CHANGES: tuple[Scenario, ...] = (
    Scenario(
        "rule-change",
        "a draft needs four quotes from now on: the running one finishes under its rules, a new one needs four",
        {None: partial(rule_change, beside=True), "in-place": partial(rule_change, beside=False)},
        skus=("SKU-123", "SKU-124"),
        suppliers=("A", "B", "C", "D"),
    ),
    Scenario(
        "renamed-step",
        "a step is renamed in place: the mismatch is reported, the run pauses, and finishes with the old code",
        {None: one(renamed_step)},
        env={"REPLENISHER_INVOCATION_ATTEMPTS": "3"},
    ),
)
