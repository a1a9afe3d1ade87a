"""The system of record behind its port: each operation a short transaction on one connection, in a thread of its own.
What the operations do is in purchase_orders.py and receipts.py; parts and prices are filled in by master.py."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from sqlite3 import Connection
from typing import TypeVar

from replenisher.domain.money import Rates
from replenisher.domain.part import Part, SupplierItem
from replenisher.domain.ports import Draft, PaidPrice, Receipt, Stock
from replenisher.systems.records import prices, purchase_orders, receipts
from replenisher.systems.records.database import Database, Row

T = TypeVar("T")

_STOCK = f"""SELECT {purchase_orders.COLUMNS},
a.sku, a.name, a.unit, a.safety_stock, a.reorder_point, a.target, a.on_hand, a.stocked
FROM part a LEFT JOIN purchase_order p ON p.sku = a.sku AND p.closed = 0 WHERE a.sku = ? ORDER BY p.number"""
_PART = 19
"""Where the part begins in a row of it."""


class SqliteRecords:
    """domain.ports.Records on one SQLite file, which other processes may use at the same time."""

    def __init__(self, path: Path) -> None:
        self._database = Database(path)
        self._thread = ThreadPoolExecutor(1, "records")

    async def aclose(self) -> None:
        """Lets go of the file; a later use opens it again."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._database.close)

    async def stock(self, sku: str) -> Stock | None:
        rows = await self._all(_STOCK, sku)
        if not rows:
            return None
        part = rows[0][_PART:]
        safety, reorder, target = (Decimal(v) for v in part[3:6])
        if not part[7]:
            # no longer stocked: what is open is followed to its end, and it is never short
            safety = reorder = target = Decimal(0)
        known = Part(part[0], part[1], part[2], safety, reorder, target)
        orders = tuple(purchase_orders.as_order(row) for row in rows if row[0] is not None)
        return Stock(known, Decimal(part[6]), orders)

    async def items(self, sku: str) -> Sequence[SupplierItem]:
        rows = await self._all(
            "SELECT sku, supplier, item, pack FROM supplier_item WHERE sku = ? AND approved ORDER BY supplier, item",
            sku,
        )
        return [SupplierItem(r[0], r[1], r[2], Decimal(r[3])) for r in rows]

    async def rates(self) -> Rates:
        return await self._reading(prices.rates)

    async def last_prices(self, sku: str, limit: int = 3) -> Sequence[PaidPrice]:
        return await self._reading(lambda db: purchase_orders.last_prices(db, sku, limit))

    async def ensure_draft(self, draft: Draft) -> str:
        return await self._writing(lambda db: purchase_orders.ensure_draft(db, draft))

    async def change_draft(self, po: str, unit_price: Decimal, freight: Decimal) -> None:
        await self._writing(lambda db: purchase_orders.change_draft(db, po, unit_price, freight))

    async def begin_sending(self, po: str, unit_price: Decimal, ceiling: Decimal) -> None:
        await self._writing(lambda db: purchase_orders.begin_sending(db, po, unit_price, ceiling))

    async def mark_sent(self, po: str, at: datetime) -> None:
        await self._writing(lambda db: purchase_orders.mark_sent(db, po, at))

    async def mark_draft(self, po: str) -> None:
        await self._writing(lambda db: purchase_orders.mark_draft(db, po))

    async def confirm(
        self, po: str, quantity: Decimal, unit_price: Decimal, currency: str, due: date | None, at: datetime
    ) -> None:
        await self._writing(lambda db: purchase_orders.confirm(db, po, quantity, unit_price, currency, due, at))

    async def receive(self, po: str, sku: str, note: str, quantity: Decimal, *, excess: bool = False) -> Receipt:
        return await self._writing(lambda db: receipts.receive(db, po, sku, note, quantity, excess=excess))

    async def cancel(self, po: str, reason: str) -> None:
        await self._writing(lambda db: purchase_orders.cancel(db, po, reason))

    async def close(self, po: str) -> None:
        await self._writing(lambda db: purchase_orders.close(db, po))

    # --- the thread ---------------------------------------------------------------------------------------------------

    async def _all(self, statement: str, *values: object) -> list[Row]:
        return await self._reading(lambda db: db.execute(statement, values).fetchall())

    async def _reading(self, work: Callable[[Connection], T]) -> T:
        def run() -> T:
            with self._database.reading() as connection:
                return work(connection)

        return await asyncio.get_running_loop().run_in_executor(self._thread, run)

    async def _writing(self, work: Callable[[Connection], T]) -> T:
        def run() -> T:
            with self._database.transaction() as connection:
                return work(connection)

        return await asyncio.get_running_loop().run_in_executor(self._thread, run)
