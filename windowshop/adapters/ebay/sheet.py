"""A page as the readers of one item see it: the tree, what it is made of, and where it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

from windowshop.adapters.fields import Source, is_blank
from windowshop.adapters.markup import json_at, select
from windowshop.locales import Locale

_PARTS = (
    '[data-testid^="x-"], [data-testid^="d-"], [data-testid^="ux-seller-section__item--"], '
    'iframe, script[type="application/ld+json"]'
)


@dataclass(frozen=True)
class Sheet:
    """One parsed page. `parts` are the first elements by their test id; found in one walk of the tree."""

    tree: LexborHTMLParser
    body: bytes
    locale: Locale
    parts: dict[str, LexborNode] = field(default_factory=dict)
    headings: tuple[LexborNode, ...] = ()
    frames: tuple[LexborNode, ...] = ()
    linked: tuple[dict[str, Any], ...] = ()
    addresses: tuple[str, ...] = ()
    memo: dict[object, Any] = field(default_factory=dict, repr=False)

    @property
    def is_old(self) -> bool:
        """Say whether the page is of a generation before parts had test ids, or mixes both."""
        return "x-price-primary" not in self.parts

    def old(self, selectors: str) -> Iterator[LexborNode]:
        """Yield what the older generations' selectors match; nothing on a page of today's.

        The first match, mostly the only one wanted, stands near the top: the rest is looked for when asked.
        """
        first = self.tree.css_first(selectors) if self.is_old else None
        if first is not None:
            yield first
            yield from select(self.tree, selectors)[1:]

    def meta(self, name: str) -> str | None:
        """Return what the page's head says under an Open Graph name."""
        head = self.tree.head
        node = None if head is None else head.css_first(f'meta[property="{name}"]')
        return None if node is None else node.attrs.get("content")

    def part(self, *names: str) -> LexborNode | None:
        """Return the first part that the page has, in the order asked for."""
        return next((self.parts[name] for name in names if name in self.parts), None)

    def first(self, node: LexborNode | None, selectors: str) -> LexborNode | None:
        """Return the first match inside `node`; nothing where there is no node."""
        return None if node is None else node.css_first(selectors)

    def typed(self, kind: str) -> dict[str, Any]:
        """Return the page's own JSON-LD of one schema.org type, or an empty one."""
        return next((entry for entry in self.linked if entry.get("@type") == kind), {})


def open_sheet(
    tree: LexborHTMLParser,
    body: bytes,
    locale: Locale,
    headings: tuple[LexborNode, ...],
    addresses: tuple[str, ...],
) -> Sheet:
    """Sort the parts of a page by what they are; `addresses` are those that it goes by."""
    parts: dict[str, LexborNode] = {}
    frames: list[LexborNode] = []
    linked: list[dict[str, Any]] = []
    for node in tree.css(_PARTS):
        testid = node.attrs.get("data-testid")
        if testid:
            parts.setdefault(testid, node)
        elif node.tag == "iframe":
            frames.append(node)
        else:
            linked.extend(_entries(node.text()))
    return Sheet(tree, body, locale, parts, headings, tuple(frames), tuple(linked), addresses)


def in_old(name: str, selectors: str, read: Callable[[Sheet, LexborNode], Any]) -> Source[Sheet]:
    """Return a source: the first answer among what the older generations' selectors match."""

    def answer(sheet: Sheet) -> Any:
        said = (read(sheet, node) for node in sheet.old(selectors))
        return next((found for found in said if not is_blank(found)), None)

    return Source(name, selectors, answer)


def _entries(text: str) -> Iterator[dict[str, Any]]:
    """Yield the objects of one JSON-LD script; a broken one has none."""
    loaded = json_at(text)
    for entry in loaded if isinstance(loaded, list) else [loaded]:
        if isinstance(entry, dict):
            graph = entry.get("@graph")
            nested = graph if isinstance(graph, list) else [entry]
            yield from (part for part in nested if isinstance(part, dict))
