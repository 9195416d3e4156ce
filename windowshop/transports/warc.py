"""How a page stands in a WARC file: one request and one response record, each a gzip member of its own."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from windowshop.redaction import redact
from windowshop.transports.headers import keep_headers
from windowshop.wire import Request, Response

_CHUNK = 1 << 16
_HEAD = 1 << 14
_GZIP = 16 + zlib.MAX_WBITS


class Member(NamedTuple):
    """One whole gzip member: where it stands, and the first bytes of what it holds."""

    start: int
    end: int
    head: bytes


def write_info(about: dict[str, str]) -> bytes:
    """Return the record with which a file begins."""
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=True, warc_version="1.1")
    writer.write_record(writer.create_warcinfo_record(None, about))
    return out.getvalue()


def write_page(request: Request, response: Response) -> bytes:
    """Return a page as two records, response first; secrets are left out.

    The address of both is the one asked for; where a browser landed elsewhere is a header of its own.
    """
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=True, warc_version="1.1")
    url = redact(request.url)
    parts = urlsplit(url)
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    about = {
        "WARC-Date": response.at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "Windowshop-Transport": response.transport,
        "Windowshop-Seconds": f"{response.seconds:.3f}",
    }
    if response.credits is not None:
        about["Windowshop-Credits"] = f"{response.credits:g}"
    if response.url != request.url:
        about["Windowshop-Landed"] = redact(response.url)
    asked = StatusAndHeaders(f"{target or '/'} HTTP/1.1", [("Host", parts.netloc)], protocol="GET")
    answered = StatusAndHeaders(
        f"{response.status} {_phrase(response.status)}",
        [(name, redact(value)) for name, value in keep_headers(response.headers.items()).items()],
        protocol="HTTP/1.1",
    )
    writer.write_request_response_pair(
        writer.create_warc_record(url, "request", http_headers=asked),
        writer.create_warc_record(
            url, "response", io.BytesIO(response.body), len(response.body), "", about, http_headers=answered
        ),
    )
    return out.getvalue()


def read_page(path: Path, start: int) -> Response:
    """Read the response record that begins at `start`; it may be another tool's."""
    with path.open("rb") as file:
        file.seek(start)
        record = next(ArchiveIterator(file))
        about, answered = record.rec_headers, record.http_headers
        body: bytes = record.content_stream().read()
    credits = about.get_header("Windowshop-Credits")
    return Response(
        url=about.get_header("Windowshop-Landed") or about.get_header("WARC-Target-URI"),
        status=int(answered.get_statuscode()),
        headers=keep_headers(answered.headers),
        body=body,
        transport=about.get_header("Windowshop-Transport") or "warc",
        at=datetime.fromisoformat(about.get_header("WARC-Date")),
        seconds=float(about.get_header("Windowshop-Seconds") or 0.0),
        credits=None if credits is None else float(credits),
        replayed=True,
    )


def target_of(member: Member) -> str | None:
    """Return the address of a member that is a response record; None for any other."""
    head = member.head.partition(b"\r\n\r\n")[0].decode("utf-8", "replace")
    lines = (line.partition(":") for line in head.split("\r\n")[1:])
    fields = {name.strip().lower(): value.strip() for name, _, value in lines}
    if fields.get("warc-type") != "response":
        return None
    return fields.get("warc-target-uri", "").strip("<>") or None


def members(path: Path) -> Iterator[Member]:
    """Yield the whole gzip members of a file in order, and stop before the first that is torn."""
    with path.open("rb") as file:
        start, rest = 0, b""
        while True:
            unpack: Any = zlib.decompressobj(_GZIP)
            head = b""
            end = start
            while not unpack.eof:
                packed = rest or file.read(_CHUNK)
                rest = b""
                if not packed:
                    return
                try:
                    unpacked = unpack.decompress(packed)
                except zlib.error:
                    return
                end += len(packed)
                head += unpacked[: _HEAD - len(head)]
            rest = unpack.unused_data
            end -= len(rest)
            yield Member(start, end, head)
            start = end


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"
