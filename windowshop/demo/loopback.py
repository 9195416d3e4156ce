"""A server on this machine that answers in a thread of its own, for as long as its shop is open."""

from __future__ import annotations

import threading
from socketserver import TCPServer
from types import TracebackType
from typing import Self


class Loopback:
    """What `server` answers for; use it as a context manager."""

    def __init__(self, server: TCPServer) -> None:
        self._server = server
        self._thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
