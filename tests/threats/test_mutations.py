"""A hundred thousand other spellings of what is refused: none of them is ever allowed."""

from __future__ import annotations

import os
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from urllib.parse import parse_qsl, urlsplit

import ada_url
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from threats.rows import ROWS

from windowshop.adapters import load_site
from windowshop.safety.layers import LAYERS
from windowshop.safety.policy import Policy, judge, judge_by, policy_for

MANY = 1_000_000 if os.environ.get("WINDOWSHOP_NIGHTLY") else 100_000
POLICIES: dict[str, Policy] = {
    site: policy_for(site, "us", tuple(load_site(site).readable)) for site in ("amazon", "ebay")
}
DENIED = [
    (case.site, case.url)
    for row in ROWS
    for case in row.cases
    if case.method == "GET" and case.resource == "document" and not case.rule.startswith("read.")
]
ALLOWED = (
    ("amazon", "https://www.amazon.com/dp/B000000001"),
    ("amazon", "https://www.amazon.com/dp/B000000001?th=1&psc=1"),
    ("amazon", "https://www.amazon.com/s?k=caf%C3%A9+%2Fgp%2Fbuy&page=2"),
    ("amazon", "https://www.amazon.com/robots.txt"),
    ("ebay", "https://www.ebay.com/itm/123456789012?var=123456789013"),
    ("ebay", "https://www.ebay.com/sch/i.html?_nkw=x"),
)
HOSTS = sorted({ada_url.URL(url).hostname for _, url in DENIED if ada_url.check_url(url)} - {""})
MARKS = (
    *("/./", "/../", "/x/../", "//", "/", ";", ";x=/dp/B000000001", "?", "?k=", "#", "#/dp/B000000001", "&"),
    *(
        "&k=x",
        "\\",
        "\t",
        "\n",
        "\r\n",
        " ",
        "@",
        "x:y@",
        ":443",
        ":444",
        ".",
        "%",
        "%00",
        "%2f",
        "%5c",
        "%25",
    ),
    *(
        "%2e%2e/",
        "%c0%ae",
        "\u200b",
        "\u202e",
        "\u3002",
        "\uff0f",
        "\uff0e",
        "\u0430",
        "ß",
        "İ",
        "/ref=x",
        "*",
    ),
)
Mutate = Callable[[random.Random, str], str]


def _somewhere(lot: random.Random, url: str) -> int:
    return lot.randrange(len(url) + 1)


def case(lot: random.Random, url: str) -> str:
    return "".join(sign.swapcase() if lot.random() < 0.3 else sign for sign in url)


def encode(lot: random.Random, url: str) -> str:
    start = lot.randrange(len(url))
    return url[:start] + "".join(f"%{byte:02x}" for byte in url[start].encode()) + url[start + 1 :]


def encode_twice(lot: random.Random, url: str) -> str:
    return encode(lot, url).replace("%", "%25") if lot.random() < 0.5 else encode(lot, encode(lot, url))


def decode(lot: random.Random, url: str) -> str:
    return re.sub(r"%([2-7][0-9A-Fa-f])", lambda found: chr(int(found.group(1), 16)), url)


def mark(lot: random.Random, url: str) -> str:
    at = _somewhere(lot, url)
    return url[:at] + lot.choice(MARKS) + url[at:]


def segment(lot: random.Random, url: str) -> str:
    at = url.find("/", 8)
    words = ("dp", "B000000001", "s", "itm", "123456789012", "..", ".", "ref=x", "-", "es", "sch", "gp")
    return url if at < 0 else f"{url[:at]}/{lot.choice(words)}{url[at:]}"


def another_host(lot: random.Random, url: str) -> str:
    return re.sub(r"://[^/?#]*", lambda _: f"://{lot.choice(HOSTS)}", url, count=1)


def dressed_host(lot: random.Random, url: str) -> str:
    dress = lot.choice(
        ("{}.", "{}.evil.test", "evil.test@{}", "{}@evil.test", "{}:444", "{}:80", "x.{}", "[{}]")
    )
    return re.sub(r"://([^/?#]*)", lambda found: f"://{dress.format(found.group(1))}", url, count=1)


def another_scheme(lot: random.Random, url: str) -> str:
    return (
        lot.choice(("http", "HTTPS", "ftp", "ws", "wss", "file", "data", "view-source:https", "")) + url[5:]
    )


def sign(lot: random.Random, url: str) -> str:
    at = lot.randrange(len(url))
    return url[:at] + chr(lot.choice((lot.randrange(32), lot.randrange(0x80, 0x3000), 0x1F600))) + url[at:]


MUTATIONS: Sequence[Mutate] = (
    *(case, encode, encode_twice, decode, mark, segment, another_host, dressed_host, another_scheme, sign),
)


def mutated(lot: random.Random, url: str, times: int) -> str:
    for _ in range(times):
        url = lot.choice(MUTATIONS)(lot, url) or "x"
    return url


def is_a_page_that_is_read(site: str, url: str) -> bool:
    """Say by other means than the policy's own whether an address is one of the pages that adapters read."""
    parts = urlsplit(url)
    names = {name for name, _ in parse_qsl(parts.query, keep_blank_values=True)}
    if parts.fragment or parts.scheme != "https" or not url.isascii():
        return False
    if parts.path == "/robots.txt":
        return not parts.query and parts.netloc in ("www.amazon.com", "www.ebay.com")
    if site == "amazon":
        return parts.netloc == "www.amazon.com" and (
            (parts.path == "/s" and names <= {"k", "page"})
            or (re.fullmatch("/dp/[A-Z0-9]{10}", parts.path) is not None and names <= {"th", "psc"})
        )
    if parts.netloc == "www.ebay.com":
        return (parts.path == "/sch/i.html" and names <= {"_nkw", "_pgn"}) or (
            re.fullmatch("/itm/[0-9]{9,15}", parts.path) is not None and names <= {"var"}
        )
    return parts.netloc in ("vi.vipr.ebaydesc.com", "itm.ebaydesc.com") and "/itmdesc/" in parts.path


def test_no_other_spelling_of_what_is_refused_is_ever_allowed() -> None:
    lot = random.Random(4)
    rules: Counter[str] = Counter()
    for _ in range(MANY):
        site, url = lot.choice(DENIED)
        other = mutated(lot, url, lot.randint(1, 4))
        decision = judge(POLICIES[site], other)
        rules[decision.rule] += 1
        # a mutation can take the harm out of an address: x&buyNow=1 becomes words to search for
        assert not decision.allowed or is_a_page_that_is_read(site, other), (url, other, decision)
    assert len(rules) > 25, "the mutations reach most of the rules"
    assert sum(count for rule, count in rules.items() if rule.startswith("read.")) < MANY / 500


@pytest.mark.parametrize("layer", ["userinfo", "scheme", "port", "spelling", "fragment", "path", "params"])
def test_the_mutations_would_find_a_layer_that_is_missing(layer: str) -> None:
    lot = random.Random(4)
    left = {name: function for name, function in LAYERS.items() if name != layer}
    seeds = DENIED + list(ALLOWED) * 10
    for _ in range(MANY):
        site, url = lot.choice(seeds)
        other = mutated(lot, url, lot.randint(1, 4))
        decision = judge_by(left, POLICIES[site], other, "GET", "document")
        if decision.allowed and not is_a_page_that_is_read(site, other):
            return
    raise AssertionError(f"{MANY} mutations found no way through without {layer}")


@settings(max_examples=300, deadline=None)
@given(some.sampled_from(DENIED), some.integers(0, 2**32), some.integers(1, 8))
def test_the_smallest_spelling_that_is_allowed_is_a_page(
    denied: tuple[str, str], seed: int, times: int
) -> None:
    site, url = denied
    other = mutated(random.Random(seed), url, times)
    assert not judge(POLICIES[site], other).allowed or is_a_page_that_is_read(site, other)


@given(
    some.sampled_from(["amazon", "ebay"]),
    some.text(max_size=80),
    some.sampled_from(["/", "/s?k=", "/dp/", "/itm/"]),
)
def test_what_is_allowed_is_a_page_that_is_read(site: str, text: str, start: str) -> None:
    for url in (text, f"https://www.{site}.com{start}{text}", f"https://{text}/dp/B000000001"):
        assert not judge(POLICIES[site], url).allowed or is_a_page_that_is_read(site, url)


@given(some.sampled_from(ALLOWED), some.integers(0, 2**32), some.integers(0, 4))
def test_what_is_allowed_is_closed_under_canonicalisation(
    allowed: tuple[str, str], seed: int, times: int
) -> None:
    """An address that is allowed is its own canonical spelling; no other spelling of it is allowed."""
    site, url = allowed
    other = mutated(random.Random(seed), url, times)
    assert judge(POLICIES[site], url).allowed
    if judge(POLICIES[site], other).allowed:
        canonical = ada_url.URL(other).href
        assert canonical == other
        assert judge(POLICIES[site], canonical).allowed
