"""The throw-away authority of a wall, and how far the wall itself trusts the shops."""

from __future__ import annotations

import base64
import hashlib
import threading
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from mitmproxy import ctx
from mitmproxy.addons.proxyserver import Proxyserver
from mitmproxy.addons.tlsconfig import TlsConfig
from mitmproxy.certs import CertStore
from mitmproxy.options import Options
from mitmproxy.tls import TlsData
from OpenSSL import SSL

_NAME = "windowshop"
_BITS = 2048
_LOCK = threading.Lock()
"""mitmproxy's own TLS code reads its settings from one global: each call is made with ours in place."""


class Keys:
    """Make an authority in `folder` and sign a certificate for each host; verify the shops' own.

    With `trusted`, a PEM file, the shops' certificates must be of that authority and no other.
    """

    def __init__(self, folder: Path, trusted: Path | None, max_bytes: int) -> None:
        self._tls = TlsConfig()
        self.options = _options(self._tls, trusted, max_bytes)
        self._store = CertStore.from_store(folder, _NAME, _BITS)
        self.ca_file = folder / f"{_NAME}-ca-cert.pem"

    @property
    def digest(self) -> str:
        """Return the base64 SHA-256 of our one public key, as Chromium is told to trust it."""
        key = self._store.default_privatekey.public_key()
        info = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        return base64.b64encode(hashlib.sha256(info).digest()).decode("ascii")

    def show(self, start: TlsData) -> None:
        """Show the client a certificate for the host to which it opened the tunnel; speak HTTP/1.1."""
        address = start.context.server.address
        if address is None:
            raise ValueError("TLS without a tunnel")
        signed = self._store.get_cert(address[0], [_name(address[0])])
        settings = SSL.Context(SSL.TLS_SERVER_METHOD)
        settings.set_min_proto_version(SSL.TLS1_2_VERSION)
        settings.set_alpn_select_callback(_only_http_1)  # type: ignore[arg-type]
        settings.use_certificate(x509.load_pem_x509_certificate(signed.cert.to_pem()))
        settings.use_privatekey(signed.privatekey)
        start.ssl_conn = SSL.Connection(settings)
        start.ssl_conn.set_accept_state()

    def verify(self, start: TlsData) -> None:
        """Speak TLS to a shop whose certificate is for the name it is called by."""
        with _LOCK:
            ctx.options = self.options
            self._tls.tls_start_server(start)


def _options(tls: TlsConfig, trusted: Path | None, max_bytes: int) -> Options:
    """Return the settings of mitmproxy's core: HTTP/1.1 alone, no connection before it is needed."""
    options = Options()
    loader: Any = options  # both only name the settings that they read
    Proxyserver().load(loader)
    tls.load(loader)
    options.update(
        body_size_limit=str(max_bytes),
        connection_strategy="lazy",
        http2=False,
        rawtcp=False,
        ssl_verify_upstream_trusted_ca=str(trusted) if trusted else None,
        upstream_cert=False,
        websocket=False,
    )
    return options


def _only_http_1(connection: SSL.Connection, offered: list[bytes]) -> Any:
    return b"http/1.1" if b"http/1.1" in offered else SSL.NO_OVERLAPPING_PROTOCOLS


def _name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        return x509.DNSName(host)
