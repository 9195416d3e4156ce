"""Where the last hop goes when it goes to this machine: the demo shop under the real host names."""

from __future__ import annotations

import base64
import hashlib
import ipaddress
import socket
import ssl

from pydantic import Field, field_validator

from windowshop.errors import FetchError
from windowshop.frozen import Frozen


class LastHop(Frozen):
    """Connect to this loopback address, whatever host an address names; trust this authority alone.

    Address, Host header and TLS server name stay those of the real shop. `ca_pem` is the certificate of
    the authority that signed the server's, in PEM. A `host` outside loopback is refused.
    """

    host: str
    port: int = Field(ge=1, le=65535)
    ca_pem: bytes = Field(repr=False)

    @field_validator("host")
    @classmethod
    def _is_loopback(cls, host: str) -> str:
        if not ipaddress.ip_address(host).is_loopback:
            raise ValueError(f"{host} is not a loopback address")
        return host

    def trust(self) -> ssl.SSLContext:
        """Return a TLS context that verifies host names, against this authority and no other."""
        return ssl.create_default_context(cadata=self.ca_pem.decode("ascii"))

    def key_digest(self, name: str, timeout: float = 10.0) -> str:
        """Return the base64 SHA-256 of the public key that is served for `name`, once it is verified.

        This is the form in which Chromium is told to trust one key. Raises `FetchError`.
        """
        from cryptography import x509
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        try:
            with (
                socket.create_connection((self.host, self.port), timeout) as plain,
                self.trust().wrap_socket(plain, server_hostname=name) as secured,
            ):
                served = secured.getpeercert(binary_form=True)
        except OSError as error:
            raise FetchError(f"no TLS for {name} at {self.host}:{self.port}: {error}") from error
        if served is None:
            raise FetchError(f"{self.host}:{self.port} shows no certificate for {name}")
        key = x509.load_der_x509_certificate(served).public_key()
        info = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        return base64.b64encode(hashlib.sha256(info).digest()).decode("ascii")
