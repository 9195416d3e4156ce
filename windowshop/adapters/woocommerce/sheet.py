"""A page as the readers of its fields see it: its tree, what in it stands apart, what it says to programs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser, LexborNode

from windowshop.adapters.markup import clean, json_at, text_of
from windowshop.locales import Locale

_SETTINGS: Final = re.compile(rb"wcSettings = [^;]{0,60}?decodeURIComponent\( ?'([^']*)'")
_CURRENCY: Final = re.compile(rb"%22currency%22%3A(%7B.*?%7D)")
"""The shop's currency among the settings of its blocks, which are long."""
_SET: Final = b"wcSettings = "
_NAMES: Final = (b"urrency", b"URRENCY")
"""The end of every name of a currency: `currencyCode`, `woocommerce_currency`, `og:price:currency`."""
_CODE: Final = re.compile(
    rb"""urrency(?:_?code)?["']?\s*(?:[:=]|content=)\s*["']([A-Z]{3})["']""", re.IGNORECASE
)
_OFFERED: Final = re.compile(r'"priceCurrency"\s*:\s*"([A-Z]{3})"')
_NUMBER: Final = re.compile(r"post-(?<!\Spost-)([1-9][0-9]{0,9})(?!\S)")
"""The look back stands after the first letters, since for plain letters Python searches fast."""
_ASIDE: Final = frozenset(
    {
        *("related", "upsells", "up-sells", "cross-sells", "product_list_widget"),
        "wp-block-woocommerce-related-products",
    }
)
_ASIDE_KINDS: Final = (
    *("widget", "wc-block-mini-cart", "wc-block-grid", "wc-block-components-drawer", "minicart", "mini-cart"),
    *("recentlyviewed", "recently-viewed", "yith-wfbt", "bought-together"),
)
"""What the class of something apart begins with."""
_ASIDE_TAGS: Final = frozenset({"header", "footer", "aside"})
_MAIN: Final = frozenset({"site-main", "content-area", "site-content", "main-content"})
_FRAME: Final = frozenset({"main", "body", "html"})


@dataclass(frozen=True)
class Sheet:
    """One parsed page. What costs a walk of its tree or of its bytes is found when first asked for."""

    tree: LexborHTMLParser
    body: bytes
    url: str
    locale: Locale
    memo: dict[object, Any] = field(default_factory=dict, repr=False)
    _asides: dict[int, bool] = field(default_factory=dict, init=False, repr=False)

    def own(self, selectors: str, within: LexborNode | LexborHTMLParser | None = None) -> LexborNode | None:
        """Return the first match that belongs to the product itself, and not to another one beside it."""
        place = self.tree if within is None else within
        first = place.css_first(selectors)
        if first is None or not self.is_aside(first):
            return first
        return next((node for node in place.css(selectors) if not self.is_aside(node)), None)

    def text(self, selectors: str, within: LexborNode | LexborHTMLParser | None = None) -> str | None:
        """Return the cleaned text of the product's own first match."""
        return text_of(self.own(selectors, within), " ")

    def attribute(self, selectors: str, name: str) -> str | None:
        """Return an attribute of the first match."""
        node = self.tree.css_first(selectors)
        return None if node is None else clean(node.attributes.get(name))

    def is_aside(self, node: LexborNode) -> bool:
        """Say whether an element stands in something apart: other products, a widget, the page's frame."""
        passed = []
        answer = None
        for above in ancestors(node):
            passed.append(above.mem_id)
            answer = self._asides.get(above.mem_id)
            if answer is None:
                answer = _is_apart(above)
            if answer is not None:
                break
        self._asides.update(dict.fromkeys(passed, answer or False))
        return answer or False

    def linked(self, name: str) -> Any:
        """Return what the JSON-LD of the product says under a name; it is decoded if it has that at all."""
        return self.product.get(name) if any(f'"{name}"' in script for script in self._scripts) else None

    @cached_property
    def product(self) -> dict[str, Any]:
        """Return the page's own JSON-LD of a product, or an empty one."""
        told = (json_at(script) for script in self._scripts if '"Product"' in script)
        entries = (entry for value in told for entry in _entries(value))
        return next((entry for entry in entries if "Product" in _types(entry)), {})

    @cached_property
    def kinds(self) -> list[str]:
        """Return the classes of the page's body, in which WordPress says what kind of page it is."""
        body = self.tree.body
        return [] if body is None else classes_of(body)

    @cached_property
    def currency(self) -> str | None:
        """Return the code of the shop's currency: what it offers products in, else what its settings name."""
        offered: set[str] = {code for script in self._scripts for code in _OFFERED.findall(script)}
        if len(offered) == 1:
            return offered.pop()
        code = self._settings.get("code")
        if isinstance(code, str) and re.fullmatch("[A-Z]{3}", code):
            return code
        named = set(_named(self.body))
        return named.pop() if len(named) == 1 else None

    @property
    def decimal(self) -> str | None:
        """Return the mark before a price's decimals."""
        mark = self._settings.get("decimalSeparator")
        return mark if isinstance(mark, str) else None

    @cached_property
    def _settings(self) -> dict[str, Any]:
        """Return what the shop's settings say of its currency."""
        settings = (_SETTINGS.match(self.body, start) for start in _places(self.body, _SET))
        first = next((found for found in settings if found is not None), None)
        told = None if first is None else _CURRENCY.search(first.group(1))
        said = None if told is None else json_at(unquote(told.group(1).decode("utf-8", "replace")))
        return said if isinstance(said, dict) else {}

    @cached_property
    def _scripts(self) -> list[str]:
        """Return the page's JSON-LD, as text."""
        return [script.text() for script in self.tree.css('script[type="application/ld+json"]')]


def classes_of(node: LexborNode) -> list[str]:
    """Return the classes of an element."""
    return (node.attributes.get("class") or "").split()


def number_in(node: LexborNode) -> str | None:
    """Return the number in an element's class `post-326`."""
    found = _NUMBER.search(node.attributes.get("class") or "")
    return None if found is None else found.group(1)


def ancestors(node: LexborNode) -> Iterator[LexborNode]:
    """Yield what an element stands in, from the inside out."""
    above = node.parent
    while above is not None:
        yield above
        above = above.parent


def is_in(node: LexborNode, place: LexborNode) -> bool:
    """Say whether an element stands in another one."""
    return any(above.mem_id == place.mem_id for above in ancestors(node))


def _is_apart(element: LexborNode) -> bool | None:
    """Say whether what is in an element is apart; None where that depends on what the element is in."""
    tag = element.tag
    if tag in _FRAME:
        return False
    classes = classes_of(element)
    if not _MAIN.isdisjoint(classes):
        return False
    if tag in _ASIDE_TAGS or not _ASIDE.isdisjoint(classes) or (tag == "li" and number_in(element)):
        return True
    return True if any(one.startswith(_ASIDE_KINDS) for one in classes) else None


def _named(body: bytes) -> Iterator[str]:
    """Yield each currency code beside such a name."""
    for name in _NAMES:
        for start in _places(body, name):
            found = _CODE.match(body, start)
            if found is not None:
                yield found.group(1).decode()


def _places(body: bytes, name: bytes) -> Iterator[int]:
    """Yield where a name stands in the page, from the end, which takes Python a quarter of the time."""
    start = body.rfind(name)
    while start >= 0:
        yield start
        start = body.rfind(name, 0, start)


def _entries(value: Any) -> Iterator[dict[str, Any]]:
    """Yield the objects of one JSON-LD script, those in its graph by themselves."""
    for entry in value if isinstance(value, list) else [value]:
        if isinstance(entry, dict):
            graph = entry.get("@graph")
            nested = graph if isinstance(graph, list) else [entry]
            yield from (part for part in nested if isinstance(part, dict))


def _types(entry: dict[str, Any]) -> list[Any]:
    kind = entry.get("@type")
    return kind if isinstance(kind, list) else [kind]
