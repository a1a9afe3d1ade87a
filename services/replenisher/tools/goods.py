"""Goods on their way: wait for them. Receipts are booked by the entity when the warehouse reports them."""

from replenisher.domain.conditions import awaiting_goods
from replenisher.domain.state import State
from replenisher.tools.base import ReplenishWait


class WaitForGoods(ReplenishWait):
    name = "wait_for_goods"
    description = "Wait for the goods of an accepted order, until two days after they are due."

    def allowed(self, state: State) -> bool:
        waiting = any(awaiting_goods(o) and o.overdue is None for o in state.orders.values())
        return waiting and not state.unread and not state.ending
