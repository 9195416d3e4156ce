"""The demo shop's server: loopback, TLS, one thread a connection, every visit counted."""

from __future__ import annotations

import socket
import ssl
import sys
import threading
import traceback
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

import trustme

from windowshop.demo import amazon, ebay
from windowshop.demo.answer import Answer, Visit, text
from windowshop.demo.loopback import Loopback
from windowshop.locales import ASSET_HOSTS

_MAX_BODY = 1_000_000

_NO_PAGES = ("/robots.txt", "/favicon.ico")


class Shop(Loopback):
    """A shop under Amazon's and eBay's host names at a loopback address; use it as a context manager.

    `counters` counts the visits by "site:kind", `harm` those that would have changed something on a real
    shop. `challenge_after` answers every page after that many with a robot check, `challenge_word` every
    search for that word; `fail_first` answers that many pages with 503, `retry_after` seconds as its
    `Retry-After`; `hostile` plants texts against agents.
    """

    def __init__(
        self,
        *,
        challenge_after: int | None = None,
        challenge_word: str | None = None,
        fail_first: int = 0,
        retry_after: int = 1,
        hostile: bool = False,
    ) -> None:
        self.counters: Counter[str] = Counter()
        self.harm: Counter[str] = Counter()
        self._challenge_after = challenge_after
        self._challenge_word = challenge_word
        self._fail_first = fail_first
        self._retry_after = retry_after
        self._is_hostile = hostile
        self._pages = 0
        self._lock = threading.Lock()
        authority = trustme.CA()
        self.ca_pem: bytes = authority.cert_pem.bytes()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        names = sorted(amazon.HOSTS | ebay.HOSTS | {"localhost", "127.0.0.1"})
        authority.issue_cert(*names).configure_cert(context)
        super().__init__(_Server(self, context))

    @property
    def address(self) -> tuple[str, int]:
        """Return the loopback host and the port."""
        host, port = self._server.server_address[:2]
        return str(host), int(port)

    def answer(self, visit: Visit) -> Answer:
        """Answer one request, and count it."""
        site = "ebay" if visit.host in ebay.HOSTS else "amazon"
        if visit.host not in amazon.HOSTS | ebay.HOSTS:
            return text("stranger", f"the demo shop does not answer for {visit.host}\n", 421)
        found = self._turned_away(site, visit) or self._served(site, visit)
        with self._lock:
            self.counters[f"{site}:{found.kind}"] += 1
            if found.harmful:
                self.harm[f"{site}:{found.kind}"] += 1
        return found

    def _served(self, site: str, visit: Visit) -> Answer:
        serve = ebay.visit_ebay if site == "ebay" else amazon.visit_amazon
        return serve(visit, is_hostile=self._is_hostile)

    def _turned_away(self, site: str, visit: Visit) -> Answer | None:
        """Fail or ask for proof of being a person, where that was wished for."""
        if visit.method not in ("GET", "HEAD") or visit.path in _NO_PAGES or _is_asset(visit.host):
            return None
        with self._lock:
            self._pages += 1
            page = self._pages
        if page <= self._fail_first:
            found = ebay.failure() if site == "ebay" else amazon.failure()
            return found.model_copy(update={"headers": {"retry-after": str(self._retry_after)}})
        words = f"{visit.params.get('k', '')} {visit.params.get('_nkw', '')}".lower().split()
        is_word = self._challenge_word is not None and self._challenge_word.lower() in words
        if is_word or (self._challenge_after is not None and page > self._challenge_after):
            return ebay.interruption(visit) if site == "ebay" else amazon.robot_check(visit)
        return None


def _is_asset(host: str) -> bool:
    return any(host in hosts for hosts in ASSET_HOSTS.values())


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    request_queue_size = 64

    def __init__(self, shop: Shop, context: ssl.SSLContext) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.shop = shop
        self._open: set[socket.socket] = set()
        # the handshake is left to the connection's own thread: a silent client holds up nobody else
        self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)

    def get_request(self) -> tuple[socket.socket, object]:
        connection, address = super().get_request()
        self._open.add(connection)
        return connection, address

    def shutdown_request(self, request: socket.socket | tuple[bytes, socket.socket]) -> None:
        super().shutdown_request(request)
        self._open.discard(request)

    def handle_error(self, request: object, client_address: object) -> None:
        """Let a client that hangs up go without a word; show anything else, for it is a bug of the shop."""
        if not isinstance(sys.exception(), OSError):
            traceback.print_exc()

    def server_close(self) -> None:
        for connection in tuple(self._open):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue
        super().server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True
    server: _Server

    def _reply(self) -> None:
        size = int(self.headers.get("content-length") or 0)
        self.rfile.read(min(size, _MAX_BODY))
        parts = urlsplit(self.path)
        host = (self.headers.get("host") or "").split(":")[0].lower()
        params = dict(parse_qsl(parts.query, keep_blank_values=True))
        answer = self.server.shop.answer(
            Visit(method=self.command, host=host, path=parts.path, params=params)
        )
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("content-type", answer.type)
        self.send_header("content-length", str(len(answer.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = _reply

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the counters tell what happened."""
