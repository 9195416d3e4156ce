"""Append-only JSON lines: a line is on disk before `append` returns, and a torn tail is never dropped."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pydantic import BaseModel

from windowshop.errors import ConfigError, StorageError

_BLOCK = 1 << 16


class Journal:
    """Write one JSON object a line, each by a single system call.

    Opening a file whose last line was torn by a crash moves that line to `NAME.torn` first. With
    `durable`, a line also survives a power cut (fsync). Raises `StorageError` when the disk refuses.
    """

    def __init__(self, path: Path, durable: bool = False) -> None:
        self.path = path
        self._durable = durable
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            set_torn_line_aside(path)
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        except OSError as error:
            raise StorageError(f"cannot write {path}: {error.strerror}") from error

    def append(self, record: BaseModel | dict[str, Any]) -> None:
        """Write one record."""
        if isinstance(record, BaseModel):
            text = record.model_dump_json()
        else:
            text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
        try:
            append_whole(self._file, text.encode() + b"\n", self._durable)
        except OSError as error:
            raise StorageError(
                f"cannot write {self.path}: {error.strerror}; every line before this one is safe"
            ) from error

    def close(self) -> None:
        """Close the file; nothing was waiting."""
        os.close(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def append_whole(file: int, data: bytes, durable: bool) -> None:
    """Append all of `data` to an open file, or nothing of it; with `durable`, wait for the disk.

    Raises `OSError` as the system does.
    """
    start = os.fstat(file).st_size
    left = memoryview(data)
    try:
        while left:
            left = left[os.write(file, left) :]
        if durable:
            os.fsync(file)
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
