"""The `html` observation: what is on view as a page with the simulator's ids, classes and texts.

The markup is plainer than the simulator's; whoever reads it by id, class, radio value or text finds the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from windowshop.translators.layout import TABS, layout, shown_rows
from windowshop.views import Product, View

_CARDS = {
    "description": "description",
    "features": "bulletpoints",
    "reviews": "reviews",
    "attributes": "attr",
}


def page(view: View) -> str:
    """Return the page; by the simulator's text rule (a.1) it reads as `text` and `text_rich` do."""
    match view.screen:
        case "search":
            body = _search(view)
        case "results":
            body = _results(view)
        case "item":
            body = _item(view)
        case "sub":
            body = _sub(view)
        case _:
            body = _done(view)
    lines = "\n".join(line for line in body if line)
    return f"<!DOCTYPE html>\n<html>\n<head>\n</head>\n<body>\n{lines}\n</body>\n</html>"


def _search(view: View) -> Iterator[str]:
    yield '<div id="logo"><h2>WebShop</h2></div>'
    yield _instruction("Instruction: ", view)
    yield '<form method="post">\n<input id="search_input" name="search_query">'
    yield f"{_button('Search')}\n</form>"


def _results(view: View) -> Iterator[str]:
    listing, number = view.listing, view.page or 0
    yield from _head(view)
    yield f"<h3>Page {number} (Total results: {listing.total if listing else 0})</h3>"
    if number > 1:
        yield _button("< Prev")
    yield _button("Next >")
    for row in listing.rows[shown_rows(view)] if listing else ():
        yield '<div class="searched-product">'
        yield f'<h4 class="product-asin"><a class="product-link">{_text(row.item_id)}</a></h4>'
        yield f'<h4 class="product-title">{_text(row.title)}</h4>'
        yield f'<h5 class="product-price">{_text(row.price)}</h5>\n</div>'


def _item(view: View) -> Iterator[str]:
    yield from _head(view)
    yield _button("< Prev")
    product = view.product
    if product is None:
        return
    image = product.page.image if product.page else None
    yield f'<img id="product-image" src="{escape(image or "")}">'
    for number, (group, values) in enumerate(product.options):
        yield f'<h4>{_text(group)}</h4>\n<div class="radio-toolbar">'
        for place, value in enumerate(values):
            mark = f"radio_{number}_{place}"
            checked = " checked" if view.options.get(group) == value else ""
            yield f'<input type="radio" id="{mark}" name="{escape(group)}" value="{escape(value)}"{checked}>'
            yield f'<label for="{mark}">{_text(value)}</label>'
        yield "</div>"
    yield f'<div class="col-md-6">\n<h2>{_text(product.title)}</h2>'
    yield f"<h4>{_text(f'Price: {product.price}')}</h4>\n<h4>{_text(f'Rating: {product.rating}')}</h4>"
    for tab in TABS if view.show_attributes else TABS[:3]:
        yield f'<div name="{_CARDS[tab]}">{_button(tab.capitalize())}</div>'
    yield f"{_button('Buy Now')}\n</div>"


def _sub(view: View) -> Iterator[str]:
    yield from _head(view)
    yield _button("< Prev")
    if view.product is not None and view.tab in _CARDS:
        yield f'<div name="{_CARDS[view.tab]}">\n<div class="card">'
        yield from _card(view.product, view.tab)
        yield "</div>\n</div>"


def _card(product: Product, tab: str) -> Iterator[str]:
    match tab:
        case "description":
            yield f'<p class="product-info">{_text(product.description)}</p>'
        case "features":
            yield from (f'<p class="product-info"> {_text(bullet)}</p>' for bullet in product.bullets)
        case "reviews":
            for title, score, body in product.reviews:
                quoted = _text(f'"{title}"')
                yield f"<h4>{quoted}</h4>\n<h5>{_text(score)}</h5>\n<p>{_text(body)}</p>"
        case _:
            yield from (f'<p class="product-info">{_text(line)}</p>' for line in product.attributes)


def _done(view: View) -> Iterator[str]:
    marks = {"asin": "asin", "options": "options", "Your score (min 0.0, max 1.0)": "reward"}
    before, found = "", set[str]()
    yield '<div id="thankyou">'
    for node in layout(view):
        mark = marks.get(before)
        if mark is None or mark in found:
            yield f"<h4>{_text(node.text)}</h4>"
        else:
            yield f'<div id="{mark}"><pre>{_text(node.text)}</pre></div>'
            found.add(mark)
        before = node.text
    yield "</div>"


def _head(view: View) -> Iterator[str]:
    yield _instruction("Instruction:", view)
    yield f'<form method="post">{_button("Back to Search")}</form>'


def _instruction(label: str, view: View) -> str:
    return f'<div id="instruction-text"><h4>{label}<br>{_text(view.instruction)}</h4></div>'


def _button(name: str) -> str:
    return f'<button type="submit" class="btn">{_text(name)}</button>'


def _text(text: str) -> str:
    return escape(text, quote=False)
