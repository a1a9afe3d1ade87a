"""Fixtures of every room: the event loop's backend, and the real engine for the tests that ask for it."""

import pytest

from support.engine import admin, engine, ingress

__all__ = ["admin", "engine", "ingress"]


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whoever uses the engine is run by `make replay` as well."""
    for item in items:
        if "engine" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.engine)
