"""How a page of results can be ordered and narrowed: its sort menu, and the links beside the list."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import takewhile
from typing import Final
from urllib.parse import parse_qs, urlsplit

from selectolax.lexbor import LexborNode

from windowshop.adapters.amazon.addresses import HIGH, LOW, is_refinement, is_sort
from windowshop.adapters.amazon.sheet import Sheet
from windowshop.adapters.fields import Field, Source
from windowshop.adapters.markup import clean, select, text_of
from windowshop.adapters.refines import bounds, distinct
from windowshop.pages import Facet, Order

_ORDERS: Final[dict[str, Order]] = {
    "relevanceblender": "relevance",
    "relevancerank": "relevance",
    "relevance-rank": "relevance",
    "featured-rank": "relevance",
    "price-asc-rank": "price_low",
    "price-desc-rank": "price_high",
    "review-rank": "rating",
    "smooth-review-rank": "rating",
    "date-desc-rank": "newest",
    "exact-aware-popularity-rank": "popular",
    "popularity-rank": "popular",
}
_MENUS = (
    "select[name=s]",
    "select#s-result-sort-select",
    "select[name=sort]",
    "#sort option, #sortBy option",
)
_MENU_LINKS = 'a[href*="ref=sr_st_"], a[href*="/ref=sr_st"]'
_COLUMNS = ("#s-refinements", "#refinements", "#leftNav", "#filters")
_PART = re.compile(r"(n|p_[a-z0-9_-]{1,60}):(.+)")
_CENTS = re.compile(r"(\d{0,9})-(\d{0,9})")
_STARS = re.compile(r"\ba-star(?:-[a-z]+)*-([0-5])(-5)?\b")
_LABELS = ".a-icon-alt, .a-size-base, .refinementLink, .boldRefinementLink, .a-label"
_TITLED = "[title], [alt]"
_BOXES = f'input[name="{LOW}"], input[name="{HIGH}"]'
_HEADINGS = ("h2", "h3", "h4", "h5")


def read_facets(sheet: Sheet) -> tuple[Facet, ...]:
    """Return the facets of a page of results, in page order within each kind."""
    found = (facet for field in FACETS for facet in field.value(sheet) or ())
    return distinct(found)


def _menu(query: str) -> Source[Sheet]:
    """Read a sort menu of a form."""

    def answer(sheet: Sheet) -> list[Facet]:
        found = sheet.tree.css(query)
        options = [
            option for node in found for option in ([node] if node.tag == "option" else node.css("option"))
        ]
        sorts = (_sort(option.attrs.get("value"), option, "selected" in option.attrs) for option in options)
        return [sort for sort in sorts if sort is not None]

    return Source(query, f"{query} option", answer)


def _sort_links(sheet: Sheet) -> list[Facet]:
    """Read a sort menu made of links, as on phones."""
    found = []
    for node in sheet.tree.css(_MENU_LINKS):
        code = _query(node.attrs.get("href")).get("s")
        found.append(_sort(code, node, node.attrs.get("aria-current") in ("true", "page")))
    return [sort for sort in found if sort is not None]


def _sort(code: str | None, node: LexborNode, selected: bool) -> Facet | None:
    label = clean(node.text())
    if label is None or code is None or not is_sort(code):
        return None
    return Facet(
        kind="sort", label=label, params=(("s", code),), order=_ORDERS.get(code), selected=selected or None
    )


def _links(column: str, read: Callable[[Sheet, LexborNode], Facet | None]) -> Source[Sheet]:
    """Read the links of one column beside the list."""

    def answer(sheet: Sheet) -> list[Facet]:
        found = (read(sheet, node) for node in select(sheet.tree, query))
        return [facet for facet in found if facet is not None]

    query = f'{column} a[href*="rh="], {column} li[id*="/"] a[href]'
    return Source(column, query, answer)


def _rating(sheet: Sheet, link: LexborNode) -> Facet | None:
    parts, own = _parts(link)
    icon = link.css_first('[class*="a-star"]')
    shown = _STARS.search(icon.attrs.get("class") or "") if icon is not None else None
    if own is None or own[0] != "p_72" or shown is None:
        return None
    stars = int(shown[1]) + (0.5 if shown[2] else 0.0)
    return Facet(
        kind="rating",
        label=_label(link),
        group=_group(sheet, link, "p_72"),
        params=tuple(parts.items()),
        stars=stars,
        selected=_is_checked(link) or None,
    )


def _range(sheet: Sheet, link: LexborNode) -> Facet | None:
    """Read a range of prices that says its bounds in hundredths; a numbered one has none that are typed."""
    cents = next((_CENTS.fullmatch(value) for name, value in _stated(link) if name == "p_36"), None)
    if cents is None or not any(cents.groups()):
        return None
    low, high = (f"{int(bound) / 100:g}" if bound and int(bound) else "" for bound in cents.groups())
    label, group = _label(link), _group(sheet, link, "p_36")
    return Facet(kind="price", label=label, group=group, params=bounds(LOW, HIGH, {LOW: low, HIGH: high}))


def _filter(sheet: Sheet, link: LexborNode) -> Facet | None:
    parts, own = _parts(link)
    label = _label(link)
    if own is None or own[0] in ("n", "p_36", "p_72") or label is None:
        return None
    return Facet(
        kind="filter",
        label=label,
        group=_group(sheet, link, own[0]),
        params=tuple(parts.items()),
        selected=_is_checked(link) or None,
    )


def _boxes(sheet: Sheet) -> list[Facet]:
    """A page with boxes for the lowest and highest price takes any."""
    return [Facet(kind="price", params=bounds(LOW, HIGH, {}))] if sheet.tree.css_first(_BOXES) else []


def _parts(link: LexborNode) -> tuple[dict[str, str], tuple[str, str] | None]:
    """Return what a link narrows the list by, all of it, and what it adds itself.

    What is chosen already stands in the links of the others, and not in its own, which would take it away.
    """
    href = link.attrs.get("href") or ""
    marked = _marked(link)
    own = marked or next(reversed([part for part in _stated(link) if part[0] != "n"]), None)
    if own is None or not (marked or "rnid=" in href) or not is_refinement(*own):
        return {}, None
    parts = {name: value for name, value in _stated(link) if is_refinement(name, value)}
    return {**parts, own[0]: parts.get(own[0], own[1])}, own


def _stated(link: LexborNode) -> list[tuple[str, str]]:
    stated = _query(link.attrs.get("href")).get("rh", "").split(",")
    matches = (_PART.fullmatch(part) for part in stated)
    return [(match[1], match[2]) for match in matches if match]


def _marked(link: LexborNode) -> tuple[str, str] | None:
    """Return what the link's own entry in its list is called: "p_123/232863"."""
    entry = next((node for node in _above(link) if node.tag == "li"), None)
    name, _, value = ((entry.id if entry is not None else None) or "").partition("/")
    return (name, value) if value and _PART.fullmatch(f"{name}:{value}") else None


def _is_checked(link: LexborNode) -> bool:
    current = link.attrs.get("aria-current") in ("true", "page")
    return current or link.css_first("input[checked]") is not None


def _label(link: LexborNode) -> str | None:
    for node in link.css(_LABELS):
        text = text_of(node)
        if text is not None:
            return text
    named = link.css_first(_TITLED)
    given = link.attrs.get("title") or (
        named.attrs.get("title") or named.attrs.get("alt") if named is not None else None
    )
    return clean(given) or text_of(link)


def _group(sheet: Sheet, link: LexborNode, name: str) -> str | None:
    """Return the heading over a link's list."""
    heading = sheet.first(f"{name}-title")
    if heading is not None:
        return text_of(heading)
    for node in _above(link):
        if node.tag in ("ul", "div"):
            before = node.prev
            while before is not None and before.tag not in _HEADINGS:
                before = before.prev
            if before is not None:
                return text_of(before)
    return None


def _above(link: LexborNode) -> Iterator[LexborNode]:
    """Yield what a link stands in, up to its column, and not far."""

    def up() -> Iterator[LexborNode]:
        node = link.parent
        for _ in range(8):
            if node is not None:
                yield node
                node = node.parent

    return takewhile(lambda node: f"#{node.id}" not in _COLUMNS, up())


def _query(address: str | None) -> dict[str, str]:
    try:
        query = parse_qs(urlsplit(address or "").query)
    except ValueError:
        return {}
    return {name: values[-1] for name, values in query.items()}


FACETS: tuple[Field[Sheet], ...] = (
    Field("sorts", (*map(_menu, _MENUS), Source("menu of links", _MENU_LINKS, _sort_links))),
    Field("ratings", tuple(_links(column, _rating) for column in _COLUMNS)),
    Field(
        "prices",
        (*(_links(column, _range) for column in _COLUMNS), Source("boxes", _BOXES, _boxes)),
    ),
    Field("filters", tuple(_links(column, _filter) for column in _COLUMNS)),
)
