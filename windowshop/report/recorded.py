"""The pages of a run, read again from its recording by the digest of their bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from windowshop.adapters import Site, load_site
from windowshop.adapters.refines import Refines
from windowshop.episodes import EpisodeResult, Step
from windowshop.errors import PageError
from windowshop.pages import Facet, ItemPage, Page, ResultsPage, SubPage
from windowshop.scoring.live import Chosen
from windowshop.transports.warc import members, read_page, target_of


class Recorded:
    """Find pages by digest (SHA-256) in a run's own recording and in the one that it replayed.

    Bodies stay on disk. A page that is in neither, or that is not understood any more, is None.
    """

    def __init__(self, run: Path, settings: Mapping[str, Any]) -> None:
        self._settings = settings
        self._places: dict[str, tuple[Path, int]] = {}
        self._sites: dict[tuple[str, str], Site] = {}
        self._pages: dict[tuple[str, str], Page | None] = {}
        for file in _recordings(run, settings.get("recording")):
            for member in members(file):
                if target_of(member) is not None:
                    digest = hashlib.sha256(read_page(file, member.start).body).hexdigest()
                    self._places.setdefault(digest, (file, member.start))

    def page(self, digest: str | None, site: str, locale: str | None) -> Page | None:
        """Return a page as its site's adapter reads it."""
        if digest is None or digest not in self._places:
            return None
        key = (digest, site)
        if key not in self._pages:
            file, start = self._places[digest]
            try:
                self._pages[key] = self._site(site, locale or "us").parse(read_page(file, start))
            except PageError:
                self._pages[key] = None
        return self._pages[key]

    def facets(self, digest: str | None, site: str, locale: str | None) -> tuple[Facet, ...] | None:
        """Return how a recorded list could be ordered and narrowed; None where no page says it."""
        adapter = self._site(site, locale or "us")
        if digest is None or digest not in self._places or not isinstance(adapter, Refines):
            return None
        file, start = self._places[digest]
        try:
            return adapter.facets(read_page(file, start))
        except PageError:
            return None

    def lists(self, steps: Iterable[Step]) -> list[Step]:
        """Return the steps after which results were on view, each time that the list changed."""
        found: list[Step] = []
        for step in steps:
            if _kind(step) == "search_results" and (not found or found[-1].page_digest != step.page_digest):
                found.append(step)
        return found

    def refined(self, result: EpisodeResult, step: Step) -> tuple[tuple[str, str], ...] | None:
        """Return how the list on view was ordered and narrowed, by its address."""
        adapter = self._site(result.site, result.locale or "us")
        return adapter.refined(step.url) if step.url and isinstance(adapter, Refines) else None

    def chosen(self, result: EpisodeResult, steps: Iterable[Step]) -> Chosen | None:
        """Return the page of the product that would have been bought, and its description if it was read."""
        intent = result.intent
        page = self.page(intent.page_digest, result.site, result.locale) if intent else None
        if not isinstance(page, ItemPage):
            return None
        subs = (self.page(step.page_digest, result.site, result.locale) for step in steps)
        texts = [
            text
            for sub in subs
            if isinstance(sub, SubPage) and sub.tab == "description"
            for text in sub.texts
        ]
        return Chosen(page=page, description="\n".join(texts) or None)

    def titles(self, result: EpisodeResult, steps: Iterable[Step]) -> list[str] | None:
        """Return the titles of the products that results showed; None where no page is recorded."""
        digests = dict.fromkeys(step.page_digest for step in steps if _kind(step) == "search_results")
        pages = [self.page(digest, result.site, result.locale) for digest in digests]
        found = [page for page in pages if isinstance(page, ResultsPage)]
        if pages and not found:
            return None
        return [tile.title for page in found for tile in page.tiles if tile.title]

    def _site(self, name: str, locale: str) -> Site:
        if (name, locale) not in self._sites:
            self._sites[name, locale] = load_site(name, locale, self._settings.get("base_url"))
        return self._sites[name, locale]


def _recordings(run: Path, replayed: str | None) -> list[Path]:
    files = sorted(run.glob("*.warc.gz"))
    if replayed is None or not Path(replayed).exists():
        return files
    other = Path(replayed)
    return files + ([other] if other.is_file() else sorted(other.rglob("*.warc.gz")))


def _kind(step: Step) -> str:
    """Return the simulator's name for the page on view, as its address has it."""
    return step.state_url.split("/", 4)[3] if step.state_url.count("/") >= 4 else "index"
