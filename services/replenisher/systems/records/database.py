"""One connection to the SQLite file: opened on first use, with its tables; transactions; errors as the ports say them;
and how amounts and times are written. What the tables mean is not here."""

import sqlite3
import time
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from replenisher.domain.money import plain
from replenisher.domain.ports import Refused, Unavailable
from replenisher.systems.records import schema

BUSY_SECONDS = 5.0
"""How long a write waits for another process's before it counts as unavailable."""
LARGEST = 15
"""Most digits before the decimal point."""

Row = tuple[Any, ...]


class Database:
    """Not for use by two threads at once. Nothing happens before the first use."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @contextmanager
    def reading(self) -> Generator[sqlite3.Connection]:
        """The connection, for one statement or inside a transaction. Raises Unavailable."""
        try:
            yield self._opened()
        except sqlite3.Error as error:
            raise _told(error) from error

    @contextmanager
    def transaction(self) -> Generator[sqlite3.Connection]:
        """All or nothing, alone among writers; inside another one it is part of that. Raises Unavailable, and Refused
        when the tables do not allow it."""
        with self.reading() as connection:
            if connection.in_transaction:
                yield connection
                return
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                self._undo(connection)
                raise

    def _undo(self, connection: sqlite3.Connection) -> None:
        try:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        except sqlite3.Error:
            self.close()

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            deadline = time.monotonic() + BUSY_SECONDS
            while self._connection is None:
                try:
                    self._connection = _open(self._path)
                except sqlite3.OperationalError as error:
                    # a change to WAL does not wait for other processes by itself
                    if not _busy(error) or time.monotonic() > deadline:
                        raise
                    time.sleep(0.01)
        return self._connection


def _open(path: Path) -> sqlite3.Connection:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Unavailable("unreachable", f"the folder of {path.name} cannot be made: {error.strerror}") from error
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        # NORMAL would be consistent too, but a power cut may take back the last commits: a PO number that the manager
        # has seen would be given to another order. The price is about 1 ms of CPU in a replenishment with six commits
        connection.execute("PRAGMA synchronous = FULL")
        _prepare(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    """Tables on first use; whoever comes second finds them."""
    if _version(connection) == 0:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("BEGIN IMMEDIATE")
        if _version(connection) == 0:
            for statement in schema.STATEMENTS:
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {schema.APPLICATION}")
            connection.execute(f"PRAGMA user_version = {schema.VERSION}")
        connection.execute("COMMIT")
    version = _version(connection)
    if version != schema.VERSION:
        raise Unavailable(
            "malformed", f"the records have version {version}, this program knows {schema.VERSION}: use its own"
        )


def _version(connection: sqlite3.Connection) -> int:
    return connection.execute("PRAGMA user_version").fetchone()[0]


def _busy(error: sqlite3.Error) -> bool:
    return error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _told(error: sqlite3.Error) -> Exception:
    """A constraint is a no; everything else says nothing about what was asked."""
    if isinstance(error, sqlite3.IntegrityError):
        return Refused(f"the records do not allow it: {error}")
    if not hasattr(error, "sqlite_errorcode"):
        return Unavailable("error", f"the records: {error}")
    if _busy(error):
        return Unavailable("timeout", f"the records are locked by another program for over {BUSY_SECONDS:g} s")
    code = error.sqlite_errorcode & 0xFF
    if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return Unavailable("malformed", f"the records: {error}")
    return Unavailable("unreachable" if code == sqlite3.SQLITE_CANTOPEN else "error", f"the records: {error}")


# --- values ----------------------------------------------------------------------------------------------------------


def amount(value: Decimal, what: str, *, above_zero: bool = False) -> str:
    """A decimal as the tables keep it: exact, and always the same text for the same value. Refused when it is none."""
    if not value.is_finite() or value < 0 or (above_zero and value == 0) or value.adjusted() >= LARGEST:
        raise Refused(f"the {what} cannot be {value}: give a number {'above' if above_zero else 'not below'} 0")
    return plain(value) if value else "0"


def moment(at: datetime) -> str:
    """A time as the tables keep it. A time without its zone is a mistake of the caller's."""
    if at.tzinfo is None:
        raise ValueError(f"{at} has no time zone")
    return at.astimezone(UTC).isoformat()


def as_moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def as_day(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text)


def as_amount(text: str | None) -> Decimal | None:
    return None if text is None else Decimal(text)
