"""The demo's catalogue as a real shop's pages over TLS, and straight in the simulator: the same to an agent.

What must differ has a name in docs/design/parity.md, and nothing else does.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice, product
from math import prod
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as some
from simulator import DIFFERENCES, Record, Simulator, records

from windowshop.adapters import load_site
from windowshop.demo import Shop
from windowshop.demo.product import Product as Goods
from windowshop.episodes import Task
from windowshop.journal import Journal
from windowshop.runs.episode import Episode
from windowshop.runs.stack import Origin, open_transport
from windowshop.runs.visit import Visitor
from windowshop.safety.guard import Guard
from windowshop.safety.policy import policy_for
from windowshop.translators.observation import render
from windowshop.transports.last_hop import LastHop
from windowshop.views import View

SITES = ("amazon", "ebay")
STEPS = 5_000 if os.environ.get("WINDOWSHOP_NIGHTLY") else 500
LENGTH = 20
PARITY = Path(__file__).resolve().parents[1] / "docs/design/parity.md"
QUERIES = (
    *("shirt", "long sleeve shirt", "stainless steel kettle", "men's t-shirt", "granola", "Rug", "women"),
    *(
        '"black" "large" shirt',
        "search_results shirt",
        "item_page kettle",
        "done kettle",
        "item_sub_page rug",
    ),
    *(
        "<q> granola",
        "<r>",
        "<a> x",
        "xyzzy",
        "two  blanks",
        " ",
        "a+b/c?d=e&f=g#h",
        "100% cotton",
        "ünï cödé",
        "日本",
    ),
    *("tab\there", "[x", "x] y", "lip balm & co", "<b>bold</b>", "\\", "'"),
)
NONSENSE = (
    *(
        "",
        "buy now",
        "click",
        "click[]",
        "search[]",
        "choose[black]",
        "click[[black]",
        "CLICK[buy now]",
        "\n",
        "\x00",
    ),
    *("click [search]", "think[a while]", "click[next >", "search(shirt)", "click[nothing]", "click[search]"),
    *("click[b000000000]", "click[attributes]", "click[ black]", "click[black ]", "click[100000000000]"),
)

Real = Callable[[], Episode]


@contextmanager
def real_shop(shop: Shop, site_name: str, folder: Path) -> Iterator[Real]:
    """Give a maker of episodes that share one run: its guard, its connection and the pages it has read."""
    site = load_site(site_name)
    host, port = shop.address
    origin = Origin(last_hop=LastHop(host=host, port=port, ca_pem=shop.ca_pem))
    with (
        Journal(folder / "audit.jsonl") as audit,
        Journal(folder / "steps.jsonl") as steps,
        Journal(folder / "purchases.jsonl") as purchases,
    ):
        guard = Guard(policy_for(site_name, "us", tuple(site.readable)), audit)
        with open_transport("http", origin, site, guard, folder, None) as transport:
            visitor = Visitor(site, guard, transport, folder)
            task = Task(id="0", instruction="i need a shirt, and price lower than 30.00 dollars")
            yield lambda: Episode(task, "0", visitor, guard, steps, purchases)


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    with Shop() as running:
        yield running
        assert not running.harm, "the shop was asked to sell"


@pytest.fixture(scope="module", params=SITES)
def site(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def real(shop: Shop, site: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Real]:
    with real_shop(shop, site, tmp_path_factory.mktemp(site)) as maker:
        yield maker


@pytest.fixture(scope="module")
def found(site: str) -> dict[str, Record]:
    return records(site)


def seen(view: View) -> dict[str, Any]:
    """Return all that an agent is given, and the session's state."""
    texts = {mode: render(view, mode).text for mode in ("text", "text_rich", "url")}
    state = ("screen", "page", "keywords", "item_id", "options", "visited", "tab", "counts", "done")
    return {
        **texts,
        "available_actions": render(view).available_actions.clickables,
        "has_search_bar": render(view).available_actions.has_search_bar,
        **view.model_dump(include=set(state)),
    }


Chooser = Callable[[View], str]


def walk(
    real: Real,
    site: str,
    found: dict[str, Record],
    steps: Sequence[Chooser],
    differences: frozenset[str] = DIFFERENCES,
) -> Iterator[str]:
    """Take the same steps on both sides, and yield each; raise `AssertionError` where the two differ."""
    episode = real()
    episode.reset()
    simulator = Simulator(site, found, episode.view, differences)
    taken: list[str] = []
    for step in steps:
        action = step(simulator.view)
        taken.append(action)
        episode.step(action)
        simulator.step(action)
        ours, theirs = seen(episode.view), seen(simulator.view)
        unlike = {name: (theirs[name], ours[name]) for name in ours if ours[name] != theirs[name]}
        assert not unlike, f"after {taken} the simulator and {site} differ: {unlike}"
        yield action


def chooser(number: int) -> Chooser:
    """Turn a number into a step: mostly a click on something that is there."""
    kind, rest = number % 20, number // 20

    def choose(view: View) -> str:
        names = render(view).available_actions.clickables
        clicks = [name for name in names if name not in ("buy now", "search", "back to search")]
        if kind == 0 or not clicks:
            return f"search[{QUERIES[rest % len(QUERIES)]}]"
        if kind == 1:
            return NONSENSE[rest % len(NONSENSE)]
        if kind == 2:
            return (
                f"click[{names[rest % len(names)].upper()}]" if "buy now" not in names else "click[features]"
            )
        if kind == 3:
            return "click[next >]"
        if kind == 4 or (kind < 8 and view.screen == "item"):
            tabs = ("description", "features", "reviews", "back to search", "< prev")
            return f"click[{tabs[rest % len(tabs)]}]"
        options = [value for _, values in view.product.options for value in values] if view.product else []
        if kind > 10 and view.screen == "item" and options:
            return f"click[{options[rest % len(options)]}]"
        return f"click[{clicks[rest % len(clicks)]}]"

    return choose


def purchase(number: int) -> tuple[Chooser, ...]:
    """Search, open, choose and buy."""
    return (
        lambda view: f"search[{('shirt', 'granola', 'rug', 'kettle')[number % 4]}]",
        lambda view: f"click[{render(view).available_actions.clickables[-1 - number % 5]}]",
        lambda view: f"click[{render(view).available_actions.clickables[-1]}]",
        lambda view: "click[buy now]",
    )


def test_an_agent_cannot_tell_the_shop_from_the_simulator(
    real: Real, site: str, found: dict[str, Record]
) -> None:
    taken: list[str] = []
    kinds: Counter[str] = Counter()

    @settings(
        max_examples=STEPS // (LENGTH + 4) + 1,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],  # a walk that fails names its steps; making it shorter takes minutes
        suppress_health_check=list(HealthCheck),
    )
    @given(some.lists(some.integers(0, 9_999), min_size=LENGTH, max_size=LENGTH))
    def walks(numbers: list[int]) -> None:
        steps = (*map(chooser, numbers), *purchase(numbers[0]))
        for action in walk(real, site, found, steps):
            taken.append(action)
            kinds[re.sub(r"\[(?!next >|< prev|back|desc|feat|rev|buy).*", "", action, flags=re.DOTALL)] += 1

    walks()
    assert len(taken) >= STEPS
    reached = {
        f"click[{name}]"
        for name in ("next >", "< prev", "back to search", "description", "features", "reviews")
    }
    assert reached | {"search", "click", "click[buy now]"} <= set(kinds), kinds


def grid(goods: Goods) -> int:
    return prod(len(choice.values) for choice in goods.choices)


ODD: dict[str, Callable[[Goods], bool]] = {
    "three options": lambda goods: len(goods.choices) > 2,
    "no options": lambda goods: not goods.choices,
    "an open option": lambda goods: len(goods.choices) > len(goods.chosen),
    "no price": lambda goods: all(variant.price is None for variant in goods.variants),
    "no description": lambda goods: goods.description is None,
    "sold out": lambda goods: all(variant.stock == 0 for variant in goods.variants),
    "a gap": lambda goods: len(goods.variants) < grid(goods),
    "a gap among three options": lambda goods: len(goods.variants) < grid(goods) and len(goods.choices) > 2,
}


def tour(goods: Goods, item_id: str) -> list[Chooser]:
    """Search until the product is listed, open it, read every tab, choose combinations in turn, buy it."""
    forward = [f"search[{goods.title}]", *[to_listed(item_id)] * 5, f"click[{item_id.lower()}]"]
    tabs = (f"click[{tab}]" for tab in ("description", "features", "reviews"))
    read = (step for tab in tabs for step in (tab, "click[< prev]"))
    combinations = islice(product(*(choice.values for choice in goods.choices)), 40)
    choose = (f"click[{value}]" for values in combinations for value in values)
    steps = (*forward, *read, *choose, "click[< prev]", f"click[{item_id.lower()}]", "click[buy now]")
    return [step if callable(step) else (lambda view, step=step: step) for step in steps]


def to_listed(item_id: str) -> Chooser:
    def go_on(view: View) -> str:
        return "" if item_id.lower() in render(view).available_actions.clickables else "click[next >]"

    return go_on


@pytest.mark.parametrize("oddity", ODD)
def test_odd_products_are_the_same_on_both_sides(
    real: Real, site: str, found: dict[str, Record], oddity: str
) -> None:
    item_id, goods = next((key, one["goods"]) for key, one in found.items() if ODD[oddity](one["goods"]))
    taken = list(walk(real, site, found, tour(goods, item_id)))
    assert taken[-1] == "click[buy now]"


ONLY_ON = {
    "item id": "ebay",
    "description": "ebay",
    "features": "ebay",
    "rating": "amazon",
    "reviews": "amazon",
}


@pytest.mark.parametrize("difference", sorted(DIFFERENCES))
def test_each_named_difference_is_one(
    real: Real, site: str, found: dict[str, Record], difference: str
) -> None:
    oddity = "no price" if difference == "price not shown" else "three options"
    item_id, goods = next((key, one["goods"]) for key, one in found.items() if ODD[oddity](one["goods"]))
    first = "search[<q> lip balm]" if difference == "magic first words" else "search[shirt]"
    steps = [lambda view: first, lambda view: "click[next >]", *tour(goods, item_id)]
    if ONLY_ON.get(difference, site) == site:
        with pytest.raises(AssertionError, match="differ"):
            list(walk(real, site, found, steps, DIFFERENCES - {difference}))
    else:
        assert list(walk(real, site, found, steps, DIFFERENCES - {difference}))


@pytest.mark.parametrize("field", ["name", "full_description", "small_description", "options", "price"])
def test_one_other_sign_in_the_catalogue_is_found(
    real: Real, site: str, found: dict[str, Record], field: str
) -> None:
    item_id, record = next((key, one) for key, one in found.items() if ODD["three options"](one["goods"]))
    steps = tour(record["goods"], item_id)
    changed = {**found, item_id: {**record, **one_sign_other(record, field)}}
    with pytest.raises(AssertionError, match="differ"):
        list(walk(real, site, changed, steps))


def one_sign_other(record: Record, field: str) -> Record:
    goods: Goods = record["goods"]
    match field:
        case "small_description":
            return {field: [*record[field][:-1], record[field][-1][:-1]]}
        case "options":
            name, values = next(iter(record["customization_options"].items()))
            values = [{"value": f"{values[0]['value']}."}, *values[1:]]
            return {"customization_options": {**record["customization_options"], name: values}}
        case "price":
            variants = tuple(v.model_copy(update={"price": (v.price or 0) + 0.01}) for v in goods.variants)
            return {"goods": goods.model_copy(update={"variants": variants})}
    return {field: f"{record[field][:-1]}~"}


def test_every_named_difference_stands_in_the_table() -> None:
    rows = re.findall(r"^\| ([^|]+?) \|", PARITY.read_text("utf-8"), re.MULTILINE)
    assert set(rows) >= DIFFERENCES
