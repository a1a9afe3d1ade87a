"""The tables of the embedded system of record. What must never happen is impossible here, whatever the code above does.
Amounts are plain decimals as text; times, in UTC, and dates as ISO 8601."""

VERSION = 1
APPLICATION = 0x5245504C
FIRST_NUMBER = 4471


def _amount(column: str, *, above_zero: bool = False, optional: bool = False) -> str:
    """A column of exact decimal text: digits and at most one point, so never negative and never NaN."""
    plain = f"{column} GLOB '[0-9]*' AND {column} NOT GLOB '*[^0-9.]*' AND {column} NOT GLOB '*.*.*'"
    positive = f" AND CAST({column} AS REAL) > 0" if above_zero else ""
    return f"{column} TEXT{'' if optional else ' NOT NULL'} CHECK ({plain}{positive})"


_CURRENCY = "currency TEXT NOT NULL CHECK (currency GLOB '[A-Z][A-Z][A-Z]')"

STATEMENTS = (
    """CREATE TABLE company (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    currency TEXT NOT NULL CHECK (currency GLOB '[A-Z][A-Z][A-Z]')
) STRICT""",
    "INSERT INTO company VALUES (1, 'USD')",
    f"""CREATE TABLE rate (
    {_CURRENCY} PRIMARY KEY,
    {_amount("value", above_zero=True)},
    as_of TEXT NOT NULL DEFAULT ''
) STRICT""",
    f"""CREATE TABLE part (
    sku TEXT PRIMARY KEY CHECK (sku <> ''),
    name TEXT NOT NULL,
    unit TEXT NOT NULL,
    {_amount("safety_stock")},
    {_amount("reorder_point")},
    {_amount("target")},
    {_amount("on_hand")},
    {_amount("opening", optional=True)},
    {_amount("counted", optional=True)},
    counted_on TEXT,
    stocked INTEGER NOT NULL DEFAULT 1 CHECK (stocked IN (0, 1))
) STRICT""",
    f"""CREATE TABLE supplier_item (
    id INTEGER PRIMARY KEY,
    sku TEXT NOT NULL REFERENCES part (sku) ON DELETE CASCADE,
    supplier TEXT NOT NULL CHECK (supplier <> ''),
    item TEXT NOT NULL CHECK (item <> ''),
    {_amount("pack", above_zero=True)},
    lead_time_days INTEGER NOT NULL CHECK (lead_time_days >= 0),
    {_amount("freight")},
    {_amount("minimum")},
    {_amount("minimum_order_value")},
    approved INTEGER NOT NULL CHECK (approved IN (0, 1)),
    UNIQUE (sku, supplier, item)
) STRICT""",
    f"""CREATE TABLE price_line (
    item INTEGER NOT NULL REFERENCES supplier_item (id) ON DELETE CASCADE,
    {_amount("min_packs")},
    valid_from TEXT NOT NULL,
    {_amount("pack_price")},
    {_CURRENCY},
    PRIMARY KEY (item, min_packs, valid_from)
) STRICT, WITHOUT ROWID""",
    # AUTOINCREMENT: a number is never given twice, and UNIQUE draft_key: a draft never gets a second one
    f"""CREATE TABLE purchase_order (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    po TEXT GENERATED ALWAYS AS ('PO-' || number) VIRTUAL,
    draft_key TEXT NOT NULL UNIQUE CHECK (draft_key <> ''),
    run TEXT NOT NULL,
    sku TEXT NOT NULL REFERENCES part (sku),
    supplier TEXT NOT NULL CHECK (supplier <> ''),
    item TEXT NOT NULL CHECK (item <> ''),
    {_amount("drafted_quantity", above_zero=True)},
    {_amount("quantity", above_zero=True)},
    {_amount("unit_price")},
    {_CURRENCY},
    {_amount("freight")},
    lead_time_days INTEGER NOT NULL CHECK (lead_time_days >= 0),
    status TEXT NOT NULL DEFAULT 'draft'
        CHECK (status IN ('draft', 'unknown', 'sent', 'accepted', 'received', 'cancelled')),
    {_amount("ceiling", optional=True)},
    {_amount("sent_price", optional=True)},
    sent_at TEXT,
    acknowledged_at TEXT,
    due TEXT,
    {_amount("received")} DEFAULT '0',
    cancel_reason TEXT,
    closed INTEGER NOT NULL DEFAULT 0 CHECK (closed IN (0, 1)),
    CHECK (closed = 0 OR status NOT IN ('draft', 'unknown')),
    CHECK (status <> 'unknown' OR ceiling IS NOT NULL),
    CHECK (status NOT IN ('draft', 'unknown') OR received = '0')
) STRICT""",
    f"INSERT INTO sqlite_sequence (name, seq) VALUES ('purchase_order', {FIRST_NUMBER - 1})",
    "CREATE INDEX order_of_sku ON purchase_order (sku, closed)",
    # one delivery note is booked once for one order
    f"""CREATE TABLE receipt (
    number INTEGER NOT NULL REFERENCES purchase_order (number),
    note TEXT NOT NULL CHECK (note <> ''),
    {_amount("quantity", above_zero=True)},
    {_amount("booked")},
    {_amount("excess")},
    excess_booked INTEGER NOT NULL DEFAULT 0 CHECK (excess_booked IN (0, 1)),
    PRIMARY KEY (number, note)
) STRICT, WITHOUT ROWID""",
    """CREATE TRIGGER orders_stay BEFORE DELETE ON purchase_order
BEGIN SELECT RAISE(ABORT, 'purchase orders are never deleted'); END""",
    """CREATE TRIGGER orders_keep_their_name
BEFORE UPDATE OF number, draft_key, run, sku, supplier, item, drafted_quantity ON purchase_order
BEGIN SELECT RAISE(ABORT, 'a purchase order keeps its number, draft and item'); END""",
    """CREATE TRIGGER receipts_stay BEFORE DELETE ON receipt
BEGIN SELECT RAISE(ABORT, 'receipts are never deleted'); END""",
    """CREATE TRIGGER receipts_keep_their_figures BEFORE UPDATE OF number, note, quantity, booked, excess ON receipt
BEGIN SELECT RAISE(ABORT, 'what a receipt says is never changed'); END""",
)
