"""A part and its stock policy, and the items under which approved suppliers sell it.
Quantities are in the part's one unit."""

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Part:
    """Master data of one SKU. Reorder point defaults to the safety stock and target to twice that, in the records."""

    sku: str
    name: str
    unit: str
    safety_stock: Decimal
    reorder_point: Decimal
    target: Decimal


@dataclass(frozen=True, slots=True)
class SupplierItem:
    """An item of an approved supplier that fills this part's need; one purchase order buys one of these."""

    sku: str
    supplier: str
    item: str
    """The supplier's own number for it."""
    pack: Decimal
    """Our units in one pack."""
