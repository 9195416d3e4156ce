"""A shop that wants to be asked for what it must not be: a page for each way, and every arrival noted."""

from __future__ import annotations

import re
import socket
import ssl
import threading
from collections.abc import Iterable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

import trustme

from windowshop.demo.hostile_vectors import VECTORS, Vector

HOST = "www.amazon.com"
PICTURES = "m.media-amazon.com"
_PAGE = "/dp/B0VECTOR{:02}"
_HOP = "/dp/B0ONWARD{:02}"
_PICTURE = "/images/onward{:02}.png"
_TARGET = "/gp/buy/spc/v{:02}"
_ELSEWHERE = "v{:02}.pay.example"
_READS = frozenset({"GET", "HEAD", "OPTIONS"})
_MARK = re.compile(r"\bv(\d\d)\b|B0(?:VECTOR|ONWARD|SERVIC)(\d\d)|onward(\d\d)")
_WORKER = "/dp/B0SERVIC{:02}"
STRAY = "(no vector)"


class HostileShop:
    """Serve the vectors at a loopback address, with TLS, and note which of them reached it.

    `reached` names each vector by whose doing something arrived that must not: its target, anything but a
    GET, or whatever came to a port that is no shop's. Use it as a context manager.
    """

    def __init__(self, vectors: Iterable[Vector] = VECTORS) -> None:
        self.vectors = tuple(vectors)
        self.reached: dict[str, str] = {}
        self._lock = threading.Lock()
        authority = trustme.CA()
        self.ca_pem: bytes = authority.cert_pem.bytes()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert(HOST, PICTURES, "127.0.0.1").configure_cert(context)
        self._secured, self._plain = _Server(self, context), _Server(self)
        self._bare = {
            vector.name: _listen(kind)
            for vector in self.vectors
            for kind in ("udp", "tcp")
            if f"@{kind.upper()}" in vector.body
        }
        self._threads = [
            threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
            for server in (self._secured, self._plain)
        ]
        for vector in self.vectors:
            if vector.name in self._bare:
                told = (vector, self._bare[vector.name])
                self._threads.append(threading.Thread(target=self._hear, args=told, daemon=True))

    @property
    def address(self) -> tuple[str, int]:
        """Return the loopback host and the port."""
        return "127.0.0.1", self._secured.server_address[1]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for server in (self._secured, self._plain):
            server.shutdown()
            server.server_close()
        for bare in self._bare.values():
            bare.close()

    def page_of(self, vector: Vector) -> str:
        """Return the address of a vector's page."""
        return f"https://{HOST}{_PAGE.format(self.vectors.index(vector))}"

    def vector_of(self, url: str) -> Vector | None:
        """Return the vector by whose doing an address was asked for, if it shows."""
        found = _MARK.search(url)
        if found is not None:
            number = int(found.group(1) or found.group(2) or found.group(3))
            return self.vectors[number] if number < len(self.vectors) else None
        ports = {str(bare.getsockname()[1]): name for name, bare in self._bare.items() if bare.fileno() >= 0}
        name = next((name for port, name in ports.items() if f":{port}" in url), None)
        return next((vector for vector in self.vectors if vector.name == name), None)

    def forget(self) -> None:
        """Begin to note anew."""
        with self._lock:
            self.reached.clear()

    def note(self, name: str, what: str) -> None:
        """Note that something of a vector's doing has arrived."""
        with self._lock:
            self.reached.setdefault(name, what)

    def answer(self, method: str, host: str, path: str) -> tuple[int, dict[str, str], bytes]:
        """Return status, headers and body, and note what must not have come."""
        vector = self.vector_of(f"{host}{path}")
        if vector is None:
            if method not in _READS:
                self.note(STRAY, f"{method} {host}{path}")
            return 404, {}, b""
        number = self.vectors.index(vector)
        target = _TARGET.format(number)
        if target in path or host == _ELSEWHERE.format(number) or method not in _READS:
            self.note(vector.name, f"{method} {host}{path}")
        if path.startswith((_HOP.format(number), _PICTURE.format(number))):
            return (302 if method == "GET" else 307), {"location": f"https://{HOST}{target}"}, b""
        if path.startswith(_WORKER.format(number)):
            return 200, {"content-type": "text/javascript"}, f"fetch('{target}',{{method:'POST'}})".encode()
        if path.startswith(_PAGE.format(number)):
            headers = {name: self._filled(value, vector) for name, value in vector.headers.items()}
            text = f"<!doctype html><title>{vector.name}</title>{self._filled(vector.body, vector)}<p>end"
            return vector.status, {"content-type": "text/html; charset=utf-8", **headers}, text.encode()
        return (
            200,
            {"content-type": "text/html", "access-control-allow-origin": "*"},
            b"you should not be here",
        )

    def _filled(self, text: str, vector: Vector) -> str:
        number = self.vectors.index(vector)
        bare = self._bare.get(vector.name)
        port = str(bare.getsockname()[1]) if bare else ""
        for name, value in (
            ("@ELSEWHERE", _ELSEWHERE.format(number)),
            ("@PLAIN", str(self._plain.server_address[1])),
            ("@UDP", port),
            ("@TCP", port),
            ("@HOP", _HOP.format(number)),
            ("@IMG", f"https://{PICTURES}{_PICTURE.format(number)}"),
            ("@WORKER", _WORKER.format(number)),
            ("@T", _TARGET.format(number)),
        ):
            text = text.replace(name, value)
        return text

    def _hear(self, vector: Vector, bare: socket.socket) -> None:
        """Note whatever comes to a port that is no shop's, until it is closed."""
        is_udp = bare.type == socket.SOCK_DGRAM
        with suppress(OSError):
            while True:
                if is_udp:
                    bare.recvfrom(2048)
                else:
                    bare.accept()[0].close()
                self.note(vector.name, "a packet" if is_udp else "a connection")


def _listen(kind: str) -> socket.socket:
    bare = socket.socket(socket.AF_INET, socket.SOCK_DGRAM if kind == "udp" else socket.SOCK_STREAM)
    bare.bind(("127.0.0.1", 0))
    if kind == "tcp":
        bare.listen()
    return bare


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, shop: HostileShop, context: ssl.SSLContext | None = None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.shop = shop
        if context is not None:
            self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that hang up are part of the test."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True
    server: _Server

    def _reply(self) -> None:
        self.rfile.read(int(self.headers.get("content-length") or 0))
        host = (self.headers.get("host") or "").partition(":")[0].lower()
        status, headers, body = self.server.shop.answer(self.command, host, self.path)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_HEAD = do_POST = do_PUT = do_OPTIONS = _reply

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: what was reached is noted."""
