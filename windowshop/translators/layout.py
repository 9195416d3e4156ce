"""The simulator's page templates as sequences of text nodes, straight from a view (no HTML between)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Literal, NamedTuple

from windowshop.translators.refinements import shown_choices
from windowshop.views import View

PAGE_SIZE = 10
TABS = ("description", "features", "reviews", "attributes")


class Node(NamedTuple):
    """One text node and what encloses it: a button, an option's label, a product link or plain text.

    A refinement is of the extended actions, and no node of the simulator's. `group` names the option group
    that a label belongs to, and says of a refinement whether it is "selected".
    """

    text: str
    kind: Literal["text", "button", "label", "link", "refinement"] = "text"
    group: str = ""


def layout(view: View) -> list[Node]:
    """Return the text nodes of the page that the simulator would show (simulator rules a.1 to a.5)."""
    return [node for node in _page(view) if _survives(node.text)]


def shown_rows(view: View) -> slice:
    """Return which rows of the listing stand on the current page; none below page 1."""
    start = ((view.page or 1) - 1) * PAGE_SIZE
    return slice(0, 0) if start < 0 else slice(start, start + PAGE_SIZE)


def _survives(text: str) -> bool:
    """Tell whether a node outlives the simulator's parser: blank runs with a line feed do not."""
    return bool(text) and not ("\n" in text and not text.strip(" \t\n\f\r"))


def _page(view: View) -> Iterator[Node]:
    if view.screen == "search":
        yield from (Node("WebShop"), Node("Instruction: "), Node(view.instruction), Node("Search", "button"))
        return
    if view.screen == "done":
        yield from _done(view)
        return
    yield from (Node("Instruction:"), Node(view.instruction), Node("Back to Search", "button"))
    if view.screen == "results":
        yield from _results(view)
        return
    yield Node("< Prev", "button")
    yield from _item(view) if view.screen == "item" else _sub(view)


def _results(view: View) -> Iterator[Node]:
    listing, page = view.listing, view.page or 0
    yield Node(f"Page {page} (Total results: {listing.total if listing else 0})")
    if page > 1:
        yield Node("< Prev", "button")
    yield Node("Next >", "button")
    for name, selected in shown_choices(view):
        yield Node(name, "refinement", "selected" if selected else "")
    for row in listing.rows[shown_rows(view)] if listing else ():
        yield from (Node(row.item_id, "link"), Node(row.title), Node(row.price))


def _item(view: View) -> Iterator[Node]:
    product = view.product
    if product is None:
        return
    for group, values in product.options:
        yield Node(group)
        for value in values:
            yield Node(value, "label", group)
    yield from (Node(product.title), Node(f"Price: {product.price}"), Node(f"Rating: {product.rating}"))
    for tab in TABS if view.show_attributes else TABS[:3]:
        yield Node(tab.capitalize(), "button")
    yield Node("Buy Now", "button")


def _sub(view: View) -> Iterator[Node]:
    product = view.product
    if product is None:
        return
    if view.tab == "description":
        yield Node(product.description)
    elif view.tab == "features":
        yield from (Node(f" {bullet}") for bullet in product.bullets)
    elif view.tab == "reviews":
        for title, score, body in product.reviews:
            yield from (Node(f'"{title}"'), Node(score), Node(body))
    else:
        yield from (Node(line) for line in product.attributes)


def _done(view: View) -> Iterator[Node]:
    for text in (
        *("Thank you for shopping with us!", "Your code: ", "None", " (Paste it in your MTurk interface.)"),
        *("Purchased", "asin", view.item_id or "", "options", _escaped_json(view.options)),
        *("attrs", "None", "category", "None", "query", "None", "product category", "None", "Target"),
        *("asin", "options", "attrs", "price upper", "instuction text", "category", "product category"),
        *("query", "Goal ", "None", "Reward", "Your score (min 0.0, max 1.0)", repr(view.reward)),
        *("Reward Details ", "None"),
    ):
        yield Node(text)


def _escaped_json(options: dict[str, str]) -> str:
    text = json.dumps(options, sort_keys=True)
    for mark, escape in (("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026"), ("'", "\\u0027")):
        text = text.replace(mark, escape)
    return text
