"""Idempotency keys: one for each write at a supplier, the same on every attempt and
replay, whatever happens in between."""


def order_key(po: str) -> str:
    """Of placing the order: the PO number itself."""
    return po


def cancel_key(po: str) -> str:
    return f"{po}/cancel"


def chase_key(po: str, n: int) -> str:
    """Of the n-th chase of this order, counted from 1."""
    return f"{po}/chase/{n}"


def answer_key(po: str, n: int) -> str:
    return f"{po}/answer/{n}"


def accept_key(po: str, n: int) -> str:
    return f"{po}/accept/{n}"
