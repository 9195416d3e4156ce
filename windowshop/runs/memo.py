"""The pages that this process has parsed, so that a page seen twice in a run is parsed once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from datetime import UTC, datetime
from typing import NamedTuple

from windowshop.pages import Page
from windowshop.runs.evidence import Source
from windowshop.wire import Response

REMEMBERED = 256


class Parsed(NamedTuple):
    """A page, where it came from, and when it was fetched."""

    page: Page
    source: Source
    at: datetime


class Memo:
    """Remember the pages used last, of all sites, by address. May be shared by threads.

    A page older than `seconds` is forgotten; None is any age.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self._seconds = seconds
        self._parsed: OrderedDict[tuple[str, str], Parsed] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, site: str, url: str) -> Parsed | None:
        """Return what is remembered of an address."""
        with self._lock:
            found = self._parsed.get((site, url))
            if found is None or not is_fresh(found.at, self._seconds):
                return None
            self._parsed.move_to_end((site, url))
            return found

    def put(self, site: str, url: str, response: Response, page: Page, source: Source) -> Parsed:
        """Remember a page that says something of the shop; a challenge or an error says nothing."""
        parsed = Parsed(page, source, response.at)
        if page.kind in ("results", "item", "sub_page"):
            with self._lock:
                self._parsed[site, url] = parsed
                if len(self._parsed) > REMEMBERED:
                    self._parsed.popitem(last=False)
        return parsed


def is_fresh(at: datetime, seconds: float | None, now: datetime | None = None) -> bool:
    """Say whether a page fetched at `at` still stands for its address; None is for ever.

    A clock that was set back makes a page younger than nothing, which is fresh.
    """
    return seconds is None or ((now or datetime.now(UTC)) - at).total_seconds() <= seconds
