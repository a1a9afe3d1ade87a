"""An independent answer to "what is cheapest": every number of packs of every supplier item is tried, in fractions.
It shares no code with the product and reads the real files by itself."""

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

F = Fraction
NONE = F(0)

EXCESS = 10
"""More than so many times the need is not ordered while anything else can be."""


@dataclass(frozen=True)
class Offer:
    """Thresholds, minimum and pack in our units; prices for one of our units."""

    supplier: str
    item: str
    currency: str
    pack: F
    breaks: tuple[tuple[F, F], ...]
    lead: int = 7
    minimum: F = NONE
    minimum_value: F = NONE
    freight: F = NONE


@dataclass(frozen=True)
class Best:
    offer: Offer
    quantity: F
    unit_price: F
    landed: F
    """In the offer's currency."""


def cents(amount: F) -> F:
    """Half up to 0.01."""
    return F((amount * 100 + F(1, 2)).__floor__(), 100)


def cheapest_of(offer: Offer, need: F) -> Best | None:
    """The lowest landed total from one offer, then the smaller quantity."""
    if need <= 0 or not offer.breaks:
        return None
    lowest = min(price for _, price in offer.breaks)
    reach = max(need, offer.minimum, *(floor for floor, _ in offer.breaks), offer.minimum_value / lowest)
    found: list[Best] = []
    for packs in range(1, (reach / offer.pack).__ceil__() + 2):
        quantity = packs * offer.pack
        reached = [(floor, price) for floor, price in offer.breaks if floor <= quantity]
        if quantity < need or quantity < offer.minimum or not reached:
            continue
        price = max(reached)[1]
        if cents(price * quantity) < offer.minimum_value:
            continue
        found.append(Best(offer, quantity, price, cents(price * quantity) + offer.freight))
    usual = [b for b in found if b.quantity <= EXCESS * need]
    return min(usual or found, key=lambda b: (b.landed, b.quantity), default=None)


def cheapest(offers: Iterable[Offer], need: F, rates: Mapping[str, F]) -> Best | None:
    """Over all offers whose currency has a rate: landed in the base currency, then lead time, then the item."""
    found = [b for o in offers if o.currency in rates and (b := cheapest_of(o, need)) is not None]
    usual = [b for b in found if b.quantity <= EXCESS * need]

    def rank(b: Best) -> tuple[F, int, str]:
        return b.landed * rates[b.offer.currency], b.offer.lead, f"{b.offer.supplier}/{b.offer.item}"

    return min(usual, key=rank, default=None)


PACKS = {
    "": F(1), "1": F(1), "0.5m": F(1, 2), "100": F(100), "100m": F(100), "1 metre": F(1), "300": F(300),
    "500": F(500), "500m": F(500),
}  # fmt: skip
"""Every way in which the priced lines of the real files write a pack, in the part's unit."""


def real_needs(folder: Path) -> dict[str, F]:
    """What brings each counted part of the real files up to twice its safety stock."""
    with (folder / "parts.csv").open(newline="") as file:
        safety = {row["sku"]: F(row["safety_stock"]) for row in csv.DictReader(file)}
    with (folder / "stock_count.csv").open(newline="") as file:
        return {row["sku"]: 2 * safety[row["sku"]] - F(row["on_hand"]) for row in csv.DictReader(file)}


def real_offers(folder: Path) -> dict[str, list[Offer]]:
    """The priced items of the real files, by SKU."""
    priced: dict[tuple[str, str, str, str, str], list[tuple[F, F]]] = {}
    with (folder / "supplier_parts.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            if row["unit_price"]:
                key = (row["sku"], row["supplier"], row["supplier_sku"], row["currency"], row["pack_quantity"])
                priced.setdefault(key, []).append((F(row["min_quantity"]), F(row["unit_price"])))
    offers: dict[str, list[Offer]] = {}
    for (sku, supplier, item, currency, written), breaks in priced.items():
        pack = PACKS[written]
        ours = tuple((packs * pack, price / pack) for packs, price in breaks)
        offers.setdefault(sku, []).append(Offer(supplier, item, currency, pack, ours))
    return offers


def real_rates(folder: Path) -> dict[str, F]:
    with (folder / "rates.csv").open(newline="") as file:
        return {"USD": F(1), **{row["currency"]: F(row["usd"]) for row in csv.DictReader(file)}}
