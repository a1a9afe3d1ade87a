"""What a decider sees: typed facts of this replenishment, bounded in size whatever happened. No
supplier text, no free text of people."""

from typing import Any

from replenisher.domain.conditions import need, position, purchases, short
from replenisher.domain.money import plain
from replenisher.domain.order import Order
from replenisher.domain.state import State

MOST = 12
"""Of any list at most this many are shown, the latest."""

GOAL = (
    "Bring stock back above safety stock by ordering from a suitable supplier; have every price approved by the manager"
    " before money is committed; see the order through to delivery."
)


def view(state: State) -> dict[str, Any]:
    return {
        "sku": state.sku,
        "now": state.now.isoformat(timespec="minutes"),
        "on_hand": plain(state.on_hand),
        "position": plain(position(state)),
        "safety_stock": plain(state.part.safety_stock),
        "target": plain(state.part.target),
        "short": short(state),
        "need": plain(need(state)),
        "offers": [
            {
                "quote": p.quote.id,
                "quantity": plain(p.quantity),
                "unit_price": plain(p.unit_price),
                "currency": p.quote.currency,
                "landed_total": plain(p.landed),
                "landed_total_company_currency": None
                if p.comparable is None
                else plain(p.comparable.quantize(p.landed)),
                "lead_time_days": p.quote.lead_time_days,
            }
            for p in purchases(state)[:MOST]
        ],
        "orders": [_order(state, o) for o in list(state.orders.values())[-MOST:]],
        "approvals": [
            {
                "id": a.id,
                "status": a.status.value,
                "unit_price": plain(a.unit_price),
                "currency": a.currency,
                "overdue": a.overdue,
            }
            for a in list(state.approvals.values())[-MOST:]
        ],
        "questions_open": [q.id for q in state.questions.values() if q.open][-MOST:],
        "unread_messages": len(state.unread),
    }


def _order(state: State, order: Order) -> dict[str, Any]:
    counter = order.counter
    return {
        "po": order.po,
        "supplier": order.supplier,
        "status": order.status.value,
        "quantity": plain(order.quantity),
        "outstanding": plain(order.outstanding),
        "unit_price": plain(order.unit_price),
        "currency": order.currency,
        "due": None if order.due is None else order.due.isoformat(),
        "days_since_sent": None if order.sent_at is None else (state.now - order.sent_at).days,
        "overdue": order.overdue,
        "unwanted": None if order.unwanted is None else order.unwanted.value,
        "counter_offer": None
        if counter is None
        else {
            "unit_price": plain(counter.unit_price),
            "currency": counter.currency,
            "quantity": plain(counter.quantity),
        },
        "this_run": order.run == state.run,
    }
