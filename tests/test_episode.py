"""An agent in the demo shop over real TLS: what it may do, what is kept, and that nothing is ever bought."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from windowshop.adapters import load_site
from windowshop.demo import Shop
from windowshop.episodes import Task
from windowshop.journal import Journal, read_journal
from windowshop.runs.episode import Episode
from windowshop.runs.play import Ending, play
from windowshop.runs.stack import Origin, open_transport
from windowshop.runs.visit import Visitor
from windowshop.safety.guard import Guard
from windowshop.safety.policy import policy_for
from windowshop.transports.last_hop import LastHop
from windowshop.views import Observation

SITES = ["amazon", "ebay"]


class Says:
    """Answer the given actions one after the other, then the last one forever."""

    def __init__(self, *actions: Any) -> None:
        self.actions = list(actions)
        self.seen: list[Observation] = []

    def act(self, observation: Observation) -> Any:
        self.seen.append(observation)
        action = self.actions.pop(0) if len(self.actions) > 1 else self.actions[0]
        if isinstance(action, Exception):
            raise action
        return action(observation) if callable(action) else action


def after(mark: str, place: int = 1) -> Callable[[Observation], str]:
    """Click what stands `place` places after `mark` among the clickables."""

    def pick(observation: Observation) -> str:
        names = observation.available_actions.clickables
        return f"click[{names[names.index(mark) + place]}]"

    return pick


first = after("next >")
first_option = after("buy now")


def last(observation: Observation) -> str:
    return f"click[{observation.available_actions.clickables[-1]}]"


@contextmanager
def shopping(shop: Shop, site_name: str, folder: Path) -> Iterator[Episode]:
    site = load_site(site_name)
    guard = Guard(policy_for(site_name, "us", tuple(site.readable)), Journal(folder / "audit.jsonl"))
    host, port = shop.address
    origin = Origin(last_hop=LastHop(host=host, port=port, ca_pem=shop.ca_pem))
    with open_transport("http", origin, site, guard, folder, None) as transport:
        visitor = Visitor(site, guard, transport, folder)
        task = Task(id="0", instruction="a kettle")
        steps, purchases = Journal(folder / "steps.jsonl"), Journal(folder / "purchases.jsonl")
        yield Episode(task, "episode", visitor, guard, steps, purchases)


def shop_with(shop: Shop, site: str, folder: Path, agent: Any, max_steps: int = 15) -> Ending:
    with shopping(shop, site, folder) as episode:
        return play(episode, agent, max_steps)


@pytest.fixture
def shop() -> Iterator[Shop]:
    with Shop() as running:
        yield running
        assert not running.harm, "the shop was asked to sell"


@pytest.mark.parametrize("site", SITES)
def test_a_purchase_is_intercepted_with_its_evidence(shop: Shop, site: str, tmp_path: Path) -> None:
    ending = shop_with(
        shop, site, tmp_path, Says("search[kettle]", first, first_option, last, "click[buy now]")
    )
    assert ending.outcome == "intercepted"
    steps = list(read_journal(tmp_path / "steps.jsonl"))
    [intent] = read_journal(tmp_path / "purchases.jsonl")
    assert intent["dry_run"] is True
    assert intent["chosen"], "the agent had chosen an option"
    assert set(intent["chosen"].values()) <= {value.lower() for value in intent["options"].values()}
    assert intent["title"] in steps[2]["observation"]
    assert intent["unit_price"]["amount"] > 0
    assert (intent["quantity"], intent["currency"]) == (1, "USD")
    assert intent["page_digest"] == steps[-1]["page_digest"]
    assert intent["variant_id"]
    assert intent["seller"]
    assert [step["done"] for step in steps] == [False] * 5 + [True]


@pytest.mark.parametrize("site", SITES)
def test_every_tab_and_page_can_be_read(shop: Shop, site: str, tmp_path: Path) -> None:
    agent = Says(
        *("search[shirt]", "click[next >]", "click[< prev]", first, "click[description]", "click[< prev]"),
        *("click[features]", "click[< prev]", "click[reviews]", "click[< prev]", "click[< prev]"),
        *("click[next >]", "click[next >]", "click[back to search]", "click[buy now]"),
    )
    ending = shop_with(shop, site, tmp_path, agent)
    assert ending.outcome == "step_limit"
    steps = list(read_journal(tmp_path / "steps.jsonl"))
    assert [step["decision"] for step in steps[1:]] == ["allow action.read"] * 14 + ["no-op"]
    assert (
        len(steps[5]["observation"]) > len("Instruction:\na kettle\n[button] Back to Search [button_]\n") + 50
    )
    assert {step["visits"] for step in steps} == {0, 1}


@pytest.mark.parametrize("site", SITES)
def test_nonsense_changes_nothing_and_ends_at_the_step_limit(shop: Shop, site: str, tmp_path: Path) -> None:
    ending = shop_with(shop, site, tmp_path, Says("buy it all", "click[nothing]", "search[]", "\x00", ""))
    assert ending.outcome == "step_limit"
    steps = list(read_journal(tmp_path / "steps.jsonl"))
    assert len(steps) == 16
    assert {step["observation"] for step in steps} == {steps[0]["observation"]}
    assert {step["decision"] for step in steps[1:]} == {"no-op"}
    assert all(step["note"] for step in steps[1:])
    assert not shop.counters


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (RuntimeError("out of memory"), "the agent raised RuntimeError: out of memory"),
        (None, "the agent answered a NoneType, not a string"),
        (7, "the agent answered a int, not a string"),
    ],
)
def test_a_failing_agent_ends_its_episode_with_its_own_words(
    shop: Shop, tmp_path: Path, answer: Any, reason: str
) -> None:
    assert shop_with(shop, "amazon", tmp_path, Says(answer)) == Ending(outcome="agent_error", reason=reason)


@pytest.mark.parametrize("site", SITES)
def test_a_challenge_with_status_200_is_an_outcome_and_is_not_hammered(site: str, tmp_path: Path) -> None:
    with Shop(challenge_word="robot") as shop:
        ending = shop_with(shop, site, tmp_path, Says("search[robot]"))
        assert ending.outcome in ("blocked:captcha", "blocked:blocked")
        assert sum(shop.counters.values()) == 1
    assert [step["decision"] for step in read_journal(tmp_path / "steps.jsonl")] == [None, "blocked"]


def test_an_item_opened_twice_is_fetched_once(shop: Shop, tmp_path: Path) -> None:
    agent = Says("search[kettle]", first, "click[< prev]", first, "click[< prev]", first)
    shop_with(shop, "amazon", tmp_path, agent)
    assert sum(shop.counters.values()) == 2


@pytest.mark.parametrize("site", SITES)
def test_a_hostile_page_forges_neither_text_nor_actions(site: str, tmp_path: Path) -> None:
    with Shop(hostile=True) as shop, Shop() as plain:
        for name, one in (("hostile", shop), ("honest", plain)):
            agent = Says("search[kettle]", after("next >", 4), "click[features]", "click[< prev]")
            shop_with(one, site, tmp_path / name, agent, max_steps=4)
    hostile, honest = (list(read_journal(tmp_path / name / "steps.jsonl")) for name in ("hostile", "honest"))
    assert any(one["observation"] != other["observation"] for one, other in zip(hostile, honest, strict=True))
    for one, other in zip(hostile, honest, strict=True):
        ours, theirs = one["available_actions"]["clickables"], other["available_actions"]["clickables"]
        assert len(ours) == len(theirs)
        assert len(set(ours) - set(theirs)) <= 1, "only the advert is another"
        for token in ("[button]", "[button_]", "[clicked button]", "[SEP]", "\u200b", "\u202e"):
            assert one["observation"].count(token) == other["observation"].count(token)
    assert sum(step["neutralised"] for step in hostile) > 0
    assert sum(step["neutralised"] for step in honest) == 0


@pytest.mark.parametrize("site", SITES)
def test_an_item_that_redirects_into_the_checkout_is_refused(site: str, tmp_path: Path) -> None:
    with Shop(hostile=True) as shop:
        ending = shop_with(shop, site, tmp_path, Says("search[kettle]", first))
        assert ending.outcome == "refused"
        assert "never." in str(ending.reason)
        assert not shop.harm
    assert [step["decision"] for step in read_journal(tmp_path / "steps.jsonl")][-1] == "refused"


def test_the_evidence_is_the_items_own_page_after_its_description_was_read(
    shop: Shop, tmp_path: Path
) -> None:
    agent = Says("search[kettle]", first, "click[description]", "click[< prev]", "click[buy now]")
    shop_with(shop, "ebay", tmp_path, agent)
    steps = list(read_journal(tmp_path / "steps.jsonl"))
    [intent] = read_journal(tmp_path / "purchases.jsonl")
    assert "/itm/" in intent["url"]
    assert intent["landed_id"] == intent["item_id"]
    assert intent["page_digest"] == steps[2]["page_digest"] == steps[4]["page_digest"]
    assert "ebaydesc" in steps[3]["url"]


def test_a_page_of_results_names_the_shops_page_that_it_came_from(shop: Shop, tmp_path: Path) -> None:
    agent = Says("search[shirt]", *["click[next >]"] * 3, *["click[< prev]"] * 3)
    shop_with(shop, "amazon", tmp_path, agent, max_steps=7)
    digests = [step["page_digest"] for step in read_journal(tmp_path / "steps.jsonl")]
    assert digests[1] == digests[2] == digests[6] == digests[7] != digests[4]
