"""What rules can say of a DeepShop task: the limits in its words, order and filters in force, the item."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from windowshop.cli import group
from windowshop.episodes import EpisodeResult, Task
from windowshop.pages import Facet, ItemPage, Price, Tile
from windowshop.purchase import PurchaseIntent
from windowshop.scoring.applied import Applied, Check, InForce, apply_rules, in_force
from windowshop.scoring.wanted import Limit, wanted_of


def limit(value: float, strict: bool = False) -> Limit:
    return Limit(value=value, strict=strict)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("Kettle under $40", None, limit(40, True)),
        ("Kettle priced below $1,299.99", None, limit(1299.99, True)),
        ("Kettle at $40 or less", None, limit(40)),
        ("Kettle priced at no more than $40", None, limit(40)),
        ("Kettle priced at a maximum of $40", None, limit(40)),
        ("Kettle priced up to 40 dollars", None, limit(40)),
        ("Kettle within a $40 budget", None, limit(40)),
        ("kettle, and price lower than 40.00 dollars", None, limit(40, True)),
        ("Kettle priced between $100 to $300", limit(100), limit(300)),
        ("Kettle priced between $25\u2013$50", limit(25), limit(50)),
        ("Kettle within the price range of $50 to $150", limit(50), limit(150)),
        ("Kettle priced over $100", limit(100, True), None),
        ("Kettle priced between $50 and $100, and under $80", limit(50), limit(80, True)),
        ("Kettle with free shipping on orders over $35", None, None),
        ("Kettle and mug with a combined cost under $150", None, None),
        ("Kettle and mug, total price under $150", None, None),
        ("Kettle of 40 ounces, over 1500 watts, under 12 inches", None, None),
    ],
)
def test_price_limits(text: str, low: Limit | None, high: Limit | None) -> None:
    wanted = wanted_of([text])
    assert (wanted.low, wanted.high) == (low, high)


@pytest.mark.parametrize(
    ("text", "rating", "reviews"),
    [
        ("Kettle rated 4+ stars", limit(4), None),
        ("Kettle rated above 4.5 stars from 300+ reviews", limit(4.5, True), limit(300)),
        ("Kettle with a minimum 4-star rating and over 1,000 customer reviews", limit(4), limit(1000, True)),
        ("Kettle rated 4 stars or above with at least 500 reviews", limit(4), limit(500)),
        ("Kettle rated at least 4.5 stars based on a minimum of 300 reviews", limit(4.5), limit(300)),
        ("Kettle with at least 50 customer ratings", None, limit(50)),
        ("Kettle with an energy rating of at least 12 and 10 hours of battery", None, None),
        ("Mattress with medium firmness, rated 5 out of 10", None, None),
        ("Kettle with highly rated reviews", None, None),
    ],
)
def test_ratings_and_reviews(text: str, rating: Limit | None, reviews: Limit | None) -> None:
    wanted = wanted_of([text])
    assert (wanted.rating, wanted.reviews) == (rating, reviews)


@pytest.mark.parametrize(
    ("sort", "orders"),
    [
        ("Kettle sorted by lowest price", {"price_low"}),
        ("Cheapest kettle", {"price_low"}),
        ("Gear sorted by price from highest to lowest", {"price_high"}),
        ("Kettle sorted by highest user rating", {"rating"}),
        ("Kettle ranked as a best-seller or newly launched item", {"popular", "newest"}),
        ("Sorted by lowest price or highest user rating", {"price_low", "rating"}),
        ("Sorted by newest arrivals", {"newest"}),
        ("Kettle from reputable brands", set()),
        (None, set()),
    ],
)
def test_wanted_orders(sort: str | None, orders: set[str]) -> None:
    assert set(wanted_of([], sort).orders) == orders


def test_the_rules_read_most_of_what_deepshop_asks(shared: Path) -> None:
    """A limit in the words of the benchmark is read, and never the wrong way round."""
    lines = (shared / "benchmarks/deepshop/deepshop.jsonl").read_text(encoding="utf-8").splitlines()
    goals = [json.loads(line) for line in lines]
    wanted = [wanted_of([goal["attribute"], goal["filter"]], goal["sort"]) for goal in goals]
    told = [f"{goal['attribute']} {goal['filter']}" for goal in goals]
    priced = [found for found, text in zip(wanted, told, strict=True) if "$" in text]
    assert sum(found.high is not None for found in priced) > 0.9 * len(priced)
    assert all(
        found.low is None or found.high is None or found.low.value < found.high.value for found in wanted
    )
    starred = [found.rating for found, text in zip(wanted, told, strict=True) if "stars" in text]
    assert sum(rating is not None for rating in starred) > 0.9 * len(starred)
    assert all(rating is None or 3 <= rating.value <= 5 for rating in starred)


LOW_FIRST = Facet(
    kind="sort", label="Preis: Aufsteigend", params=(("s", "price-asc-rank"),), order="price_low"
)
DEFAULT = Facet(
    kind="sort", label="Empfohlen", params=(("s", "relevanceblender"),), order="relevance", selected=True
)
FOUR = Facet(kind="rating", label="4 Sterne", params=(("p_72", "1"),), stars=4.0)
BRAND = Facet(kind="filter", label="Sony", group="Marke", params=(("p_123", "7"),))
PRICE = Facet(kind="price", params=(("low-price", ""), ("high-price", "")))
FACETS = (DEFAULT, LOW_FIRST, FOUR, PRICE, BRAND)


def tiles(*amounts: float | None) -> tuple[Tile, ...]:
    prices = (None if amount is None else Price(amount=amount) for amount in amounts)
    return tuple(Tile(item_id=str(number), price=price) for number, price in enumerate(prices))


def test_what_is_in_force_has_the_shops_words_and_its_prices_are_looked_at() -> None:
    refined = (("high-price", "50"), ("p_123", "7"), ("p_72", "1"), ("s", "price-asc-rank"))
    offered = tuple(facet.model_copy(update={"selected": None}) for facet in FACETS)
    seen = in_force(refined, FACETS, tiles(9.0, None, 12.5, 12.5), offered)
    assert seen == InForce(
        sort="Preis: Aufsteigend", order="price_low", filters=("Marke: Sony",), stars=4.0, high=50.0,
        is_ordered=True, offers_stars=True,
    )  # fmt: skip
    assert in_force(refined, FACETS, tiles(9.0, 8.0), offered).is_ordered is False
    assert in_force((), FACETS, tiles(9.0, 8.0), FACETS).sort == "Empfohlen"
    assert in_force((("s", "new-rank"),), (), ()).order is None


def result(sub: dict[str, str], price: Price | None = None) -> EpisodeResult:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    intent = PurchaseIntent(
        episode="e", site="amazon", item_id="B000000001", options={}, chosen={}, unit_price=price, at=at
    )
    goal = {"attribute": "None", "filter": "None", "sort": "None", **sub}
    task = Task(id="1", instruction="a kettle", goal=goal, benchmark="deepshop")
    return EpisodeResult(
        episode="e", task=task, site="amazon", agent="a", outcome="intercepted", steps=3, visits=2,
        intent=intent if price else None,
    )  # fmt: skip


def checks(found: Applied) -> dict[str, bool | None]:
    return {check.what: check.matched for check in found.checks}


ASKED = {
    "attribute": "Kettle under $40",
    "filter": "Kettle rated above 4 stars with at least 100 reviews",
    "sort": "Kettle sorted by lowest price",
}
DONE = InForce(sort="Low", order="price_low", stars=4.0, high=40.0, offers_stars=True)


def item(**said: Any) -> ItemPage:
    return ItemPage(site="amazon", item_id="B000000001", **said)


def test_all_that_was_asked_is_met() -> None:
    found = apply_rules(result(ASKED, Price(amount=39.99)), DONE, item(rating=4.1, review_count=100))
    assert checks(found) == {
        "sort": True, "price filter": True, "rating filter": True,
        "item price": True, "item rating": True, "item reviews": True,
    }  # fmt: skip


def test_nothing_that_was_asked_is_met() -> None:
    seen = InForce(sort="Featured", order="relevance", offers_stars=True)
    found = apply_rules(result(ASKED, Price(amount=40.0)), seen, item(rating=4.0, review_count=99))
    assert set(checks(found).values()) == {False}
    assert Check(what="item price", wanted="less than 40", found="40", matched=False) in found.checks


def test_what_nobody_says_is_unknown() -> None:
    found = apply_rules(result(ASKED), None, None)
    assert len(found.checks) == 6
    assert set(checks(found).values()) == {None}
    unrated = apply_rules(
        result(ASKED, Price(amount=9)), DONE.model_copy(update={"stars": None, "offers_stars": False}), item()
    )
    assert checks(unrated)["rating filter"] is None, (
        "a shop without such a filter cannot be blamed on the agent"
    )
    assert checks(unrated)["item rating"] is None


@pytest.mark.parametrize(
    ("price", "matched"),
    [
        (Price(amount=30, high=39), True),
        (Price(amount=30, high=50), None),
        (Price(amount=41, high=50), False),
        (Price(amount=30, currency="EUR"), None),
        (Price(amount=30, currency="USD"), True),
    ],
)
def test_ranges_and_other_money(price: Price, matched: bool | None) -> None:
    assert checks(apply_rules(result(ASKED, price), DONE, None))["item price"] is matched


def test_what_is_not_asked_is_not_checked() -> None:
    assert apply_rules(result({"attribute": "A red kettle"}), DONE, item()).checks == ()
    assert apply_rules(result({"filter": "**", "sort": ""}), DONE, item()).checks == ()


@pytest.mark.parametrize("asked", [True, False])
def test_a_run_is_checked_from_its_folder(tmp_path: Path, asked: bool) -> None:
    tasks, script, out = tmp_path / "tasks.jsonl", tmp_path / "script.txt", tmp_path / "run"
    goal = {
        "web_name": "Amazon", "id": "Amazon--1", "ques": "A kettle", "web": "https://www.amazon.com/",
        "attribute": "Kettle under $40", "filter": "Kettle rated 3+ stars", "sort": "Sorted by lowest price",
    }  # fmt: skip
    tasks.write_text(json.dumps(goal) + "\n")
    narrowed = ("sort[price: low to high]", "price[20-40]", "rating[3+]") if asked else ()
    script.write_text("\n".join(("search[electric kettle]", *narrowed)) + "\n")
    run = CliRunner().invoke(
        group,
        ["run", "--tasks", str(tasks), "--transport", "http", "--actions", "extended",
         "--agent", f"scripted:{script}", "--out", str(out)],
    )  # fmt: skip
    assert (out / "episodes.jsonl").exists(), run.output
    scored = CliRunner().invoke(group, ["score", str(out), "--scorer", "applied"])
    assert scored.exit_code == 0, scored.output
    assert scored.output.splitlines()[0].split() == ["asked", "met", "not", "met", "unknown"]
    found = Applied.model_validate_json((out / "scores/applied.jsonl").read_text())
    assert checks(found) == {
        "sort": asked, "price filter": asked, "rating filter": asked, "item price": None,
        "item rating": None,
    }  # fmt: skip
    assert found.seen is not None
    assert found.seen.is_ordered is (True if asked else None)
    assert found.seen.sort == ("Price: Low to High" if asked else "Featured")
