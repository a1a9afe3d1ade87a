"""Versions of the business rules. A replenishment keeps the version it started under; a
rule that differs asks for it here."""

VALID_QUOTES_NEEDED: dict[int, int] = {1: 1, 2: 4}
"""How many valid quotes a draft needs, by rules version."""
VERSIONS = tuple(VALID_QUOTES_NEEDED)
FIRST = 1
