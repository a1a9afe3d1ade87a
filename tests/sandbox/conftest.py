"""A sandbox with a fast day, and an ingress that hears it."""

from collections.abc import AsyncGenerator

import pytest

from support.sandboxes import Ingress, Sandbox, sandbox


@pytest.fixture
async def ingress() -> AsyncGenerator[Ingress]:
    async with Ingress().open() as opened:
        yield opened


@pytest.fixture
async def world(ingress: Ingress) -> AsyncGenerator[Sandbox]:
    async with sandbox(ingress) as running:
        yield running
