"""What the suppliers ask for their items: prices of today, and prices that were quoted and still hold."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Annotated, cast

from pydantic import AwareDatetime, Field, model_validator

from sandbox.store import Store, Table, key
from sandbox.wire import Body, Currency, Json, Name, NotNegative, Positive, Problem, dump

EXACT = Decimal("1e-12")
"""Relative difference up to which two prices are the same: prices for 3 or 152.4 units have no exact price for one."""


class Break(Body):
    min_quantity: NotNegative
    unit_price: Positive


class Item(Body):
    """One supplier item for one part, as he would quote it now. Prices are for `price_unit` of the buyer's units."""

    item: Name | None = None
    """None makes one up: A-123 for SKU-123."""
    unit_price: Positive
    price_unit: Positive = Decimal(1)
    currency: Currency = "USD"
    pack: Positive = Decimal(1)
    breaks: tuple[Break, ...] = ()
    """Empty: one price from one pack on."""
    minimum: NotNegative = Decimal(0)
    minimum_order_value: NotNegative = Decimal(0)
    freight: NotNegative = Decimal(0)
    lead_time_days: Annotated[int, Field(ge=0, le=3650)] = 7
    valid_days: Annotated[float, Field(gt=0, le=3650)] = 14
    """Each quote holds for so many days from when it was asked for."""
    valid_until: AwareDatetime | None = None
    """A fixed end instead."""

    @model_validator(mode="before")
    @classmethod
    def price_of_the_lowest_break(cls, value: object) -> object:
        """Without `unit_price` it is that of the first break."""
        said = cast("dict[str, Json]", value) if isinstance(value, dict) else {}
        breaks: Json = said.get("breaks")
        if not said or said.get("unit_price") is not None or not isinstance(breaks, list) or not breaks:
            return cast("object", value)
        first = cast("list[Json]", breaks)[0]
        return (
            said | {"unit_price": cast("dict[str, Json]", first).get("unit_price")} if isinstance(first, dict) else said
        )

    def ladder(self) -> list[Break]:
        return sorted(self.breaks, key=lambda b: b.min_quantity) or [
            Break(min_quantity=self.pack, unit_price=self.unit_price)
        ]

    def price(self, quantity: Decimal) -> Decimal | None:
        """For ONE of the buyer's units; None below the lowest break."""
        reached = [b for b in self.ladder() if b.min_quantity <= quantity]
        return reached[-1].unit_price / self.price_unit if reached else None


class CatalogueItem(Item):
    supplier: Name
    sku: Name


class PriceChange(Body):
    item: Name | None = None
    """None: every item of the part."""
    unit_price: Positive


class Items(Body):
    items: list[Item]


class Issued(Body):
    """Terms that were quoted, and until when they hold."""

    terms: Item
    until: AwareDatetime


class IssuedList(Body):
    issued: list[Issued]


class PriceList:
    def __init__(self, store: Store) -> None:
        self._items = Table(store, "quote", Items)
        self._issued = Table(store, "issued", IssuedList)

    def set(self, supplier: str, sku: str, items: Iterable[Item]) -> None:
        """From now on this is what he quotes for the part; nothing when it is empty."""
        named = [i if i.item else i.model_copy(update={"item": made_up(supplier, sku)}) for i in items]
        if len({i.item for i in named}) < len(named):
            raise Problem(400, f"{supplier} would quote one item of {sku} twice: give each an `item` of its own")
        for item in named:
            if len({b.min_quantity for b in item.breaks}) < len(item.breaks):
                raise Problem(400, f"{item.item} has two prices from the same quantity on: leave one out")
        self._items.put(key(supplier, sku), Items(items=named))

    def change(self, supplier: str, sku: str, change: PriceChange) -> None:
        """Another price, without further breaks."""
        changed = [
            i.model_copy(
                update={
                    "unit_price": change.unit_price,
                    "breaks": (Break(min_quantity=i.ladder()[0].min_quantity, unit_price=change.unit_price),),
                }
            )
            if change.item in (None, i.item)
            else i
            for i in self.items(supplier, sku)
        ]
        self.set(supplier, sku, changed)

    def replace(self, catalogue: Sequence[CatalogueItem]) -> None:
        """The catalogue of all suppliers; what they quoted before is gone, quotes given still hold."""
        parts: dict[tuple[str, str], list[Item]] = {}
        for line in catalogue:
            item = Item.model_validate(line.model_dump(exclude={"supplier", "sku"}))
            parts.setdefault((line.supplier, line.sku), []).append(item)
        self._items.clear()
        for (supplier, sku), items in parts.items():
            self.set(supplier, sku, items)

    def catalogue(self) -> list[Json]:
        found: list[Json] = []
        for joined, items in self._items.items():
            supplier, sku = joined.split("\x1f")
            found += [{"supplier": supplier, "sku": sku} | dump(i) for i in items.items]
        return found

    def items(self, supplier: str, sku: str) -> list[Item]:
        known = self._items.get(key(supplier, sku))
        return [] if known is None else known.items

    def quote(self, supplier: str, sku: str, now: datetime) -> list[Json]:
        """The answer to a request for quotes, which holds from then on."""
        known = self._issued.get(key(supplier, sku))
        kept = [i for i in known.issued if i.until > now] if known else []
        offers: list[Json] = []
        for item in self.items(supplier, sku):
            until = item.valid_until or now + timedelta(days=item.valid_days)
            kept = [i for i in kept if i.terms != item or i.until > until]
            kept.append(Issued(terms=item, until=until))
            offers.append(_offer(item, until))
        self._issued.put(key(supplier, sku), IssuedList(issued=kept))
        return offers

    def order_item(
        self, supplier: str, sku: str, item: str, quantity: Decimal, price: Decimal, currency: str, now: datetime
    ) -> Item:
        """The terms an order is at: today's or those of a quote that still holds. Problem 422 when it is at none."""
        issued = self._issued.get(key(supplier, sku))
        held = [i.terms for i in issued.issued if i.until > now] if issued else []
        today = [i for i in self.items(supplier, sku) if i.valid_until is None or i.valid_until > now]
        offered = [t for t in (*today, *held) if t.item == item]
        if not offered:
            raise Problem(422, f"{supplier} has no item {item!r} for {sku}: ask for quotes and order an item quoted")
        for terms in offered:
            asked = terms.price(quantity)
            if terms.currency == currency and asked is not None and abs(asked - price) <= EXACT * asked:
                _orderable(terms, quantity, price)
                return terms
        now_at = offered[0].price(quantity)
        said = "no price" if now_at is None else f"{now_at.normalize():f} {offered[0].currency}"
        raise Problem(
            422,
            f"{price:f} {currency} is not a price of {item} for {quantity:f}: it is {said} now; ask for a new quote",
        )


def _orderable(terms: Item, quantity: Decimal, price: Decimal) -> None:
    packs = quantity / terms.pack
    if abs(packs - packs.to_integral_value()) > EXACT * packs:
        raise Problem(422, f"{quantity:f} is no whole number of packs of {terms.pack:f}")
    if quantity < terms.minimum:
        raise Problem(422, f"{quantity:f} is below the minimum of {terms.minimum:f}")
    if round(price * quantity, 2) < terms.minimum_order_value:
        raise Problem(422, f"an order must be worth {terms.minimum_order_value:f} {terms.currency} or more")


def made_up(supplier: str, sku: str) -> str:
    return f"{supplier}-{sku.removeprefix('SKU-')}"


def _offer(item: Item, until: datetime) -> Json:
    shown = dump(item.model_copy(update={"breaks": tuple(item.ladder())}))
    del shown["valid_days"]
    return shown | {"valid_until": until.isoformat().replace("+00:00", "Z")}
