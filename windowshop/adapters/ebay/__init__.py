"""eBay: every marketplace, every generation of its pages that we have met."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from selectolax.lexbor import LexborHTMLParser

from windowshop.actions import Navigation
from windowshop.adapters.ebay import addresses
from windowshop.adapters.ebay.challenge import parse_stand_in, titled_check
from windowshop.adapters.ebay.facets import read_facets
from windowshop.adapters.ebay.item import FIELDS as ITEM_FIELDS
from windowshop.adapters.ebay.item import is_item, read_item
from windowshop.adapters.ebay.marketplace import marketplace_of
from windowshop.adapters.ebay.results import FIELDS as RESULTS_FIELDS
from windowshop.adapters.ebay.results import TILES, ResultsSheet, is_results, open_results, read_results
from windowshop.adapters.ebay.sheet import Sheet, open_sheet
from windowshop.adapters.ebay.tiles import FIELDS as TILE_FIELDS
from windowshop.adapters.explain import Explanation, explain_fields, explain_tiles
from windowshop.adapters.markup import parse_tree, plain, require_bounded, require_html, text_of
from windowshop.errors import UnknownPage
from windowshop.locales import Locale
from windowshop.pages import Challenge, Facet, NotFound, OtherPage, Page, SearchPage, SubPage
from windowshop.wire import Readable, Request, Response

_EBAY = re.compile(rb"ebay(?:static|img|desc)?\.|eBay")
_LINKED = re.compile(rb"https://www\.ebay\.[a-z.]{2,6}/")
_SEARCH_BOX = "#gh-ac, #gh-f, form[action*='/sch/'], input[name=_nkw], input[name=satitle]"
# Sellers write whole pages here: words that no shopper sees are not for the agent to read either.
_UNSEEN_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*[01]px|opacity\s*:\s*0(?![.\d])"
    r"|(?:left|top|text-indent)\s*:\s*-\d{3,}",
    re.IGNORECASE,
)
_DESCRIPTION = "#ds_div, #desc_wrapper_ctr, [id^=ds_div]"


@dataclass(frozen=True)
class Ebay:
    """One eBay marketplace."""

    locale: Locale
    readable: tuple[Readable, ...]
    refinable: tuple[Readable, ...]
    name: str = "ebay"
    opening: None = None

    def request(self, navigation: Navigation) -> Request:
        """Build the address of a navigation; raise `PageError` for what is no address of eBay's."""
        return addresses.request(navigation, self.locale)

    def parse(self, response: Response) -> Page:
        """Read a page of any kind; raise `PageError` for bytes that are no page of eBay's."""
        return self._page(self._open(response))

    def facets(self, response: Response) -> tuple[Facet, ...]:
        """Read how a list of results can be ordered and narrowed; nothing on any other page."""
        opened = self._open(response)
        return read_facets(opened) if isinstance(opened, ResultsSheet) else ()

    def refined(self, url: str) -> tuple[tuple[str, str], ...]:
        """Return how an address orders and narrows a list, as far as eBay knows such a way."""
        return addresses.refined(url)

    def explain(self, response: Response, tiles: int | None = None) -> Explanation:
        """Read a page and say where each field comes from, of the first `tiles` results or of all."""
        read, fresh = self._open(response), self._open(response)
        page = self._page(read)
        match read, fresh:
            case Sheet(), Sheet():
                return Explanation(page=page, fields=explain_fields(ITEM_FIELDS, read, fresh))
            case ResultsSheet(), ResultsSheet():
                fields = explain_fields(RESULTS_FIELDS, read, fresh)
                listed = explain_tiles(TILE_FIELDS, TILES.value(fresh), tiles)
                return Explanation(page=page, fields=fields, tiles=listed)
        return Explanation(page=page)

    def _page(self, opened: Sheet | ResultsSheet | Page) -> Page:
        match opened:
            case Sheet():
                return read_item(opened)
            case ResultsSheet():
                return read_results(opened)
        return opened

    def _open(self, response: Response) -> Sheet | ResultsSheet | Page:
        """Return the sheet of an item or of results, or the whole of a page that has no fields to read."""
        body = plain(response.body)
        require_html(body)
        if addresses.is_description(response.url):
            require_bounded(body)
            return self._description(parse_tree(body))
        reason = titled_check(body)
        if reason is not None:
            linked = _LINKED.search(body)
            stated = "" if linked is None else linked.group().decode("ascii")
            code = marketplace_of((response.url, stated), self.locale).code
            return Challenge(site=self.name, locale=code, reason=reason)
        tree = parse_tree(body)
        named = (*_own_addresses(tree), response.url)
        locale = marketplace_of(named if len(named) > 1 else (*_linked_first(tree), *named), self.locale)
        heading = tree.css_first("h1")
        if heading is not None and is_item((heading,)):
            return open_sheet(tree, body, locale, (heading,), named)
        results = open_results(tree, locale, named[::-1])
        if is_item(results.headings):
            return open_sheet(tree, body, locale, results.headings, named)
        if is_results(results):
            return results
        if tree.css_first(_DESCRIPTION) is not None:
            return self._description(tree)
        found = parse_stand_in(tree, body, response.status, locale)
        if found is not None:
            return found
        if _EBAY.search(body) is None:
            raise UnknownPage("nothing on the page is eBay's")
        path = addresses.split_address(named[0]).path
        if path in ("", "/") and tree.css_first(_SEARCH_BOX) is not None:
            return SearchPage(site=self.name, locale=locale.code)
        if path.startswith("/sch/"):
            return results
        if path.startswith("/itm/"):
            return NotFound(site=self.name, locale=locale.code)
        return OtherPage(site=self.name, locale=locale.code)

    def _description(self, tree: LexborHTMLParser) -> SubPage:
        for node in tree.css("[hidden], [style]"):
            if "hidden" in node.attrs or _UNSEEN_STYLE.search(node.attrs.get("style") or ""):
                node.decompose()
        text = text_of(tree.body, " ")
        texts = (text,) if text else ()
        return SubPage(site=self.name, locale=self.locale.code, tab="description", texts=texts)


@cache
def site(locale: Locale) -> Ebay:
    """Return the adapter for one marketplace."""
    return Ebay(locale=locale, readable=addresses.readable(locale), refinable=addresses.refinable(locale))


def _linked_first(tree: LexborHTMLParser) -> tuple[str, ...]:
    """Return the first link to a marketplace: its own, in the head of a page that gives itself no address."""
    link = tree.css_first('a[href^="https://www.ebay."]')
    address = None if link is None else link.attrs.get("href")
    return (address,) if address else ()


def _own_addresses(tree: LexborHTMLParser) -> tuple[str, ...]:
    """Return the addresses that a page gives for itself: canonical first, then the one it shares."""
    head = tree.head
    nodes = [] if head is None else head.css('link[rel="canonical"], meta[property="og:url"]')
    stated = (node.attributes.get("href") or node.attributes.get("content") for node in nodes)
    return tuple(address for address in stated if address)
