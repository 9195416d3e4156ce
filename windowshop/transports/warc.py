"""How a page stands in a WARC file: one request and one response record, each a gzip member of its own."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast
from urllib.parse import urlsplit

from isal import isal_zlib
from isal.igzip_lib import IsalError
from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from windowshop.errors import StorageError
from windowshop.redaction import redact
from windowshop.transports.headers import keep_headers
from windowshop.wire import Request, Response

_CHUNK = 1 << 16
_HEAD = 1 << 14
_GZIP = 16 + isal_zlib.MAX_WBITS
_LEVEL = 2
_Damaged = cast("type[Exception]", IsalError)  # its stub calls the class an instance
_SKIP = struct.Struct("<4sIBBHBBHII")
_MARK = (b"\x1f\x8b\x08\x04", 0, 0, 255, 12, ord("s"), ord("l"), 8)
_TRAILER = struct.Struct("<II")


class Member(NamedTuple):
    """One whole gzip member: where it stands, and the first bytes of what it holds."""

    start: int
    end: int
    head: bytes


def write_info(about: dict[str, str]) -> bytes:
    """Return the record with which a file begins."""
    out = _Packed()
    writer = WARCWriter(out, gzip=False, warc_version="1.1")
    writer.write_record(writer.create_warcinfo_record(None, about))
    return bytes(out.data)


def write_page(request: Request, response: Response) -> bytes:
    """Return a page as two records, response first; secrets are left out.

    The address of both is the one asked for; where a browser landed elsewhere is a header of its own.
    """
    out = _Packed()
    writer = WARCWriter(out, gzip=False, warc_version="1.1")
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
    return bytes(out.data)


class _Packed:
    """Where a writer writes records, each of which it ends by a flush: each becomes a gzip member.

    A member says in its header how long it is (the field `sl` of the WARC drafts: packed, unpacked), so
    that a reader need not unpack it to find the next. ISA-L packs ten times as fast as warcio's zlib, for a
    fifth more.
    """

    def __init__(self) -> None:
        self.data = bytearray()
        self._record = bytearray()

    def write(self, data: bytes) -> None:
        self._record += data

    def flush(self) -> None:
        record, self._record = bytes(self._record), bytearray()
        pack = isal_zlib.compressobj(_LEVEL, isal_zlib.DEFLATED, -isal_zlib.MAX_WBITS)
        packed = pack.compress(record) + pack.flush()
        unpacked = len(record) & 0xFFFFFFFF
        length = _SKIP.size + len(packed) + _TRAILER.size
        self.data += _SKIP.pack(*_MARK, length, unpacked) + packed
        self.data += _TRAILER.pack(isal_zlib.crc32(record), unpacked)


def read_page(path: Path, start: int) -> Response:
    """Read the response record that begins at `start`; it may be another tool's.

    Raises `StorageError` for bytes that are not what was written.
    """
    with path.open("rb") as file:
        end, unpacked = _unpack(file, start)
    if end == start:
        raise StorageError(f"{path} is damaged at byte {start}; what stands elsewhere is not")
    record = next(ArchiveIterator(io.BytesIO(unpacked)))
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


def members(path: Path, skim: bool = False) -> Iterator[Member]:
    """Yield the whole gzip members of a file in order, and stop before the first that is torn.

    With `skim` a member that says how long it is is believed, which is quick: `read_page` will check it.
    """
    with path.open("rb") as file:
        size, start = file.seek(0, io.SEEK_END), 0
        while start < size:
            end = start + _length(file, start) if skim else start
            head = b""
            if end == start:
                end, head = _unpack(file, start, _HEAD)
            elif end <= size:
                head = _beginning(file, start, end)
            if not start < end <= size:
                return
            yield Member(start, end, head)
            start = end


def _length(file: BinaryIO, start: int) -> int:
    """Return how long a member says it is; 0 where it does not say."""
    file.seek(start)
    header = file.read(_SKIP.size)
    if len(header) < _SKIP.size:
        return 0
    *mark, length, _ = _SKIP.unpack(header)
    return length if tuple(mark) == _MARK else 0


def _beginning(file: BinaryIO, start: int, end: int) -> bytes:
    """Return the first bytes of what a member holds; none of one that is damaged there."""
    file.seek(start)
    try:
        return isal_zlib.decompressobj(_GZIP).decompress(file.read(min(end - start, _HEAD)), _HEAD)
    except _Damaged:
        return b""


def _unpack(file: BinaryIO, start: int, most: int | None = None) -> tuple[int, bytes]:
    """Return where a member ends and what it holds, or the first bytes of that.

    One that is torn or damaged ends where it starts.
    """
    file.seek(start)
    unpack: Any = isal_zlib.decompressobj(_GZIP)
    end, held = start, bytearray()
    while not unpack.eof:
        packed = file.read(_CHUNK)
        if not packed:
            return start, b""
        try:
            unpacked = unpack.decompress(packed)
        except _Damaged:
            return start, b""
        end += len(packed)
        held += unpacked if most is None else unpacked[: most - len(held)]
    return end - len(unpack.unused_data), bytes(held)


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"
