"""A page kept as a case that can be shown to others: the scrubbed page, what it is, what was read."""

from __future__ import annotations

import gzip
import hashlib
import json
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from windowshop.adapters import Site
from windowshop.adapters.markup import plain
from windowshop.errors import ConfigError, MissingField, PageError
from windowshop.frozen import Frozen
from windowshop.runs.scrub import scrub
from windowshop.version import __version__
from windowshop.wire import Response

FILES = ("page.html.gz", "meta.json", "expected.json")


class Case(Frozen):
    """What a captured page is. `kind` is None for one that cannot be read; `error` then says why.

    `changed` names the fields that read otherwise than before, as a secret stood in them.
    """

    site: str
    locale: str
    url: str
    kind: str | None
    error: dict[str, str] | None = None
    changed: tuple[str, ...] = ()
    sha256: str
    windowshop: str = __version__
    selectolax: str = version("selectolax")
    python: str = platform.python_version()


def capture(site: Site, response: Response, folder: Path) -> Case:
    """Write a page without secrets, with what is read of it, into a new folder.

    Raises `ConfigError` for a folder that holds something, `PageError` for bytes that are too many to keep.
    """
    if folder.exists() and any(folder.iterdir()):
        raise ConfigError(f"{folder} is not empty: name a new folder with --out")
    body = plain(response.body)
    url = _bare(site, response.url)
    before = _reading(site, response, body)
    kept = scrub(body, lambda edited: _reading(site, response, edited) == before)
    after = _reading(site, response.model_copy(update={"url": url}), kept)
    names = sorted({*before, *after})
    case = Case(
        site=site.name,
        locale=after.get("locale") or site.locale.code,
        url=url,
        kind=after.get("kind"),
        error=after.get("error"),
        changed=tuple(name for name in names if before.get(name) != after.get(name)),
        sha256=hashlib.sha256(kept).hexdigest(),
    )
    folder.mkdir(parents=True, exist_ok=True)
    contents = (gzip.compress(kept, mtime=0), case.model_dump_json(indent=1).encode(), _json(after))
    for name, content in zip(FILES, contents, strict=True):
        (folder / name).write_bytes(content)
    return case


def _reading(site: Site, response: Response, body: bytes) -> dict[str, Any]:
    """Return what the adapter makes of some bytes: a page, or the error that it raises."""
    try:
        return site.parse(response.model_copy(update={"body": body})).model_dump(mode="json")
    except PageError as error:
        about = {"type": type(error).__name__, "message": str(error)}
        if isinstance(error, MissingField):
            about |= {"field": error.field, "selector": error.selector}
        return {"error": about}


def _bare(site: Site, url: str) -> str:
    """Return an address with those parameters alone that the adapter itself would ask for."""
    parts = urlsplit(url)
    if not parts.hostname:
        return ""
    asked = {name for shape in site.readable for name in shape.params}
    query = urlencode([(name, value) for name, value in parse_qsl(parts.query) if name in asked])
    path = scrub(parts.path.encode(), lambda _: True).decode()
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{path}{'?' if query else ''}{query}"


def _json(data: dict[str, Any]) -> bytes:
    return (json.dumps(data, ensure_ascii=False, indent=1) + "\n").encode()
