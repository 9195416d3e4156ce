"""The one pure policy: may this request leave? Every transport and every hop asks the same function."""

from __future__ import annotations

import hashlib
import ipaddress
import re
from functools import cached_property, lru_cache
from urllib.parse import unquote

import ada_url

from windowshop.errors import ConfigError
from windowshop.frozen import Frozen
from windowshop.locales import ASSET_HOSTS, DESCRIPTION_HOSTS, LOCALES
from windowshop.safety.refusals import named_refusal
from windowshop.wire import Decision, Readable, Resource

MAX_URL = 2000
_FREE_TEXT = frozenset({"k", "_nkw"})
_ASSETS = frozenset({"image", "stylesheet", "font"})
_PLAIN = re.compile(r"[!-~]+")
_ENCODED_STRUCTURE = re.compile(r"%(2f|5c|00|25|3b|0[0-9a-f]|1[0-9a-f]|7f)", re.IGNORECASE)
_ENCODED_PLAIN = re.compile(r"%(2d|2e|5f|7e|3[0-9]|[46][1-9a-f]|[57][0-9a])", re.IGNORECASE)


class Policy(Frozen):
    """What one site may be asked for. `hosts` are frozen per site; an adapter cannot add to them.

    `origin` is set for a server of the user's own: its scheme, address and port, and no other.
    """

    site: str
    hosts: frozenset[str]
    assets: frozenset[str] = frozenset()
    readable: tuple[Readable, ...]
    origin: str | None = None

    @cached_property
    def digest(self) -> str:
        """Return a digest of the whole policy, as it is written into every run."""
        hosts = [sorted(self.hosts), sorted(self.assets)]
        shapes = [(r.name, sorted(r.hosts), r.path, sorted(r.params.items())) for r in self.readable]
        return hashlib.sha256(repr((self.site, self.origin, hosts, shapes)).encode()).hexdigest()


def policy_for(site: str, locale: str, readable: tuple[Readable, ...]) -> Policy:
    """Return the policy of a built-in shop: its own host from the frozen table, and nothing else.

    Raises `ConfigError` for a site that the table does not know: its hosts are nobody's to allow yet.
    """
    table = LOCALES.get(site)
    if table is None or locale not in table:
        raise ConfigError(f"no policy for site {site!r} ({locale}); known sites: {', '.join(LOCALES)}")
    hosts = frozenset({table[locale].host}) | DESCRIPTION_HOSTS[site]
    return Policy(site=site, hosts=hosts, assets=ASSET_HOSTS[site], readable=readable)


def own_policy(site: str, base_url: str, readable: tuple[Readable, ...]) -> Policy:
    """Return the policy of a server of the user's own, at a loopback or private address.

    Raises `ConfigError` for any other address, so that no option can point it at a real shop.
    """
    parsed = _parse(base_url)
    if parsed is None or parsed.protocol not in ("http:", "https:"):
        raise ConfigError(f"not an address of a server: {base_url!r}; write http://127.0.0.1:3000")
    if parsed.username or parsed.pathname != "/" or parsed.search or parsed.hash:
        raise ConfigError(f"only scheme, host and port belong in {base_url!r}; write http://127.0.0.1:3000")
    if not _is_own(parsed.hostname):
        raise ConfigError(
            f"{parsed.hostname} is not a server of your own: give a loopback or private address"
        )
    return Policy(site=site, hosts=frozenset({parsed.hostname}), readable=readable, origin=parsed.origin)


def _is_own(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    return address.is_loopback or (address.is_private and not address.is_link_local)


def judge(policy: Policy, url: str, method: str = "GET", resource: Resource = "document") -> Decision:
    """Return the verdict on one request, with the rule and the reason. Pure; default deny.

    Allowed are GET and HEAD over https on port 443, in canonical spelling, to an exact host, of a path and
    with query parameters that the adapter's grammar names; pictures, styles and fonts from asset hosts; and
    the host's robots.txt.
    """
    if method not in ("GET", "HEAD"):
        return _refuse("method", f"{method} could change something")
    if len(url) > MAX_URL:
        return _refuse("url.length", f"longer than {MAX_URL} characters")
    if not _PLAIN.fullmatch(url) or "\\" in url:
        return _refuse("url.characters", "control, blank, backslash or non-ASCII characters")
    parsed = _parse(url)
    if parsed is None:
        return _refuse("url.unparsable", "not an absolute address")
    return _judge_parsed(policy, url, parsed, resource)


def _judge_parsed(policy: Policy, url: str, parsed: ada_url.URL, resource: Resource) -> Decision:
    host, path = parsed.hostname, parsed.pathname
    named = named_refusal(_spelled_out(parsed))
    if named is not None:
        return _refuse(named, "never requested, whoever asks")
    if parsed.username or parsed.password:
        return _refuse("url.userinfo", "user information in the address")
    if policy.origin is not None:
        return _judge_own(policy, url, parsed, resource)
    if parsed.protocol != "https:":
        return _refuse("url.scheme", f"{parsed.protocol} is not https:")
    if parsed.port:
        return _refuse("url.port", f"port {parsed.port} is not 443")
    if resource in _ASSETS and host in policy.assets and parsed.href == url:
        return Decision(verdict="allow", rule="asset", reason=f"{resource} of {policy.site}")
    if host not in policy.hosts:
        return _refuse("host", f"{host} is not a host of {policy.site}")
    if parsed.href != url or ";" in url or "//" in path or _ENCODED_STRUCTURE.search(path):
        return _refuse("url.canonical", "not in canonical spelling")
    if _ENCODED_PLAIN.search(path):
        return _refuse("url.canonical", "plain characters are percent-encoded")
    if parsed.hash:
        return _refuse("url.fragment", "a fragment")
    if resource != "document":
        return _refuse("resource", f"{resource} from the shop itself")
    if path == "/robots.txt" and not parsed.search:
        return Decision(verdict="allow", rule="robots", reason="the site's rules for robots")
    return _judge_shape(policy, host, path, parsed.search)


def _judge_own(policy: Policy, url: str, parsed: ada_url.URL, resource: Resource) -> Decision:
    """Judge a request to the user's own server: its exact origin, and what the adapter reads there."""
    if parsed.origin != policy.origin:
        return _refuse("origin", f"{parsed.origin} is not {policy.origin}")
    if parsed.href != url or "//" in parsed.pathname:
        return _refuse("url.canonical", "not in canonical spelling")
    if parsed.hash:
        return _refuse("url.fragment", "a fragment")
    if resource != "document":
        return _refuse("resource", f"{resource} from the shop itself")
    return _judge_shape(policy, parsed.hostname, parsed.pathname, parsed.search)


def _judge_shape(policy: Policy, host: str, path: str, search: str) -> Decision:
    shapes = [shape for shape in policy.readable if host in shape.hosts and re.fullmatch(shape.path, path)]
    if not shapes:
        return _refuse("path", "not an address that the site's adapter reads")
    params = list(ada_url.URLSearchParams(search).items())
    if len({name for name, _ in params}) != len(params):
        return _refuse("params", "a query parameter is given twice")
    for shape in shapes:
        if all(name in shape.params and re.fullmatch(shape.params[name], value) for name, value in params):
            return Decision(verdict="allow", rule=f"read.{shape.name}", reason="a page that is only read")
    strange = [name for name, _ in params if name not in shapes[0].params]
    return _refuse("params", f"query parameters outside the grammar: {', '.join(strange) or 'bad value'}")


def _spelled_out(parsed: ada_url.URL) -> str:
    """Return host, path and query decoded and in lower case; what a shopper searches for left out."""
    pairs = ada_url.URLSearchParams(parsed.search).items()
    query = "&".join(f"{name}={value}" for name, value in pairs if name not in _FREE_TEXT)
    return unquote(unquote(f"//{parsed.hostname}{parsed.pathname}?{query}")).lower()


@lru_cache(maxsize=512)
def _parse(url: str) -> ada_url.URL | None:
    try:
        return ada_url.URL(url)
    except ValueError:
        return None


def _refuse(rule: str, reason: str) -> Decision:
    return Decision(verdict="refuse", rule=rule, reason=reason)
