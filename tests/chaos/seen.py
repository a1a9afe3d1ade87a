"""Everything there is to compare: entities and runs from the engine, the agent's records, the sandbox's ledger.
Judging it is audit.py's part."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx

from replenisher.engine.admin import Admin
from replenisher.handlers.entity import Entity
from replenisher.harness.shape import load
from replenisher.settings import Settings
from replenisher.systems.records.books import Books
from replenisher.systems.records.master import MasterData

Json = Any


@dataclass(frozen=True)
class Seen:
    books: Books
    """The agent's own records."""
    ledger: Mapping[str, Json]
    """The suppliers', the warehouse's and the people's."""
    entities: Mapping[str, Entity]
    """By SKU."""
    runs: Mapping[str, Mapping[str, Json]]
    """The last state of every run, by run."""
    unfinished: tuple[str, ...] = ()
    """Runs, relays and calls of the engine that have not ended."""
    skus: tuple[str, ...] = ()
    """The parts that were to be replenished."""


async def entities(admin: Admin) -> dict[str, Entity]:
    """What each SKU's entity remembers, in one query. Raises AdminError while the engine is down."""
    rows = await admin.query(
        "SELECT service_key, value_utf8 FROM state WHERE service_name = 'SkuAgent' AND key = 'entity'"
    )
    return {str(row["service_key"]): load(Entity, json.loads(row["value_utf8"])) for row in rows}


async def unfinished(admin: Admin) -> tuple[str, ...]:
    """Invocations that have not ended, but for checks that are only scheduled."""
    rows = await admin.query("SELECT target, status FROM sys_invocation WHERE status NOT IN ('completed', 'scheduled')")
    return tuple(sorted(f"{row['target']} {row['status']}" for row in rows))


async def runs(ingress: httpx.AsyncClient, known: Iterable[str]) -> dict[str, Mapping[str, Json]]:
    """The state of each run, folded from what it published."""
    found: dict[str, Mapping[str, Json]] = {}
    for run in known:
        answer = await ingress.post(f"/Replenish/{quote(run, safe='')}/status")
        found[run] = answer.raise_for_status().json()["state"]
    return found


def books(data: Path) -> Books:
    master = MasterData(Settings(data=data).records_file)
    try:
        return master.books()
    finally:
        master.close()


def run_names(known: Mapping[str, Entity]) -> list[str]:
    return [f"replenish-{sku}-{n}" for sku, entity in known.items() for n in range(1, entity.n + 1)]
