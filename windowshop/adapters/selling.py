"""What an adapter may know besides reading: the forms of a shop of the user's own, for a sandbox alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol, runtime_checkable
from urllib.parse import urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from windowshop.orders import Buyer, Line, Order
from windowshop.sandbox import SandboxPost, Writable
from windowshop.wire import Readable, Request, Response


@runtime_checkable
class Sells(Protocol):
    """A site whose carts and checkouts an agent may use where a policy file names the shop.

    `selling` are the addresses that are read on the way, `writable` the forms that are submitted.
    """

    @property
    def selling(self) -> Sequence[Readable]:
        """Return the addresses of the cart and the checkout."""

    @property
    def writable(self) -> Sequence[Writable]:
        """Return the forms that may be submitted."""

    @property
    def cart(self) -> Request:
        """Return where the cart is shown."""

    @property
    def checkout(self) -> Request:
        """Return where the checkout begins."""

    def to_cart(self, response: Response, variant: str | None = None) -> SandboxPost | None:
        """Return the form by which an item's page puts it into the cart; None where it has none."""

    def lines(self, response: Response) -> tuple[Line, ...]:
        """Return what a page of the cart says is in it."""

    def proceed(self, response: Response, buyer: Buyer) -> SandboxPost | Request | None:
        """Return what leads on from a page of the checkout; None where nothing does."""

    def order(self, response: Response) -> Order | None:
        """Return what a page confirms to have been ordered; None where it confirms nothing."""


def form_on(
    tree: LexborHTMLParser, url: str, writable: Writable, given: Mapping[str, str] | None = None
) -> SandboxPost | None:
    """Return the first form of a page that posts to where `writable` allows, filled as the page has it.

    `given` fills its fields, by name; a field that `writable` does not name is not sent.
    """
    for form in tree.css("form"):
        if (form.attributes.get("method") or "get").lower() != "post":
            continue
        address = urljoin(url, form.attributes.get("action") or url)
        if re.fullmatch(writable.path, urlsplit(address).path) is None:
            continue
        fields = {name: value for name, value in _fields(form) if name in writable.fields}
        fields |= {name: value for name, value in (given or {}).items() if name in writable.fields}
        return SandboxPost(form=writable.name, url=address.partition("#")[0], fields=tuple(fields.items()))
    return None


def _fields(form: LexborNode) -> Iterator[tuple[str, str]]:
    """Yield what a browser would send of a form that nobody touched, buttons with a name included."""
    for node in form.css("input[name], select[name], textarea[name], button[name]"):
        name, kind = node.attributes["name"] or "", (node.attributes.get("type") or "").lower()
        if kind in ("radio", "checkbox") and "checked" not in node.attributes:
            continue
        if node.tag == "select":
            chosen = node.css_first("option[selected]") or node.css_first("option")
            yield name, "" if chosen is None else chosen.attributes.get("value") or ""
        elif node.tag == "textarea":
            yield name, node.text()
        else:
            yield name, node.attributes.get("value") or ("on" if kind == "checkbox" else "")
