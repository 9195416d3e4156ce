"""What the sessions of a shopfront have read together: an address is asked for once, whoever wants it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from windowshop.runs.folder import keep_file
from windowshop.transports.hosts import Hosts, KnownHosts
from windowshop.transports.recording import PAGES, Recorder
from windowshop.transports.replay import Replay
from windowshop.wire import Request, Response


class Shelf:
    """Keep the pages of one run folder and give them to whoever asks. May be shared by threads."""

    name = "shelf"

    def __init__(self, folder: Path) -> None:
        self.hosts: Hosts = KnownHosts()
        self._folder = folder
        self._pages = Replay(None, latest=True)
        self._recorder: Recorder | None = None
        self._read_now: set[str] = set()
        self._changed = threading.Condition()

    def fetch(self, request: Request) -> Response:
        """Return a page that was read; raise `ReplayMiss` where there is none."""
        return self._pages.fetch(request)

    @contextmanager
    def hold(self, url: str) -> Iterator[bool]:
        """Wait until no other session reads the page of an address, and keep others from it meanwhile.

        Say whether it was read.
        """
        with self._changed:
            self._changed.wait_for(lambda: url not in self._read_now)
            self._read_now.add(url)
        try:
            yield self._pages.holds(url)
        finally:
            with self._changed:
                self._read_now.discard(url)
                self._changed.notify_all()

    def append(self, request: Request, response: Response) -> None:
        """Keep a page that was fetched; it is on disk when this returns."""
        with self._changed:
            if self._recorder is None:
                self._recorder = Recorder(self._folder / PAGES)
        self._pages.add(request.url, self._recorder.path, self._recorder.append(request, response))

    def keep(self, name: str, data: bytes) -> None:
        """Keep a file in the run folder."""
        keep_file(self._folder, name, data)

    def close(self) -> None:
        """Close the recording."""
        if self._recorder is not None:
            self._recorder.close()
