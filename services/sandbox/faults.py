"""Faults: what goes wrong with requests, how often and until when. Which request meets one is decided here,
what it does to the answer in serving.py."""

from datetime import datetime, timedelta
from typing import Annotated, Literal

from pydantic import AliasChoices, AwareDatetime, BeforeValidator, Field

from sandbox.quotes import Item, PriceChange
from sandbox.store import Store, Table
from sandbox.wire import Body, Json, Name, Problem, dump, members

SUPPLIER_OPERATIONS = ("quotes", "orders", "find", "messages", "accept", "cancel")
PEOPLE_OPERATIONS = ("requests", "reminders", "questions", "notices")
PEOPLE = "people"
ANY = "*"


def _listed(value: Json) -> Json:
    return [members(value)] if isinstance(value, dict) else value


class Effect(Body):
    """What changes in the world at the moment a fault strikes."""

    supplier: Name | None = None
    """None: the supplier the fault is at."""
    sku: Name | None = None
    """None: the part the request was about."""
    items: list[Item] | None = None
    """What he quotes from then on."""
    quote: PriceChange | None = None
    """Only another price of what he quotes."""
    fault: "Fault | None" = None
    """Another fault from then on."""


class Fault(Body):
    operation: str = ANY
    """quotes, orders, find, messages, accept, cancel; of people requests, reminders, questions, notices; * for all."""
    kind: Literal["down", "drop", "refuse_connection", "reply_lost", "slow", "malformed", "reject"]
    sku: Name | None = None
    times: Annotated[int, Field(ge=1)] | None = 1
    """How many requests meet it; null: all until it is cleared."""
    after: Annotated[int, Field(ge=0, validation_alias=AliasChoices("after", "skip"))] = 0
    """So many requests get through first."""
    for_days: Annotated[float, Field(gt=0)] | None = None
    """It ends by itself after so many business days."""
    seconds: Annotated[float, Field(gt=0, le=3600)] = 30
    """slow: real seconds between the work and its answer."""
    reason: str = "we cannot supply this"
    """reject: the sentence."""
    status: Annotated[int, Field(ge=400, le=599)] | None = None
    """down and reject: another status than 503 and 409."""
    body: str | None = None
    """malformed: what is answered with 200 instead of the contract; a page of HTML when it is not given."""
    content_type: str | None = None
    """malformed: its type; a guess from the body when it is not given."""
    work: bool = False
    """malformed: whether the work is done all the same."""
    then: Annotated[tuple[Effect, ...], BeforeValidator(_listed)] = ()
    """One effect or several."""


class Queued(Body):
    party: str
    """The supplier, or `people`, or * for any supplier."""
    fault: Fault
    met: int = 0
    struck: int = 0
    until: AwareDatetime | None = None


class Faults:
    def __init__(self, store: Store) -> None:
        self._table = Table(store, "fault", Queued)
        self._last = max((int(k) for k, _ in self._table.items()), default=0)

    def add(self, party: str, fault: Fault, now: datetime) -> str:
        known = PEOPLE_OPERATIONS if party == PEOPLE else SUPPLIER_OPERATIONS
        if fault.operation not in (*known, ANY):
            raise Problem(400, f"{party} has no operation {fault.operation!r}: use one of {', '.join(known)} or *")
        until = None if fault.for_days is None else now + timedelta(days=fault.for_days)
        self._last += 1
        self._table.put(str(self._last), Queued(party=party, fault=fault, until=until))
        return str(self._last)

    def clear(self, party: str, operation: str | None = None, sku: str | None = None) -> int:
        """How many were cleared."""
        gone = [
            k
            for k, q in self._table.items()
            if q.party == party and operation in (None, q.fault.operation) and sku in (None, q.fault.sku)
        ]
        for number in gone:
            self._table.drop(number)
        return len(gone)

    def drop(self, party: str, number: str) -> None:
        queued = self._table.get(number)
        if queued is None or queued.party != party:
            raise Problem(404, f"{party} has no fault {number}: GET the list of those that are set")
        self._table.drop(number)

    def listed(self, party: str) -> list[Json]:
        return [
            {"id": k, "struck": q.struck, "spent": _spent(q)} | dump(q.fault)
            for k, q in self._table.items()
            if q.party == party
        ]

    def take(self, party: str, operation: str, sku: str | None, now: datetime) -> Fault | None:
        """The fault this request meets: the first set that matches and is neither skipped nor spent."""
        for number, queued in self._table.items():
            fault = queued.fault
            if queued.party not in _parties(party) or fault.operation not in (operation, ANY):
                continue
            if (fault.sku is not None and fault.sku != sku) or _spent(queued) or _over(queued, now):
                continue
            if queued.met < fault.after:
                self._table.put(number, queued.model_copy(update={"met": queued.met + 1}))
                continue
            self._table.put(number, queued.model_copy(update={"met": queued.met + 1, "struck": queued.struck + 1}))
            return fault
        return None


def _parties(party: str) -> tuple[str, ...]:
    return (party,) if party == PEOPLE else (party, ANY)


def _spent(queued: Queued) -> bool:
    return queued.fault.times is not None and queued.struck >= queued.fault.times


def _over(queued: Queued, now: datetime) -> bool:
    return queued.until is not None and queued.until <= now
