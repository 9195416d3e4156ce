"""Append-only JSON lines: a line is on disk before `append` returns, and a torn tail is never dropped."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

from pydantic import BaseModel

from windowshop.errors import ConfigError, StorageError
from windowshop.redaction import without_own_secrets

_BLOCK = 1 << 16


class Lines(Protocol):
    """Whatever keeps one record a line; it is kept when `append` returns."""

    def append(self, record: BaseModel | dict[str, Any]) -> None:
        """Keep one record; raise `StorageError` where that cannot be done."""


class Journal:
    """Write one JSON object a line, each by a single system call. May be shared by threads.

    Opening a file whose last line was torn by a crash moves that line to `NAME.torn` first. With
    `durable`, a line also survives a power cut (fsync). Raises `StorageError` when the disk refuses.
    """

    def __init__(self, path: Path, durable: bool = False) -> None:
        self.path = path
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            set_torn_line_aside(path)
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
            self._disk = Disk(self._file) if durable else None
        except OSError as error:
            raise StorageError(f"cannot write {path}: {error.strerror}") from error

    def append(self, record: BaseModel | dict[str, Any]) -> None:
        """Write one record."""
        self.append_line(line_of(record))

    def append_line(self, line: bytes) -> None:
        """Write one record that is JSON already."""
        try:
            with self._lock:
                append_whole(self._file, line + b"\n")
                number = self._disk.written() if self._disk else 0
            if self._disk:
                self._disk.wait(number)
        except OSError as error:
            raise StorageError(
                f"cannot write {self.path}: {error.strerror}; every line before this one is safe"
            ) from error

    def close(self) -> None:
        """Close the file; nothing was waiting, and what still comes is refused."""
        with self._lock:
            closed, self._file = self._file, -1  # the number may be another file's next
            os.close(closed)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def line_of(record: BaseModel | dict[str, Any]) -> bytes:
    """Return a record as one line of JSON, without the line feed and without secrets of the environment."""
    if isinstance(record, BaseModel):
        return without_own_secrets(record.model_dump_json()).encode()
    return without_own_secrets(json.dumps(record, ensure_ascii=False, separators=(",", ":"))).encode()


class Disk:
    """Wait until what was written to a file is on the disk: one wait serves all who wrote before it began."""

    def __init__(self, file: int) -> None:
        self._file = file
        self._written = 0
        self._safe = 0
        self._lock = threading.Lock()

    def written(self) -> int:
        """Number what was written last; for the writer alone, before another one writes."""
        self._written += 1
        return self._written

    def wait(self, number: int) -> None:
        """Wait for what has this number. Raises `OSError` as the system does."""
        with self._lock:
            if self._safe < number:
                reached = self._written
                os.fsync(self._file)
                self._safe = reached


def append_whole(file: int, data: bytes) -> None:
    """Append all of `data` to an open file, or nothing of it. Raises `OSError` as the system does."""
    start = os.fstat(file).st_size
    left = memoryview(data)
    try:
        while left:
            left = left[os.write(file, left) :]
    except OSError:
        with suppress(OSError):
            os.ftruncate(file, start)
        raise


def read_journal(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the records of a journal; a missing file has none, a torn last line is left out.

    Raises `ConfigError` for a line that is not JSON: somebody else has written in the file.
    """
    if not path.exists():
        return
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.endswith(b"\n"):
                try:
                    yield json.loads(line)
                except ValueError as error:
                    raise ConfigError(f"{path}:{number} is not a record: {error}") from error


def set_torn_line_aside(path: Path) -> bool:
    """Move what follows the last line feed to `NAME.torn`; say whether there was anything."""
    if not path.is_file():
        return False
    with path.open("r+b") as file:
        end = file.seek(0, os.SEEK_END)
        start, tail = end, b""
        while start > 0 and b"\n" not in tail:
            start = max(0, start - _BLOCK)
            file.seek(start)
            tail = file.read(end - start)
        torn = tail.rpartition(b"\n")[2]
        if not torn:
            return False
        with path.with_name(path.name + ".torn").open("ab") as aside:
            aside.write(torn + b"\n")
        file.truncate(end - len(torn))
    return True
