"""Pages that lie in a folder: files of HTML, cases that were captured, recordings of runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

from windowshop.locales import LOCALES, locale_by_host
from windowshop.transports.warc import members, read_page, target_of
from windowshop.wire import Response

_ENDINGS = (".html", ".htm", ".html.gz")


def saved_pages(folder: Path, site: str) -> Iterator[tuple[Path, Response]]:
    """Yield the pages under a folder in the order of their names; of recordings only those of `site`.

    The address of a page is that of the `meta.json` beside it, else unknown: the page itself then tells.
    """
    for path in sorted(folder.rglob("*")):
        if path.name.endswith(".warc.gz"):
            yield from _recorded(path, site)
        elif path.name.endswith(_ENDINGS) and path.is_file():
            about = path.with_name("meta.json")
            meta = json.loads(about.read_text("utf-8")) if about.exists() else {}
            if meta.get("site") in (None, site):
                yield path, saved_page(path.read_bytes(), meta.get("url") or "")


def saved_page(body: bytes, url: str) -> Response:
    """Return a page as if it had just come from the shop."""
    return Response(url=url, status=200, body=body, transport="file", at=datetime.now(UTC))


def _recorded(path: Path, site: str) -> Iterator[tuple[Path, Response]]:
    for member in members(path):
        host = urlsplit(target_of(member) or "").hostname
        if host and (site not in LOCALES or locale_by_host(site, host) is not None):
            yield path, read_page(path, member.start)
