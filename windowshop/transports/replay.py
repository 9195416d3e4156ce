"""Answer from a recording, and from nothing else: no socket is ever opened."""

from __future__ import annotations

import difflib
import heapq
import threading
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from loguru import logger

from windowshop.errors import ConfigError, ReplayMiss
from windowshop.redaction import redact
from windowshop.transports.warc import members, read_page, target_of
from windowshop.wire import Request, Response


class Replay:
    """Serve recorded pages by address; the order of query parameters does not matter.

    `path` is a WARC file or a folder with some; None holds nothing yet. Several captures of one address are
    served in the order of recording, and the last of them from then on; with `latest` only the last: of a run
    that was resumed it is the one that counted. Bodies stay on disk. May be shared by threads.
    """

    name = "replay"

    def __init__(self, path: Path | None, latest: bool = False) -> None:
        self._captures: dict[str, list[tuple[Path, int]]] = {}
        self._served: defaultdict[str, int] = defaultdict(int)
        self._latest = latest
        self._lock = threading.Lock()
        for file in _files(path) if path is not None else ():
            if self.index(file) == 0:
                raise ConfigError(
                    f"{file} is not a WARC file with one gzip member a record; see: warcio recompress"
                )

    def add(self, url: str, file: Path, start: int) -> None:
        """Hold one more page, which stands in `file` from `start` on."""
        key = canonical(redact(url))
        with self._lock:
            if self._latest:
                self._captures[key] = [(file, start)]
            else:
                self._captures.setdefault(key, []).append((file, start))

    def holds(self, url: str) -> bool:
        """Say whether there is a page of an address."""
        return canonical(redact(url)) in self._captures

    def fetch(self, request: Request) -> Response:
        """Return the next capture of an address; raise `ReplayMiss` with the nearest that there are."""
        key = canonical(redact(request.url))
        if key not in self._captures:
            raise ReplayMiss(redact(request.url), nearest(key, self._captures))
        with self._lock:
            turn = self._served[key]
            self._served[key] += 1
        captures = self._captures[key]
        file, start = captures[min(turn, len(captures) - 1)]
        return read_page(file, start)

    def addresses(self) -> tuple[str, ...]:
        """Return every address that there is a page of, in one order of its parameters."""
        return tuple(self._captures)

    def index(self, file: Path) -> int:
        """Hold every whole page of a file; return how many bytes of it are whole."""
        end = 0
        for member in members(file, skim=True):
            end = member.end
            url = target_of(member)
            if url is not None:
                self.add(url, file, member.start)
        if end and file.stat().st_size != end:
            logger.warning("{} is torn after {} bytes; it is replayed up to there", file, end)
        return end


def canonical(url: str) -> str:
    """Return an address with its query in one order, without a fragment, as a key to compare by."""
    parts = urlsplit(url)
    query = urlencode(sorted(parse_qsl(parts.query, keep_blank_values=True)))
    return urlunsplit((parts.scheme.lower(), parts.netloc.lower(), parts.path or "/", query, ""))


def nearest(url: str, held: Iterable[str]) -> list[str]:
    """Return the up to three addresses most like `url`, best first."""
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(url)

    def likeness(other: str) -> float:
        matcher.set_seq1(other)
        return matcher.ratio()

    return heapq.nlargest(3, held, key=likeness)


def _files(path: Path) -> list[Path]:
    """List the recordings at `path`; raise `ConfigError` where there is none."""
    if path.is_file():
        return [path]
    files = sorted(path.rglob("*.warc.gz"))
    if not files:
        raise ConfigError(f"no recording at {path}: give a .warc.gz file or a folder that holds one")
    return files
