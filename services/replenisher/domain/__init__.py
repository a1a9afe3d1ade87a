"""What procurement knows: parts, quotes, orders, approvals, outcomes. No engine, no
HTTP, no model, no clock, no I/O."""
