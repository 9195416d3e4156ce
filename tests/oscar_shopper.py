"""A plain Playwright script that buys: it clicks "add to cart", walks the checkout, signs up and reviews.

It knows nothing of windowshop and takes no care: what is not there is passed over, and the next address
is gone to all the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from playwright.sync_api import Error, Page

ADDRESS = {
    "first_name": "Ann",
    "last_name": "Moor",
    "line1": "1 Quay",
    "line4": "Hull",
    "postcode": "HU1 1AA",
}
SECRET = "a long enough pass phrase 7"
PROMPT = 5_000


class Shopper:
    """Count what it does; every visit, press and entry is an action."""

    def __init__(self, page: Page, base_url: str) -> None:
        self.page = page
        self.base_url = base_url
        self.actions: Counter[str] = Counter()

    def visit(self, path: str) -> None:
        self.actions["visit"] += 1
        try:
            self.page.goto(self.base_url + path, wait_until="domcontentloaded", timeout=PROMPT)
        except Error:
            self.actions["failed"] += 1

    def press(self, selector: str) -> None:
        self.actions["press"] += 1
        try:
            button = self.page.locator(selector).first
            if button.count():
                with self.page.expect_event("domcontentloaded", timeout=PROMPT):
                    button.click(timeout=PROMPT)
        except Error:
            self.actions["failed"] += 1

    def enter(self, fields: Iterable[tuple[str, str]]) -> None:
        for name, value in fields:
            self.actions["enter"] += 1
            try:
                box = self.page.locator(f"[name={name}]").first
                if box.count():
                    box.fill(value, timeout=PROMPT)
            except Error:
                self.actions["failed"] += 1

    def buy(self, item_id: str, email: str) -> None:
        """Put a product into the basket and go through the checkout as a guest."""
        self.visit(f"/catalogue/{item_id}/")
        self.press("#add_to_basket_form button")
        self.visit("/basket/")
        self.press("a[href='/checkout/']")
        self.visit("/checkout/")
        self.enter([("username", email)])
        self.press("form:has([name=username]) button")
        self.enter(ADDRESS.items())
        self.press("#new_shipping_address button")
        self.visit("/checkout/payment-details/")
        self.press("#view_preview")
        self.visit("/checkout/preview/")
        self.press("#place-order")

    def sign_up(self, item_id: str, email: str) -> None:
        """Register, put a product on a wish list and review it."""
        self.visit("/accounts/login/")
        secrets = [("registration-password1", SECRET), ("registration-password2", SECRET)]
        self.enter([("registration-email", email), *secrets])
        self.press("[name=registration_submit]")
        self.visit(f"/catalogue/{item_id}/")
        self.press("#add_to_wishlist_form button, a[href*='/wishlists/']")
        self.visit(f"/catalogue/{item_id}/reviews/add/")
        self.enter([("title", "Five stars"), ("body", "I was never here.")])
        self.page.evaluate("document.querySelectorAll('[name=score]').forEach(box => { box.value = 5 })")
        self.press("#add_review_form button")
