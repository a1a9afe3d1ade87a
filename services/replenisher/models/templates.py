"""The default writer: short letters from templates. They hold what the supplier knows already and what he is to be
told."""

from replenisher.domain.money import plain, price_text
from replenisher.domain.ports import Letter


class TemplateWriter:
    async def write(self, letter: Letter) -> str:
        """The letter in English."""
        order = (
            f"our purchase order {letter.po} for {plain(letter.quantity)} {letter.unit} of {letter.sku}"
            f" at {price_text(letter.unit_price)} {letter.currency}"
        )
        if letter.kind == "answer":
            return f"Hello,\nthank you for your question about {order}.\n{letter.reason}\nKind regards, Purchasing"
        if letter.kind == "cancellation":
            return f"Hello,\nplease cancel {order}: {letter.reason}.\nKind regards, Purchasing"
        if letter.kind == "acceptance":
            return f"Hello,\nwe accept these terms for {order}.\nKind regards, Purchasing"
        if letter.reason == "goods":
            due = f", due on {letter.due.isoformat()}," if letter.due else ""
            return f"Hello,\n{order}{due} has not arrived. When will it be delivered?\nKind regards, Purchasing"
        ask = f"we have no confirmation yet of {order}. Please confirm price and delivery date."
        return f"Hello,\n{ask}\nKind regards, Purchasing"
