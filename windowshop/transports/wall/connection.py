"""One client's connection to the wall: mitmproxy's core speaks the protocols, the checkpoint decides."""

from __future__ import annotations

import time
from asyncio import StreamReader, StreamWriter
from collections.abc import Callable
from datetime import UTC, datetime

from loguru import logger
from mitmproxy.http import Headers as RawHeaders
from mitmproxy.http import HTTPFlow
from mitmproxy.http import Response as Reply
from mitmproxy.net.tls import starts_like_tls_record
from mitmproxy.proxy.commands import StartHook
from mitmproxy.proxy.layer import NextLayer
from mitmproxy.proxy.layers import ClientTLSLayer, HttpLayer, ServerTLSLayer
from mitmproxy.proxy.layers.http import HTTPMode
from mitmproxy.proxy.layers.modes import HttpProxy
from mitmproxy.proxy.mode_specs import ProxyMode
from mitmproxy.proxy.server import LiveConnectionHandler
from mitmproxy.proxy.server_hooks import ServerConnectionHookData
from mitmproxy.tls import TlsData

from windowshop.transports.headers import keep_headers
from windowshop.transports.last_hop import LastHop
from windowshop.transports.wall.answers import MARK, page
from windowshop.transports.wall.asked import Headers, readers
from windowshop.transports.wall.checkpoint import FAILED, Checkpoint, Place
from windowshop.transports.wall.keys import Keys
from windowshop.wire import Decision, Response


class Connection(LiveConnectionHandler):  # type: ignore[misc]
    """Let a client out request by request. Each is refused first, and let go once it was judged.

    Two things must agree before a byte leaves: a request was allowed, and the place that is connected to is
    the one for which it was.
    """

    def __init__(
        self,
        reader: StreamReader,
        writer: StreamWriter,
        checkpoint: Checkpoint,
        keys: Keys,
        last_hop: LastHop | None,
    ) -> None:
        super().__init__(reader, writer, keys.options, ProxyMode.parse("regular"))
        self.layer = HttpProxy(self.layer.context)  # type: ignore[has-type]
        self._checkpoint = checkpoint
        self._keys = keys
        self._last_hop = last_hop
        self._out: dict[str, tuple[str, float]] = {}
        self._places: dict[Place, str] = {}
        self._hooks: dict[str, Callable[..., None]] = {
            "next_layer": self._next_layer,
            "http_connect": self._connect,
            "requestheaders": self._hold,
            "request": self._request,
            "response": self._response,
            "error": self._error,
            "server_connect": self._server_connect,
            "tls_start_client": keys.show,
            "tls_start_server": self._verify,
        }

    async def handle_hook(self, hook: StartHook) -> None:
        """Do what each moment asks for; a failure leaves it as closed as it was."""
        step = self._hooks.get(hook.name)
        if step is None:
            return
        try:
            step(*hook.args())
        except Exception as error:
            logger.opt(exception=error).error("the wall failed at {}", hook.name)

    def _next_layer(self, asked: NextLayer) -> None:
        """Expect HTTP, then in a tunnel TLS or HTTP, and in TLS HTTP; nothing else is spoken."""
        within = asked.context.layers[-1]
        if not any(isinstance(layer, HttpLayer) for layer in asked.context.layers):
            asked.layer = HttpLayer(asked.context, HTTPMode.regular)
        elif isinstance(within, ClientTLSLayer) or len(asked.data_client()) < 3:
            ready = isinstance(within, ClientTLSLayer)
            asked.layer = HttpLayer(asked.context, HTTPMode.transparent) if ready else None
        elif starts_like_tls_record(asked.data_client()):
            secured = ServerTLSLayer(asked.context)
            secured.child_layer = ClientTLSLayer(asked.context)
            asked.layer = secured
        else:
            asked.layer = HttpLayer(asked.context, HTTPMode.transparent)

    def _connect(self, flow: HTTPFlow) -> None:
        place = (flow.request.host.lower(), flow.request.port)
        flow.response = _answer(FAILED, None, flow.request.url)
        decision = self._checkpoint.admit(place)
        flow.response = None if decision.allowed else _answer(decision, None, f"{place[0]}:{place[1]}")

    def _hold(self, flow: HTTPFlow) -> None:
        flow.response = _answer(FAILED, None, flow.request.url)

    def _request(self, flow: HTTPFlow) -> None:
        asked = flow.request
        flow.response = _answer(FAILED, None, asked.url)
        place = (asked.host.lower(), asked.port)
        headers, body = _pairs(asked.headers), asked.raw_content or b""
        method, target = asked.data.method.decode("latin-1"), f"{asked.authority}{asked.path}"
        ruling = self._checkpoint.judge(asked.url, place, method, target, headers, body)
        if not ruling.decision.allowed:
            flow.response = _answer(*ruling, asked.url)
            return
        self._out[flow.id] = (asked.url, time.monotonic())
        goes_to = place
        if self._last_hop is not None:
            goes_to = (self._last_hop.host, self._last_hop.port)
            asked.data.host, asked.data.port = goes_to
        self._places[goes_to] = place[0]
        asked.headers = RawHeaders(_raw(readers(headers)))
        flow.response = None

    def _response(self, flow: HTTPFlow) -> None:
        """Tell of what a shop answered; our own pages pass here too, and are none of it."""
        if flow.id not in self._out or flow.response is None:
            return
        url, since = self._out.pop(flow.id)
        flow.response.headers.pop(MARK, None)
        try:
            told = Response(
                url=url,
                status=flow.response.status_code,
                headers=keep_headers(_pairs(flow.response.headers)),
                body=flow.response.get_content(strict=False) or b"",
                transport="wall",
                at=datetime.now(UTC),
                seconds=time.monotonic() - since,
            )
            refused = self._checkpoint.land(url, flow.request.method, _pairs(flow.request.headers), told)
        except Exception:
            flow.response = _answer(FAILED, None, url)
            raise
        if refused is not None:
            flow.response = _answer(refused, None, url)

    def _error(self, flow: HTTPFlow) -> None:
        if flow.id in self._out:
            self._checkpoint.fail(self._out.pop(flow.id)[0], flow.error.msg if flow.error else "no answer")

    def _server_connect(self, data: ServerConnectionHookData) -> None:
        data.server.error = "no request was let out to there"
        if data.server.address is not None and data.server.address[:2] in self._places:
            data.server.error = None

    def _verify(self, start: TlsData) -> None:
        """Hold the shop to the name that was judged, whatever the client calls it."""
        server = start.context.server
        if server.address is not None:
            server.sni = self._places[server.address[:2]]
            self._keys.verify(start)


def _answer(decision: Decision, instead: str | None, url: str) -> Reply:
    status, headers, body = page(decision, instead, url)
    return Reply.make(status, body, headers)


def _pairs(headers: RawHeaders) -> Headers:
    return [(name, value) for name, value in headers.items(multi=True)]


def _raw(headers: Headers) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("utf-8", "surrogateescape")) for name, value in headers]
