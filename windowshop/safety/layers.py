"""The layers of the policy, outermost first. Each answers for one kind of threat, or passes on with None.

Every layer is needed: with any one of them gone, a threat of docs/safety.md comes through, which
tests/threats/test_layers.py shows for each.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from windowshop.safety.address import Asked, is_canonical, params_of, spelled_out
from windowshop.safety.refusals import PURCHASES, named_refusal
from windowshop.wire import Decision, Readable

if TYPE_CHECKING:
    from windowshop.safety.policy import Policy

READS: Final = frozenset({"GET", "HEAD"})
WRITES: Final = frozenset({"POST", "PUT", "PATCH"})


def named(policy: Policy, asked: Asked) -> Decision | None:
    """Name what must never be asked, whatever an adapter declares; a purchase is intercepted.

    Hosts that serve only pictures and styles are passed on, as their file names mean nothing; and so is a
    server of the user's own, as the simulator puts the words of a search into its paths.
    """
    if policy.origin is not None or asked.parsed.hostname in policy.assets:
        return None
    rule = named_refusal(spelled_out(asked.parsed))
    if rule is None:
        return None
    if rule in PURCHASES and (asked.method in WRITES or asked.resource in ("document", "xhr")):
        return Decision(verdict="intercept", rule=rule, reason="a purchase: recorded, and not sent")
    return refuse(rule, "never requested, whoever asks")


def method(policy: Policy, asked: Asked) -> Decision | None:
    """Refuse all but reading."""
    return None if asked.method in READS else refuse("method", f"{asked.method} could change something")


def userinfo(policy: Policy, asked: Asked) -> Decision | None:
    """Refuse names and passwords in an address."""
    if asked.parsed.username or asked.parsed.password:
        return refuse("url.userinfo", "user information in the address")
    return None


def origin(policy: Policy, asked: Asked) -> Decision | None:
    """Hold a server of the user's own to its exact scheme, address and port."""
    if policy.origin is None or asked.parsed.origin in {policy.origin, *policy.also}:
        return None
    return refuse("origin", f"{asked.parsed.origin} is not {policy.origin}")


def scheme(policy: Policy, asked: Asked) -> Decision | None:
    """Refuse all but https at a real shop."""
    if policy.origin is not None or asked.parsed.protocol == "https:":
        return None
    return refuse("url.scheme", f"{asked.parsed.protocol} is not https:")


def port(policy: Policy, asked: Asked) -> Decision | None:
    """Refuse all but port 443 at a real shop."""
    if policy.origin is not None or not asked.parsed.port:
        return None
    return refuse("url.port", f"port {asked.parsed.port} is not 443")


def host(policy: Policy, asked: Asked) -> Decision | None:
    """Refuse every host but the exact ones of the policy; no adapter can add to them."""
    name = asked.parsed.hostname
    if name in policy.hosts or name in policy.assets:
        return None
    return refuse("host", f"{name} is not a host of {policy.site}")


def spelling(policy: Policy, asked: Asked) -> Decision | None:
    """Refuse every spelling but the one in which a browser writes the address.

    A server of the user's own may have encoded characters in its paths; the simulator does.
    """
    is_loose = policy.origin is not None or asked.parsed.hostname in policy.assets
    fits = (
        asked.parsed.href == asked.url and "//" not in asked.parsed.pathname
        if is_loose
        else is_canonical(asked.url, asked.parsed)
    )
    return None if fits else refuse("url.canonical", "not in canonical spelling")


def fragment(policy: Policy, asked: Asked) -> Decision | None:
    """Refuse fragments: pages of scripts are steered by them."""
    return refuse("url.fragment", "a fragment") if asked.parsed.hash else None


def asset(policy: Policy, asked: Asked) -> Decision | None:
    """Allow a page's pictures, styles and fonts from the hosts that serve nothing else."""
    if asked.parsed.hostname not in policy.assets:
        return None
    if asked.resource in policy.asset_kinds:
        return allow("asset", f"{asked.resource} of {policy.site}")
    return refuse("host", f"{asked.parsed.hostname} serves no {asked.resource} to us")


def resource(policy: Policy, asked: Asked) -> Decision | None:
    """Refuse what a shop's own host is asked for besides pages: scripts, background calls, pictures."""
    if asked.resource == "document":
        return None
    return refuse("resource", f"{asked.resource} from the shop itself")


def robots(policy: Policy, asked: Asked) -> Decision | None:
    """Allow a real shop's rules for robots."""
    if policy.origin is None and asked.parsed.pathname == "/robots.txt" and not asked.parsed.search:
        return allow("robots", "the site's rules for robots")
    return None


def path(policy: Policy, asked: Asked) -> Decision | None:
    """Refuse every path but those that the adapter's grammar matches in full."""
    if any(_has_path(shape, asked) for shape in policy.readable):
        return None
    return refuse("path", "not an address that the site's adapter reads")


def params(policy: Policy, asked: Asked) -> Decision | None:
    """Refuse every query parameter but those that the grammar of the path names, each at most once."""
    pairs = params_of(asked.parsed.search)
    if pairs is None:
        return refuse("params", "query parameters that are not plainly named")
    if len({name for name, _ in pairs}) != len(pairs):
        return refuse("params", "a query parameter is given twice")
    if not pairs:
        return None
    shapes = [shape for shape in policy.readable if _has_path(shape, asked)]
    if any(_takes(shape, pairs) for shape in shapes):
        return None
    known = {name for shape in shapes for name in shape.params}
    strange = [name for name, _ in pairs if name not in known]
    return refuse("params", f"query parameters outside the grammar: {', '.join(strange) or 'bad value'}")


def page(policy: Policy, asked: Asked) -> Decision | None:
    """Allow what every layer before has passed on, under the name of its shape."""
    pairs = params_of(asked.parsed.search) or []
    shapes = (shape for shape in policy.readable if _has_path(shape, asked) and _takes(shape, pairs))
    return allow(f"read.{next((shape.name for shape in shapes), 'page')}", "a page that is only read")


def _has_path(shape: Readable, asked: Asked) -> bool:
    parsed = asked.parsed
    return parsed.hostname in shape.hosts and re.fullmatch(shape.path, parsed.pathname) is not None


def _takes(shape: Readable, pairs: list[tuple[str, str]]) -> bool:
    return all(name in shape.params and re.fullmatch(shape.params[name], value) for name, value in pairs)


def allow(rule: str, reason: str) -> Decision:
    """Return the verdict that lets a request out."""
    return Decision(verdict="allow", rule=rule, reason=reason)


def refuse(rule: str, reason: str) -> Decision:
    """Return the verdict that holds a request back."""
    return Decision(verdict="refuse", rule=rule, reason=reason)


Layer = Callable[["Policy", Asked], Decision | None]

LAYERS: Final = MappingProxyType(
    {
        layer.__name__: layer
        for layer in (
            named, method, userinfo, origin, scheme, port, host, spelling, fragment, asset, resource, robots,
            path, params, page,
        )
    }
)  # fmt: skip
"""The layers by name, in the order in which they are asked."""
