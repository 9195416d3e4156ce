"""Each threat by its id: the addresses that belong to it, judged as live requests are."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as some
from threats.row import Case
from threats.rows import COUNTS, ROWS

from windowshop.actions import ToResults
from windowshop.adapters import load_site
from windowshop.demo.hostile_vectors import VECTORS
from windowshop.safety.policy import Policy, judge, policy_for
from windowshop.safety.refusals import PURCHASES, REFUSALS
from windowshop.wire import Readable, Resource

CASES = [(row.id, case) for row in ROWS for case in row.cases]


@cache
def policy(site: str) -> Policy:
    return policy_for(site, "us", tuple(load_site(site).readable))


@cache
def greedy(site: str) -> Policy:
    """Return the policy of an adapter that claims to read whatever there is, wherever."""
    hosts = policy(site).hosts | {"data.amazon.com", "pay.ebay.com", "evil.test"}
    names = re.findall(r"[?&]([\w.]+)=", " ".join(case.url for _, case in CASES))
    return policy_for(
        site, "us", (Readable(name="all", hosts=hosts, path=".*", params=dict.fromkeys(names, ".*")),)
    )


def test_every_threat_has_a_row_and_each_row_is_shown() -> None:
    assert Counter(re.sub(r"\d+", "", row.id) for row in ROWS) == COUNTS
    assert len(ROWS) == len({row.id for row in ROWS}) == 109
    tried = {vector.threat for vector in VECTORS}
    assert tried <= {row.id for row in ROWS}
    assert [row.id for row in ROWS if not (row.cases or row.tests or row.id in tried or row.why)] == []


@pytest.mark.parametrize(("threat", "case"), CASES, ids=[f"{name}-{n}" for n, (name, _) in enumerate(CASES)])
def test_it_stays_here_by_its_rule(threat: str, case: Case) -> None:
    assert case.resource in get_args(Resource)
    decision = judge(policy(case.site), case.url, case.method, case.resource)  # type: ignore[arg-type]
    assert decision.rule == case.rule, decision
    assert decision.allowed == case.rule.startswith("read.")
    if case.rule.startswith("never."):
        wide = judge(greedy(case.site), case.url, case.method, case.resource)  # type: ignore[arg-type]
        assert (wide.allowed, wide.rule) == (False, case.rule)


@pytest.mark.parametrize("rule", sorted({rule for rule, _ in REFUSALS}))
def test_each_named_refusal_is_shown_by_a_threat(rule: str) -> None:
    assert rule in {case.rule for _, case in CASES}


@pytest.mark.parametrize("rule", sorted(PURCHASES))
def test_each_purchase_is_intercepted_where_it_is_one(rule: str) -> None:
    urls = [(case.site, case.url) for _, case in CASES if case.rule == rule]
    assert urls
    for site, url in urls:
        assert judge(policy(site), url).verdict == "intercept"
        assert judge(policy(site), url, "POST", "other").verdict == "intercept"
        assert judge(policy(site), url, "GET", "xhr").verdict == "intercept"
        assert judge(policy(site), url, "GET", "image").verdict == "refuse"
        assert judge(policy(site), url, "CONNECT", "other").verdict == "refuse"


@pytest.mark.parametrize("site", ["amazon", "ebay"])
@given(words=some.text(max_size=600))
def test_any_words_become_one_parameter(site: str, words: str) -> None:
    adapter = load_site(site)
    url = adapter.request(ToResults(query=words)).url
    assert judge(policy(site), url).rule == "read.results"
    assert url.count("&") == 0
