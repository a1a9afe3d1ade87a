"""Named states deep in a replenishment, reached by the product's own moves."""

from explorer.explorer import Report, moves
from explorer.world import World, items, part, rates
from replenisher.domain.hearing import begin
from replenisher.domain.order import Order
from replenisher.domain.state import Assignment, State

Start = tuple[State, World]


def empty(n: int = 1, orders: tuple[Order, ...] = (), world: World | None = None) -> Start:
    run = f"replenish-SKU-123-{n}"
    world = world or World()
    on_hand = world.on_hand
    state = begin(
        Assignment(run, "SKU-123", n, world.time, part(), on_hand, rates(), items(), list(orders), [], 1, ["dock"])
    )
    return state, world


def follow(start: Start, *path: str) -> Start:
    """The state after these moves, each the first whose name begins so. Raises LookupError where there is none."""
    state, world = start
    for move in path:
        offered = list(moves(state, world, Report()))
        found = next(((s, w) for s, w, name in offered if name.startswith(move)), None)
        if found is None:
            raise LookupError(f"no move {move!r} among {[name for _, _, name in offered]}")
        state, world = found
    return state, world


ASKED = ("get_quotes", "draft_purchase_order('A/", "request_approval")


def approval_open() -> Start:
    return follow(empty(), *ASKED)


def placed() -> Start:
    return follow(approval_open(), "PO-4480/1 True", "place_order('PO-4480',)")


def order_unknown() -> Start:
    return follow(approval_open(), "PO-4480/1 True", "place_order('PO-4480',)('ok', 'lost', 'lost')")


def counter_offer_open() -> Start:
    return follow(placed(), "A on PO-4480: above", "read_supplier_reply")


def carried_over_duplicate() -> Start:
    state, world = order_unknown()
    second = empty(2, tuple(state.orders.values()), world.copy())
    asked = ("get_quotes", "draft_purchase_order('B/", "request_approval", "PO-4481/1 True", "place_order('PO-4481',)")
    return follow(second, *asked, "A on PO-4480: agrees", "read_supplier_reply")


def partly_received() -> Start:
    return follow(placed(), "A on PO-4480: agrees", "read_supplier_reply", "goods 200 on PO-4480")


STARTS = {
    "empty": empty,
    "approval open": approval_open,
    "order unknown": order_unknown,
    "counter-offer open": counter_offer_open,
    "carried-over duplicate": carried_over_duplicate,
    "partly received": partly_received,
}
