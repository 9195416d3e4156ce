"""How a page of results can be ordered and narrowed: its sort menu, and the links beside the list."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import parse_qsl

from selectolax.lexbor import LexborNode

from windowshop.adapters.ebay.addresses import CATEGORY, HIGH, LOW, SORT, is_refinement, split_address
from windowshop.adapters.ebay.results import ResultsSheet
from windowshop.adapters.fields import Field, Source
from windowshop.adapters.markup import clean
from windowshop.adapters.refines import bounds, distinct
from windowshop.pages import Facet, Order

_ORDERS: Final[dict[str, Order]] = {
    "12": "relevance",
    "1": "ending",
    "10": "newest",
    "2": "price_low",
    "15": "price_low",
    "3": "price_high",
    "16": "price_high",
    "7": "nearest",
}
"""What eBay's numbers mean; 15 and 16 count the shipping in."""
_SORTS = (
    f'.srp-sort a[href*="{SORT}="]',
    f'.srp-controls__sort a[href*="{SORT}="]',
    f'a.fake-menu-button__item[href*="{SORT}="]',
    f'#SortMenu a[href*="{SORT}="], .sort-menu-content a[href*="{SORT}="]',
)
_MENU = f"select[name={SORT}] option"
_COLUMN = ".x-refine__multi-select-link, .x-refine__single-select-link"
_OLDER_COLUMN = "#LeftNavCategoryContainer a[href], #LeftNavContainer a[href], .rlp-w a.cbx"
_CHIPS = "a.fake-menu-button__item[href], .srp-carousel-list__item-link[href]"
_BOXES = f".x-textrange, input[name={LOW}], input[name={HIGH}]"
_HEADINGS = "h3, h2, .x-refine__item, .rlp-b, .pnl-h"
_BOX = "input"
_COUNTED = re.compile(r"\s*\(\d[\d.,\s\u00a0\u202f]*\).*$")
_OWN = re.compile(r"LH_[A-Za-z]+|_ud(?:lo|hi)|[^_].*")
_NEARBY = frozenset({"_stpos", "_sadis"})
"""They tell the shop where the shopper lives."""
_NOT_OWN = frozenset({"rt"})


def read_facets(sheet: ResultsSheet) -> tuple[Facet, ...]:
    """Return the facets of a page of results, in page order within each kind."""
    return distinct(facet for field in FACETS for facet in field.value(sheet) or ())


def _sort_links(query: str) -> Source[ResultsSheet]:
    def answer(sheet: ResultsSheet) -> list[Facet]:
        found = (
            _sort(dict(_pairs(node)).get(SORT), node, node.attrs.get("aria-current") in ("page", "true"))
            for node in sheet.tree.css(query)
        )
        return [sort for sort in found if sort is not None]

    return Source(query, query, answer)


def _sort_menu(sheet: ResultsSheet) -> list[Facet]:
    options = sheet.tree.css(_MENU)
    found = (_sort(node.attrs.get("value"), node, "selected" in node.attrs) for node in options)
    return [sort for sort in found if sort is not None]


def _sort(number: str | None, node: LexborNode, selected: bool) -> Facet | None:
    label = clean(node.text())
    if label is None or number is None or not is_refinement(SORT, number):
        return None
    return Facet(
        kind="sort",
        label=label,
        params=((SORT, number),),
        order=_ORDERS.get(number),
        selected=selected or None,
    )


def _ranges(query: str) -> Source[ResultsSheet]:
    def answer(sheet: ResultsSheet) -> list[Facet]:
        found = ((node, _own(node), dict(_pairs(node))) for node in sheet.tree.css(query))
        return [
            Facet(
                kind="price",
                label=_label(node),
                group=_group(node),
                params=bounds(LOW, HIGH, pairs),
                selected=_is_checked(node) or None,
            )
            for node, own, pairs in found
            if own in (LOW, HIGH)
            and all(is_refinement(name, pairs[name]) for name in (LOW, HIGH) if name in pairs)
        ]

    return Source(query, f"{query} {LOW}= or {HIGH}=", answer)


def _boxes(sheet: ResultsSheet) -> list[Facet]:
    """A page with boxes for the lowest and highest price takes any."""
    return [Facet(kind="price", params=bounds(LOW, HIGH, {}))] if sheet.tree.css_first(_BOXES) else []


def _filters(query: str) -> Source[ResultsSheet]:
    def answer(sheet: ResultsSheet) -> list[Facet]:
        found = (_filter(node) for node in sheet.tree.css(query))
        return [facet for facet in found if facet is not None]

    return Source(query, query, answer)


def _filter(link: LexborNode) -> Facet | None:
    """Read a link that narrows the list, with what narrows it already; one in force is undone by its own."""
    pairs, own, label = dict(_pairs(link)), _own(link), _label(link)
    if pairs and label is not None and _is_checked(link):
        return Facet(kind="filter", label=label, group=_group(link), selected=True)
    if own is None or own in (LOW, HIGH) or label is None or not is_refinement(own, pairs[own]):
        return None
    if any(name in _NEARBY for name in pairs):
        return None
    kept = {
        name: value
        for name, value in pairs.items()
        if name not in (SORT, LOW, HIGH) and is_refinement(name, value)
    }
    return Facet(
        kind="filter",
        label=label,
        group=_group(link),
        params=tuple(kept.items()),
    )


def _own(link: LexborNode) -> str | None:
    """Return the parameter that a link adds: the one its entry is named by, else the last that narrows."""
    names = [name for name, _ in _pairs(link) if _OWN.fullmatch(name) and name not in (*_NOT_OWN, CATEGORY)]
    entry = next((node for node in _above(link) if node.tag == "li" and "name" in node.attrs), None)
    named = dict(parse_qsl(f"{entry.attrs['name']}=1")) if entry is not None else {}
    return next((name for name in named if name in names), names[-1] if names else None)


def _is_checked(link: LexborNode) -> bool:
    box = link.css_first(_BOX)
    checked = box is not None and "checked" in box.attrs
    return checked or link.attrs.get("aria-checked") == "true" or link.attrs.get("aria-current") == "page"


def _label(link: LexborNode) -> str | None:
    """Return what a link is called, without the count behind it and without what is said to readers alone."""
    box = link.css_first(_BOX)
    named = clean(box.attrs.get("aria-label") or box.attrs.get("data-value")) if box is not None else None
    if named is None:
        unseen = " ".join(node.text() for node in link.css(".clipped"))
        text = clean(link.text()) or ""
        named = text.removesuffix(clean(unseen) or "\0").strip()
    return _COUNTED.sub("", named).strip() or None


def _group(link: LexborNode) -> str | None:
    """Return the heading over a link's list."""
    for node in _above(link):
        classes = (node.attrs.get("class") or "").split()
        if "x-refine__main__list" in classes or "pnl" in classes or "rlp-w" in classes:
            heading = node.css_first(_HEADINGS)
            return None if heading is None else clean(heading.text())
        if "fake-menu-button" in classes:
            button = node.css_first("button")
            return None if button is None else clean(button.attrs.get("aria-label") or button.text())
    return None


def _above(link: LexborNode) -> Iterator[LexborNode]:
    """Yield what a link stands in, not far."""
    node = link.parent
    for _ in range(8):
        if node is not None:
            yield node
            node = node.parent


def _pairs(link: LexborNode) -> list[tuple[str, str]]:
    """Return the parameters of a link to results."""
    parts = split_address(link.attrs.get("href"))
    return parse_qsl(parts.query) if "/sch/" in parts.path or "/b/" in parts.path else []


FACETS: tuple[Field[ResultsSheet], ...] = (
    Field("sorts", (*map(_sort_links, _SORTS), Source("menu", _MENU, _sort_menu))),
    Field(
        "prices", (*(_ranges(query) for query in (_COLUMN, _OLDER_COLUMN)), Source("boxes", _BOXES, _boxes))
    ),
    Field("filters", tuple(map(_filters, (_COLUMN, _OLDER_COLUMN, _CHIPS)))),
)
