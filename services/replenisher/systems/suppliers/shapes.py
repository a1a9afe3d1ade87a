"""What suppliers answer, as docs/suppliers.openapi.yaml has it, checked at the border. Asking is http.py's part."""

from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, BeforeValidator, Field, model_validator

from replenisher.domain.quote import Break, Quote


def _number(value: Any) -> Any:
    """A decimal string or a JSON number; never a truth value, which Python counts as one."""
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
        raise ValueError("a number is a decimal string")
    return value


def _text(value: Any) -> Any:
    if not isinstance(value, str):
        raise ValueError("a time is ISO text with its zone")
    return value


Amount = Annotated[Decimal, BeforeValidator(_number), Field(allow_inf_nan=False, max_digits=40, decimal_places=30)]
Positive = Annotated[Amount, Field(gt=0)]
NotNegative = Annotated[Amount, Field(ge=0)]
Days = Annotated[int, BeforeValidator(_number), Field(ge=0, le=3650)]
Moment = Annotated[AwareDatetime, BeforeValidator(_text)]
Currency = Annotated[str, Field(pattern=r"^[A-Z]{3}$")]
Status = Literal["open", "confirmed", "shipped", "received", "cancelled", "declined"]


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
    lead_time_days: Days
    valid_until: Moment

    @model_validator(mode="after")
    def _one_price_a_quantity(self) -> "QuoteAnswer":
        if len({b.min_quantity for b in self.breaks}) < len(self.breaks):
            raise ValueError("two prices from the same quantity on")
        return self

    def quote(self, supplier: str) -> Quote:
        """In the domain's terms: prices for ONE of our units."""
        breaks = self.breaks or [BreakAnswer(min_quantity=Decimal(0), unit_price=self.unit_price)]
        ladder = sorted(breaks, key=lambda b: b.min_quantity)
        return Quote(
            supplier=supplier,
            item=self.item,
            currency=self.currency,
            breaks=tuple(Break(b.min_quantity, b.unit_price / self.price_unit) for b in ladder),
            pack=self.pack,
            lead_time_days=self.lead_time_days,
            valid_until=self.valid_until,
            minimum=self.minimum,
            minimum_order_value=self.minimum_order_value,
            freight=self.freight,
        )


class QuotesAnswer(BaseModel):
    quotes: Annotated[list[QuoteAnswer], Field(max_length=1000)]

    @model_validator(mode="after")
    def _each_item_once(self) -> "QuotesAnswer":
        if len({q.item for q in self.quotes}) < len(self.quotes):
            raise ValueError("one item is quoted twice")
        return self


class Standing(BaseModel):
    """How an order stands in the supplier's book after a write."""

    po: str
    status: Status


class OrderInBook(Standing):
    quantity: Positive
    unit_price: Positive
    currency: Currency
