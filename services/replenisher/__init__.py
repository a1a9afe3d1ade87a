"""Stock Replenisher: one durable agent per part (SKU) that keeps it in stock."""
