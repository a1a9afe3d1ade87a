"""The outside world to try Stock Replenisher against: suppliers, warehouse, manager and buyer on loopback.
It has books of its own and shares nothing with the agent but the formula of business time."""
