"""What every system of record must do, whatever is behind the port: read, and make one purchase order whatever happens.
Acts on orders and goods have files of their own; how an adapter keeps its books is tested beside it."""

import asyncio
import subprocess
import sys
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from replenisher.domain.order import Order, OrderStatus
from replenisher.domain.ports import Records, Refused
from support.recordkeeping import (
    AT,
    DRAFT,
    SKU,
    STAGES,
    Stage,
    System,
    closed,
    drafted,
    given_up,
    look,
    order,
    sent,
    unknown,
)

D = Decimal
S = OrderStatus


# --- reading ---------------------------------------------------------------------------------------------------------


async def test_the_part_its_policy_and_stock(records: Records) -> None:
    stock = await look(records)
    part = stock.part
    assert (part.sku, stock.on_hand, stock.orders) == (SKU, D(60), ())
    assert (part.safety_stock, part.reorder_point, part.target) == (D(100), D(100), D(500))
    assert await records.stock("SKU-nobody") is None


async def test_items_of_suppliers_in_a_stable_order(records: Records) -> None:
    items = await records.items(SKU)
    assert [(i.sku, i.supplier, i.item, i.pack) for i in items] == [(SKU, s, f"{s}-123", D(50)) for s in "ABC"]
    assert await records.items("SKU-nobody") == []


async def test_the_rate_of_the_companys_own_currency(records: Records) -> None:
    rates = await records.rates()
    assert rates.in_base(D("4.20"), rates.base) == D("4.20")
    assert rates.in_base(D(1), "XXX") is None


async def test_what_was_last_paid_newest_first(records: Records) -> None:
    assert await records.last_prices(SKU) == []
    for n, day in ((1, 3), (2, 9), (3, 6), (4, 1)):
        po = await sent(records, n)
        await records.confirm(po, D(450), D(4) + n, "USD", None, AT.replace(day=day))
    await drafted(records, 5)
    await unknown(records, 6)
    paid = await records.last_prices(SKU)
    assert [(p.unit_price, p.currency, p.on) for p in paid] == [
        (D(6), "USD", date(2026, 12, 9)),
        (D(7), "USD", date(2026, 12, 6)),
        (D(5), "USD", date(2026, 12, 3)),
    ]
    assert len(await records.last_prices(SKU, 1)) == 1
    assert await records.last_prices("SKU-124") == []


# --- one PO, whatever happens ----------------------------------------------------------------------------------------


async def test_a_key_makes_one_po_and_another_key_the_next(system: System) -> None:
    first = await drafted(system.opened())
    assert first == "PO-4471"
    assert await drafted(system.opened()) == first
    assert await drafted(system.opened(), 2) == "PO-4472"
    assert [o.po for o in (await look(system.opened())).orders] == ["PO-4471", "PO-4472"]


async def test_a_draft_is_kept_as_it_was_made(records: Records) -> None:
    draft = replace(DRAFT, quantity=D("152.4"), unit_price=D("0.0387"), currency="EUR", freight=D("12.50"))
    po = await records.ensure_draft(draft)
    assert await order(records, po) == Order(
        po, SKU, "A", "A-123", D("152.4"), D("0.0387"), "EUR", 7, DRAFT.run, D("12.50"), OrderStatus.DRAFT
    )


@pytest.mark.parametrize("stage", STAGES, ids=lambda s: s.__name__)
async def test_a_key_finds_its_po_however_far_it_is(records: Records, stage: Stage) -> None:
    assert await stage(records) == await drafted(records)


async def test_a_number_is_never_given_twice(records: Records) -> None:
    numbers = [await given_up(records, n) for n in (1, 2)] + [await closed(records, 3), await drafted(records, 4)]
    assert numbers == ["PO-4471", "PO-4472", "PO-4473", "PO-4474"]


async def test_eight_clients_with_one_key_make_one_po(system: System) -> None:
    numbers = await asyncio.gather(*(drafted(system.opened()) for _ in range(8)))
    assert set(numbers) == {"PO-4471"}
    assert len((await look(system.opened())).orders) == 1


def test_two_processes_with_the_same_keys_make_one_po_each(system: System) -> None:
    """Both begin on a word, with ten keys each, one order of them reversed."""
    code = f"""
{system.elsewhere}
import asyncio, sys
from decimal import Decimal
from replenisher.domain.ports import Draft
async def main():
    assert await records.stock("SKU-123")
    print("ready", flush=True)
    first, last, step = map(int, sys.stdin.readline().split())
    for n in range(first, last, step):
        draft = Draft(f"r/{{n}}", "r", "SKU-123", "A", "A-123", Decimal(50), Decimal(4), "USD", Decimal(0), 7)
        print(n, await records.ensure_draft(draft), flush=True)
asyncio.run(main())
"""
    both = [
        subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    try:
        for process in both:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process, keys in zip(both, ("0 10 1\n", "9 -1 -1\n"), strict=True):
            assert process.stdin is not None
            process.stdin.write(keys)
            process.stdin.flush()
        said = [process.communicate(timeout=30)[0].split() for process in both]
    finally:
        for process in both:
            process.kill()
            process.wait()
    one, other = (dict(zip(words[::2], words[1::2], strict=True)) for words in said)
    assert one == other
    assert sorted(one.values()) == [f"PO-{n}" for n in range(4471, 4481)]


@pytest.mark.parametrize(
    "wrong",
    [{"sku": "SKU-124"}, {"supplier": "B"}, {"item": "A-9"}, {"quantity": D(500)}, {"currency": "EUR"}],
    ids=str,
)
async def test_a_key_used_for_something_else_is_refused(records: Records, wrong: dict[str, object]) -> None:
    po = await drafted(records)
    with pytest.raises(Refused, match=po):
        await records.ensure_draft(replace(DRAFT, **wrong))  # type: ignore[arg-type]
    assert await drafted(records, 2) == "PO-4472"


@pytest.mark.parametrize(
    "wrong",
    [
        {"sku": "SKU-nobody"},
        {"quantity": D(0)},
        {"quantity": D(-50)},
        {"quantity": D("NaN")},
        {"unit_price": D(-1)},
        {"unit_price": D("Infinity")},
        {"freight": D(-1)},
    ],
    ids=str,
)
async def test_a_draft_of_nothing_is_refused(records: Records, wrong: dict[str, object]) -> None:
    with pytest.raises(Refused):
        await records.ensure_draft(replace(DRAFT, **wrong))  # type: ignore[arg-type]
    assert (await look(records)).orders == ()
