"""The extended actions: a page's facets as names that an agent can write, and what it wrote as an action.

The simulator has none of these: they are offered only on views that are `extended`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

from windowshop.actions import Refine
from windowshop.errors import MalformedAction, UnavailableAction
from windowshop.pages import Facet
from windowshop.translators.wording import Wording
from windowshop.views import View

PER_GROUP: Final = 8
MOST: Final = 60
"""How many filters a page shows, of one group and in all, and those in force; any other can be chosen too."""
ANY_PRICE: Final = "price[<low>-<high>]"
_GRAMMAR: Final = re.compile(r"(sort|filter|price|rating)\[(.*)\]", re.DOTALL)
_BOUND: Final = r"\s*[$£€]?\s*((?:\d{1,3}(?:,\d{3})+|\d{1,7})(?:\.\d{1,2})?)?\s*"
_BOUNDS: Final = re.compile(rf"{_BOUND}[-–]{_BOUND}")
_STARS: Final = re.compile(r"([0-5](?:\.\d)?)\s*\+?\s*(?:stars?)?\s*(?:(?:&|and) up)?")


class Choice(NamedTuple):
    """One refinement as the agent reads it, and whether it is in force."""

    name: str
    selected: bool


def shown_choices(view: View) -> list[Choice]:
    """Return what the page on view offers, in the page's order: sorts, ratings, prices, then filters."""
    if not view.extended or view.screen != "results" or view.listing is None:
        return []
    facets, refined = view.listing.facets, view.listing.refined
    groups: Counter[str | None] = Counter()
    found: dict[str, bool] = {}
    for kind in ("sort", "rating", "price", "filter"):
        for facet in (facet for facet in facets if facet.kind == kind):
            name, selected = name_of(facet), _is_selected(facet, refined)
            full = groups[facet.group] >= PER_GROUP or groups.total() >= MOST
            if name is None or (kind == "filter" and full and not selected):
                continue
            groups[facet.group] += kind == "filter" and name not in found
            found[name] = found.get(name, False) or selected
        priced = next((facet for facet in facets if facet.kind == "price"), None)
        if kind == "price" and priced is not None:
            low, high = (dict(refined).get(name, "") for name, _ in priced.params)
            found |= {ANY_PRICE: False} | ({f"price[{low}-{high}]": True} if low or high else {})
    return [Choice(name, selected) for name, selected in found.items()]


def name_of(facet: Facet) -> str | None:
    """Return the action string that chooses a facet; None for a price without bounds of its own."""
    match facet.kind:
        case "sort":
            return f"sort[{_folded(facet.label)}]"
        case "filter":
            return f"filter[{_folded(facet.group)}: {_folded(facet.label)}]".replace("[: ", "[")
        case "rating":
            return None if facet.stars is None else f"rating[{facet.stars:g}+]"
        case "price":
            low, high = (value for _, value in facet.params)
            return f"price[{low}-{high}]" if low or high else None


def parse_refinement(text: str, view: View) -> Refine | None:
    """Return the refinement that a string means on an extended view; None for any other action.

    Raises `MalformedAction` for bounds or stars that are none, `UnavailableAction` for what the page does
    not offer. A `click[...]` around it, as agents write it that know nothing but clicks, does no harm.
    """
    text = text.strip().lower()
    inner = text[len("click[") : -1] if text.startswith("click[") and text.endswith("]]") else text
    match = _GRAMMAR.fullmatch(inner)
    if not view.extended or match is None:
        return None
    kind, argument = match[1], _folded(match[2])
    facets = view.listing.facets if view.listing is not None and view.screen == "results" else ()
    offered = [facet for facet in facets if facet.kind == kind]
    params = next(_found(kind, argument, offered), None)
    if params is None:
        raise UnavailableAction(f"this page offers no {kind}[{argument}]")
    return Refine(params=params)


def _found(kind: str, argument: str, offered: list[Facet]) -> Iterator[tuple[tuple[str, str], ...]]:
    """Yield the parameters of what the argument means among the facets of its kind, the best first."""
    if kind == "price":
        bounds = _bounds(argument)
        for facet in offered[:1]:
            yield tuple((name, bound) for (name, _), bound in zip(facet.params, bounds, strict=True))
    elif kind == "rating":
        stars = _STARS.fullmatch(argument)
        if stars is None:
            raise MalformedAction(f"not a rating: {argument!r}; write rating[4+]")
        yield from (facet.params for facet in offered if facet.stars == float(stars[1]))
    else:
        yield from (facet.params for facet in offered if name_of(facet) == f"{kind}[{argument}]")
        alone = [facet for facet in offered if _folded(facet.label) == argument]
        if len(alone) == 1:
            yield alone[0].params


def _bounds(argument: str) -> tuple[str, str]:
    match = _BOUNDS.fullmatch(argument)
    low, high = (bound.replace(",", "") if bound else "" for bound in match.groups()) if match else ("", "")
    if not (low or high) or (low and high and float(low) > float(high)):
        raise MalformedAction(
            f"not a price range: {argument!r}; write price[25-50], price[25-] or price[-50]"
        )
    return low, high


def _is_selected(facet: Facet, refined: tuple[tuple[str, str], ...]) -> bool:
    """Say whether a facet is in force: the page says so, or all that it sets has been asked for."""
    wanted = {pair for pair in facet.params if pair[1]}
    return bool(facet.selected) or (bool(wanted) and wanted <= set(refined))


def _folded(text: str | None) -> str:
    return " ".join((text or "").lower().split())


def worded(facet: Facet, wording: Wording) -> Facet:
    """Return a facet with its words made harmless."""
    said = {name: wording.text(text) for name in ("label", "group") if (text := getattr(facet, name))}
    return facet.model_copy(update=said)
