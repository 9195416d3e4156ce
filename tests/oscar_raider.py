"""A script without a browser that submits every form it finds, and posts to whatever changes something."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from urllib.parse import urljoin

import httpx
from selectolax.lexbor import LexborHTMLParser, LexborNode

GUESSES = {
    "email": "raider@example.org",
    "username": "raider@example.org",
    "password1": "a long enough pass phrase 7",
    "password2": "a long enough pass phrase 7",
    "score": "5",
    "title": "Five stars",
    "body": "I was never here.",
    "name": "Ann Moor",
    "first_name": "Ann",
    "last_name": "Moor",
    "line1": "1 Quay",
    "line4": "Hull",
    "postcode": "HU1 1AA",
    "options": "anonymous",
    "quantity": "2",
    "code": "SUMMER",
}
FUNNEL = (
    "/basket/",
    "/checkout/",
    "/checkout/shipping-address/",
    "/checkout/shipping-method/",
    "/checkout/payment-method/",
    "/checkout/payment-details/",
    "/checkout/preview/",
)
DIRECT = ("/basket/add/{}/", "/accounts/wishlists/add/{}/", "/checkout/preview/", "/accounts/register/")


class Raider:
    """Count the requests that it makes; what is refused is passed over."""

    def __init__(self, client: httpx.Client, base_url: str) -> None:
        self.client = client
        self.base_url = base_url
        self.actions: Counter[str] = Counter()

    def raid(self, item_id: str) -> None:
        """Submit every form of a product's page, post to what needs none, and go through the checkout."""
        number = item_id.rpartition("_")[2]
        for path in (
            "/accounts/register/",
            f"/catalogue/{item_id}/",
            f"/catalogue/{item_id}/reviews/add/",
            *FUNNEL,
        ):
            page = self._ask("GET", self.base_url + path)
            for url, fields in _forms(page):
                self._ask("POST", url, fields)
        for path in DIRECT:
            fields = {**GUESSES, "action": "place_order", "csrfmiddlewaretoken": self._token()}
            for method in ("POST", "PUT", "GET"):
                self._ask(method, self.base_url + path.format(number), fields)

    def _token(self) -> str:
        return self.client.cookies.get("csrftoken", "")

    def _ask(self, method: str, url: str, fields: dict[str, str] | None = None) -> httpx.Response | None:
        self.actions[method] += 1
        sent = {"data": fields} if method != "GET" else {"params": fields}
        try:
            return self.client.request(method, url, **sent, headers={"referer": self.base_url + "/"})
        except httpx.HTTPError:
            self.actions["failed"] += 1
            return None


def _forms(page: httpx.Response | None) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield address and fields of each form that posts, filled with guesses."""
    if page is None or "html" not in page.headers.get("content-type", ""):
        return
    for form in LexborHTMLParser(page.content).css("form[method=post], form[method=POST]"):
        fields = dict(_filled(form))
        action = form.attributes.get("action") or str(page.url)
        yield urljoin(str(page.url), action), fields


def _filled(form: LexborNode) -> Iterator[tuple[str, str]]:
    for node in form.css("input[name], textarea[name], select[name], button[name]"):
        name = node.attributes["name"] or ""
        yield name, GUESSES.get(name) or node.attributes.get("value") or ""
