"""The composition root: the only place that knows which adapter is in use."""

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import httpx
import restate
from starlette.types import ASGIApp

from replenisher.domain.ports import Company
from replenisher.domain.state import State
from replenisher.engine.retry import RETRY_POLICY
from replenisher.handlers.actor import OpenDoor
from replenisher.handlers.archive import archive
from replenisher.handlers.desk import Desk
from replenisher.handlers.knobs import Knobs, StepPolicy
from replenisher.handlers.relay import relay
from replenisher.handlers.replenish import replenish
from replenisher.handlers.sku_agent import sku_agent
from replenisher.harness.decider import Decider
from replenisher.harness.loop import Agent, Budget
from replenisher.models.reader.rules import RulesReader
from replenisher.models.rules_decider import RulesDecider
from replenisher.models.templates import TemplateWriter
from replenisher.settings import Settings
from replenisher.systems.people.http import HttpPeople
from replenisher.systems.records.sqlite import SqliteRecords
from replenisher.systems.suppliers.http import HttpSuppliers
from replenisher.tools import TOOLS
from replenisher.tools.base import Context
from replenisher.tools.mailroom import replenishment


@dataclass(frozen=True)
class World:
    """The agent, its ports and its knobs, as one set of settings makes them."""

    agent: Agent[State, Context]
    context: Context
    knobs: Knobs


def build(settings: Settings) -> World:
    # suppliers and people are named by address; what the shell says of proxies is not asked
    web = httpx.AsyncClient(trust_env=False)
    rules = RulesDecider([t.name for t in TOOLS])
    suppliers = HttpSuppliers(settings.supplier_url, web)
    context = Context(
        records=SqliteRecords(settings.records_file),
        prices=suppliers,
        channel=suppliers,
        people=HttpPeople(settings.people_url, web),
        reader=RulesReader(),
        writer=TemplateWriter(),
        clock=settings.clock,
        company=Company(settings.answers, settings.deliver_to),
        approver=settings.approver,
    )
    knobs = Knobs(
        clock=settings.clock,
        steps=StepPolicy(settings.retry_first, settings.retry_attempts),
        retry=replace(RETRY_POLICY, max_attempts=settings.invocation_attempts),
        inactivity=timedelta(seconds=settings.inactivity),
        retention=timedelta(days=settings.retention_days),
        check_delay=settings.check_delay(),
        rules_version=settings.rules_version,
        answerable=tuple(sorted(settings.answers)),
    )
    budget = Budget(settings.decisions_budget, settings.tokens_budget)
    return World(replenishment(decider(settings, rules), rules, budget), context, knobs)


def decider(settings: Settings, rules: RulesDecider) -> Decider:
    """Who decides, by the settings. A model's package is imported only when it is chosen."""
    if settings.decider == "claude":
        import anthropic

        from replenisher.models.claude import ClaudeDecider

        return ClaudeDecider(anthropic.AsyncAnthropic(), settings.claude_decider)
    if settings.decider == "jev":
        from typesafe_sdk import AsyncTypeSafeClient

        from replenisher.models.jev import JevDecider

        return JevDecider(AsyncTypeSafeClient(), settings.jev_model)
    return rules


def services(world: World) -> ASGIApp:
    """Everything Restate serves, as an ASGI application."""
    app: Any = restate.app(
        services=[
            sku_agent(Desk(world.context, OpenDoor(), world.knobs)),
            replenish(world.agent, world.context, world.knobs),
            relay(world.knobs),
            archive(world.knobs),
        ]
    )
    return app
