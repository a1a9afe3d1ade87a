"""Figures of the product on this machine: `make bench`. What they were, and how to read them, is in
docs/performance.md."""
