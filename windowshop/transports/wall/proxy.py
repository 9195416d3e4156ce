"""Run the wall: a loopback port, a thread and a throw-away authority, for as long as a `with` block."""

from __future__ import annotations

import asyncio
import logging
import tempfile
import threading
import warnings
from collections.abc import Collection
from concurrent.futures import Future
from contextlib import closing, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from windowshop.errors import ConfigError
from windowshop.transports.last_hop import LastHop
from windowshop.transports.wall.checkpoint import Checkpoint, Permits
from windowshop.transports.wall.witness import Witness
from windowshop.wire import Resource

MAX_BYTES = 64_000_000
HOST = "127.0.0.1"


class Wall:
    """An HTTP proxy on this machine that lets out what `permits` allows, to `hosts`, and nothing else.

    A host stands for its port 443, or as `host:port` for that one. With a last hop every request that is let
    out goes there. `unnamed` is the kind of a request whose client does not say what it is for. Each wall
    has an authority of its own, `ca_file`, whose key is gone when the wall is closed. Redirects come back as
    they are, and the client's next request is judged like any other.
    """

    def __init__(
        self,
        permits: Permits,
        hosts: Collection[str],
        last_hop: LastHop | None = None,
        witness: Witness | None = None,
        port: int = 0,
        unnamed: Resource = "other",
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self._checkpoint = Checkpoint(permits, map(_door, hosts), witness or Witness(), unnamed)
        self._last_hop = last_hop
        self._wanted_port = port
        self._max_bytes = max_bytes
        self._loop: asyncio.AbstractEventLoop | None = None

    def __enter__(self) -> Self:
        """Open the port; raise `ConfigError` where mitmproxy is missing or the port is taken."""
        _import_core()
        from windowshop.transports.wall.keys import Keys

        self._folder = tempfile.TemporaryDirectory(prefix="windowshop-wall-")
        try:
            trusted = None
            if self._last_hop is not None:
                trusted = Path(self._folder.name, "trusted.pem")
                trusted.write_bytes(self._last_hop.ca_pem)
            self._keys = Keys(Path(self._folder.name), trusted, self._max_bytes)
            ready: Future[int] = Future()
            self._thread = threading.Thread(
                target=lambda: asyncio.run(self._serve(ready)), name="wall", daemon=True
            )
            self._thread.start()
            self.port = ready.result()
        except OSError as error:
            self._folder.cleanup()
            raise ConfigError(f"no wall at port {self._wanted_port}: {error.strerror}") from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def address(self) -> str:
        """Return the proxy's address, as clients are told it."""
        return f"http://{HOST}:{self.port}"

    @property
    def ca_file(self) -> Path:
        """Return the PEM file of the authority that a client must trust."""
        return self._keys.ca_file

    @property
    def key_digest(self) -> str:
        """Return the base64 SHA-256 of the one key that the wall shows."""
        return self._keys.digest

    def close(self) -> None:
        """Close the port and every connection; what comes later finds nobody."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._closing.set)
            self._thread.join()
            self._loop = None
            self._folder.cleanup()

    async def _serve(self, ready: Future[int]) -> None:
        from windowshop.transports.wall.connection import Connection

        async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with suppress(asyncio.CancelledError), closing(writer):
                await Connection(reader, writer, self._checkpoint, self._keys, self._last_hop).handle_client()

        self._closing = asyncio.Event()
        try:
            server = await asyncio.start_server(meet, HOST, self._wanted_port)
        except OSError as error:
            ready.set_exception(error)
            return
        self._loop = asyncio.get_running_loop()
        ready.set_result(server.sockets[0].getsockname()[1])
        async with server:
            await self._closing.wait()


def _import_core() -> None:
    try:
        logging.getLogger("mitmproxy").addHandler(
            logging.NullHandler()
        )  # what matters is told to the witness
        with warnings.catch_warnings():  # a library that mitmproxy loads, and we do not use, is out of date
            warnings.simplefilter("ignore")
            import mitmproxy.addons  # noqa: F401
    except ImportError as error:
        raise ConfigError(f"the wall needs mitmproxy ({error}): pip install 'windowshop[browser]'") from error


def _door(host: str) -> tuple[str, int]:
    name, colon, port = host.rpartition(":")
    return (name, int(port)) if colon else (host, 443)
