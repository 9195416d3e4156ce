"""A small WooCommerce-shaped shop on loopback, with carts and a checkout of its own; and four of them."""

from __future__ import annotations

import secrets
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Final, NamedTuple, Self
from urllib.parse import parse_qsl, urlsplit

from windowshop.demo.loopback import Loopback
from windowshop.demo.woo_goods import Goods, Variation
from windowshop.demo.woo_pages import PER_PAGE, CartLine, Page, Style, field_of
from windowshop.demo.woo_search import Search
from windowshop.frozen import Frozen

STYLES: Final = (
    Style(name="Northgate Electronics", look="classic", decimal=",", is_suffix=True),
    Style(name="Millbrook Tech", look="blocks"),
    Style(name="Harbour Components", look="classic"),
    Style(name="Old Forge Hardware", look="blocks", decimal=",", is_suffix=True),
)
_COOKIE: Final = "wp_woocommerce_session"
_MAX_BODY: Final = 1_000_000
_BILLING: Final = ("first_name", "last_name", "address_1", "city", "state", "postcode", "country", "email")


class Asked(NamedTuple):
    """One request of one session."""

    method: str
    path: str
    params: Mapping[str, str]
    fields: Mapping[str, str]
    session: str


class Told(NamedTuple):
    """One answer."""

    body: bytes = b""
    status: int = 200
    location: str | None = None


class Placed(Frozen):
    """One order that the shop took."""

    number: int
    lines: tuple[CartLine, ...]
    billing: dict[str, str]
    card: str


class WooShop(Loopback):
    """One shop at `base_url`; use it as a context manager.

    `carts` are the carts by session, `orders` what was ordered, `harm` counts what changed anything.
    """

    def __init__(self, goods: Sequence[Goods], style: Style = STYLES[0], port: int = 0) -> None:
        self.carts: dict[str, list[CartLine]] = {}
        self.orders: list[Placed] = []
        self.visits: Counter[str] = Counter()
        self.harm: Counter[str] = Counter()
        self._by_slug = {one.slug: one for one in goods}
        self._by_number = {one.number: one for one in goods}
        self._search = Search(goods)
        self._nonce = secrets.token_hex(5)
        self._lock = threading.Lock()
        super().__init__(_Server(self, port))
        self.base_url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._page = Page(style, self.base_url)

    def answer(self, asked: Asked) -> Told:
        """Answer one request."""
        with self._lock:
            kind, *rest = [part for part in asked.path.split("/") if part] or ["front"]
            self.visits[kind] += 1
            if "add-to-cart" in asked.params and asked.method == "GET":
                self._add(asked, asked.params)
            match kind, rest:
                case "front", _ if "p" in asked.params:
                    return self._moved(asked.params["p"])
                case "front", _ if "s" in asked.params:
                    return self._results(asked, 1)
                case "page", [number] if number.isdecimal() and "s" in asked.params:
                    return self._results(asked, int(number))
                case "front", _:
                    return Told(self._page.front())
                case "product", [slug] if slug in self._by_slug:
                    return self._item(asked, self._by_slug[slug])
                case "cart", []:
                    return Told(self._page.cart(self.carts.get(asked.session, ())))
                case "checkout", _:
                    return self._checkout(asked, rest)
                case "my-account", []:
                    return Told(self._page.account())
        return Told(self._page.missing(), 404)

    def _moved(self, number: str) -> Told:
        goods = self._by_number.get(int(number)) if number.isdecimal() else None
        if goods is None:
            return Told(self._page.missing(), 404)
        return Told(status=301, location=f"{self.base_url}/product/{goods.slug}/")

    def _results(self, asked: Asked, page: int) -> Told:
        query = asked.params["s"]
        found = self._search.find(query)
        if page < 1 or (page > 1 and (page - 1) * PER_PAGE >= len(found)):
            return Told(self._page.missing(), 404)
        return Told(self._page.results(query, page, found))

    def _item(self, asked: Asked, goods: Goods) -> Told:
        added = self._add(asked, asked.fields) if asked.method == "POST" else None
        return Told(self._page.item(goods, added))

    def _add(self, asked: Asked, told: Mapping[str, str]) -> str | None:
        """Put a product into the session's cart; return what was put there, if anything was."""
        number = told.get("add-to-cart", "")
        goods = self._by_number.get(int(number)) if number.isdecimal() else None
        variation = _wanted(goods, told) if goods else None
        if goods is None or not goods.in_stock or (goods.variations and variation is None):
            return None
        quantity = told.get("quantity", "1")
        line = CartLine(
            goods=goods, quantity=int(quantity) if quantity.isdecimal() else 1, variation=variation
        )
        self.harm["cart"] += 1
        self.carts.setdefault(asked.session, []).append(line)
        return line.name

    def _checkout(self, asked: Asked, rest: Sequence[str]) -> Told:
        lines = self.carts.get(asked.session, [])
        if len(rest) == 2 and rest[0] == "order-received" and rest[1].isdecimal():
            found = next((one for one in self.orders if one.number == int(rest[1])), None)
            if found is not None and asked.params.get("key") == _key(found.number):
                return Told(self._page.order(found.number, found.lines, found.billing))
        if rest:
            return Told(self._page.missing(), 404)
        if asked.method != "POST" or not lines:
            return Told(self._page.checkout(lines, self._nonce))
        errors = [f"Billing {name} is a required field." for name in _BILLING if not _billed(asked, name)]
        if asked.fields.get("woocommerce-process-checkout-nonce") != self._nonce:
            errors.append("We were unable to process your order, please try again.")
        if errors:
            return Told(self._page.checkout(lines, self._nonce, errors))
        number = 1000 + len(self.orders)
        billing = {name: _billed(asked, name) for name in _BILLING}
        card = asked.fields.get("demo_card-card-number", "")
        self.orders.append(Placed(number=number, lines=tuple(lines), billing=billing, card=card))
        self.harm["order"] += 1
        del self.carts[asked.session]
        return Told(
            status=302, location=f"{self.base_url}/checkout/order-received/{number}/?key={_key(number)}"
        )


class Mall:
    """Four shops, each with the goods of one export; use it as a context manager."""

    def __init__(self, goods: Sequence[Sequence[Goods]], styles: Sequence[Style] = STYLES) -> None:
        self.shops = tuple(WooShop(one, style) for one, style in zip(goods, styles, strict=True))
        self._stack = ExitStack()

    @property
    def addresses(self) -> tuple[str, ...]:
        """Return where the shops are."""
        return tuple(shop.base_url for shop in self.shops)

    def __enter__(self) -> Self:
        for shop in self.shops:
            self._stack.enter_context(shop)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()


def _wanted(goods: Goods, told: Mapping[str, str]) -> Variation | None:
    """Return the variation that a form asks for: by its number, else by the choices made."""
    chosen = {choice.name: told.get(f"attribute_{field_of(choice.name)}", "") for choice in goods.choices}
    for one in goods.variations:
        if str(one.number) == told.get("variation_id"):
            return one
        if all(one.options.get(name, value) == value and value for name, value in chosen.items()):
            return one
    return None


def _billed(asked: Asked, name: str) -> str:
    return asked.fields.get(f"billing_{name}", "").strip()


def _key(number: int) -> str:
    return f"wc_order_{number:x}"


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, shop: WooShop, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.shop = shop


class _Handler(BaseHTTPRequestHandler):
    wbufsize = -1
    disable_nagle_algorithm = True
    server: _Server

    def _reply(self) -> None:
        size = min(int(self.headers.get("content-length") or 0), _MAX_BODY)
        body = self.rfile.read(size).decode("utf-8", "replace")
        parts = urlsplit(self.path)
        cookies = SimpleCookie(self.headers.get("cookie") or "")
        known = cookies[_COOKIE].value if _COOKIE in cookies else None
        session = known or secrets.token_hex(8)
        asked = Asked(
            method=self.command,
            path=parts.path,
            params=dict(parse_qsl(parts.query, keep_blank_values=True)),
            fields=dict(parse_qsl(body, keep_blank_values=True)),
            session=session,
        )
        told = self.server.shop.answer(asked)
        self.send_response(told.status)
        if known is None:
            self.send_header("set-cookie", f"{_COOKIE}={session}; Path=/; HttpOnly")
        if told.location is not None:
            self.send_header("location", told.location)
        self.send_header("content-type", "text/html; charset=UTF-8")
        self.send_header("content-length", str(len(told.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(told.body)

    do_GET = do_HEAD = do_POST = _reply

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the counters tell what happened."""
