"""What each action does to a view: the simulator's session rules, pure.

`advance` answers with the next view, or with the one navigation that it needs first; `learn` puts what that
visit brought into the view, and `advance` is asked again.
"""

from __future__ import annotations

from windowshop.actions import (
    Action,
    BackToSearch,
    Buy,
    ChooseOption,
    Navigation,
    NextPage,
    OpenItem,
    OpenTab,
    PrevPage,
    Refine,
    Search,
    ToItem,
    ToResults,
    ToSubPage,
)
from windowshop.errors import UnknownPage
from windowshop.pages import ItemPage, Page, ResultsPage, SubPage
from windowshop.translators.address import page_name
from windowshop.translators.choice import offer_for
from windowshop.translators.layout import PAGE_SIZE
from windowshop.translators.product import fill_tab, load_listing, load_product, price_text
from windowshop.views import View


def advance(view: View, action: Action, arrived: bool = False) -> View | Navigation:
    """Return the view after `action`, or the navigation that must come first (simulator rules c.2, c.3).

    `arrived` says that the navigation was made: then whatever is known is shown, and no second one asked.
    A `Buy` shows the done page; nothing is visited.
    """
    match action:
        case Search(query=query):
            return _results(view, query.split(" "), 1, (), arrived)
        case NextPage():
            return _results(view, view.keywords or (), (view.page or 0) + 1, _refined(view), arrived)
        case Refine(params=params):
            refined = {**dict(_refined(view)), **dict(params)}
            kept = tuple(sorted((name, value) for name, value in refined.items() if value))
            return _results(view, view.keywords or (), 1, kept, arrived)
        case PrevPage():
            return _back(view, arrived)
        case OpenItem(item_id=item_id):
            return _open(view, item_id, arrived)
        case ChooseOption(group=group, value=value):
            return _choose(view, group, value, arrived)
        case OpenTab(tab=tab):
            return _tab(view, tab, arrived)
        case BackToSearch():
            return _begin_again(view)
        case Buy():
            return _count(view, "purchase").model_copy(update={"screen": "done", "done": True})


def learn(view: View, navigation: Navigation, page: Page) -> View:
    """Return the view with what a visit brought; raise `UnknownPage` if it brought something else."""
    match navigation, page:
        case ToResults(query=query, page=number, refined=refined), ResultsPage():
            before = view.listing if number > 1 else None
            return view.model_copy(update={"listing": load_listing(page, query, before, refined)})
        case ToItem(), ItemPage():
            return view.model_copy(update={"product": load_product(page)})
        case ToSubPage(tab=tab), SubPage(texts=texts) if view.product is not None:
            return view.model_copy(update={"product": fill_tab(view.product, tab, texts)})
    raise UnknownPage(f"asked for {navigation!r} and got a page of kind {page.kind!r}")


def _results(
    view: View,
    keywords: tuple[str, ...] | list[str],
    page: int,
    refined: tuple[tuple[str, str], ...],
    arrived: bool,
) -> View | Navigation:
    keywords = tuple(keywords)
    query = " ".join(keywords)
    listing = view.listing
    if listing is not None and (listing.query != query or listing.refined != refined):
        listing = None
    if listing is None and not arrived:
        return ToResults(query=query, refined=refined)
    if listing and listing.more and len(listing.rows) < page * PAGE_SIZE and not arrived:
        return ToResults(query=query, page=listing.visits + 1, refined=refined)
    return _count(view, "search").model_copy(
        update={
            "screen": "results",
            "keywords": keywords,
            "page": page,
            "item_id": None,
            "variant_id": None,
            "options": {},
            "product": None,
        }
    )


def _back(view: View, arrived: bool) -> View | Navigation:
    """Go where the URL's page name says, misrouting included (simulator rule b.4)."""
    match page_name(view):
        case "search_results":
            return _results(view, view.keywords or (), (view.page or 0) - 1, _refined(view), arrived)
        case "item_page":
            return _results(view, view.keywords or (), view.page or 0, _refined(view), arrived)
    return view.model_copy(update={"screen": "item", "tab": None})


def _refined(view: View) -> tuple[tuple[str, str], ...]:
    return view.listing.refined if view.listing else ()


def _open(view: View, item_id: str, arrived: bool) -> View | Navigation:
    if not arrived:
        return ToItem(item_id=item_id)
    visited = view.visited if item_id in view.visited else (*view.visited, item_id)
    return _count(view, "asin").model_copy(
        update={"screen": "item", "item_id": item_id, "variant_id": None, "visited": visited}
    )


def _choose(view: View, group: str, value: str, arrived: bool) -> View | Navigation:
    """Set an option, and show what the shop asks for the options as they stand."""
    options = {**view.options, group: value}
    chosen = _count(view, "options").model_copy(update={"screen": "item", "options": options})
    product = view.product
    page = product.page if product else None
    if product is None or page is None:
        return chosen
    offer = offer_for(page, options, group, value)
    if offer.is_elsewhere and not arrived:
        opened = view.item_id or page.item_id
        return ToItem(item_id=opened, variant=offer.item_id if offer.item_id != opened else None)
    price = page.price if offer.is_elsewhere else offer.price
    shown = product.model_copy(update={"price": price_text(price)})
    return chosen.model_copy(update={"variant_id": offer.item_id, "product": shown})


def _tab(view: View, tab: str, arrived: bool) -> View | Navigation:
    page = view.product.page if view.product else None
    if page is not None and tab in page.tabs and not arrived:
        return ToSubPage(item_id=page.item_id, tab=tab, url=page.tabs[tab])
    return _count(view, tab.capitalize()).model_copy(update={"screen": "sub", "tab": tab})


def _begin_again(view: View) -> View:
    return View(
        instruction=view.instruction,
        session=view.session,
        show_attributes=view.show_attributes,
        extended=view.extended,
        done=view.done,
        reward=view.reward,
    )


def _count(view: View, name: str) -> View:
    return view.model_copy(update={"counts": {**view.counts, name: view.counts.get(name, 0) + 1}})
