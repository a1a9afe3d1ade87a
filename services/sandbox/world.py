"""The whole outside world in one process: its parts put together, its clock, and what is planned carried out."""

import asyncio
import logging
from datetime import datetime, timedelta

from pydantic import AwareDatetime, TypeAdapter

from sandbox import acting, auto, people
from sandbox.acting import Suppliers
from sandbox.books import Books
from sandbox.counts import Counts
from sandbox.events import Events
from sandbox.faults import Effect, Fault, Faults
from sandbox.ledger import Ledger
from sandbox.people import People
from sandbox.quotes import Item, PriceList
from sandbox.schedule import Action, Schedule
from sandbox.scripts import Scripts
from sandbox.sender import Sender
from sandbox.settings import Settings
from sandbox.store import Store, Table
from sandbox.warehouse import Warehouse
from sandbox.wire import Body, Problem, dump

QUOTES = "quotes-change"
ITEMS = TypeAdapter(list[Item])
log = logging.getLogger("sandbox")


class Birth(Body):
    at: AwareDatetime


class World:
    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.clock = settings.clock
        self.store = Store(settings.data)
        self._births = Table(self.store, "birth", Birth)
        self.born = (self._births.get("at") or self._births.put("at", Birth(at=self.now()))).at
        self.events = Events(self.store, self.now)
        self.schedule = Schedule(self.store, self.clock)
        self.sender = Sender(self.store, self.events, self.now, settings.ingress)
        self.faults = Faults(self.store)
        self.prices = PriceList(self.store)
        self.counts = Counts(self.store)
        self.books = Books(self.store, self.events, self.prices)
        self.warehouse = Warehouse(self.store, self.events, self.books, self.sender)
        by_itself = settings.auto
        self.scripts = Scripts(self.store, auto.SCRIPT if by_itself else auto.SILENT_SCRIPT)
        self.suppliers = Suppliers(
            self.clock,
            self.books,
            self.scripts,
            self.schedule,
            self.sender,
            self.warehouse,
            self.events,
            settings.auto_lead if by_itself else None,
        )
        self.people = People(
            self.store,
            self.events,
            self.schedule,
            self.sender,
            auto.DECISIONS if by_itself else auto.SILENT_DECISIONS,
            auto.CHOICES if by_itself else auto.SILENT_CHOICES,
        )
        self.ledger = Ledger(self.books, self.people, self.warehouse, self.sender, self.counts)
        self.planned: asyncio.Task[None] | None = None
        """What carries out the plans; it ends only by a fault of the sandbox's own."""

    def now(self) -> datetime:
        return self.clock.now()

    @property
    def day(self) -> float:
        """Business days since these books were begun."""
        return (self.now() - self.born) / timedelta(days=1)

    def of_day(self, day: float) -> datetime:
        return self.born + timedelta(days=day)

    async def start(self) -> None:
        await self.sender.start()
        self.planned = asyncio.create_task(self.schedule.run(self._do))

    async def stop(self) -> None:
        if self.planned is not None:
            self.planned.cancel()
            await asyncio.gather(self.planned, return_exceptions=True)
        await self.sender.stop()
        self.store.close()

    def plan_quotes(self, supplier: str, sku: str, items: list[Item], at: datetime) -> None:
        """What a supplier will quote from a later time on."""
        self.schedule.at(at, QUOTES, supplier=supplier, sku=sku, items=[dump(i) for i in items])

    def strike(self, fault: Fault, party: str, sku: str | None) -> None:
        """What else changes at the moment a fault strikes."""
        for effect in fault.then:
            self._change(effect, effect.supplier or party, effect.sku or sku)

    def _change(self, effect: Effect, supplier: str, sku: str | None) -> None:
        if effect.fault is not None:
            self.faults.add(supplier, effect.fault, self.now())
        if sku is None:
            return
        if effect.items is not None:
            self.prices.set(supplier, sku, effect.items)
        if effect.quote is not None:
            self.prices.change(supplier, sku, effect.quote)

    def _do(self, action: Action) -> None:
        try:
            if action.kind in (acting.SAY, acting.DELIVER):
                self.suppliers.do(action)
            elif action.kind in (people.DECIDE, people.ANSWER):
                self.people.do(action, self.now())
            elif action.kind == QUOTES:
                what = action.what
                self.prices.set(what["supplier"], what["sku"], ITEMS.validate_python(what["items"]))
        except Problem as problem:
            # the plan no longer fits the world; the rest of it goes on
            log.warning("%s could not be done: %s", action.kind, problem)
            self.events.tell("not_done", kind=action.kind, why=problem.sentence)
