"""Addresses that are never let out, whatever an adapter declares, with the name of what they would do.

The policy is default deny, so this table only names the reason; it also stops an adapter whose
grammar is too wide. Each expression is searched in `host/path?query`, decoded and in lower case.
"""

from __future__ import annotations

import re
from typing import Final

_TABLE: Final = (
    ("buy-now", r"/checkout/entry/buynow|/checkout/turbo-initiate|one-?click-?buy|\bbuynow=1|/gp/digital/"),
    ("checkout", r"/checkout/|/gp/buy/|/gp/checkoutportal|go-to-checkout|//(pay|checkout)\.[^/]*ebay|/rxo\b"),
    ("add-to-cart", r"handle-buy-box|add-to-cart|addtocart|/gp/aws/cart|smart-wagon|/sc/add|/cart/carts"),
    ("cart", r"/gp/cart|/cart/|//cart\.[^/]*ebay|/gp/item-dispatch"),
    ("buy-it-now", r"binconfirm|//offer\.ebay|/bfl/|ebayisapi\.dll\?.*\b(mb|makebid|bin|xoprocessor)"),
    ("bid", r"makebid|placebid|maxbid"),
    ("offer", r"/bo/|makeoffer"),
    ("watch", r"/myb/|watchlistadd"),
    ("wish-list", r"/hz/wishlist|/registry/|additemtolist"),
    ("subscribe", r"/auto-deliveries|rcx-subscribe|/gp/prime/pipeline|/hp/wlp/pipeline"),
    ("coupon", r"/promotion/redeem|addincentive"),
    ("review", r"/hz/reviews-render|/review/create|/fdbk/leave"),
    (
        "account",
        r"/a/addresses|/cpe/yourpayments|/gp/css/|/your-orders|/spr/returns|/customer-preferences/save",
    ),
    ("location", r"/hz/glow|/portal-migration|/gp/delivery/ajax"),
    ("sign-in", r"/ap/signin|/ap/register|//signin\.|sign-?out|/gp/flex/"),
    ("redirector", r"/gp/r\.html|/gp/redirect\.html|/sspa/click|//rover\.|/slredirect"),
    ("captcha", r"/errors/validatecaptcha|/splashui/"),
    ("sell", r"/sl/|/bfl/end"),
)

REFUSALS: Final = tuple((f"never.{name}", re.compile(pattern)) for name, pattern in _TABLE)


def named_refusal(address: str) -> str | None:
    """Return the rule that names what this decoded, lower-case `//host/path?query` would do, if any does."""
    return next((rule for rule, pattern in REFUSALS if pattern.search(address)), None)
