"""`windowshop score`: Eq. 1 on what would have been bought, with the unknown left unknown."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from made_runs import GOAL, MadeRun, kettle

from windowshop.cli import group
from windowshop.episodes import Task
from windowshop.journal import read_journal
from windowshop.pages import ItemPage, OptionGroup, OptionValue, Price
from windowshop.purchase import PurchaseIntent
from windowshop.report.scored import read_scores
from windowshop.scoring.live import Chosen, Parts, judge_purchase
from windowshop.scoring.score import means


def windowshop(*args: str | Path) -> Result:
    return CliRunner().invoke(group, [*map(str, args)])


def words(text: str) -> list[str]:
    return text.lower().replace(",", "").split()


def judged(
    *, page: ItemPage | None = None, description: str | None = None, counting: Any = "chosen", **changes: Any
) -> Parts:
    intent = PurchaseIntent(
        **{
            "episode": "e",
            "site": "amazon",
            "item_id": "B1",
            "title": "Red ceramic kettle",
            "options": {},
            "chosen": {"color": "red"},
            "unit_price": Price(amount=30.0, currency="USD", text="$30.00"),
            "currency": "USD",
            "at": datetime(2026, 1, 1, tzinfo=UTC),
            **changes.pop("intent", {}),
        }
    )
    chosen = None if page is None else Chosen(page=page, description=description)
    return judge_purchase(intent, {**GOAL, **changes}, chosen, words, counting)


PAGE = ItemPage(
    site="amazon",
    item_id="B1",
    title="Red ceramic kettle",
    bullets=("Dishwasher safe lid.",),
    description="Big.",
    options=(OptionGroup(name="Color", values=(OptionValue(text="Red"), OptionValue(text="Blue"))),),
)


def test_each_part_says_what_matched_and_where() -> None:
    parts = judged(page=PAGE)
    assert parts.reward == parts.low == parts.high == 1.0
    assert [(one.wanted, one.matched, one.where) for one in parts.attributes] == [
        ("ceramic", True, "title"),
        ("dishwasher safe", True, "features"),
    ]
    assert parts.attributes[1].text == "Dishwasher safe lid."
    assert (parts.options[0].where, parts.options[0].text, parts.options[0].offered) == ("color", "red", True)
    assert (parts.price.matched, parts.price.text) == (True, "$30.00")
    assert parts.type.shared == ("ceramic", "kettle", "red")


def test_what_was_not_read_is_unknown_and_what_was_read_is_not() -> None:
    nothing = judged()
    assert [one.matched for one in nothing.attributes] == [True, None]
    assert (nothing.reward, nothing.low, nothing.high) == (None, 0.75, 1.0)
    assert nothing.r_att is None
    bare = PAGE.model_copy(update={"bullets": ()})
    assert [one.matched for one in judged(page=bare).attributes] == [True, False]
    elsewhere = bare.model_copy(update={"tabs": {"description": "https://x.test/"}})
    assert [one.matched for one in judged(page=elsewhere).attributes] == [True, None]
    read = judged(page=elsewhere, description="It is dishwasher safe.")
    assert (read.attributes[1].matched, read.attributes[1].where) == (True, "description")


@pytest.mark.parametrize(
    ("price", "matched"),
    [
        (Price(amount=40.0, currency="USD"), True),
        (Price(amount=40.01, currency="USD"), False),
        (Price(amount=30.0, high=39.0, currency="USD"), True),
        (Price(amount=30.0, high=50.0, currency="USD"), None),
        (Price(amount=45.0, high=50.0, currency="USD"), False),
        (Price(amount=10.0, currency="EUR"), None),
        (None, None),
    ],
)
def test_a_price_is_known_only_where_the_page_settles_it(price: Price | None, matched: bool | None) -> None:
    parts = judged(page=PAGE, intent={"unit_price": price, "currency": price.currency if price else None})
    assert parts.price.matched is matched
    assert (parts.reward is None) == (matched is None)


def test_a_currency_of_the_goal_counts() -> None:
    euro = {"unit_price": Price(amount=10.0, currency="EUR"), "currency": "EUR"}
    assert judged(page=PAGE, currency="EUR", intent=euro).price.matched is True


def test_the_type_is_open_only_between_a_tenth_and_a_fifth() -> None:
    goal = {"name": "a b c d e f g", "goal_options": [], "attributes": ["x"]}
    some = judged(page=PAGE, **goal, intent={"title": "a x"})
    assert (some.type.factor, some.type.low, some.type.high) == (None, 0.5, 1.0)
    assert some.reward is None
    none = judged(page=PAGE, **goal, intent={"title": "x"})
    assert (none.type.factor, none.reward) == (0.0, 0.0)
    crumbs = PAGE.model_copy(update={"breadcrumbs": ("Home", "Kitchen")})
    assert judged(page=crumbs, **goal, intent={"title": "a x"}).type.factor == 1.0


def test_an_option_that_the_page_had_selected_counts_when_asked_for() -> None:
    by_default = {"chosen": {}, "options": {"Color": "Red"}}
    assert judged(page=PAGE, intent=by_default).options[0].matched is False
    assert "selected by the page" in str(judged(page=PAGE, intent=by_default).options[0].where)
    assert judged(page=PAGE, counting="standing", intent=by_default).options[0].matched is True
    assert judged(page=PAGE, goal_options=["green"]).options[0].offered is False


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("score") / "run"
    sites = ("--site", "amazon", "--site", "ebay")
    result = windowshop("run", "--tasks", "demo", "--limit", "3", *sites, "--transport", "http", "--out", run)
    assert result.exit_code == 0, result.output
    return run


def test_a_run_is_scored_again_and_again_to_the_same_bytes(demo: Path) -> None:
    result = windowshop("score", demo)
    assert result.exit_code == 0, result.output
    assert "what carries over to a real shop" in result.stdout
    before = (demo / "scores/webshop.jsonl").read_bytes()
    windowshop("score", demo)
    assert (demo / "scores/webshop.jsonl").read_bytes() == before


def test_the_scores_of_a_run_are_those_of_the_simulator_s_own_formula(demo: Path) -> None:
    windowshop("score", demo)
    for score in read_journal(demo / "scores/webshop.jsonl"):
        parts = score["parts"]
        met = [one["matched"] for one in (*parts["attributes"], *parts["options"], parts["price"])]
        factor = parts["type"]["factor"]
        if None in met or factor is None:
            assert score["reward"] is None
            assert score["low"] < score["high"]
        else:
            assert score["reward"] == pytest.approx(factor * sum(met) / len(met))
        for part in parts["attributes"]:
            if part["matched"]:
                assert part["wanted"] in part["text"].lower()
    sites = {
        score["site"] for score in read_journal(demo / "scores/webshop.jsonl") if score["reward"] is None
    }
    assert sites == {"ebay"}, "eBay's description stands on a page that the agent did not open"


def test_what_the_shop_showed_is_kept(demo: Path) -> None:
    windowshop("score", demo)
    for score in read_scores(demo):
        assert score.shown is not None
        assert score.shown.products > 5
        assert score.shown.best_title_score is not None and score.shown.best_title_score > 0.2


def test_a_run_without_pages_is_scored_by_what_is_known(tmp_path: Path) -> None:
    with MadeRun(tmp_path) as run:
        run.episode(kettle(0))
        run.episode(kettle(1), outcome="step_limit")
        run.episode(kettle(2), outcome="blocked:captcha")
        run.episode(Task(id="3", instruction="a kettle"))
        run.episode(kettle(4), title="Kettle, ceramic")
    result = windowshop("score", tmp_path)
    assert result.exit_code == 0, result.output
    assert "ended by the environment, and not counted: 1" in result.stdout
    assert "to be labelled or judged: 1" in result.stdout
    full, limit, blocked, plain, open_ended = read_scores(tmp_path)
    assert (full.reward, full.is_success, full.counts) == (1.0, True, True)
    assert (limit.reward, limit.is_success, limit.r_option) == (0.0, False, 0.0)
    assert (blocked.reward, blocked.counts) == (None, False)
    assert (plain.reward, plain.low, plain.why) == (None, None, "the task has no goal in WebShop's format")
    assert (open_ended.reward, open_ended.low, open_ended.high) == (None, 0.75, 1.0)
    found = means(read_scores(tmp_path))
    assert (found.episodes, found.counted, found.known) == (4, 3, 2)
    assert (found.score, found.success, found.low, found.high) == (
        50.0,
        50.0,
        pytest.approx(175 / 3),
        pytest.approx(200 / 3),
    )


def test_json_is_one_line_an_episode(tmp_path: Path) -> None:
    with MadeRun(tmp_path) as run:
        run.episode(kettle(0))
    lines = windowshop("score", tmp_path, "--json").stdout.splitlines()
    assert [json.loads(line)["episode"] for line in lines] == ["amazon-rule-0-0"]


def test_what_is_no_run_is_said(tmp_path: Path) -> None:
    result = windowshop("score", tmp_path)
    assert (result.exit_code, "is not a run folder" in result.stderr) == (2, True)
