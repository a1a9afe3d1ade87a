"""The sandbox's memory: tables of frozen rows, written through to SQLite when there is a folder for it.
What the rows mean is the business of those who keep them."""

import sqlite3
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel

M = TypeVar("M", bound=BaseModel)


class Store:
    """Rows by kind and key, in the order in which they were first written."""

    def __init__(self, folder: Path | None = None) -> None:
        self._depth = 0
        self._db: sqlite3.Connection | None = None
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(folder / "books.sqlite", isolation_level=None)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.execute(
                "CREATE TABLE IF NOT EXISTS row"
                " (n INTEGER PRIMARY KEY, kind TEXT, key TEXT, body TEXT, UNIQUE (kind, key))"
            )

    def rows(self, kind: str) -> list[tuple[str, str]]:
        if self._db is None:
            return []
        return self._db.execute("SELECT key, body FROM row WHERE kind = ? ORDER BY n", (kind,)).fetchall()

    def write(self, kind: str, key: str, body: str) -> None:
        if self._db is not None:
            self._db.execute(
                "INSERT INTO row (kind, key, body) VALUES (?, ?, ?)"
                " ON CONFLICT (kind, key) DO UPDATE SET body = excluded.body",
                (kind, key, body),
            )

    def erase(self, kind: str, key: str) -> None:
        if self._db is not None:
            self._db.execute("DELETE FROM row WHERE kind = ? AND key = ?", (kind, key))

    @contextmanager
    def together(self) -> Generator[None]:
        """What is written inside reaches the disk as one, also when a refusal ends it: a killed sandbox never wakes up
        with an order taken and its idempotency key forgotten."""
        if self._db is None or self._depth:
            yield
            return
        self._depth = 1
        self._db.execute("BEGIN")
        try:
            yield
        finally:
            self._db.execute("COMMIT")
            self._depth = 0

    def close(self) -> None:
        if self._db is not None:
            self._db.close()


class Table(Generic[M]):
    """Rows of one kind by key."""

    def __init__(self, store: Store, kind: str, model: type[M]) -> None:
        self._store = store
        self._kind = kind
        self._rows: dict[str, M] = {key: model.model_validate_json(body) for key, body in store.rows(kind)}

    def get(self, key: str) -> M | None:
        return self._rows.get(key)

    def put(self, key: str, row: M) -> M:
        self._rows[key] = row
        self._store.write(self._kind, key, row.model_dump_json())
        return row

    def add(self, row: M) -> tuple[str, M]:
        """A row under the next number."""
        key = str(int(next(reversed(self._rows), "0")) + 1)
        return key, self.put(key, row)

    def drop(self, key: str) -> None:
        if self._rows.pop(key, None) is not None:
            self._store.erase(self._kind, key)

    def clear(self) -> None:
        for key in list(self._rows):
            self.drop(key)

    def items(self) -> Iterable[tuple[str, M]]:
        return list(self._rows.items())

    def values(self) -> list[M]:
        return list(self._rows.values())

    def __len__(self) -> int:
        return len(self._rows)


def key(*parts: str) -> str:
    """One key of several names, whatever characters they hold."""
    return "\x1f".join(parts)
