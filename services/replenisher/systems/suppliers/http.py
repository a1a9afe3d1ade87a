"""Suppliers over HTTP and JSON, as docs/suppliers.openapi.yaml has it: price source and channel in one adapter."""

from collections.abc import Callable, Sequence
from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Literal
from urllib.parse import quote

import httpx
from pydantic import AwareDatetime, BaseModel, Field

from replenisher.domain.ports import OrderBody, SupplierOrder, Unavailable
from replenisher.domain.quote import Break, Quote
from replenisher.systems.http import parse, request

Positive = Annotated[Decimal, Field(gt=0, allow_inf_nan=False, max_digits=30)]
NotNegative = Annotated[Decimal, Field(ge=0, allow_inf_nan=False, max_digits=30)]
Currency = Annotated[str, Field(pattern=r"^[A-Z]{3}$")]


class BreakAnswer(BaseModel):
    min_quantity: NotNegative
    unit_price: Positive


class QuoteAnswer(BaseModel):
    """Prices are for `price_unit` of our units; thresholds and packs are in our units."""

    item: Annotated[str, Field(min_length=1, max_length=200)]
    unit_price: Positive
    price_unit: Positive = Decimal(1)
    currency: Currency
    pack: Positive = Decimal(1)
    breaks: Annotated[list[BreakAnswer], Field(max_length=100)] = []
    minimum: NotNegative = Decimal(0)
    minimum_order_value: NotNegative = Decimal(0)
    freight: NotNegative = Decimal(0)
    lead_time_days: Annotated[int, Field(ge=0, le=3650)]
    valid_until: AwareDatetime

    def quote(self, supplier: str) -> Quote:
        breaks = self.breaks or [BreakAnswer(min_quantity=Decimal(0), unit_price=self.unit_price)]
        return Quote(
            supplier=supplier,
            item=self.item,
            currency=self.currency,
            breaks=tuple(
                sorted(
                    (Break(b.min_quantity, b.unit_price / self.price_unit) for b in breaks),
                    key=lambda b: b.min_quantity,
                )
            ),
            pack=self.pack,
            lead_time_days=self.lead_time_days,
            valid_until=self.valid_until,
            minimum=self.minimum,
            minimum_order_value=self.minimum_order_value,
            freight=self.freight,
        )


class QuotesAnswer(BaseModel):
    quotes: Annotated[list[QuoteAnswer], Field(max_length=1000)]


class OrderAnswer(BaseModel):
    po: str
    status: Literal["open", "confirmed", "shipped", "received", "cancelled", "declined"]


class OrderInBook(OrderAnswer):
    quantity: Positive
    unit_price: Positive
    currency: Currency


class HttpSuppliers:
    """Every supplier that speaks the contract. `address` gives a supplier's base URL; the client's pool is shared."""

    def __init__(self, address: Callable[[str], str], client: httpx.AsyncClient) -> None:
        self._address = address
        self._client = client

    def _order(self, supplier: str, po: str, tail: str = "") -> str:
        return f"{self._address(supplier)}/orders/{quote(po, safe='')}{tail}"

    async def quotes(self, supplier: str, sku: str) -> Sequence[Quote]:
        url = f"{self._address(supplier)}/quotes"
        answer = _present(await request(self._client, "GET", url, params={"sku": sku}))
        return [q.quote(supplier) for q in parse(answer, QuotesAnswer).quotes]

    async def order(self, supplier: str, body: OrderBody, key: str) -> None:
        sent = {
            "po": body.po,
            "sku": body.sku,
            "item": body.item,
            "quantity": str(body.quantity),
            "unit_price": str(body.unit_price),
            "currency": body.currency,
            "deliver_to": body.deliver_to,
        }
        answer = _present(await request(self._client, "POST", f"{self._address(supplier)}/orders", body=sent, key=key))
        if parse(answer, OrderAnswer).po != body.po:
            raise Unavailable("malformed", f"{supplier} answered for another order than {body.po}")

    async def find(self, supplier: str, po: str) -> SupplierOrder | None:
        answer = await request(self._client, "GET", self._order(supplier, po), missing=True)
        if answer is None:
            return None
        found = parse(answer, OrderInBook)
        if found.po != po:
            raise Unavailable("malformed", f"{supplier} answered with {found.po} for {po}")
        return SupplierOrder(found.po, found.quantity, found.unit_price, found.currency, found.status)

    async def message(
        self, supplier: str, po: str, kind: Literal["chase", "answer", "notice"], text: str, key: str
    ) -> None:
        await self._write(self._order(supplier, po, "/messages"), {"kind": kind, "text": text}, key)

    async def accept(
        self,
        supplier: str,
        po: str,
        quantity: Decimal,
        unit_price: Decimal,
        currency: str,
        promised: date | None,
        key: str,
    ) -> None:
        terms = {
            "quantity": str(quantity),
            "unit_price": str(unit_price),
            "currency": currency,
            "promised_date": None if promised is None else promised.isoformat(),
        }
        await self._write(self._order(supplier, po, "/accept"), terms, key)

    async def cancel(self, supplier: str, po: str, reason: str, key: str) -> None:
        answer = await self._write(self._order(supplier, po, "/cancel"), {"reason": reason}, key)
        if parse(answer, OrderAnswer).status != "cancelled":
            raise Unavailable("malformed", f"{supplier} took the cancellation of {po} but does not show it cancelled")

    async def _write(self, url: str, body: dict[str, Any], key: str) -> httpx.Response:
        return _present(await request(self._client, "POST", url, body=body, key=key))


def _present(answer: httpx.Response | None) -> httpx.Response:
    assert answer is not None, "only a request that allows it may find nothing"
    return answer
