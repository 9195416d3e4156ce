"""Addresses that are never let out, whatever an adapter declares, with the name of what they would do.

The policy is default deny, so this table mostly names the reason; it also stops an adapter whose grammar is
too wide. Each expression is searched in `//host/path?query`, decoded and in lower case.
"""

from __future__ import annotations

import re
from typing import Final

_END = r"(?:[/?;.]|$)"
_TABLE: Final = (
    ("buy-now", r"buy-?now|turbo-initiate|one-?click|/gp/digital" + _END),
    ("checkout", rf"/checkout{_END}|/gp/buy{_END}|checkoutportal|go-to-checkout|place-?order|/rxo{_END}"),
    ("checkout", r"/mobile/checkout|//(?:pay|checkout|payments)\.|xoprocessor|commit-?to-?buy"),
    (
        "add-to-cart",
        r"add-?to-?cart|handle-buy-box|/gp/aws/cart|smart-?wagon|/sc/add|/carts?/(?:carts|retail)|/atc/",
    ),
    ("cart", rf"/(?:shopping)?-?(?:cart|basket|bag){_END}|//cart\.|/gp/item-dispatch|shoppingcart"),
    ("buy-it-now", r"bin-?confirm|//offer\.|/bfl/|ebayisapi\.dll\?(?:.*&)?(?:bin|makebid|mb)"),
    ("bid", r"make-?bid|place-?bid|maxbid|confirm-?bid"),
    ("offer", rf"/bo{_END}|make-?offer|best-?offer"),
    ("watch", rf"/myb{_END}|(?:add-?to-?)?watch-?list|addtowatch"),
    ("wish-list", rf"/hz/wishlist|/wishlist{_END}|/registry{_END}|add-?item-?to-?list"),
    ("subscribe", r"auto-deliveries|rcx-subscribe|/gp/prime/|/hp/wlp/|subscribe-?and-?save"),
    ("coupon", r"/promotion/|add-?incentive|/coupons?/clip"),
    ("review", r"/reviews-render|/review/create|/fdbk|/hz/reviews"),
    ("order", r"order-?cancel|/your-orders|/order-history|/spr/returns|/returns?/"),
    ("account", r"/a/addresses|/yourpayments|/gp/css" + _END + r"|customer-preferences|/account-settings"),
    ("location", r"/hz/glow|/portal-migration|/gp/delivery/ajax"),
    ("sign-in", r"/ap/(?:signin|register)|//signin\.|sign-?(?:in|out)" + _END + r"|/gp/flex/|/logout"),
    ("redirector", r"/gp/r\.html|/gp/redirect|/sspa/click|//rover\.|slredirect"),
    ("captcha", r"validatecaptcha|/splashui/"),
    ("sell", rf"/sl{_END}|/sell{_END}"),
)

PURCHASES: Final = frozenset(
    {
        f"never.{name}"
        for name in ("buy-now", "checkout", "add-to-cart", "buy-it-now", "bid", "offer", "subscribe")
    }
)
"""The names of what commits to buying, or leads there: what `judge` intercepts rather than refuses."""

REFUSALS: Final = tuple((f"never.{name}", re.compile(pattern)) for name, pattern in _TABLE)


def named_refusal(address: str) -> str | None:
    """Return the rule that names what this decoded, lower-case `//host/path?query` would do, if any does."""
    return next((rule for rule, pattern in REFUSALS if pattern.search(address)), None)
