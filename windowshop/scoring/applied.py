"""The part of DeepShop's judgement that needs no judge: the order and filters in force, and the limits met.

What was done is read from addresses and typed pages. What a page does not say is unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Literal

from windowshop.episodes import EpisodeResult
from windowshop.frozen import Frozen
from windowshop.pages import Facet, ItemPage, Order, Price, Tile
from windowshop.scoring.aspects import Absent, aspects_of
from windowshop.scoring.wanted import Limit, Wanted, wanted_of

What = Literal["sort", "price filter", "rating filter", "item price", "item rating", "item reviews"]


class InForce(Frozen):
    """How the last list that an agent looked at was ordered and narrowed.

    `sort` and `filters` are the shop's words. `is_ordered` says, for an order by price, whether the prices
    shown really stand in it; adverts do not count.
    """

    sort: str | None = None
    order: Order | None = None
    filters: tuple[str, ...] = ()
    stars: float | None = None
    low: float | None = None
    high: float | None = None
    is_ordered: bool | None = None
    offers_stars: bool | None = None


class Check(Frozen):
    """One thing asked, what was found, and whether that is it (None: it cannot be known)."""

    what: What
    wanted: str
    found: str | None = None
    matched: bool | None = None


class Applied(Frozen):
    """One line of `scores/applied.jsonl`. `seen` is None where no list was recorded."""

    format: int = 1
    scorer: str = "applied"
    episode: str
    task: str
    site: str
    agent: str
    repeat: int = 0
    outcome: str
    wanted: Wanted
    seen: InForce | None = None
    checks: tuple[Check, ...] = ()


def in_force(
    refined: Sequence[tuple[str, str]],
    facets: Sequence[Facet],
    tiles: Sequence[Tile] = (),
    offered: Sequence[Facet] | None = None,
) -> InForce:
    """Return how a list is ordered and narrowed, of what its address says (`refined`) and its page.

    `facets` are those of every list seen, so that what is in force has a name; `offered` those of this one.
    """
    asked = set(refined)
    current = [
        facet
        for facet in facets
        if any(value for _, value in facet.params) and {pair for pair in facet.params if pair[1]} <= asked
    ]
    selected = [facet for facet in offered or () if facet.selected]
    known = {(facet.kind, facet.group, facet.label): facet for facet in (*current, *selected)}
    sort = next((facet for facet in reversed(known.values()) if facet.kind == "sort"), None)
    low, high = _bounds(refined, facets)
    return InForce(
        sort=sort.label if sort else None,
        order=sort.order if sort else None,
        filters=tuple(
            ": ".join(filter(None, (facet.group, facet.label)))
            for facet in known.values()
            if facet.kind == "filter"
        ),
        stars=max(
            (f.stars for f in known.values() if f.kind == "rating" and f.stars is not None), default=None
        ),
        low=low,
        high=high,
        is_ordered=_is_ordered(sort.order if sort else None, tiles),
        offers_stars=None if offered is None else any(facet.kind == "rating" for facet in facets),
    )


def apply_rules(
    result: EpisodeResult, seen: InForce | None, item: ItemPage | None, absent: Absent = "lenient"
) -> Applied:
    """Check what an episode did against what its task asks; an aspect that is not asked has no check."""
    aspects = aspects_of(result.task, absent)
    texts = [text for text in (aspects.attribute, aspects.filter, aspects.sort) if text is not None]
    wanted = wanted_of(texts, aspects.sort)
    price = result.intent.unit_price if result.intent else None
    currency = result.intent.currency if result.intent else None
    checks = [_sorted(wanted, seen), _priced(wanted, seen), _starred(wanted, seen)]
    checks.append(_price_met(wanted, price, currency))
    checks.append(_met("item rating", wanted.rating, item.rating if item else None))
    checks.append(_met("item reviews", wanted.reviews, item.review_count if item else None))
    return Applied(
        episode=result.episode,
        task=result.task.id,
        site=result.site,
        agent=result.agent,
        repeat=result.repeat,
        outcome=result.outcome,
        wanted=wanted,
        seen=seen,
        checks=tuple(check for check in checks if check is not None),
    )


def _sorted(wanted: Wanted, seen: InForce | None) -> Check | None:
    if not wanted.orders:
        return None
    found = seen.sort if seen else None
    known = seen is not None and (seen.sort is None or seen.order is not None)
    matched = seen.order in wanted.orders if seen is not None and known else None
    return Check(what="sort", wanted=" or ".join(wanted.orders), found=found, matched=matched)


def _priced(wanted: Wanted, seen: InForce | None) -> Check | None:
    """A list is bounded as asked where nothing outside the limits is left in it."""
    if wanted.low is None and wanted.high is None:
        return None
    matched = None
    if seen is not None:
        is_low = wanted.low is None or (seen.low is not None and seen.low >= wanted.low.value)
        is_high = wanted.high is None or (seen.high is not None and seen.high <= wanted.high.value)
        matched = is_low and is_high
    found = f"{_shown(seen.low)}-{_shown(seen.high)}" if seen and (seen.low or seen.high) else None
    return Check(what="price filter", wanted=_range(wanted), found=found, matched=matched)


def _starred(wanted: Wanted, seen: InForce | None) -> Check | None:
    """Shops filter by whole stars, so the filter asked for is the nearest that loses no product wanted."""
    if wanted.rating is None:
        return None
    floor = int(wanted.rating.value)
    matched = None
    if seen is not None and (seen.offers_stars or seen.stars is not None):
        matched = seen.stars is not None and seen.stars >= floor
    found = f"{seen.stars:g}+" if seen and seen.stars is not None else None
    return Check(what="rating filter", wanted=f"{floor}+", found=found, matched=matched)


def _price_met(wanted: Wanted, price: Price | None, currency: str | None) -> Check | None:
    if wanted.low is None and wanted.high is None:
        return None
    check = Check(what="item price", wanted=_range(wanted))
    if price is None:
        return check
    found = price.text or _shown(price.amount)
    if (price.currency or currency or "USD") != "USD":
        return check.model_copy(update={"found": found})
    ends = (price.amount, price.amount if price.high is None else price.high)
    fits = [
        (wanted.low is None or wanted.low.holds(end, least=True))
        and (wanted.high is None or wanted.high.holds(end, least=False))
        for end in ends
    ]
    matched = fits[0] if len(set(fits)) == 1 else None
    return check.model_copy(update={"found": found, "matched": matched})


def _met(what: What, limit: Limit | None, number: float | None) -> Check | None:
    if limit is None:
        return None
    return Check(
        what=what,
        wanted=f"{'more than' if limit.strict else 'at least'} {limit.value:g}",
        found=None if number is None else f"{number:g}",
        matched=None if number is None else limit.holds(number, least=True),
    )


def _bounds(refined: Sequence[tuple[str, str]], facets: Sequence[Facet]) -> tuple[float | None, float | None]:
    """Return the price bounds in an address, whose names the price facets tell."""
    names = next((facet.params for facet in facets if facet.kind == "price" and len(facet.params) == 2), None)
    asked = dict(refined)
    if names is None:
        return None, None
    low, high = (float(value) if (value := asked.get(name)) else None for name, _ in names)
    return low, high


def _is_ordered(order: Order | None, tiles: Sequence[Tile]) -> bool | None:
    """Say whether prices rise, or fall; ranges count by the end that the order looks at."""
    ends: dict[Order, Callable[[Price], float]] = {
        "price_low": lambda price: price.amount,
        "price_high": lambda price: -price.amount,
    }
    if order not in ends:
        return None
    prices = [ends[order](tile.price) for tile in tiles if tile.price is not None and not tile.sponsored]
    return all(one <= other for one, other in pairwise(prices)) if prices else None


def _range(wanted: Wanted) -> str:
    low, high = wanted.low, wanted.high
    parts = []
    if low is not None:
        parts.append(f"{'more than' if low.strict else 'at least'} {_shown(low.value)}")
    if high is not None:
        parts.append(f"{'less than' if high.strict else 'at most'} {_shown(high.value)}")
    return ", ".join(parts)


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}".removesuffix(".00")
