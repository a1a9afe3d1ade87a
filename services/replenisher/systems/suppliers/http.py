"""Suppliers over HTTP and JSON, as docs/suppliers.openapi.yaml has it: price source and channel in one adapter."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Literal
from urllib.parse import quote

import httpx

from replenisher.domain.money import plain, price_text
from replenisher.domain.ports import OrderBody, Refused, SupplierOrder, Unavailable
from replenisher.domain.quote import Quote
from replenisher.systems.http import TIMEOUT, Answer, parse, request
from replenisher.systems.suppliers.shapes import OrderInBook, QuotesAnswer, Standing

OK = frozenset({200})
TAKEN = frozenset({200, 201})
HEARD = frozenset({202})
NOT_DONE = ("cancelled", "declined")


class HttpSuppliers:
    """Every supplier that speaks the contract. `address` gives a supplier's base URL; the client's pool is shared."""

    def __init__(
        self, address: Callable[[str], str], client: httpx.AsyncClient, timeout: httpx.Timeout = TIMEOUT
    ) -> None:
        self._address = address
        self._client = client
        self._timeout = timeout

    async def quotes(self, supplier: str, sku: str) -> Sequence[Quote]:
        answer = await self._ask("GET", f"{self._base(supplier)}/quotes", OK, params={"sku": sku})
        return [q.quote(supplier) for q in parse(answer, QuotesAnswer).quotes]

    async def order(self, supplier: str, body: OrderBody, key: str) -> None:
        sent = {
            "po": body.po,
            "sku": body.sku,
            "item": body.item,
            "quantity": _spelled(body.quantity),
            "unit_price": _spelled(body.unit_price),
            "currency": body.currency,
            "deliver_to": body.deliver_to,
        }
        answer = await self._ask("POST", f"{self._base(supplier)}/orders", TAKEN, body=sent, key=key)
        status = self._standing(answer, supplier, body.po).status
        if status in NOT_DONE:
            raise Refused(f"{supplier} shows {body.po} as {status}")

    async def find(self, supplier: str, po: str) -> SupplierOrder | None:
        answer = await request(
            self._client, "GET", self._order(supplier, po), success=OK, missing=True, timeout=self._timeout
        )
        if answer is None:
            return None
        found = parse(answer, OrderInBook)
        if found.po != po:
            raise Unavailable("malformed", f"{supplier} answered with {found.po} for {po}")
        return SupplierOrder(found.po, found.quantity, found.unit_price, found.currency, found.status)

    async def message(
        self, supplier: str, po: str, kind: Literal["chase", "answer", "notice"], text: str, key: str
    ) -> None:
        body = {"kind": kind, "text": text}
        await self._ask("POST", self._order(supplier, po, "/messages"), HEARD, body=body, key=key)

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
            "quantity": _spelled(quantity),
            "unit_price": _spelled(unit_price),
            "currency": currency,
            "promised_date": None if promised is None else promised.isoformat(),
            "text": f"We accept {plain(quantity)} on {po} at {currency} {price_text(unit_price)} each"
            + ("." if promised is None else f", delivery {promised}."),
        }
        answer = await self._ask("POST", self._order(supplier, po, "/accept"), OK, body=terms, key=key)
        status = self._standing(answer, supplier, po).status
        if status in NOT_DONE:
            raise Refused(f"{supplier} shows {po} as {status}")

    async def cancel(self, supplier: str, po: str, reason: str, key: str) -> None:
        answer = await self._ask("POST", self._order(supplier, po, "/cancel"), OK, body={"reason": reason}, key=key)
        if self._standing(answer, supplier, po).status != "cancelled":
            raise Unavailable("malformed", f"{supplier} took the cancellation of {po} but does not show it cancelled")

    def _base(self, supplier: str) -> str:
        return self._address(supplier).rstrip("/")

    def _order(self, supplier: str, po: str, tail: str = "") -> str:
        return f"{self._base(supplier)}/orders/{quote(po, safe='')}{tail}"

    async def _ask(
        self,
        method: str,
        url: str,
        success: frozenset[int],
        *,
        body: Mapping[str, Any] | None = None,
        key: str | None = None,
        params: Mapping[str, str] | None = None,
    ) -> Answer:
        answer = await request(
            self._client, method, url, success=success, body=body, key=key, params=params, timeout=self._timeout
        )
        assert answer is not None, "only a request that allows it may find nothing"
        return answer

    def _standing(self, answer: Answer, supplier: str, po: str) -> Standing:
        standing = parse(answer, Standing)
        if standing.po != po:
            raise Unavailable("malformed", f"{supplier} answered for {standing.po} instead of {po}")
        return standing


def _spelled(value: Decimal) -> str:
    """Never with an exponent, whatever the arithmetic left: 450, not 4.5E+2."""
    return format(value, "f")
