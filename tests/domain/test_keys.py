"""Every write has its own key; the same write the same one."""

import pytest

from replenisher.domain.keys import accept_key, answer_key, cancel_key, chase_key, order_key

KEYS = {
    "PO-4471": order_key("PO-4471"),
    "PO-4471/cancel": cancel_key("PO-4471"),
    "PO-4471/chase/1": chase_key("PO-4471", 1),
    "PO-4471/chase/3": chase_key("PO-4471", 3),
    "PO-4471/answer/1": answer_key("PO-4471", 1),
    "PO-4471/accept/2": accept_key("PO-4471", 2),
}


@pytest.mark.parametrize("key", KEYS)
def test_a_key_is_the_po_number_and_the_write(key: str) -> None:
    assert KEYS[key] == key


def test_no_two_writes_share_one() -> None:
    assert len(set(KEYS.values())) == len(KEYS)
