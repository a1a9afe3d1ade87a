"""How many requests reached the outside, by party, operation and part; faulted ones count like any other."""

from sandbox.store import Store, Table, key
from sandbox.wire import Body

NAMES = {
    "quotes": "quotes",
    "orders": "orders",
    "find": "finds",
    "messages": "messages",
    "accept": "accepts",
    "cancel": "cancels",
    "requests": "approval_requests",
    "reminders": "reminders",
    "questions": "questions",
    "notices": "notices",
}
"""How the ledger calls the requests of each operation."""
OF_SUPPLIERS = tuple(NAMES.values())[:6]


class Count(Body):
    party: str
    operation: str
    sku: str
    n: int


class Counts:
    def __init__(self, store: Store) -> None:
        self._table = Table(store, "count", Count)

    def count(self, party: str, operation: str, sku: str | None) -> None:
        at = key(party, operation, sku or "")
        known = self._table.get(at)
        n = 1 if known is None else known.n + 1
        self._table.put(at, Count(party=party, operation=operation, sku=sku or "", n=n))

    def total(self, sku: str | None) -> dict[str, int]:
        found = dict.fromkeys(NAMES.values(), 0)
        for count in self._table.values():
            if sku in (None, count.sku):
                found[NAMES[count.operation]] += count.n
        return found

    def by_supplier(self, sku: str | None) -> dict[str, dict[str, int]]:
        found: dict[str, dict[str, int]] = {}
        for count in self._table.values():
            name = NAMES[count.operation]
            if sku in (None, count.sku) and name in OF_SUPPLIERS:
                found.setdefault(count.party, dict.fromkeys(OF_SUPPLIERS, 0))[name] += count.n
        return found
