"""Shops of the user's own: the one place where carts and checkouts may be used."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import cached_property
from typing import Final

from windowshop.frozen import Frozen
from windowshop.safety.address import Asked, params_of, spelled_out
from windowshop.safety.layers import LAYERS, READS, allow, refuse
from windowshop.safety.policy import Policy, read
from windowshop.safety.refusals import named_refusal
from windowshop.safety.sandbox_file import SandboxShop
from windowshop.sandbox import Permission, SandboxPost, Writable
from windowshop.wire import Decision, Readable, Resource

_UNLOCKS: Final[dict[str, Permission]] = {
    "never.cart": "cart",
    "never.add-to-cart": "cart",
    "never.checkout": "checkout",
    "never.buy-now": "checkout",
}
"""Which named refusals an owner's permission lifts; all others (accounts, bids, reviews ...) stand."""
_SUBRESOURCES: frozenset[Resource] = frozenset({"image", "stylesheet", "font", "script"})


class SandboxPolicy(Frozen):
    """What may be asked of, and written in, one shop of the user's own."""

    shop: SandboxShop
    reading: Policy
    writable: tuple[Writable, ...] = ()

    @cached_property
    def digest(self) -> str:
        """Return a digest of the whole policy, as it is written into every run."""
        forms = [
            (w.name, w.needs, w.path, sorted(w.params.items()), sorted(w.fields.items()))
            for w in self.writable
        ]
        shop = (self.shop.origin, self.shop.address, sorted(self.shop.allow), self.shop.confirm)
        told = (shop, self.reading.digest, forms)
        return hashlib.sha256(repr(told).encode()).hexdigest()


def sandbox_policy(
    shop: SandboxShop, site: str, readable: Sequence[Readable], writable: Sequence[Writable] = ()
) -> SandboxPolicy:
    """Return the policy of one shop of the user's own, for the grammar of the adapter that reads it."""
    hosts = frozenset({shop.host})
    reading = Policy(site=site, hosts=hosts, readable=tuple(readable), origin=shop.origin)
    return SandboxPolicy(shop=shop, reading=reading, writable=tuple(writable))


def judge_sandbox(
    policy: SandboxPolicy, url: str, method: str = "GET", resource: Resource = "document"
) -> Decision:
    """Return the verdict on a request to a shop of the user's own. Pure; default deny.

    Read is what the adapter's grammar names, and what a page is made of; POST is for the paths of declared
    forms. What is named a cart or a checkout needs the owner's permission, whatever an adapter declares.
    """
    asked = read(url, method, resource)
    if isinstance(asked, Decision):
        return asked
    for name in ("userinfo", "origin", "spelling", "fragment"):
        decision = LAYERS[name](policy.reading, asked)
        if decision is not None:
            return decision
    locked = _locked(policy, asked)
    if locked is not None:
        return locked
    if method == "POST":
        return _judge_form(policy, asked)
    if method not in READS:
        return refuse("method", f"{method} could change something")
    if resource in _SUBRESOURCES:
        return allow("sandbox.asset", f"{resource} of a shop of your own")
    decisions = (LAYERS[name](policy.reading, asked) for name in ("resource", "path", "params", "page"))
    return next(filter(None, decisions), None) or refuse("default", "nothing allows it")


def judge_post(policy: SandboxPolicy, post: SandboxPost) -> Decision:
    """Return the verdict on a form, by its address and every field: each must be declared."""
    decision = judge_sandbox(policy, post.url, "POST")
    if not decision.allowed:
        return decision
    form = next((one for one in policy.writable if one.name == post.form), None)
    asked = read(post.url, "POST", "document")
    if form is None or isinstance(asked, Decision) or not _is_at(form, asked):
        return refuse("sandbox.form", f"{post.form} is not a form at this address")
    if form.needs not in policy.shop.allow:
        return refuse("sandbox.permission", f"the policy file does not allow {form.needs}")
    for name, value in post.fields:
        if name not in form.fields or re.fullmatch(form.fields[name], value) is None:
            return refuse("sandbox.field", f"the field {name} of {form.name} is not declared so")
    return allow(f"sandbox.{form.name}", f"a form of a shop of your own ({form.needs})")


def _locked(policy: SandboxPolicy, asked: Asked) -> Decision | None:
    rule = named_refusal(spelled_out(asked.parsed))
    if rule is None or _UNLOCKS.get(rule) in policy.shop.allow:
        return None
    needed = _UNLOCKS.get(rule)
    return refuse(rule, f"the policy file does not allow {needed}" if needed else "never, in any shop")


def _judge_form(policy: SandboxPolicy, asked: Asked) -> Decision:
    found = [form for form in policy.writable if _is_at(form, asked)]
    if not found:
        return refuse("sandbox.form", "not a form that the site's adapter declares")
    form = next((form for form in found if form.needs in policy.shop.allow), None)
    if form is None:
        return refuse("sandbox.permission", f"the policy file does not allow {found[0].needs}")
    return allow(f"sandbox.{form.name}", f"a form of a shop of your own ({form.needs})")


def _is_at(form: Writable, asked: Asked) -> bool:
    pairs = params_of(asked.parsed.search)
    return (
        pairs is not None
        and re.fullmatch(form.path, asked.parsed.pathname) is not None
        and all(name in form.params and re.fullmatch(form.params[name], value) for name, value in pairs)
    )
