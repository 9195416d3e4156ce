"""A page of search results: every generation of the list from 2013 on, desktop and mobile."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

from selectolax.lexbor import LexborNode

from windowshop.adapters.amazon.addresses import is_asin
from windowshop.adapters.amazon.sheet import Sheet
from windowshop.adapters.amazon.tiles import read_tile
from windowshop.adapters.markup import clean, select
from windowshop.adapters.money import parse_count
from windowshop.pages import ResultsPage, Tile

_RESULT = "s-search-result"
_PAGER = ".s-pagination-next,.s-pagination-selected,.a-pagination"
_NESTED = f'[data-component-type="{_RESULT}"],{_PAGER}'
_LEGACY = ".s-result-item[data-asin],#resultItems [data-asin],.prod[name]"
_BAR = '[data-component-type="s-result-info-bar"],#s-result-count,#resultCount'
_BOX = "#twotabsearchtextbox,#nav-search-keywords,#nav-bb-search"
_TOTALS = (".s-breadcrumb-header-text", ".s-breadcrumb .a-color-state", ".s-breadcrumb span", "h2", "span")
_MAX_TILES = 1_000
_LONGEST_LINE = 400
_QUOTED = re.compile(r"[\"“„«「].*[\"”“»」]")
_NUMBERS = re.compile(r"\d(?:[\d.,\s]*\d)?")


def read_results(sheet: Sheet) -> ResultsPage:
    """Read the main list of a results page; carousels and banners between its rows are left out."""
    tiles, pager = _main_list(sheet)
    bar = sheet.tree.css_first(_BAR)
    text = _total_text(bar)
    following = _next_address(sheet, pager)
    return ResultsPage(
        site="amazon",
        locale=sheet.locale.code,
        query=_query(sheet, following),
        page=_page(sheet, pager),
        has_next=following is not None,
        total=_total(text),
        total_text=text,
        tiles=tuple(_tiles(sheet, tiles)),
    )


def _main_list(sheet: Sheet) -> tuple[list[LexborNode], list[LexborNode]]:
    """Return the tiles of the main list in page order, and what pages through it.

    The list's own children are walked, as this costs a tenth of a query over the whole page.
    """
    slot = sheet.tree.css_first(".s-main-slot")
    found: list[LexborNode] = []
    child = None if slot is None else slot.first_child
    while child is not None:
        if child.tag == "div":
            if child.attributes.get("data-component-type") == _RESULT:
                found.append(child)
            else:
                found.extend(select(child, _NESTED))
        child = child.next
    tiles = [node for node in found if node.attributes.get("data-component-type") == _RESULT]
    pager = [node for node in found if node.attributes.get("data-component-type") != _RESULT]
    if not tiles:
        tiles = sheet.tree.css(f'[data-component-type="{_RESULT}"]') or select(sheet.tree, _LEGACY)
    return tiles, pager or select(sheet.tree, _PAGER)


def _tiles(sheet: Sheet, nodes: list[LexborNode]) -> list[Tile]:
    found = []
    for node in nodes[:_MAX_TILES]:
        attributes = node.attributes
        item_id = attributes.get("data-asin") or attributes.get("name")
        if item_id is None or not is_asin(item_id) or _in_carousel(node):
            continue
        found.append(read_tile(sheet, item_id, node))
    return found


def _in_carousel(node: LexborNode) -> bool:
    parent = node.parent
    return parent is not None and "a-carousel-card" in (parent.attributes.get("class") or "")


def _total_text(bar: LexborNode | None) -> str | None:
    """Return the line that counts the results ("1-16 of over 1,000 results for ...")."""
    if bar is None:
        return None
    if bar.id in ("s-result-count", "resultCount"):
        return (clean(bar.text()) or "")[:_LONGEST_LINE] or None
    for query in _TOTALS:
        node = bar.css_first(query)
        line = node.parent if node is not None and node.tag == "span" else node
        text = clean(line.text()) if line is not None else None
        if text:
            return text[:_LONGEST_LINE]
    return None


def _total(text: str | None) -> int | None:
    counts = (parse_count(number) for number in _NUMBERS.findall(_QUOTED.sub("", text or "")))
    return max((count for count in counts if count is not None), default=None)


def _next_address(sheet: Sheet, pager: list[LexborNode]) -> str | None:
    link = None if pager else sheet.tree.css_first("#pagnNextLink")
    for node in pager:
        classes = node.attributes.get("class") or ""
        if "s-pagination-next" in classes and "s-pagination-disabled" not in classes:
            link = node
        elif "a-pagination" in classes.split():
            link = node.css_first(".a-last:not(.a-disabled) a") or link
    return None if link is None else link.attributes.get("href") or None


def _page(sheet: Sheet, pager: list[LexborNode]) -> int | None:
    """Return the number that the page itself gives, else the one in its address."""
    for node in pager:
        classes = node.attributes.get("class") or ""
        if "s-pagination-selected" in classes:
            return parse_count(node.text())
        if "a-pagination" in classes.split():
            return parse_count(clean((node.css_first(".a-selected") or node).text()))
    current = sheet.tree.css_first(".pagnCur")
    if current is not None:
        return parse_count(current.text())
    return parse_count(_parameter(sheet.url, "page"))


def _query(sheet: Sheet, following: str | None) -> str | None:
    box = sheet.tree.css_first(_BOX)
    typed = clean(box.attributes.get("value")) if box is not None else None
    return typed or _parameter(following, "k", "keywords", "field-keywords")


def _parameter(address: str | None, *names: str) -> str | None:
    try:
        query = parse_qs(urlsplit(address or "").query)
    except ValueError:
        return None
    return next((clean(query[name][0]) for name in names if name in query), None)
