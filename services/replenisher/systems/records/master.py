"""Master data of the embedded records: parts, what suppliers ask for them, rates and counts. For the import and the
command line: synchronous, and many changes can be one transaction. Purchase orders are made in purchase_orders.py."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from replenisher.domain.money import Rates
from replenisher.domain.part import Part
from replenisher.domain.ports import Refused
from replenisher.domain.quote import Quote
from replenisher.systems.records import books, prices
from replenisher.systems.records.books import Books
from replenisher.systems.records.database import Database, Row, amount, as_amount, as_day
from replenisher.systems.records.prices import Change, ItemTerms, Key, PriceLine


@dataclass(frozen=True, slots=True)
class Figures:
    """Stock of a part, and what the files of an import last said of it: None when they never did."""

    on_hand: Decimal
    opening: Decimal | None = None
    counted: Decimal | None = None
    counted_on: date | None = None


class MasterData:
    """Nothing happens before the first use. Raises Unavailable, and Refused for values that are none."""

    def __init__(self, path: Path) -> None:
        self._database = Database(path)

    def close(self) -> None:
        self._database.close()

    @contextmanager
    def transaction(self) -> Generator[None]:
        """Everything inside it happens, or nothing does."""
        with self._database.transaction():
            yield

    # --- parts --------------------------------------------------------------------------------------------------------

    def skus(self, after: str = "", limit: int | None = None) -> list[str]:
        """The parts that are kept in stock, in order; with `limit` the next page after one."""
        rows = self._all(
            "SELECT sku FROM part WHERE stocked AND sku > ? ORDER BY sku LIMIT ?", after, -1 if limit is None else limit
        )
        return [row[0] for row in rows]

    def parts(self) -> dict[str, Part]:
        """Those no longer stocked left out."""
        rows = self._all(
            "SELECT sku, name, unit, safety_stock, reorder_point, target FROM part WHERE stocked ORDER BY sku"
        )
        return {r[0]: Part(r[0], r[1], r[2], Decimal(r[3]), Decimal(r[4]), Decimal(r[5])) for r in rows}

    def put_part(
        self,
        sku: str,
        name: str,
        unit: str,
        safety_stock: Decimal,
        reorder_point: Decimal | None = None,
        target: Decimal | None = None,
    ) -> Change:
        """The reorder point is the safety stock and the target twice the reorder point where nothing else is said.
        A new part has nothing on hand; one that was removed is stocked again."""
        reorder = safety_stock if reorder_point is None else reorder_point
        fill_to = 2 * reorder if target is None else target
        policy = [
            amount(value, what)
            for value, what in ((safety_stock, "safety stock"), (reorder, "reorder point"), (fill_to, "target"))
        ]
        if fill_to < reorder:
            raise Refused(
                f"the target {fill_to} of {sku} is below its reorder point {reorder}: stock is filled up to it"
            )
        wanted = (name, unit, *policy)
        with self._database.transaction() as db:
            row: Row | None = db.execute(
                "SELECT name, unit, safety_stock, reorder_point, target, stocked FROM part WHERE sku = ?", (sku,)
            ).fetchone()
            if row == (*wanted, 1):
                return "unchanged"
            if (
                row is not None
                and row[1] != unit
                and db.execute("SELECT 1 FROM purchase_order WHERE sku = ?", (sku,)).fetchone()
            ):
                raise Refused(
                    f"{sku} is kept in {row[1]} and was ordered so: give what is kept in {unit} an SKU of its own"
                )
            db.execute(
                "INSERT INTO part (sku, name, unit, safety_stock, reorder_point, target, on_hand)"
                " VALUES (?, ?, ?, ?, ?, ?, '0') ON CONFLICT (sku) DO UPDATE SET name = excluded.name,"
                " unit = excluded.unit, safety_stock = excluded.safety_stock, reorder_point = excluded.reorder_point,"
                " target = excluded.target, stocked = 1",
                (sku, *wanted),
            )
        return "new" if row is None else "changed"

    def remove_part(self, sku: str) -> None:
        """Forgets a part with its prices; one ever ordered stays known, and is never short again."""
        with self._database.transaction() as db:
            if db.execute("SELECT 1 FROM purchase_order WHERE sku = ?", (sku,)).fetchone() is None:
                db.execute("DELETE FROM part WHERE sku = ?", (sku,))
            else:
                db.execute("UPDATE part SET stocked = 0 WHERE sku = ?", (sku,))

    def figures(self) -> dict[str, Figures]:
        """Stock by SKU."""
        rows = self._all("SELECT sku, on_hand, opening, counted, counted_on FROM part ORDER BY sku")
        return {r[0]: Figures(Decimal(r[1]), as_amount(r[2]), as_amount(r[3]), as_day(r[4])) for r in rows}

    def set_figures(self, sku: str, figures: Figures) -> Change:
        with self._database.transaction() as db:
            row: Row | None = db.execute(
                "SELECT on_hand, opening, counted, counted_on FROM part WHERE sku = ?", (sku,)
            ).fetchone()
            if row is None:
                raise Refused(f"there is no part {sku}: import it first")
            opening, counted = (None if v is None else amount(v, "stock") for v in (figures.opening, figures.counted))
            counted_on = figures.counted_on and figures.counted_on.isoformat()
            wanted = (amount(figures.on_hand, "stock"), opening, counted, counted_on)
            if row == wanted:
                return "unchanged"
            db.execute(
                "UPDATE part SET on_hand = ?, opening = ?, counted = ?, counted_on = ? WHERE sku = ?", (*wanted, sku)
            )
        return "changed"

    def set_on_hand(self, sku: str, on_hand: Decimal) -> Change:
        """What was counted on the shelf."""
        with self._database.transaction() as db:
            row: Row | None = db.execute("SELECT on_hand FROM part WHERE sku = ?", (sku,)).fetchone()
            if row is None:
                raise Refused(f"there is no part {sku}: import it first")
            wanted = amount(on_hand, "stock")
            if row == (wanted,):
                return "unchanged"
            db.execute("UPDATE part SET on_hand = ? WHERE sku = ?", (wanted, sku))
        return "changed"

    # --- what suppliers ask -------------------------------------------------------------------------------------------

    def items(self) -> dict[Key, ItemTerms]:
        """Approved or not."""
        with self._database.reading() as db:
            return prices.items(db)

    def put_item(self, key: Key, terms: ItemTerms) -> Change:
        with self._database.transaction() as db:
            return prices.put_item(db, key, terms)

    def remove_item(self, key: Key) -> None:
        """With its prices."""
        with self._database.transaction() as db:
            db.execute("DELETE FROM supplier_item WHERE (sku, supplier, item) = (?, ?, ?)", key)

    def price_lines(self) -> dict[Key, list[PriceLine]]:
        """As they were said, ascending; items without any left out."""
        with self._database.reading() as db:
            return prices.lines(db)

    def put_price(self, key: Key, line: PriceLine) -> Change:
        with self._database.transaction() as db:
            return prices.put_line(db, key, line)

    def remove_price(self, key: Key, min_packs: Decimal, valid_from: date | None = None) -> None:
        with self._database.transaction() as db:
            prices.remove_line(db, key, min_packs, valid_from)

    def rates(self) -> Rates:
        with self._database.reading() as db:
            return prices.rates(db)

    def rate_dates(self) -> dict[str, date | None]:
        """By currency, of which day its rate is; None where nobody said."""
        return {row[0]: as_day(row[1] or None) for row in self._all("SELECT currency, as_of FROM rate")}

    def put_rate(self, currency: str, value: Decimal, as_of: date | None = None) -> Change:
        with self._database.transaction() as db:
            return prices.put_rate(db, currency, value, as_of)

    def set_currency(self, currency: str) -> Change:
        """The company's own, in which rates are given."""
        with self._database.transaction() as db:
            was = db.execute("SELECT currency FROM company").fetchone()[0]
            db.execute("UPDATE company SET currency = ?", (currency,))
        return "unchanged" if was == currency else "changed"

    # --- looking ------------------------------------------------------------------------------------------------------

    def price_list(self, sku: str, at: datetime | None = None) -> list[Quote]:
        """The prices in force at a time (now, when none is given) as quotes."""
        with self._database.reading() as db:
            return prices.price_list(db, at or datetime.now(UTC), sku)

    def catalogue_for_world(self) -> list[dict[str, Any]]:
        """Every priced item, as the sandbox's suppliers take it: PUT /control/catalogue."""
        with self._database.reading() as db:
            return prices.catalogue(db, datetime.now(UTC))

    def books(self) -> Books:
        """Every order, receipt and stock, of one moment."""
        with self._database.transaction() as db:
            return books.read(db)

    # --- demonstration ------------------------------------------------------------------------------------------------

    def seed_demo(self, sku: str = "SKU-123") -> None:
        """A part as SKU-123 of the stories: 60 on hand, 440 needed, three suppliers who sell packs of 50."""
        with self.transaction():
            self.put_part(sku, "Bearing 6204", "pcs", Decimal(100), target=Decimal(500))
            self.set_on_hand(sku, Decimal(60))
            for supplier, price, lead in (("A", "4.20", 7), ("B", "4.35", 5), ("C", "4.50", 10)):
                key = (sku, supplier, f"{supplier}-{sku.removeprefix('SKU-')}")
                pack = Decimal(50)
                self.put_item(key, ItemTerms(pack, lead))
                self.put_price(key, PriceLine(Decimal(1), Decimal(price) * pack, "USD"))

    def _all(self, statement: str, *values: object) -> list[Row]:
        with self._database.reading() as db:
            return db.execute(statement, values).fetchall()


def seed_demo(path: Path, sku: str = "SKU-123") -> None:
    """See MasterData.seed_demo."""
    master = MasterData(path)
    try:
        master.seed_demo(sku)
    finally:
        master.close()
