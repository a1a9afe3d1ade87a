"""What may follow what in the life of a purchase order, in every system of record: each act at each stage, once and
again, and any story of them."""

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replenisher.domain.order import OrderStatus
from replenisher.domain.ports import Receipt, Records, Refused
from support.recordkeeping import (
    AT,
    DUE,
    LATER,
    SKU,
    STAGES,
    SYSTEMS,
    Stage,
    System,
    accepted,
    drafted,
    look,
    order,
    sent,
    unknown,
)

D = Decimal
S = OrderStatus
Act = Callable[[Records, str], Awaitable[object]]
ACTS: dict[str, Act] = {
    "change_draft": lambda r, po: r.change_draft(po, D("4.30"), D(5)),
    "begin_sending": lambda r, po: r.begin_sending(po, D("4.20"), D("4.41")),
    "begin_sending_up_to_another_ceiling": lambda r, po: r.begin_sending(po, D("4.20"), D("4.40")),
    "begin_sending_at_other_terms": lambda r, po: r.begin_sending(po, D("4.30"), D("4.41")),
    "mark_sent": lambda r, po: r.mark_sent(po, LATER),
    "mark_draft": lambda r, po: r.mark_draft(po),
    "confirm": lambda r, po: r.confirm(po, D(450), D("4.20"), "USD", DUE, LATER),
    "confirm_at_other_terms": lambda r, po: r.confirm(po, D(400), D("4.35"), "USD", date(2026, 12, 20), LATER),
    "receive": lambda r, po: r.receive(po, SKU, "DN-7", D(200)),
    "cancel": lambda r, po: r.cancel(po, "not needed"),
    "close": lambda r, po: r.close(po),
}
_FOLLOWS = """
                                    drafted unknown  sent      accepted  received cancelled given_up closed
change_draft                        draft   no       no        no        no       no        no       no
begin_sending                       unknown same     same      same      same     no        no       same
begin_sending_up_to_another_ceiling unknown no       no        no        no       no        no       no
begin_sending_at_other_terms        unknown no       no        no        no       no        no       no
mark_sent                           sent    sent     same      same      same     no        no       same
mark_draft                          same    draft    no        no        no       no        no       no
confirm                             no      accepted accepted  same      same     no        no       same
confirm_at_other_terms              no      accepted accepted  accepted  received no        no       no
receive                             no      accepted accepted  accepted  received cancelled no       no
cancel                              gone    gone     cancelled cancelled no       same      same     no
close                               no      no       gone      gone      gone     gone      same     same
"""
_ROWS = [line.split() for line in _FOLLOWS.strip().splitlines()]
FOLLOWS = {row[0]: dict(zip(_ROWS[0], row[1:], strict=True)) for row in _ROWS[1:]}
"""For each act, what it makes of an order at each stage: a status, gone (closed), no (refused), same (unchanged)."""


@pytest.mark.parametrize("stage", STAGES, ids=lambda s: s.__name__)
@pytest.mark.parametrize("act", FOLLOWS)
async def test_each_act_at_each_stage_once_and_again(system: System, act: str, stage: Stage) -> None:
    """Refused with a sentence and nothing changed, or done; done again after a crash it changes nothing."""
    po = await stage(system.opened())
    before = await look(system.opened())
    expected = FOLLOWS[act][stage.__name__]
    if expected == "no":
        with pytest.raises(Refused, match=f"{po} .+ .+"):
            await ACTS[act](system.opened(), po)
        assert await look(system.opened()) == before
        return
    await ACTS[act](system.opened(), po)
    after = await look(system.opened())
    if expected == "same":
        assert after == before
    else:
        assert {o.po: o.status for o in after.orders} == ({} if expected == "gone" else {po: S(expected)})
    await ACTS[act](system.opened(), po)
    assert await look(system.opened()) == after


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("po", ["PO-9999", "PO-04471", "po-4471", "4471", "", "PO-4471 OR 1=1"])
async def test_a_po_nobody_knows_is_refused(records: Records, act: str, po: str) -> None:
    await accepted(records)
    with pytest.raises(Refused):
        await ACTS[act](records, po)


async def test_what_each_step_leaves_in_the_record(records: Records) -> None:
    po = await drafted(records)
    await records.change_draft(po, D("4.30"), D(12))
    assert ((await order(records, po)).unit_price, (await order(records, po)).freight) == (D("4.30"), D(12))
    await records.begin_sending(po, D("4.25"), D("4.41"))
    at_risk = await order(records, po)
    assert (at_risk.status, at_risk.unit_price, at_risk.ceiling) == (S.UNKNOWN, D("4.25"), D("4.41"))
    await records.mark_sent(po, AT)
    await records.mark_sent(po, LATER)
    assert ((await order(records, po)).sent_at, (await order(records, po)).due) == (AT, date(2026, 12, 8))
    await records.confirm(po, D(450), D("4.35"), "USD", None, LATER)
    known = await order(records, po)
    assert (known.unit_price, known.acknowledged_at, known.due) == (D("4.35"), LATER, date(2026, 12, 10))
    await records.confirm(po, D(450), D("4.40"), "USD", date(2026, 12, 12), LATER.replace(day=5))
    await records.confirm(po, D(400), D("4.40"), "USD", None, LATER.replace(day=6))
    agreed = await order(records, po)
    assert (agreed.quantity, agreed.unit_price, agreed.acknowledged_at) == (D(400), D("4.40"), LATER)
    assert (agreed.due, agreed.ceiling, agreed.sent_at) == (date(2026, 12, 12), D("4.41"), AT)


async def test_a_step_that_runs_again_from_its_start_leaves_the_later_terms(records: Records) -> None:
    """The supplier confirmed at 4.35 before the journal knew that the order was sent."""
    po = await sent(records)
    await records.confirm(po, D(450), D("4.35"), "USD", DUE, AT)
    await records.begin_sending(po, D("4.20"), D("4.41"))
    await records.mark_sent(po, LATER)
    known = await order(records, po)
    assert (known.status, known.unit_price, known.sent_at) == (S.ACCEPTED, D("4.35"), AT)


async def test_goods_that_came_before_the_answer(records: Records) -> None:
    """The order's outcome is unknown, the goods are here, and then the supplier's book is asked."""
    po = await unknown(records)
    await records.receive(po, SKU, "DN-1", D(200))
    await records.mark_sent(po, AT)
    known = await order(records, po)
    assert (known.status, known.sent_at, known.received) == (S.ACCEPTED, AT, D(200))


def test_a_process_that_dies_while_sending_leaves_no_draft(system: System) -> None:
    code = f"""
{system.elsewhere}
import asyncio, os
from decimal import Decimal
async def main():
    await records.begin_sending("PO-4471", Decimal("4.20"), Decimal("4.41"))
    os._exit(9)
asyncio.run(main())
"""
    asyncio.run(drafted(system.opened()))
    assert subprocess.run([sys.executable, "-c", code], timeout=30, check=False).returncode == 9
    known = asyncio.run(order(system.opened(), "PO-4471"))
    assert (known.status, known.unit_price, known.ceiling) == (S.UNKNOWN, D("4.20"), D("4.41"))


async def test_never_had_it_then_has_it_after_all(records: Records) -> None:
    po = await unknown(records)
    await records.mark_draft(po)
    again = await order(records, po)
    assert (again.status, again.sent_at, again.due, again.ceiling) == (S.DRAFT, None, None, None)
    await records.mark_sent(po, AT)
    assert (await order(records, po)).status is S.SENT


async def test_an_unknown_one_that_was_never_had_can_be_sent_at_a_new_price(records: Records) -> None:
    po = await unknown(records)
    await records.mark_draft(po)
    await records.begin_sending(po, D("4.30"), D("4.41"))
    assert (await order(records, po)).unit_price == D("4.30")


async def test_nothing_is_sent_above_its_ceiling(records: Records) -> None:
    po = await drafted(records)
    with pytest.raises(Refused, match=r"4\.41"):
        await records.begin_sending(po, D("4.42"), D("4.41"))
    assert (await order(records, po)).status is S.DRAFT
    await records.begin_sending(po, D("4.41"), D("4.41"))


@pytest.mark.parametrize(("quantity", "price"), [("0", "4"), ("-1", "4"), ("NaN", "4"), ("450", "-1"), ("450", "NaN")])
async def test_terms_that_are_none_are_refused(records: Records, quantity: str, price: str) -> None:
    po = await sent(records)
    with pytest.raises(Refused):
        await records.confirm(po, D(quantity), D(price), "USD", DUE, AT)
    assert (await order(records, po)).status is S.SENT


# --- any story -------------------------------------------------------------------------------------------------------

ANY_STORY = st.lists(
    st.tuples(st.sampled_from([*ACTS, "receive_much", "excess", "draft_again"]), st.integers(0, 1)), max_size=14
)


@settings(max_examples=25, deadline=None)
@given(story=ANY_STORY)
@pytest.mark.parametrize("name", SYSTEMS)
def test_in_any_story_stock_is_what_was_booked(
    tmp_path_factory: pytest.TempPathFactory, name: str, story: list[tuple[str, int]]
) -> None:
    """Two orders, any acts in any order, each done twice: the second changes nothing, and the books add up."""
    system = SYSTEMS[name](tmp_path_factory.mktemp("story"))
    asyncio.run(_play(system.opened(), story))


async def _play(records: Records, story: list[tuple[str, int]]) -> None:
    acts: dict[str, Act] = ACTS | {
        "receive_much": lambda r, po: r.receive(po, SKU, "DN-8", D(300)),
        "excess": lambda r, po: r.receive(po, SKU, "DN-8", D(50), excess=True),
        "draft_again": lambda r, po: drafted(r, 1 + ("PO-4471", "PO-4472").index(po)),
    }
    pos = [await drafted(records, 1), await drafted(records, 2)]
    booked = D(0)
    for name, which in story:
        before = await look(records)
        try:
            answer = await acts[name](records, pos[which])
        except Refused:
            assert await look(records) == before
            continue
        after = await look(records)
        await acts[name](records, pos[which])
        assert await look(records) == after
        if isinstance(answer, Receipt):
            booked += answer.booked
            assert answer.on_hand == 60 + booked
        assert after.on_hand == 60 + booked
        assert all(o.outstanding >= 0 and not o.closed for o in after.orders)
