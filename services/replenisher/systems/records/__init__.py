"""The embedded system of record: parts, prices, purchase orders, receipts and stock in one SQLite file."""
