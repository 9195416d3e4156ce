"""A small web server on this machine for the tests of the transports: TLS or plain, every visit noted."""

from __future__ import annotations

import socket
import ssl
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import NamedTuple, Self

import trustme

from windowshop.transports.last_hop import LastHop

SHOP = "www.shop.test"
ASSETS = "img.shop.test"
OTHER = "pay.other.test"


class Answer(NamedTuple):
    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = {}
    type: str = "text/html; charset=utf-8"


class Visit(NamedTuple):
    method: str
    host: str
    path: str
    query: str
    headers: Mapping[str, str]


class HangUp(Exception):
    """Raised by a page: close the connection without a word."""


class Endless(Exception):
    """Raised by a page: send headers, then a little of the body for ever."""


Page = Answer | Callable[[Visit], Answer]


class Site:
    """Serve `pages` by path (404 for others) until the `with` block ends."""

    def __init__(self, pages: Mapping[str, Page], *, tls: bool = True) -> None:
        self.pages = dict(pages)
        self.hits: Counter[str] = Counter()
        self.visits: list[Visit] = []
        self.server_names: list[str | None] = []
        self.closing = threading.Event()
        self._lock = threading.Lock()
        self._server = _Server(self)
        self.port = self._server.server_address[1]
        authority = trustme.CA()
        self.ca_pem = authority.cert_pem.bytes()
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            authority.issue_cert(SHOP, ASSETS, OTHER).configure_cert(context)
            context.sni_callback = lambda _, name, __: self.server_names.append(name)
            self._server.socket = context.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False
            )
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    @property
    def last_hop(self) -> LastHop:
        return LastHop(host="127.0.0.1", port=self.port, ca_pem=self.ca_pem)

    def answer(self, visit: Visit) -> Answer:
        with self._lock:
            self.hits[visit.path] += 1
            self.visits.append(visit)
        page = self.pages.get(visit.path, Answer(b"nothing here", 404))
        return page if isinstance(page, Answer) else page(visit)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.hang_up()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = False

    def __init__(self, site: Site) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.site = site
        self._open: set[socket.socket] = set()

    def get_request(self) -> tuple[socket.socket, object]:
        connection, address = super().get_request()
        self._open.add(connection)
        return connection, address

    def shutdown_request(self, request: socket.socket) -> None:
        super().shutdown_request(request)
        self._open.discard(request)

    def hang_up(self) -> None:
        for connection in tuple(self._open):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that go away are part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    server: _Server

    def _reply(self) -> None:
        self.rfile.read(int(self.headers.get("content-length") or 0))
        path, _, query = self.path.partition("?")
        host = (self.headers.get("host") or "").partition(":")[0]
        headers = {name.lower(): value for name, value in self.headers.items()}
        try:
            answer = self.server.site.answer(Visit(self.command, host, path, query, headers))
        except HangUp:
            self.close_connection = True
            return
        except Endless:
            self._drip()
            return
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("content-type", answer.type)
        self.send_header("content-length", str(len(answer.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)

    def _drip(self) -> None:
        self.close_connection = True
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        while not self.server.site.closing.wait(0.01):
            self.wfile.write(b"<p>more")
            self.wfile.flush()

    do_GET = do_HEAD = do_POST = do_PUT = do_OPTIONS = _reply

    def log_message(self, format: str, *args: object) -> None:
        """The counters tell what happened."""
