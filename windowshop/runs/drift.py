"""How often each field of a shop's pages can be read and from where: counted, and held against a baseline."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from math import comb, fsum

from pydantic import Field, TypeAdapter

from windowshop.adapters.explain import Explanation
from windowshop.errors import PageError
from windowshop.frozen import Frozen

BASELINE = files("windowshop.adapters") / "baseline.json"
TOLERANCE = 0.1
UNUSUAL = 0.1
CHANCE = 0.01


class Yield(Frozen):
    """On how many pages a field had a value, and on how many by each source."""

    pages: int = 0
    sources: dict[str, int] = Field(default_factory=dict)


class Kind(Frozen):
    """The pages of one kind; `tile.` fields count for a page where at least half of its tiles have them."""

    pages: int
    fields: dict[str, Yield]

    def share(self, field: str) -> float:
        """Return on which share of the pages a field has a value."""
        return self.fields.get(field, Yield()).pages / self.pages if self.pages else 0.0


class Alarm(Frozen):
    """One field that is read less often than it was, or from elsewhere."""

    kind: str
    field: str
    message: str


Figures = dict[str, Kind]
_BASELINE: TypeAdapter[dict[str, Figures]] = TypeAdapter(dict[str, Figures])


def load_baseline(site: str) -> Figures:
    """Return the last known good figures of a site; none for one that was never measured."""
    return _BASELINE.validate_json(BASELINE.read_bytes()).get(site, {})


def dump_baseline(site: str, figures: Figures) -> str:
    """Return the text of the baseline file with the figures of one site replaced."""
    whole = {**_BASELINE.validate_json(BASELINE.read_bytes()), site: figures}
    return json.dumps(_BASELINE.dump_python(whole, mode="json"), indent=1, sort_keys=True) + "\n"


def count(pages: Iterable[Explanation | PageError]) -> Figures:
    """Count what each kind of page yields; `page` is all of them, understood or not."""
    totals: Counter[str] = Counter()
    sources: dict[tuple[str, str], Counter[str]] = {}
    for page in pages:
        kind = "unread" if isinstance(page, PageError) else page.page.kind
        totals.update({"page", kind})
        if isinstance(page, Explanation):
            for field, source in _yields(page):
                sources.setdefault((kind, field), Counter())[source] += 1
        if kind not in ("unread", "other"):
            sources.setdefault(("page", "understood"), Counter())[kind] += 1
    return {kind: Kind(pages=number, fields=_fields(kind, sources)) for kind, number in totals.items()}


def _fields(kind: str, sources: Mapping[tuple[str, str], Counter[str]]) -> dict[str, Yield]:
    mine = {field: winners for (of, field), winners in sources.items() if of == kind}
    return {field: Yield(pages=winners.total(), sources=dict(winners)) for field, winners in mine.items()}


def _yields(page: Explanation) -> Iterator[tuple[str, str]]:
    for finding in page.fields:
        if finding.value is not None:
            yield finding.field, finding.winners[0]
    listed = [finding for tile in page.tiles for finding in tile.fields]
    for field in dict.fromkeys(finding.field for finding in listed):
        same = [finding for finding in listed if finding.field == field]
        read = Counter(finding.winners[0] for finding in same if finding.value is not None)
        if 2 * read.total() >= len(same):
            yield f"tile.{field}", read.most_common(1)[0][0]


def alarms(baseline: Figures, now: Figures, tolerance: float = TOLERANCE) -> list[Alarm]:
    """Name each field that is read on a share of pages smaller by more than `tolerance`, or from elsewhere.

    Elsewhere: most pages' value came from sources that gave it rarely (to under a tenth) before. Neither is
    an alarm where it would happen by chance, on as few pages, more often than once in a hundred.
    """
    found = []
    for kind, before in baseline.items():
        after = now.get(kind)
        for field in before.fields if after is not None else ():
            message = after and (_fell(before, after, field, tolerance) or _moved(before, after, field))
            if message:
                found.append(Alarm(kind=kind, field=field, message=message))
    return found


def _fell(before: Kind, after: Kind, field: str, tolerance: float) -> str | None:
    was, now = before.share(field), after.share(field)
    read = after.fields.get(field, Yield()).pages
    usual = (before.fields[field].pages + 0.5) / (before.pages + 1)
    if was - now <= tolerance or _tail(after.pages, usual, range(read + 1)) >= CHANCE:
        return None
    return f"read on {now:.0%} of {after.pages} pages; it was {was:.0%}"


def _moved(before: Kind, after: Kind, field: str) -> str | None:
    was, now = before.fields[field], after.fields.get(field, Yield())
    if field == "understood" or not was.pages:  # its sources are kinds of page: the folder's own mix
        return None
    rare = {name for name in now.sources if was.sources.get(name, 0) < UNUSUAL * was.pages}
    moved = sum(now.sources[name] for name in rare)
    usual = (sum(was.sources.get(name, 0) for name in rare) + 0.5) / (was.pages + 1)
    if 2 * moved <= now.pages or _tail(now.pages, usual, range(moved, now.pages + 1)) >= CHANCE:
        return None
    mostly = max(rare, key=lambda name: now.sources[name])
    usually = max(was.sources, key=lambda name: was.sources[name])
    return f"comes from {mostly!r} and the like on {moved} of {now.pages} pages; it was {usually!r} mostly"


def _tail(n: int, p: float, hits: Iterable[int]) -> float:
    """Return how probable one of `hits` is among `n` pages that each have probability `p`."""
    return fsum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in hits)
