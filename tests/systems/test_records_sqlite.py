"""How the embedded system of record keeps its books: what its tables forbid, and files that fail.
What any system of record must do is in test_records_contract.py; several processes are in test_records_processes.py."""

import asyncio
import sqlite3
from collections.abc import Generator
from contextlib import closing
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from replenisher.domain.ports import Refused, Unavailable
from replenisher.systems.records import database, schema
from replenisher.systems.records.master import MasterData
from replenisher.systems.records.sqlite import SqliteRecords
from support.recordkeeping import DRAFT, SKU, accepted, drafted, look, unknown

D = Decimal


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "records.sqlite"
    MasterData(path).seed_demo()
    return path


@pytest.fixture
def records(file: Path) -> SqliteRecords:
    return SqliteRecords(file)


@pytest.fixture
def raw(file: Path) -> Generator[sqlite3.Connection]:
    """Somebody with another program on the same file."""
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        yield connection


# --- the file --------------------------------------------------------------------------------------------------------


async def test_nothing_is_done_before_the_first_use(tmp_path: Path) -> None:
    file = tmp_path / "new" / "folder" / "records.sqlite"
    records = SqliteRecords(file)
    MasterData(file)
    assert not file.parent.exists()
    assert await records.stock(SKU) is None
    assert file.exists()


def test_every_table_is_strict_and_the_journal_a_wal(raw: sqlite3.Connection) -> None:
    tables = raw.execute("SELECT name, strict FROM pragma_table_list WHERE schema = 'main'").fetchall()
    assert {name: strict for name, strict in tables if not name.startswith("sqlite_")} == dict.fromkeys(
        ("company", "rate", "part", "supplier_item", "price_line", "purchase_order", "receipt"), 1
    )
    assert raw.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert raw.execute("PRAGMA user_version").fetchone() == (schema.VERSION,)


async def test_a_commit_is_on_the_disk(file: Path) -> None:
    """The journal will say for good that it happened: a power cut must not take it back."""
    kept = database.Database(file)
    with kept.reading() as connection:
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
        assert connection.execute("PRAGMA foreign_keys").fetchone() == (1,)
    kept.close()


async def test_one_look_at_stock_is_of_one_moment(records: SqliteRecords, file: Path) -> None:
    """Part, stock and orders come from one statement: goods are never seen on the shelf and outstanding as well."""
    po = await accepted(records)
    other = SqliteRecords(file)

    async def watch() -> None:
        while True:
            stock = await look(other)
            assert stock.on_hand + sum(o.outstanding for o in stock.orders) == D(510)

    watching = asyncio.create_task(watch())
    for n in range(45):
        await records.receive(po, SKU, f"DN-{n}", D(10))
    watching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await watching


# --- what the tables forbid ------------------------------------------------------------------------------------------

COPY = (
    "INSERT INTO purchase_order ({0}) SELECT {0} FROM purchase_order".format(
        "draft_key, run, sku, supplier, item, drafted_quantity, quantity, unit_price, currency, freight, lead_time_days"
    ),
    "UNIQUE",
)
FORBIDDEN: tuple[tuple[str, str], ...] = (
    COPY,
    ("INSERT INTO receipt SELECT * FROM receipt", "UNIQUE"),
    (
        "INSERT INTO receipt (number, note, quantity, booked, excess) VALUES (9999, 'DN-1', '1', '1', '0')",
        "FOREIGN KEY",
    ),
    ("DELETE FROM purchase_order", "never deleted"),
    ("DELETE FROM receipt", "never deleted"),
    ("DELETE FROM part", "FOREIGN KEY"),
    ("UPDATE purchase_order SET number = 4000", "keeps its number"),
    ("UPDATE purchase_order SET sku = 'SKU-124'", "keeps its number"),
    ("UPDATE receipt SET booked = '0'", "never changed"),
    ("UPDATE purchase_order SET status = 'draft'", "CHECK"),
    ("UPDATE purchase_order SET status = 'ordered'", "CHECK"),
    ("UPDATE purchase_order SET status = 'unknown', received = '0', ceiling = NULL", "CHECK"),
    ("UPDATE purchase_order SET status = 'unknown', received = '0', closed = 1", "CHECK"),
    ("UPDATE purchase_order SET quantity = '0'", "CHECK"),
    ("UPDATE purchase_order SET quantity = '-450'", "CHECK"),
    ("UPDATE purchase_order SET unit_price = '4,20'", "CHECK"),
    ("UPDATE purchase_order SET unit_price = '4.2e1'", "CHECK"),
    ("UPDATE purchase_order SET unit_price = '4.2.0'", "CHECK"),
    ("UPDATE purchase_order SET unit_price = 'NaN'", "CHECK"),
    ("UPDATE purchase_order SET unit_price = ''", "CHECK"),
    ("UPDATE purchase_order SET unit_price = NULL", "NOT NULL"),
    ("UPDATE purchase_order SET currency = 'usd'", "CHECK"),
    ("UPDATE part SET on_hand = '-1'", "CHECK"),
)


@pytest.mark.parametrize(("statement", "why"), FORBIDDEN, ids=lambda text: text[:60])
async def test_what_must_never_happen_cannot(
    records: SqliteRecords, raw: sqlite3.Connection, statement: str, why: str
) -> None:
    po = await accepted(records)
    await records.receive(po, SKU, "DN-1", D(200))
    before = await look(records)
    with pytest.raises(sqlite3.IntegrityError, match=why):
        raw.execute(statement)
    assert await look(records) == before


async def test_a_number_is_not_given_again_whatever_became_of_its_draft(
    records: SqliteRecords, raw: sqlite3.Connection
) -> None:
    await drafted(records, 1)
    raw.execute("DROP TRIGGER orders_stay")
    raw.execute("DELETE FROM purchase_order")
    assert await drafted(records, 2) == "PO-4472"


@pytest.mark.parametrize(
    ("value", "kept"),
    [("4.20", "4.2"), ("0.1", "0.1"), ("1E+2", "100"), ("0.000000001", "0.000000001"), ("123456789.123456789", None)],
)
async def test_amounts_are_kept_exactly_and_alike(
    records: SqliteRecords, raw: sqlite3.Connection, value: str, kept: str | None
) -> None:
    await records.ensure_draft(replace(DRAFT, unit_price=D(value)))
    assert raw.execute("SELECT unit_price FROM purchase_order").fetchone() == (kept or value,)
    assert (await look(records)).orders[0].unit_price == D(value)


async def test_tenths_add_up(records: SqliteRecords) -> None:
    po = await accepted(records)
    for n in range(10):
        await records.receive(po, SKU, f"DN-{n}", D("0.1"))
    stock = await look(records)
    assert (stock.orders[0].received, stock.on_hand) == (D(1), D(61))


# --- when the file fails ---------------------------------------------------------------------------------------------


async def test_a_writer_elsewhere_is_waited_for_and_then_told_of(
    file: Path, raw: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.05)
    records = SqliteRecords(file)
    raw.execute("BEGIN IMMEDIATE")
    assert (await look(records)).on_hand == D(60)  # readers are never kept waiting
    with pytest.raises(Unavailable) as told:
        await drafted(records)
    assert told.value.kind == "timeout"
    raw.execute("ROLLBACK")
    assert await drafted(records) == "PO-4471"


async def test_a_file_that_is_none_of_ours(tmp_path: Path) -> None:
    garbage = tmp_path / "garbage.sqlite"
    garbage.write_bytes(b"this is not a database, whatever its name says" * 200)
    newer = tmp_path / "newer.sqlite"
    with closing(sqlite3.connect(newer)) as connection:
        connection.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
    folder = tmp_path / "folder.sqlite"
    folder.mkdir()
    cases = {garbage: "malformed", newer: "malformed", folder: "unreachable", garbage / "r.sqlite": "unreachable"}
    for path, kind in cases.items():
        with pytest.raises(Unavailable) as told:
            await SqliteRecords(path).stock(SKU)
        assert (path.name, told.value.kind) == (path.name, kind)
    assert garbage.read_bytes().startswith(b"this is not a database")


async def test_a_file_that_came_back_is_used_again(tmp_path: Path) -> None:
    blocked = tmp_path / "data"
    blocked.write_text("a file where the folder should be")
    records = SqliteRecords(blocked / "records.sqlite")
    with pytest.raises(Unavailable):
        await records.stock(SKU)
    blocked.unlink()
    MasterData(blocked / "records.sqlite").seed_demo()
    assert (await look(records)).on_hand == D(60)


async def test_what_fails_half_way_did_not_happen(records: SqliteRecords, raw: sqlite3.Connection) -> None:
    """The receipt is written before the stock: when the stock cannot be, there is no receipt."""
    po = await accepted(records)
    raw.execute("CREATE TRIGGER fails BEFORE UPDATE ON part BEGIN SELECT RAISE(ABORT, 'no'); END")
    with pytest.raises(Refused, match="no"):
        await records.receive(po, SKU, "DN-1", D(200))
    raw.execute("DROP TRIGGER fails")
    assert (await records.receive(po, SKU, "DN-1", D(200))).duplicate is False


async def test_closed_records_open_again(records: SqliteRecords) -> None:
    po = await unknown(records)
    await records.aclose()
    assert [o.po for o in (await look(records)).orders] == [po]
    await records.aclose()
    await records.aclose()
