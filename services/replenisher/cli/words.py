"""Answers of the agent as a person would say them."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from replenisher.domain.money import price_text
from replenisher.domain.question import CHOICES, Subject

DOING = {
    "get_quotes": "asks the suppliers for quotes",
    "draft_purchase_order": "drafts a purchase order",
    "request_approval": "asks the manager to approve the price",
    "wait_for_approval": "waits for the manager's decision",
    "remind_manager": "reminds the manager",
    "place_order": "fetches the price again and orders",
    "check_order": "asks the supplier whether he has the order",
    "wait_to_retry": "waits before it tries again",
    "wait_for_supplier_reply": "waits for the supplier's confirmation",
    "chase_supplier": "writes to the supplier again",
    "read_supplier_reply": "reads the supplier's reply",
    "accept_terms": "accepts the supplier's terms",
    "answer_supplier": "answers the supplier's question",
    "wait_for_goods": "waits for the goods",
    "cancel_order": "cancels the order at the supplier",
    "cancel_draft": "cancels the draft",
    "ask_buyer": "asks the buyer",
    "wait_for_buyer": "waits for the buyer's answer",
    "close_purchase_order": "closes the purchase order",
    "done": "is done",
}


def price(text: str) -> str:
    """A price as people write it: 4.20."""
    return price_text(Decimal(text))


def when(text: str | None) -> str:
    """A time as people write it, UTC."""
    return "" if text is None else f"{datetime.fromisoformat(text):%d %b %Y %H:%M}"


def status_text(said: dict[str, Any]) -> str:
    """Stock, orders, what the agent does, and what it wants from people."""
    unit = said["unit"]
    stock = (
        f"  on hand {said['on_hand']} {unit}, with orders {said['position']};"
        f" reorder below {said['reorder_point']}, up to {said['target']}"
    )
    lines = [f"{said['sku']}: {said['status']}" + ("" if said["watched"] else " (not watched)"), stock]
    lines += [
        f"  {o['po']} {o['status']}: {o['quantity']} at {price(o['unit_price'])} {o['currency']} from {o['supplier']},"
        f" {o['received']} received"
        for o in said["orders"]
    ]
    if said["run"]:
        lines.append(f"  {said['run']}" + waiting_text(said["waiting"]))
    for approval in said["approvals"]:
        if approval["status"] == "open":
            lines.append(
                f"  to decide: {approval['id']}: {price(approval['unit_price'])} {approval['currency']}"
                f" up to {price(approval['ceiling'])}, until {when(approval['expires_at'])}"
            )
    for question in said["questions"]:
        if question["choice"] is None and not question["unanswered"]:
            choices = ", ".join(CHOICES[Subject(question["subject"])])
            lines.append(f"  to answer: {question['id']}: {question['text']} (one of: {choices})")
    if said["hold_until"]:
        lines.append(f"  nothing is started before {when(said['hold_until'])}")
    if said["last_outcome"]:
        lines.append("  last: " + outcome_line(said["last_outcome"]))
    return "\n".join(lines)


def waiting_text(waiting: dict[str, Any] | None) -> str:
    if waiting is None:
        return ""
    until = f" until {when(waiting['until'])}" if waiting["until"] else ""
    return f" {DOING.get(waiting['tool'], waiting['tool'])}{until}"


def outcome_line(outcome: dict[str, Any]) -> str:
    orders = ", ".join(
        f"{o['po']} {o['quantity']} at {price(o['unit_price'])} {o['currency']} from {o['supplier']} {o['status']}"
        for o in outcome["orders"]
    )
    return f"{outcome['run']}: {outcome['status']}, {outcome['reason']}" + (f" [{orders}]" if orders else "")
