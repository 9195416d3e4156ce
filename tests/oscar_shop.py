"""django-oscar on a free port of this machine, in a process of its own, and what its database holds."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Self

CODE = Path(__file__).with_name("oscar")
HARM = {
    "basket lines": "basket_line",
    "orders": "order_order",
    "users": "auth_user",
    "reviews": "reviews_productreview",
    "wish-list lines": "wishlists_line",
}
"""What a shopper leaves behind, and the table that it stands in."""


class OscarShop:
    """The shop, while the `with` block lasts. `reset` makes its database as new."""

    def __init__(self, folder: Path) -> None:
        self._database = folder / "shop.sqlite3"
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "shop.py"],
            cwd=CODE,
            env={**os.environ, "OSCAR_SHOP": str(folder)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.port = 0
        self._new = sqlite3.connect(":memory:", check_same_thread=False)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def harm(self) -> dict[str, int]:
        with closing(self._open()) as database:
            rows = {name: f"select count(*) from {table}" for name, table in HARM.items()}
            return {name: database.execute(query).fetchone()[0] for name, query in rows.items()}

    def ask(self, query: str) -> list[tuple[object, ...]]:
        with closing(self._open()) as database:
            return database.execute(query).fetchall()

    def reset(self) -> None:
        with closing(self._open()) as database:
            self._new.backup(database)

    def __enter__(self) -> Self:
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())
        with closing(self._open()) as database:
            database.backup(self._new)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._new.close()
        self._process.communicate()

    def _open(self) -> sqlite3.Connection:
        return sqlite3.connect(self._database, timeout=10)
