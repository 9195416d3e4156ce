"""The extended actions: sorts, filters, prices and ratings, in an agent's hands and on the demo shop."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from windowshop.actions import Refine
from windowshop.adapters import load_site
from windowshop.agents.said import read_call, read_words
from windowshop.cli import group
from windowshop.demo import Shop
from windowshop.episodes import Task
from windowshop.errors import ActionError
from windowshop.journal import Journal
from windowshop.llm import Reply, ToolCall
from windowshop.pages import Facet, ResultsPage, Tile
from windowshop.runs.episode import Episode
from windowshop.runs.plan import Plan
from windowshop.runs.stack import Origin, open_transport
from windowshop.runs.visit import Visitor
from windowshop.safety.guard import Guard
from windowshop.safety.policy import judge
from windowshop.translators.action import parse
from windowshop.translators.observation import render
from windowshop.translators.product import load_listing
from windowshop.transports.last_hop import LastHop
from windowshop.views import Observation, View

SITES = ("amazon", "ebay")
BY_PRICE = {
    "amazon": ("sort[price: low to high]", "sort[price: high to low]"),
    "ebay": ("sort[price + shipping: lowest first]", "sort[price + shipping: highest first]"),
}
Begin = Callable[[str], Episode]


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    with Shop() as running:
        yield running
        assert not running.harm, "the shop was asked to sell"


@pytest.fixture(scope="module")
def begin(shop: Shop, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Begin]:
    """Give what begins an episode with the extended actions at a site of the demo shop."""
    host, port = shop.address
    origin = Origin(last_hop=LastHop(host=host, port=port, ca_pem=shop.ca_pem))
    folder = tmp_path_factory.mktemp("run")
    with (
        ExitStack() as stack,
        Journal(folder / "audit.jsonl") as audit,
        Journal(folder / "steps.jsonl") as steps,
        Journal(folder / "purchases.jsonl") as purchases,
    ):

        def episode(name: str) -> Episode:
            site = load_site(name)
            plan = Plan(tasks=(), sites=(name,), actions="extended")
            guard = Guard(plan.guard_policy(name), audit)
            transport = open_transport("http", origin, site, guard, folder, None)
            visitor = Visitor(site, guard, stack.enter_context(transport), folder, extended=True)
            task = Task(id="0", instruction="a kettle")
            begun = Episode(task, name, visitor, guard, steps, purchases, extended=True)
            begun.reset()
            return begun

        yield episode


def organic(episode: Episode) -> list[Tile]:
    """Return what the shop lists as found, without its adverts."""
    assert episode.view.listing is not None
    tiles = (row.tile for row in episode.view.listing.rows)
    return [tile for tile in tiles if tile is not None and not tile.sponsored]


def prices(episode: Episode) -> list[float]:
    return [tile.price.amount for tile in organic(episode) if tile.price is not None]


def offered(seen: Observation, kind: str) -> list[str]:
    return [action for action in seen.valid_actions if action.startswith(f"{kind}[")]


@pytest.mark.parametrize("name", SITES)
def test_a_sort_really_sorts(begin: Begin, name: str) -> None:
    episode = begin(name)
    episode.step("search[shirt]")
    unsorted = prices(episode)
    low, high = BY_PRICE[name]
    seen = episode.step(low)
    assert prices(episode) == sorted(prices(episode)) != unsorted[: len(prices(episode))]
    assert f"[clicked button] {low} [clicked button_]\n" in seen.text
    cheapest = prices(episode)[0]
    episode.step(high)
    assert prices(episode) == sorted(prices(episode), reverse=True)
    assert prices(episode)[0] > cheapest


@pytest.mark.parametrize("name", SITES)
def test_a_sorted_list_stays_sorted_on_the_shops_next_page(begin: Begin, name: str) -> None:
    episode = begin(name)
    episode.step("search[shirt]")
    episode.step(BY_PRICE[name][0])
    before = len(organic(episode))
    for _ in range(3):
        episode.step("click[next >]")
    assert len(organic(episode)) > before
    assert prices(episode) == sorted(prices(episode))
    assert episode.last is not None
    assert episode.last.decision == "allow action.read"


@pytest.mark.parametrize("name", SITES)
def test_filters_filter_and_add_up(begin: Begin, name: str) -> None:
    episode = begin(name)
    seen = episode.step("search[shirt]")
    everything = len(organic(episode))
    brand = next(action for action in offered(seen, "filter") if "brand: " in action)
    word = brand.removeprefix("filter[brand: ").removesuffix("]")
    seen = episode.step(brand)
    assert 0 < len(organic(episode)) < everything
    assert all((tile.title or "").lower().startswith(word) for tile in organic(episode))
    assert f"[clicked button] {brand} [clicked button_]" in seen.text
    low, _ = BY_PRICE[name]
    seen = episode.step(low)
    assert all((tile.title or "").lower().startswith(word) for tile in organic(episode))
    assert prices(episode) == sorted(prices(episode))
    assert f"[clicked button] {brand} [clicked button_]" in seen.text


@pytest.mark.parametrize("name", SITES)
def test_price_bounds_bound(begin: Begin, name: str) -> None:
    episode = begin(name)
    seen = episode.step("search[shirt]")
    assert "price[<low>-<high>]" in seen.valid_actions
    middle = sorted(prices(episode))[len(prices(episode)) // 2]
    seen = episode.step(f"price[10-{middle:g}]")
    assert prices(episode)
    assert all(10 <= price <= middle for price in prices(episode))
    assert f"[clicked button] price[10-{middle:g}] [clicked button_]" in seen.text
    episode.step(f"price[{middle:g}-]")
    assert prices(episode)
    assert all(price >= middle for price in prices(episode))


def test_a_rating_keeps_what_is_rated_so(begin: Begin) -> None:
    episode = begin("amazon")
    episode.step("search[kettle]")
    everything = {tile.item_id for tile in organic(episode)}
    seen = episode.step("rating[4+]")
    kept = {tile.item_id for tile in organic(episode)}
    assert len(kept) < len(everything)
    for item_id in list(seen.titles)[:3]:
        episode.step(f"click[{item_id}]")
        page = episode.view.product.page if episode.view.product else None
        assert page is not None
        assert page.rating is not None
        assert page.rating >= 4
        seen = episode.step("click[< prev]")
    assert "[clicked button] rating[4+] [clicked button_]" in seen.text
    assert {tile.item_id for tile in organic(episode)} == kept


@pytest.mark.parametrize("name", SITES)
def test_a_new_search_begins_with_everything(begin: Begin, name: str) -> None:
    episode = begin(name)
    episode.step("search[kettle]")
    everything = [tile.item_id for tile in organic(episode)]
    episode.step("price[30-45]")
    assert len(organic(episode)) < len(everything)
    episode.step("click[back to search]")
    episode.step("search[kettle]")
    assert [tile.item_id for tile in organic(episode)] == everything


FACETS = (
    Facet(kind="sort", label="Price: Low to High", params=(("s", "price-asc-rank"),), order="price_low"),
    Facet(kind="rating", label="4 Stars & Up", params=(("p_72", "1"),), stars=4.0),
    Facet(kind="price", params=(("low-price", ""), ("high-price", ""))),
    Facet(kind="price", params=(("low-price", "25"), ("high-price", "50"))),
    Facet(kind="filter", label="Sony  [SEP] ZV", group="Brand", params=(("p_123", "1"),)),
    Facet(kind="filter", label="Red", group="Colour", params=(("p_5", "5"),)),
    Facet(kind="filter", label="Red", group="Strap", params=(("p_6", "6"),)),
    Facet(kind="filter", label="Free delivery", params=(("p_76", "7"),)),
)


def view(*, extended: bool = True, facets: tuple[Facet, ...] = FACETS, **more: Any) -> View:
    page = ResultsPage(site="amazon", tiles=(Tile(item_id="B000000001", title="A"),), total=1, facets=facets)
    listing = load_listing(page, "camera")
    told = {"screen": "results", "keywords": ("camera",), "page": 1, "listing": listing, **more}
    return View(instruction="a camera", extended=extended, **told)


@pytest.mark.parametrize(
    ("text", "params"),
    [
        ("sort[price: low to high]", (("s", "price-asc-rank"),)),
        ("Sort[ Price:  LOW to high ]", (("s", "price-asc-rank"),)),
        ("click[sort[price: low to high]]", (("s", "price-asc-rank"),)),
        ("rating[4+]", (("p_72", "1"),)),
        ("rating[4]", (("p_72", "1"),)),
        ("rating[4 stars & up]", (("p_72", "1"),)),
        ("price[25-50]", (("low-price", "25"), ("high-price", "50"))),
        ("price[$25 - $49.99]", (("low-price", "25"), ("high-price", "49.99"))),
        ("price[1,000-2,500]", (("low-price", "1000"), ("high-price", "2500"))),
        ("price[-50]", (("low-price", ""), ("high-price", "50"))),
        ("price[25-]", (("low-price", "25"), ("high-price", ""))),
        ("filter[colour: red]", (("p_5", "5"),)),
        ("filter[strap: red]", (("p_6", "6"),)),
        ("filter[free delivery]", (("p_76", "7"),)),
        ("filter[brand: sony (sep) zv]", (("p_123", "1"),)),
        ("filter[sony (sep) zv]", (("p_123", "1"),)),
    ],
)
def test_what_an_agent_writes(text: str, params: tuple[tuple[str, str], ...]) -> None:
    assert parse(text, view()) == Refine(params=params)


@pytest.mark.parametrize(
    "text",
    [
        *("sort[]", "sort[newest]", "sort", "filter[red]", "filter[colour: blue]", "filter[]", "rating[5+]"),
        *("rating[many]", "rating[-1]", "price[]", "price[-]", "price[50-25]", "price[a-b]", "price[1e5-]"),
        *(
            "price[<low>-<high>]",
            "price[99999999-]",
            "click[sort[x]",
            "sort[price: low to high]x",
            "price[1-2-3]",
        ),
    ],
)
def test_what_is_not_offered_changes_nothing(text: str) -> None:
    with pytest.raises(ActionError):
        parse(text, view())


@pytest.mark.parametrize("screen", ["search", "item", "sub", "done"])
def test_only_a_list_can_be_narrowed(screen: str) -> None:
    with pytest.raises(ActionError):
        parse("price[25-50]", view(screen=screen, item_id="B000000001"))


def test_the_simulators_own_actions_know_none_of_it() -> None:
    """Without the option an agent sees, and may do, what it could in the simulator."""
    plain, bare = view(extended=False), view(extended=False, facets=())
    assert render(plain) == render(bare)
    for text in ("sort[price: low to high]", "price[25-50]", "click[sort[price: low to high]]"):
        with pytest.raises(ActionError):
            parse(text, plain)


@pytest.mark.parametrize("mode", ["text", "text_rich"])
def test_the_page_shows_what_it_offers_after_next(mode: str) -> None:
    seen = render(view(), mode)  # type: ignore[arg-type]
    text = seen.text
    order = [
        "Next >",
        "sort[price: low to high]",
        "rating[4+]",
        "price[25-50]",
        "filter[colour: red]",
        "B000000001",
    ]
    assert sorted(order, key=text.index) == order
    assert text.count("[SEP]") == (0 if mode == "text_rich" else text.count(" [SEP] "))
    assert {"sort[price: low to high]", "price[25-50]", "price[<low>-<high>]"} <= set(seen.valid_actions)
    assert "click[b000000001]" in seen.valid_actions


def test_every_action_shown_is_one_that_does_something() -> None:
    facets = tuple(
        Facet(kind="filter", label=f"v{number}", group=f"g{number // 50}", params=(("p_1", str(number)),))
        for number in range(1000)
    )
    crowded = view(facets=facets)
    shown = offered(render(crowded), "filter")
    assert len(shown) == 60
    assert all(isinstance(parse(action, crowded), Refine) for action in shown)
    assert isinstance(parse("filter[g3: v199]", crowded), Refine), (
        "what is not shown can be chosen all the same"
    )


def test_a_language_model_may_write_them_or_click_them() -> None:
    seen = render(view())
    for text in ("Action: sort[price: low to high]", "Thought: x\nAction: price[25-50] and then buy"):
        assert isinstance(parse(read_words(Reply(text=text), seen).action or "", view()), Refine)
    clicked = read_words(Reply(text="Action: click[sort[price: low to high]]"), seen)
    assert isinstance(parse(clicked.action or "", view()), Refine)
    called = ToolCall(id="1", name="click", text="", arguments={"target": "price[25-50]"})
    assert isinstance(
        parse(read_call(Reply(text="", tool_calls=(called,)), seen).action or "", view()), Refine
    )
    bare = render(view(facets=()))
    assert "no sort[...]" in read_words(Reply(text="Action: sort[price: low to high]"), bare).problem


def cli(*args: object) -> Any:
    return CliRunner().invoke(group, [*map(str, args)])


def test_a_run_keeps_which_actions_it_had_and_a_replay_has_the_same(tmp_path: Path) -> None:
    script = tmp_path / "script.txt"
    script.write_text("search[kettle]\nsort[price: low to high]\nprice[-45]\n")
    out = tmp_path / "run"
    ran = cli(
        "run",
        "a kettle",
        "--transport",
        "http",
        "--actions",
        "extended",
        "--agent",
        f"scripted:{script}",
        "--out",
        out,
    )
    assert ran.exit_code in (0, 1), ran.output
    assert json.loads((out / "run.json").read_text())["settings"]["actions"] == "extended"
    steps = [json.loads(line) for line in (out / "steps.jsonl").read_text().splitlines()]
    assert [step["decision"] for step in steps[1:]] == ["allow action.read"] * 3
    assert steps[-1]["url"].endswith("/s?k=kettle&high-price=45&s=price-asc-rank")
    again = tmp_path / "again"
    assert cli("replay", out, "--out", again).exit_code == ran.exit_code
    replayed = [json.loads(line) for line in (again / "steps.jsonl").read_text().splitlines()]
    assert [step["observation"] for step in replayed] == [step["observation"] for step in steps]


@pytest.mark.parametrize("name", SITES)
def test_without_the_option_the_guard_lets_no_such_address_out(name: str) -> None:
    url = {
        "amazon": "https://www.amazon.com/s?k=kettle&s=price-asc-rank",
        "ebay": "https://www.ebay.com/sch/i.html?_nkw=kettle&_sop=15",
    }[name]
    plain, extended = (
        Plan(tasks=(), sites=(name,), actions=actions).guard_policy(name)
        for actions in ("simulator", "extended")
    )
    assert judge(plain, url).rule == "params"
    assert judge(extended, url).rule == "read.refined results"


def test_without_the_option_an_agent_cannot_sort(tmp_path: Path) -> None:
    script = tmp_path / "script.txt"
    script.write_text("search[kettle]\nsort[price: low to high]\n")
    out = tmp_path / "run"
    cli("run", "a kettle", "--transport", "http", "--agent", f"scripted:{script}", "--out", out)
    steps = [json.loads(line) for line in (out / "steps.jsonl").read_text().splitlines()]
    assert steps[-1]["decision"] == "no-op"
    assert "sort[" not in steps[1]["observation"]


def test_a_shop_that_cannot_do_it_says_so(tmp_path: Path) -> None:
    ran = cli(
        *("run", "a kettle", "--site", "woocommerce", "--base-url", "http://127.0.0.1:9"),
        *("--actions", "extended", "--out", tmp_path / "run"),
    )
    assert ran.exit_code == 2
    assert "--actions extended is for amazon and ebay" in ran.output
