"""The translation alone, for people who bring their own pages."""

from __future__ import annotations

from datetime import UTC, datetime
from urllib.parse import urlsplit

from windowshop.adapters import Site, load_site
from windowshop.adapters.explain import Explains, Explanation
from windowshop.errors import Challenged, ConfigError, FetchError, UnknownPage
from windowshop.locales import LOCALES, locale_by_host
from windowshop.pages import DonePage, ItemPage, Page, ResultsPage, SearchPage, SubPage
from windowshop.translators.layout import PAGE_SIZE
from windowshop.translators.observation import render
from windowshop.translators.product import fill_tab, load_listing, load_product
from windowshop.views import Mode, Observation, Product, Row, View
from windowshop.wire import Response


def parse_page(html: bytes, url: str, site: str) -> Page:
    """Return what a page of `site` says; the marketplace follows from the host of `url`, else from the page.

    Raises `PageError` for bytes that are no page of the site, and `ConfigError` for an unknown site.
    """
    return _adapter(url, site).parse(_response(html, url))


def explain_page(html: bytes, url: str, site: str, tiles: int | None = None) -> Explanation:
    """Return what a page says and where each field comes from; of results, the first `tiles` or all.

    Raises what `parse_page` raises, and `ConfigError` for a site whose adapter cannot tell.
    """
    adapter = _adapter(url, site)
    if not isinstance(adapter, Explains):
        raise ConfigError(f"the adapter of {site} cannot say where its fields come from")
    return adapter.explain(_response(html, url), tiles)


def _adapter(url: str, site: str) -> Site:
    host = urlsplit(url).hostname or ""
    locale = locale_by_host(site, host)
    if locale is None and host and site in LOCALES:
        raise ConfigError(f"{host} is not a host of {site}")
    return load_site(site, locale.code if locale else "us", base_url=url)


def _response(html: bytes, url: str) -> Response:
    return Response(url=url, status=200, body=html, transport="file", at=datetime.now(UTC))


def observe_page(
    html: bytes, url: str, site: str, mode: Mode = "text_rich", instruction: str = ""
) -> Observation:
    """Return a page as the agent reads it: the simulator's text and available actions.

    Raises what `parse_page` raises, and `Challenged`, `FetchError` or `UnknownPage` for the pages that an
    agent is never shown.
    """
    return render(view_of(parse_page(html, url, site), instruction), mode)


def view_of(page: Page, instruction: str = "") -> View:
    """Return the view that an agent has on arriving at a page."""
    match page:
        case DonePage():
            return View(
                instruction=instruction,
                screen="done",
                item_id=page.item_id,
                options=page.options,
                reward=page.reward,
                done=True,
            )
        case SubPage():
            item = Product(item_id="", title="", price="", page=ItemPage(site=page.site, item_id=""))
            product = fill_tab(item, page.tab, page.texts)
            return View(instruction=instruction, screen="sub", tab=page.tab, product=product)
        case SearchPage():
            return View(instruction=instruction)
        case ResultsPage():
            query, number = page.query or "", page.page or 1
            listing = load_listing(page, query)
            before = (Row(item_id="", title="", price=""),) * (PAGE_SIZE * (number - 1))
            return View(
                instruction=instruction,
                screen="results",
                keywords=tuple(query.split(" ")),
                page=number,
                listing=listing.model_copy(update={"rows": (*before, *listing.rows)}),
            )
        case ItemPage():
            return View(
                instruction=instruction,
                screen="item",
                keywords=(),
                page=1,
                item_id=page.item_id,
                visited=(page.item_id,),
                product=load_product(page),
            )
    if page.kind == "challenge":
        raise Challenged(f"the page is a challenge ({page.reason}), which an agent never sees", page.reason)
    if page.kind == "error":
        raise FetchError("the page is the shop's error page")
    raise UnknownPage(f"an agent is never shown a page of kind {page.kind!r}")
