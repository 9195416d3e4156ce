"""Keep every page that was fetched, in a file that any WARC tool reads."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from loguru import logger

from windowshop.errors import StorageError
from windowshop.journal import Disk, append_whole
from windowshop.redaction import own_secrets
from windowshop.transports.identity import user_agent
from windowshop.transports.signed_in import require_signed_out
from windowshop.transports.warc import members, write_info, write_page
from windowshop.wire import Request, Response, Transport

PAGES = "pages.warc.gz"


class Recorder:
    """A WARC file open for appending; a page is on disk when `append` returns.

    What a kill left half written is moved to `<name>.torn` beside it when the file is opened again.
    One process at a time; its threads may share the recorder. Raises `StorageError`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _set_torn_tail_aside(path)
            self._file = path.open("ab", buffering=0)
        except OSError as error:
            raise StorageError(f"cannot record in {path}: {error.strerror}") from error
        self._disk = Disk(self._file.fileno())
        if self._file.tell() == 0:
            self.append_packed(write_info({"software": user_agent(), "format": "WARC File Format 1.1"}))

    def append(self, request: Request, response: Response) -> int:
        """Write one page, secrets left out, and wait until it is on the disk; return where it begins."""
        return self.append_packed(write_page(request, response))

    def append_packed(self, data: bytes) -> int:
        """Write a page that `write_page` has packed."""
        try:
            with self._lock:
                start = os.fstat(self._file.fileno()).st_size
                append_whole(self._file.fileno(), data)
                number = self._disk.written()
            self._disk.wait(number)
        except OSError as error:
            raise StorageError(f"cannot record in {self.path}: {error.strerror}") from error
        return start

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Records(Protocol):
    """Whatever keeps the pages that were fetched."""

    def append(self, request: Request, response: Response) -> object:
        """Keep one page; it is kept when this returns."""


class Recording:
    """Fetch, and keep what came: wrapped around retry, so that no failed attempt is kept."""

    def __init__(self, transport: Transport, recorder: Records) -> None:
        self.name = transport.name
        self._transport = transport
        self._recorder = recorder

    def fetch(self, request: Request) -> Response:
        """Fetch one page and record it before it is returned; refuse one that shows who is signed in."""
        response = without_secrets(self._transport.fetch(request))
        require_signed_out(response)
        self._recorder.append(request, response)
        return response


def without_secrets(response: Response) -> Response:
    """Return a response whose body does not tell our own secrets back, as a service's error page may."""
    told = [secret.encode() for secret in own_secrets() if secret.encode() in response.body]
    for secret in told:
        response = response.model_copy(update={"body": response.body.replace(secret, b"redacted")})
    return response


def _set_torn_tail_aside(path: Path) -> None:
    if not path.exists():
        return
    end = 0
    for member in members(path):
        end = member.end
    size = path.stat().st_size
    if size == end:
        return
    aside = path.with_name(path.name + ".torn")
    logger.warning("the last {} bytes of {} are torn; they are kept in {}", size - end, path, aside)
    with path.open("r+b") as file, aside.open("ab", buffering=0) as kept:
        file.seek(end)
        append_whole(kept.fileno(), file.read())
        os.fsync(kept.fileno())
        file.truncate(end)
        os.fsync(file.fileno())
