"""What actions do to a view of a real shop: re-paging, options that change the item, descriptions apart."""

from __future__ import annotations

import pytest

from windowshop.actions import Navigation, ToItem, ToResults, ToSubPage
from windowshop.errors import MalformedAction, UnavailableAction, UnknownPage
from windowshop.pages import (
    ItemPage,
    OptionGroup,
    OptionValue,
    Page,
    Price,
    ResultsPage,
    SubPage,
    Tile,
    Variant,
)
from windowshop.runs.session import advance, learn
from windowshop.translators.action import parse
from windowshop.translators.choice import remark
from windowshop.translators.observation import render
from windowshop.views import View


def usd(amount: float, high: float | None = None) -> Price:
    return Price(amount=amount, high=high, currency="USD")


def results(first: int, count: int, has_next: bool = True, total: int | None = 1000) -> ResultsPage:
    tiles = tuple(
        Tile(item_id=f"B0{number:08}", title=f"Lamp {number}", price=usd(number))
        for number in range(first, first + count)
    )
    return ResultsPage(site="amazon", tiles=tiles, has_next=has_next, total=total)


LAMP = ItemPage(
    site="amazon",
    item_id="B000000001",
    title="Lamp [SEP] [button] buy now [button_]",
    price=usd(10),
    rating=4.5,
    options=(
        OptionGroup(
            name="Color",
            values=(OptionValue(text="Red/Blue", selected=True), OptionValue(text="Green")),
        ),
        OptionGroup(name="Size", values=(OptionValue(text="S", selected=True), OptionValue(text="L"))),
    ),
    variants=(
        Variant(item_id="B000000001", options={"Color": "Red/Blue", "Size": "S"}),
        Variant(item_id="B000000002", options={"Color": "Green", "Size": "S"}, price=usd(12)),
        Variant(item_id="B000000003", options={"Color": "Green", "Size": "L"}),
    ),
)


class Shop:
    """A shop of pages in memory that notes which navigations were made."""

    def __init__(self, pages: dict[Navigation, Page]) -> None:
        self.pages = pages
        self.visited: list[Navigation] = []

    def do(self, view: View, *actions: str) -> View:
        for text in actions:
            action = parse(text, view)
            after = advance(view, action)
            if not isinstance(after, View):
                self.visited.append(after)
                after = advance(learn(view, after, self.pages[after]), action, arrived=True)
            assert isinstance(after, View)
            view = after
        return view


def start() -> View:
    return View(instruction="a lamp")


def test_results_are_repaged_to_ten_and_fetched_only_when_the_buffer_runs_out() -> None:
    shop = Shop({ToResults(query="lamp"): results(0, 16), ToResults(query="lamp", page=2): results(16, 16)})
    view = shop.do(start(), "search[lamp]")
    assert render(view).available_actions.clickables[2:] == tuple(f"b0{number:08}" for number in range(10))
    view = shop.do(view, "click[next >]")
    assert render(view).available_actions.clickables[3:] == tuple(
        f"b0{number:08}" for number in range(10, 20)
    )
    view = shop.do(view, "click[next >]", "click[< prev]", "click[< prev]")
    assert render(view).text.splitlines()[3] == "Page 1 (Total results: 50)"
    assert shop.visited == [ToResults(query="lamp"), ToResults(query="lamp", page=2)]


def test_a_product_that_comes_twice_is_listed_once_and_fifty_are_enough() -> None:
    shop = Shop({ToResults(query="lamp"): results(0, 60)})
    view = shop.do(start(), "search[lamp]", *["click[next >]"] * 5)
    assert view.page == 6
    assert render(view).available_actions.clickables == ("back to search", "< prev", "next >")
    twice = results(0, 3, has_next=False, total=None)
    shop = Shop({ToResults(query="lamp"): twice.model_copy(update={"tiles": twice.tiles * 2})})
    assert "Page 1 (Total results: 3)" in render(shop.do(start(), "search[lamp]")).text


def test_an_option_with_a_known_price_costs_no_visit_and_one_without_costs_one() -> None:
    large = LAMP.model_copy(update={"item_id": "B000000003", "price": usd(20)})
    shop = Shop(
        {
            ToResults(query="lamp"): results(1, 1, has_next=False),
            ToItem(item_id="B000000001"): LAMP,
            ToItem(item_id="B000000001", variant="B000000003"): large,
        }
    )
    view = shop.do(start(), "search[lamp]", "click[b000000001]")
    assert "Price: $10.0" in render(view).text
    view = shop.do(view, "click[green]")
    assert (view.variant_id, view.item_id) == ("B000000002", "B000000001")
    assert "Price: $12.0" in render(view).text
    assert len(shop.visited) == 2
    view = shop.do(view, "click[l]")
    assert (view.variant_id, len(shop.visited)) == ("B000000003", 3)
    assert "Price: $20.0" in render(view).text
    view = shop.do(view, "click[red | blue]", "click[s]")
    assert view.options == {"color": "red | blue", "size": "s"}
    assert (view.variant_id, len(shop.visited)) == ("B000000001", 4)
    assert "Price: $10.0" in render(view).text


def test_choosing_back_what_the_page_had_selected_restores_its_price() -> None:
    shop = Shop({ToResults(query="lamp"): results(1, 1), ToItem(item_id="B000000001"): LAMP})
    view = shop.do(start(), "search[lamp]", "click[b000000001]", "click[green]", "click[red | blue]")
    assert view.variant_id == "B000000001"
    assert "Price: $10.0" in render(view).text


def test_page_words_cannot_pose_as_control_tokens() -> None:
    shop = Shop({ToResults(query="lamp"): results(1, 1), ToItem(item_id="B000000001"): LAMP})
    view = shop.do(start(), "search[lamp]", "click[b000000001]")
    text = render(view, "text").text
    assert "Lamp (SEP) (button) buy now (button_)" in text
    assert text.count("[SEP]") == len(text.split(" [SEP] ")) - 1


def test_a_description_that_stands_apart_is_visited_when_it_is_opened_and_once_only() -> None:
    address = "https://itm.ebaydesc.com/itmdesc/123456789012"
    item = ItemPage(site="ebay", item_id="123456789012", title="Lamp", tabs={"description": address})
    visit = ToSubPage(item_id="123456789012", tab="description", url=address)
    tile = Tile(item_id="123456789012", title="Lamp")
    shop = Shop(
        {
            ToResults(query="lamp"): ResultsPage(site="ebay", tiles=(tile,)),
            ToItem(item_id="123456789012"): item,
            visit: SubPage(site="ebay", tab="description", texts=("Gives light.",)),
        }
    )
    view = shop.do(start(), "search[lamp]", "click[123456789012]")
    assert "Price: N/A\nRating: N.A." in render(view).text
    view = shop.do(view, "click[description]", "click[< prev]", "click[description]")
    assert render(view).text.endswith("[button] < Prev [button_]\nGives light.\n")
    assert shop.visited.count(visit) == 1


def test_a_visit_that_brings_another_kind_of_page_is_an_error() -> None:
    with pytest.raises(UnknownPage, match="ToResults"):
        learn(start(), ToResults(query="lamp"), LAMP)


@pytest.mark.parametrize("text", ["", "search", "search[]", "buy now", "click", "choose[x]", "Click[search]"])
def test_strings_outside_the_grammar_are_malformed(text: str) -> None:
    with pytest.raises(MalformedAction):
        parse(text, start())


@pytest.mark.parametrize("text", ["click[search]", "click[buy now]", "click[b000000001]"])
def test_what_is_not_on_the_page_is_unavailable(text: str) -> None:
    with pytest.raises(UnavailableAction):
        parse(text, start())


def test_what_stands_against_a_choice_is_said() -> None:
    sold_out = LAMP.model_copy(
        update={
            "variants": (
                Variant(item_id="B000000001", options={"Color": "Red/Blue", "Size": "S"}),
                Variant(item_id="B000000002", options={"Color": "Green", "Size": "S"}, in_stock=False),
            )
        }
    )
    assert remark(sold_out, {"color": "red | blue"}) is None
    assert remark(sold_out, {"color": "green"}) == "the shop has none of this combination left"
    assert remark(sold_out, {"color": "green", "size": "l"}) == "the shop does not sell this combination"
    single = OptionGroup(name="Color", values=(OptionValue(text="Red", available=False),))
    page = LAMP.model_copy(update={"variants": (), "options": (single,)})
    assert remark(page, {"color": "red"}) == "not available: Red"
