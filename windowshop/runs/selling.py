"""Fill a cart and go through a checkout, in a shop that a policy file names: each form through its guard."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from windowshop.adapters import Site
from windowshop.adapters.selling import Sells
from windowshop.errors import ConfigError, UnavailableAction
from windowshop.orders import Buyer, Line, Order
from windowshop.safety.sandbox import SandboxPolicy, sandbox_policy
from windowshop.safety.sandbox_file import SandboxShop
from windowshop.safety.sandbox_guard import SandboxGuard
from windowshop.sandbox import SandboxPost, Submits
from windowshop.wire import Request, Response, Transport

MAX_PAGES = 12


class Session(Submits, Transport, Protocol):
    """A session with one shop: reads its pages and submits its forms, with one set of cookies."""


class SandboxSite(Site, Sells, Protocol):
    """A site that can be read and that sells."""


def policy_of(site: Site, shop: SandboxShop) -> SandboxPolicy:
    """Return the policy of a shop of the user's own; raise `ConfigError` for an adapter that cannot sell."""
    if not isinstance(site, Sells):
        raise ConfigError(f"the adapter of {site.name} knows no cart: it only reads")
    return sandbox_policy(shop, site.name, (*site.readable, *site.selling), site.writable)


class Till(NamedTuple):
    """One agent's cart in one shop."""

    site: SandboxSite
    guard: SandboxGuard
    session: Session

    def read(self, request: Request) -> Response:
        """Return a page of the shop."""
        return self.guard.fetch(request, self.session)

    def add(self, item: Request, variant: str | None = None) -> Response:
        """Put an item into the cart by the form on its page; raise `UnavailableAction` where it has none."""
        post = self.site.to_cart(self.read(item), variant)
        if post is None:
            raise UnavailableAction("the page offers no way into the cart")
        return self._submit(post)

    def lines(self) -> tuple[Line, ...]:
        """Return what lies in the cart, as the shop says."""
        return self.site.lines(self.read(self.site.cart))

    def check_out(self, buyer: Buyer) -> Order:
        """Go through the checkout to the placed order; raise `UnavailableAction` where it leads nowhere."""
        response = self.read(self.site.checkout)
        for _ in range(MAX_PAGES):
            order = self.site.order(response)
            if order is not None:
                return order
            step = self.site.proceed(response, buyer)
            if step is None:
                raise UnavailableAction(f"the checkout stops at {response.url}")
            response = self.read(step) if isinstance(step, Request) else self._submit(step)
        raise UnavailableAction(f"the checkout has not ended after {MAX_PAGES} pages")

    def _submit(self, post: SandboxPost) -> Response:
        return self.guard.submit(post, self.session, self.session)
