"""Pages from a HAR file, as browsers and proxies save them."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from windowshop.errors import ConfigError
from windowshop.transports.headers import keep_headers
from windowshop.wire import Request, Response

_PAGES = ("text/html", "application/xhtml+xml")


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", populate_by_name=True)


class _Header(_Part):
    name: str
    value: str


class _Content(_Part):
    mime: str = Field(default="", alias="mimeType")
    text: str | None = None
    encoding: str | None = None


class _Asked(_Part):
    method: str
    url: str


class _Answered(_Part):
    status: int
    headers: tuple[_Header, ...] = ()
    content: _Content = _Content()


class _Entry(_Part):
    at: datetime = Field(alias="startedDateTime")
    milliseconds: float = Field(default=0.0, alias="time")
    request: _Asked
    response: _Answered


def read_har(path: Path) -> Iterator[tuple[Request, Response]]:
    """Yield the pages of a HAR file that were got by GET; requests that failed, and pictures, are left out.

    Raises `ConfigError` naming the entry that is not as the format says.
    """
    try:
        entries = json.loads(path.read_text(encoding="utf-8-sig"))["log"]["entries"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{path} is not a HAR file: {type(error).__name__}: {error}") from error
    for number, record in enumerate(entries):
        entry = _entry(record, f"{path}: entry {number}")
        asked, content = entry.request, entry.response.content
        if asked.method != "GET" or not entry.response.status:
            continue
        if not content.mime.lower().startswith(_PAGES) and not 300 <= entry.response.status < 400:
            continue
        yield (
            Request(url=asked.url),
            Response(
                url=asked.url,
                status=entry.response.status,
                headers=keep_headers((header.name, header.value) for header in entry.response.headers),
                body=_body(content, f"{path}: entry {number}"),
                transport="har",
                at=entry.at if entry.at.tzinfo else entry.at.replace(tzinfo=UTC),
                seconds=max(0.0, entry.milliseconds) / 1000,
            ),
        )


def _entry(record: Any, where: str) -> _Entry:
    try:
        return _Entry.model_validate(record)
    except ValidationError as error:
        first = error.errors()[0]
        raise ConfigError(f"{where}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def _body(content: _Content, where: str) -> bytes:
    if content.text is None:
        return b""
    if content.encoding != "base64":
        return content.text.encode("utf-8", "surrogatepass")
    try:
        return base64.b64decode(content.text, validate=True)
    except binascii.Error as error:
        raise ConfigError(f"{where}: its body is not base64: {error}") from error
