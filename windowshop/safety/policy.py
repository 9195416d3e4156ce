"""The one pure policy: may this request leave? Every transport and every hop asks the same function."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cached_property

from windowshop.errors import ConfigError
from windowshop.frozen import Frozen
from windowshop.locales import ASSET_HOSTS, DESCRIPTION_HOSTS, LOCALES
from windowshop.safety.address import Asked, is_own, is_plain, parse
from windowshop.safety.layers import LAYERS, Layer, refuse
from windowshop.wire import Decision, Readable, Resource

MAX_URL = 2000
PICTURES: frozenset[Resource] = frozenset({"image", "stylesheet", "font"})


class Policy(Frozen):
    """What one site may be asked for. `hosts` are frozen per site; an adapter cannot add to them.

    `assets` are hosts that are asked for `asset_kinds` and nothing else. `origin` is set for a server of
    the user's own: its scheme, address and port, and no other but those in `also`.
    """

    site: str
    hosts: frozenset[str]
    assets: frozenset[str] = frozenset()
    asset_kinds: frozenset[Resource] = PICTURES
    readable: tuple[Readable, ...]
    origin: str | None = None
    also: frozenset[str] = frozenset()

    @cached_property
    def digest(self) -> str:
        """Return a digest of the whole policy, as it is written into every run."""
        hosts = [sorted(self.hosts), sorted(self.assets), sorted(self.asset_kinds)]
        shapes = [(r.name, sorted(r.hosts), r.path, sorted(r.params.items())) for r in self.readable]
        return hashlib.sha256(
            repr((self.site, self.origin, sorted(self.also), hosts, shapes)).encode()
        ).hexdigest()


def policy_for(site: str, locale: str, readable: tuple[Readable, ...], scripts: bool = False) -> Policy:
    """Return the policy of a built-in shop: its own host from the frozen table, and nothing else.

    With `scripts`, for a browser that runs them, the asset hosts may serve those too; the shop's own host
    never does. Raises `ConfigError` for a site that the table does not know: its hosts are nobody's to
    allow yet.
    """
    table = LOCALES.get(site)
    if table is None or locale not in table:
        raise ConfigError(
            f"no policy for site {site!r} ({locale}); known sites: {', '.join(LOCALES)}; a shop of your own "
            "needs its address: --base-url http://127.0.0.1:8000"
        )
    return Policy(
        site=site,
        hosts=frozenset({table[locale].host}) | DESCRIPTION_HOSTS[site],
        assets=ASSET_HOSTS[site],
        asset_kinds=PICTURES | {"script"} if scripts else PICTURES,
        readable=readable,
    )


def own_policy(site: str, base_url: str, readable: tuple[Readable, ...]) -> Policy:
    """Return the policy of a server of the user's own at a private address, or of several, by commas.

    Raises `ConfigError` for any other address, so that no option can point it at a real shop.
    """
    own = [own_origin(address) for address in base_url.split(",")]
    for host, _ in own:
        if not is_own(host):
            raise ConfigError(f"{host} is not a server of your own: give a loopback or private address")
    hosts, origins = frozenset(host for host, _ in own), [origin for _, origin in own]
    return Policy(site=site, hosts=hosts, readable=readable, origin=origins[0], also=frozenset(origins[1:]))


def own_origin(base_url: str) -> tuple[str, str]:
    """Return host and origin of an address that has nothing else; raise `ConfigError` for any other."""
    parsed = parse(base_url)
    if parsed is None or parsed.protocol not in ("http:", "https:"):
        raise ConfigError(f"not an address of a server: {base_url!r}; write http://127.0.0.1:3000")
    if parsed.username or parsed.password or parsed.pathname != "/" or parsed.search or parsed.hash:
        raise ConfigError(f"only scheme, host and port belong in {base_url!r}; write http://127.0.0.1:3000")
    return parsed.hostname, parsed.origin


def judge(policy: Policy, url: str, method: str = "GET", resource: Resource = "document") -> Decision:
    """Return the verdict on one request, with the rule and the reason. Pure; default deny.

    "allow": GET and HEAD over https on port 443, in canonical spelling, to an exact host, of a path and with
    query parameters that the adapter's grammar names; pictures, styles and fonts from asset hosts; and the
    host's robots.txt. "intercept": a purchase by its address (`refusals.PURCHASES`), which is to be recorded
    as one and answered here; it is as closed as a refusal, and nothing leaves. "refuse": all else.
    """
    return judge_by(LAYERS, policy, url, method, resource)


def judge_by(
    layers: Mapping[str, Layer], policy: Policy, url: str, method: str, resource: Resource
) -> Decision:
    """Ask each layer in turn; the first that answers decides, and what none answers for is refused."""
    asked = read(url, method, resource)
    if isinstance(asked, Decision):
        return asked
    answers = (layer(policy, asked) for layer in layers.values())
    return next(filter(None, answers), None) or refuse("default", "nothing allows it")


def read(url: str, method: str, resource: Resource) -> Asked | Decision:
    """Return the request as a browser reads it, or the refusal of what it could not read for certain."""
    if len(url) > MAX_URL:
        return refuse("url.length", f"longer than {MAX_URL} characters")
    if not is_plain(url):
        return refuse("url.characters", "control, blank, backslash, non-ASCII or non-UTF-8 characters")
    parsed = parse(url)
    if parsed is None:
        return refuse("url.unparsable", "not an absolute address")
    return Asked(url, parsed, method, resource)
