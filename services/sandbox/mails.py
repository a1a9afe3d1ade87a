"""How suppliers write: plausible English mails in varying words. What is said and when is decided in acting.py."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from sandbox.wire import spelled


@dataclass(frozen=True, slots=True)
class Facts:
    """What a mail states; None is left unsaid."""

    supplier: str
    po: str
    sku: str
    quantity: Decimal | None = None
    unit_price: Decimal | None = None
    currency: str = "USD"
    promised: date | None = None
    reason: str = ""
    rest: Decimal | None = None
    """partial: what is not on the way yet."""


CONFIRM = (
    "We confirm {po} for {quantity} {unit} at {currency} {price} each.{delivery}",
    "Thank you for your order {po}. We confirm {quantity} {unit} at a unit price of {currency} {price}.{delivery}",
    "We are pleased to confirm {po}: {quantity} {unit}, {currency} {price} per piece.{delivery}",
)
AS_ORDERED = (
    "We confirm {po} for {quantity} {unit} at the price of your order.{delivery}",
    "Thank you for your order {po}. We confirm {quantity} {unit}, everything as ordered.{delivery}",
)
"""For a price that nobody would write out, as that of one metre of a roll of 500 feet."""
SHORT = (
    "We confirm {po}, but for {quantity} {unit} only, at {currency} {price} each.{delivery}",
    "{po} is confirmed for {quantity} {unit}; we cannot supply more. The price is {currency} {price} each.{delivery}",
)
DECLINE = (
    "Unfortunately we cannot deliver {po}.{reason} Please consider the order declined.",
    "We regret that we have to decline {po}: we cannot supply {sku}.{reason}",
)
ASK = {
    "dock": (
        "Before we can confirm {po}: which dock should we deliver to?",
        "About {po}: please tell us the delivery dock, then we can go ahead.",
    ),
    "address": ("About {po}: what is the delivery address, please?",),
    "contact": ("About {po}: who is the contact person for this delivery, please?",),
    "vat": ("We need your VAT number for {po}. Could you send it, please?",),
    "other": ("Before we can go ahead with {po}: which colour of cap do you need?",),
}
PARTIAL = (
    "We have shipped {quantity} pcs of {po}. The remaining {rest} pcs will follow.",
    "Part of {po} has left our warehouse: {quantity} pcs. The other {rest} pcs are on backorder and will follow.",
)
RECEIPT = ("We have received your order {po} and will come back to you.",)
SHIPPED = ("Your order {po} has been shipped today: {quantity} pcs.",)
LONGEST = 6
"""Decimal places of a price that is written out."""
DELIVERY = (" Delivery {date}.", " Delivery date: {date}.", " Expected delivery {date}.")


def subject(facts: Facts) -> str:
    return f"Re: {facts.po}"


def confirm(facts: Facts, n: int, *, short: bool = False) -> str:
    if short:
        return _letter(SHORT, facts, n)
    written = facts.unit_price is not None and len(plain(facts.unit_price).partition(".")[2]) <= LONGEST
    return _letter(CONFIRM if written else AS_ORDERED, facts, n)


def decline(facts: Facts, n: int) -> str:
    return _letter(DECLINE, facts, n)


def ask(facts: Facts, topic: str, n: int) -> str:
    return _letter(ASK.get(topic, ASK["other"]), facts, n)


def partial(facts: Facts, n: int) -> str:
    return _letter(PARTIAL, facts, n)


def receipt(facts: Facts, n: int) -> str:
    return _letter(RECEIPT, facts, n)


def shipped(facts: Facts, n: int) -> str:
    return _letter(SHIPPED, facts, n)


def signed(text: str, supplier: str) -> str:
    return f"Hello,\n\n{text}\n\nKind regards,\nSales, {supplier}\n"


def _letter(templates: Sequence[str], facts: Facts, n: int) -> str:
    # the words vary with the order and the mail, and are the same whenever the same thing is said again
    pick = n + sum(facts.po.encode())
    template = templates[pick % len(templates)]
    delivery = DELIVERY[pick % len(DELIVERY)].format(date=facts.promised.isoformat()) if facts.promised else ""
    text = template.format(
        po=facts.po,
        sku=facts.sku,
        quantity="" if facts.quantity is None else plain(facts.quantity),
        unit="pcs" if facts.quantity is None or facts.quantity % 1 == 0 else "units",
        price="" if facts.unit_price is None else price(facts.unit_price),
        currency=facts.currency,
        delivery=delivery,
        reason=f" {facts.reason.rstrip('.')}." if facts.reason else "",
        rest="" if facts.rest is None else plain(facts.rest),
    )
    return signed(text, facts.supplier)


def plain(value: Decimal) -> str:
    text = spelled(value)
    return text.rstrip("0").rstrip(".") if "." in text else text


def price(value: Decimal) -> str:
    text = plain(value)
    return text if len(text.partition(".")[2]) >= 2 else format(value, ".2f")
