"""`python -m bench.product`: the whole product, served as always, with suppliers and people who answer within the
process and tell the bench what they were asked. Records, rules, reader and handlers are the product's own."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Literal

from bench.telling import Teller
from replenisher.app import build, services
from replenisher.clock import Clock
from replenisher.domain.ports import ApprovalRequest, BuyerQuestion, OrderBody, SupplierOrder
from replenisher.domain.quote import Break, Quote
from replenisher.domain.reading import Books, Reading
from replenisher.models.reader.rules import RulesReader
from replenisher.serve import serve_until_told
from replenisher.settings import Settings
from replenisher.systems.records.sqlite import SqliteRecords

PRICES = {"A": ("4.20", 7), "B": ("4.35", 5), "C": ("4.50", 10)}
"""Unit price in USD and days: those of happy-path."""
PACK = Decimal(50)
QUOTED_FOR = timedelta(days=14)


class Suppliers:
    """Prices and orders of A, B and C. No order is refused."""

    def __init__(self, clock: Clock, teller: Teller) -> None:
        self._clock = clock
        self._teller = teller

    async def quotes(self, supplier: str, sku: str) -> Sequence[Quote]:
        price, days = PRICES[supplier]
        item = f"{supplier}-{sku.removeprefix('SKU-')}"
        return [
            Quote(supplier, item, "USD", (Break(PACK, Decimal(price)),), PACK, days, self._clock.now() + QUOTED_FOR)
        ]

    async def order(self, supplier: str, body: OrderBody, key: str) -> None:
        self._teller.tell("ordered", body.sku, body.po)

    async def find(self, supplier: str, po: str) -> SupplierOrder | None:
        return None

    async def message(
        self, supplier: str, po: str, kind: Literal["chase", "answer", "notice"], text: str, key: str
    ) -> None: ...

    async def accept(
        self,
        supplier: str,
        po: str,
        quantity: Decimal,
        unit_price: Decimal,
        currency: str,
        promised: date | None,
        key: str,
    ) -> None: ...

    async def cancel(self, supplier: str, po: str, reason: str, key: str) -> None: ...


class People:
    def __init__(self, teller: Teller) -> None:
        self._teller = teller

    async def request_approval(self, request: ApprovalRequest) -> None:
        self._teller.tell("requested", request.sku, request.id)

    async def remind(self, approval: str, n: int, to: Literal["manager", "escalation"], text: str) -> None: ...

    async def ask_buyer(self, question: BuyerQuestion) -> None:
        self._teller.tell("asked", question.sku, question.id)

    async def notify(
        self, role: Literal["manager", "escalation", "buyer"], key: str, sku: str, po: str | None, text: str
    ) -> None: ...


class Reader(RulesReader):
    """The product's reader, which tells when it begins."""

    def __init__(self, teller: Teller) -> None:
        self._teller = teller

    async def read(self, content: Mapping[str, str], books: Books) -> Reading:
        if books.po is not None:
            self._teller.tell("reading", books.po)
        return await super().read(content, books)


class Records(SqliteRecords):
    """The product's records, which tell of what comes before the wait for goods, and of the last step."""

    def __init__(self, settings: Settings, teller: Teller) -> None:
        super().__init__(settings.records_file)
        self._teller = teller

    async def confirm(
        self, po: str, quantity: Decimal, unit_price: Decimal, currency: str, due: date | None, at: datetime
    ) -> None:
        await super().confirm(po, quantity, unit_price, currency, due, at)
        self._teller.tell("confirmed", po)

    async def close(self, po: str) -> None:
        self._teller.tell("closing", po)
        await super().close(po)


async def main() -> None:
    settings, teller = Settings(), Teller()
    world = build(settings)
    suppliers = Suppliers(settings.clock, teller)
    context = replace(
        world.context,
        records=Records(settings, teller),
        prices=suppliers,
        channel=suppliers,
        people=People(teller),
        reader=Reader(teller),
    )
    app = services(replace(world, context=context))
    await serve_until_told(app, settings.agent_host, settings.agent_port)


if __name__ == "__main__":
    asyncio.run(main())
