"""A page, or one product in a list, as the readers of its fields see it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser, LexborNode

from windowshop.adapters.markup import clean, json_at, text_of
from windowshop.locales import Locale

_SETTINGS: Final = re.compile(rb"wcSettings = [^;]{0,60}?decodeURIComponent\( ?'([^']*)'")
_CODE: Final = re.compile(
    rb"""["']?(?:currency|currency_?code|woocommerce_currency|product:price:currency|og:price:currency)["']?"""
    rb"""\s*(?:[:=]|content=)\s*["']([A-Z]{3})["']""",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(r"(?:^|\s)post-([1-9][0-9]{0,9})(?:\s|$)")
_ASIDE: Final = re.compile(
    r"(?:^|\s)(?:related|up-?sells|cross-sells|widget\S*|wp-block-woocommerce-related-products|"
    r"wc-block-(?:mini-cart|grid|components-drawer)\S*|product_list_widget|mini-?cart\S*|"
    r"recently-?viewed\S*|yith-wfbt\S*|bought-together\S*)(?:\s|$)"
)
_ASIDE_TAGS: Final = frozenset({"header", "footer", "aside"})
_MAIN: Final = re.compile(r"(?:^|\s)(?:site-main|content-area|site-content|main-content)(?:\s|$)")


@dataclass(frozen=True)
class Money:
    """How the shop writes prices, as far as its page says: currency code and decimal mark."""

    code: str | None = None
    decimal: str | None = None


@dataclass(frozen=True)
class Sheet:
    """One parsed page (`node` is its tree) or one product among others (`node` is its element)."""

    node: LexborHTMLParser | LexborNode
    url: str
    locale: Locale
    money: Money = Money()
    linked: tuple[dict[str, Any], ...] = ()
    memo: dict[object, Any] = field(default_factory=dict, repr=False)

    def own(self, selectors: str) -> LexborNode | None:
        """Return the first match that belongs to the product itself, and not to another one beside it."""
        return next((node for node in self.node.css(selectors) if not is_aside(node, self.node)), None)

    def text(self, selectors: str) -> str | None:
        """Return the cleaned text of the product's own first match."""
        return text_of(self.own(selectors), " ")

    def attribute(self, selectors: str, name: str) -> str | None:
        """Return an attribute of the first match."""
        node = self.node.css_first(selectors)
        return None if node is None else clean(node.attributes.get(name))

    def typed(self, kind: str) -> dict[str, Any]:
        """Return the page's own JSON-LD of one schema.org type, or an empty one."""
        return next((entry for entry in self.linked if kind in _types(entry)), {})

    @property
    def number(self) -> str | None:
        """Return the number that this product's element bears in its class."""
        if isinstance(self.node, LexborHTMLParser):
            return None
        return number_in(self.node)

    @property
    def item_id(self) -> str:
        """Return which product this element of a list is."""
        return self.number or self.attribute("[data-product_id]", "data-product_id") or ""


def open_sheet(tree: LexborHTMLParser, body: bytes, url: str, locale: Locale) -> Sheet:
    """Read what the page says for machines: its JSON-LD, and the settings of its blocks."""
    scripts = tree.css('script[type="application/ld+json"]')
    linked = tuple(entry for script in scripts for entry in _entries(json_at(script.text())))
    return Sheet(tree, url, locale, _money(body, linked), linked)


def number_in(node: LexborNode) -> str | None:
    """Return the number in an element's class `post-326`."""
    found = _NUMBER.search(node.attributes.get("class") or "")
    return None if found is None else found.group(1)


def is_aside(node: LexborNode, within: LexborHTMLParser | LexborNode) -> bool:
    """Say whether an element of the page stands in something apart: other products, a widget, the frame."""
    if isinstance(within, LexborNode):
        return False
    inner = node.parent
    while inner is not None and inner.tag not in ("main", "body", "html"):
        classes = inner.attributes.get("class") or ""
        if _MAIN.search(classes):
            return False
        if inner.tag in _ASIDE_TAGS or _ASIDE.search(classes) or (inner.tag == "li" and number_in(inner)):
            return True
        inner = inner.parent
    return False


def _money(body: bytes, linked: tuple[dict[str, Any], ...]) -> Money:
    found = _SETTINGS.search(body)
    settings = json_at(unquote(found.group(1).decode("utf-8", "replace"))) if found else None
    told = settings.get("currency") if isinstance(settings, dict) else None
    if isinstance(told, dict) and re.fullmatch("[A-Z]{3}", str(told.get("code"))):
        return Money(told["code"], told.get("decimalSeparator"))
    for codes in ({code for entry in linked for code in _codes(entry)}, set(_CODE.findall(body))):
        if len(codes) == 1:
            code = codes.pop()
            return Money(code.decode() if isinstance(code, bytes) else code)
    return Money()


def _codes(value: Any) -> Iterator[str]:
    """Yield every currency that a JSON-LD entry names."""
    if isinstance(value, list):
        for part in value:
            yield from _codes(part)
    elif isinstance(value, dict):
        for name, part in value.items():
            if name == "priceCurrency" and re.fullmatch("[A-Z]{3}", str(part)):
                yield str(part)
            else:
                yield from _codes(part)


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
