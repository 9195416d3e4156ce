"""What counts as right: one page as an adapter read it, beside the truth about it."""

from __future__ import annotations

from typing import Any

import pytest

from windowshop.errors import ConfigError
from windowshop.scoring.accuracy import Counts, Verdict, compare, tally
from windowshop.scoring.truth import plain_truth


def price(amount: float, high: float | None = None, currency: str = "USD") -> dict[str, Any]:
    return {"amount": amount, "high": high, "currency": currency, "text": None}


def item(**fields: Any) -> dict[str, Any]:
    return {"kind": "item", **fields}


def group(name: str, *values: str, selected: str | None = None, gone: tuple[str, ...] = ()) -> dict[str, Any]:
    listed = [
        {"text": value, "selected": value == selected, "available": value not in gone} for value in values
    ]
    return {"name": name, "values": listed}


def outcome(field: str, page: dict[str, Any], truth: dict[str, Any]) -> str | None:
    """Return the one verdict on a field of an item, or None where the field is left out."""
    found = [verdict.verdict for verdict in compare(item(**page), item(**truth)) if verdict.field == field]
    assert len(found) <= 1
    return found[0] if found else None


def test_every_outcome_of_one_field() -> None:
    assert outcome("brand", {"brand": "Acme"}, {"brand": "Acme"}) == "right"
    assert outcome("brand", {"brand": "Emca"}, {"brand": "Acme"}) == "wrong"
    assert outcome("brand", {"brand": None}, {"brand": "Acme"}) == "missing"
    assert outcome("brand", {"brand": "Acme"}, {"brand": None}) == "invented"
    assert outcome("brand", {"brand": None}, {"brand": None}) == "none"
    assert outcome("brand", {"brand": "Acme"}, {}) is None


def test_empty_is_none() -> None:
    assert outcome("bullets", {"bullets": []}, {"bullets": ["a"]}) == "missing"
    assert outcome("bullets", {"bullets": ["a"]}, {"bullets": []}) == "invented"
    assert outcome("options", {"options": []}, {"options": {}}) == "none"
    assert outcome("title", {"title": ""}, {"title": "Lamp"}) == "missing"


def test_text_ignores_case_blanks_commas_and_invisible_marks_and_nothing_else() -> None:
    truth = {"title": "Red Lamp, 5 W"}
    assert outcome("title", {"title": "\u200fred  lamp\u00a05\nw "}, truth) == "right"
    assert outcome("title", {"title": "Red Lamp. 5 W"}, truth) == "wrong"
    assert outcome("title", {"title": "Red Lamp, 5 W New listing"}, truth) == "wrong"


def test_price_is_compared_to_a_cent() -> None:
    assert outcome("price", {"price": price(19.99)}, {"price": 19.99}) == "right"
    assert outcome("price", {"price": price(20.0)}, {"price": 19.99}) == "wrong"
    assert outcome("price", {"price": None}, {"price": 19.99}) == "missing"
    assert outcome("price", {"price": price(19.99)}, {"price": None}) == "invented"


def test_price_range_has_two_ends() -> None:
    truth = {"price": None, "price_low": 5.0, "price_high": 9.0}
    assert outcome("price", {"price": price(5.0, 9.0)}, truth) == "right"
    assert outcome("price", {"price": price(5.0)}, truth) == "wrong"
    assert outcome("price", {"price": None}, truth) == "missing"
    assert outcome("price", {"price": price(5.0, 9.0)}, {"price": 5.0}) == "wrong"


def test_currency_counts_only_beside_a_price() -> None:
    truth = {"price": 5.0, "currency": "EUR"}
    assert outcome("currency", {"price": price(5.0, currency="EUR")}, truth) == "right"
    assert outcome("currency", {"price": price(5.0, currency="USD")}, truth) == "wrong"
    assert outcome("currency", {"price": None}, truth) is None
    assert outcome("currency", {"price": price(5.0)}, {"price": None, "currency": "EUR"}) is None


def test_list_price_that_no_file_names_is_none() -> None:
    assert outcome("list_price", {"list_price": price(9.0)}, {"list_price": 9.0}) == "right"
    assert outcome("list_price", {"list_price": price(9.0)}, {}) == "invented"
    assert outcome("list_price", {}, {}) == "none"


def test_rating_may_be_off_by_half_a_tenth() -> None:
    assert outcome("rating", {"rating": 4.55}, {"rating": 4.5}) == "right"
    assert outcome("rating", {"rating": 4.6}, {"rating": 4.5}) == "wrong"


def test_review_count_zero_is_a_value() -> None:
    assert outcome("review_count", {"review_count": 0}, {"review_count": 0}) == "right"
    assert outcome("review_count", {"review_count": 0}, {"review_count": None}) == "invented"


def test_in_stock_tells_no_from_not_said() -> None:
    assert outcome("in_stock", {"in_stock": False}, {"in_stock": False}) == "right"
    assert outcome("in_stock", {"in_stock": None}, {"in_stock": False}) == "missing"
    assert outcome("in_stock", {"in_stock": True}, {"in_stock": None}) == "invented"


def test_lists_are_compared_in_order() -> None:
    truth = {"breadcrumbs": ["Home", "Lamps"]}
    assert outcome("breadcrumbs", {"breadcrumbs": ["home", "lamps "]}, truth) == "right"
    assert outcome("breadcrumbs", {"breadcrumbs": ["Lamps", "Home"]}, truth) == "wrong"


def test_options_ignore_the_order_of_values_and_the_colon_of_names() -> None:
    truth = {"options": {"Size": ["S", "M"], "Color": ["Red"]}}
    assert (
        outcome("options", {"options": [group("color:", "red"), group("Size", "M", "S")]}, truth) == "right"
    )
    assert outcome("options", {"options": [group("Color", "Red"), group("Size", "M")]}, truth) == "wrong"
    assert outcome("options", {"options": [group("Size", "M", "S")]}, truth) == "wrong"
    extra = {"options": [group("Color", "Red", "Blue"), group("Size", "M", "S")]}
    assert outcome("options", extra, truth) == "wrong"


def test_only_what_cannot_be_had_may_lack_its_suffix() -> None:
    truth = {"options": {"Size": ["S", "M (Out Of Stock)"]}}
    assert outcome("options", {"options": [group("Size", "S", "M", gone=("M",))]}, truth) == "right"
    suffixed = group("Size", "S", "M (Out Of Stock)", gone=("M (Out Of Stock)",))
    assert outcome("options", {"options": [suffixed]}, truth) == "right"
    assert outcome("options", {"options": [suffixed]}, {"options": {"Size": ["S", "M"]}}) == "right"
    assert outcome("options", {"options": [group("Size", "S", "M")]}, truth) == "wrong"


def test_selected_options_are_those_marked() -> None:
    page = {"options": [group("Size", "S", "M", selected="M")]}
    assert outcome("selected_options", page, {"selected_options": {"Size": "M"}}) == "right"
    assert outcome("selected_options", page, {"selected_options": {"Size": "S"}}) == "wrong"
    assert outcome("selected_options", page, {"selected_options": {}}) == "invented"


def test_variant_prices_are_their_number_and_ends() -> None:
    truth = {"variant_prices": {"n_variants": 2, "low": 5.0, "high": 7.0}}
    variants = [{"price": price(7.0)}, {"price": price(5.0)}]
    assert outcome("variant_prices", {"variants": variants}, truth) == "right"
    assert outcome("variant_prices", {"variants": variants[:1]}, truth) == "wrong"
    assert outcome("variant_prices", {"variants": []}, truth) == "missing"
    assert outcome("variant_prices", {"variants": variants}, {"variant_prices": None}) == "invented"


def test_description_may_stand_on_a_page_of_its_own() -> None:
    elsewhere = {"description": None, "tabs": {"description": "https://shop.test/d"}}
    assert outcome("description_present", elsewhere, {"description_present": True}) == "right"
    assert outcome("description_present", {}, {"description_present": True}) == "missing"
    assert outcome("description_present", elsewhere, {"description_present": False}) == "invented"
    assert outcome("description_present", {}, {"description_present": False}) == "none"


def test_description_start_may_stand_under_its_heading_or_without_it() -> None:
    truth = {"description_start": "Product description A lamp for every room of the house"}
    for text in (
        "Product description A lamp for every room of the house and more",
        "A lamp for every room of the house and more",
        "About this: Product description A lamp for every room of the house",
    ):
        assert outcome("description_start", {"description": text}, truth) == "right"
    assert outcome("description_start", {"description": "A chair for every room"}, truth) == "wrong"
    assert outcome("description_start", {"description": None}, truth) is None


def specifics(page: dict[str, str], truth: dict[str, str]) -> list[str]:
    found = compare(item(specifics=page), item(specifics=truth))
    return [verdict.verdict for verdict in found if verdict.field == "specifics"]


def test_specifics_are_compared_one_by_one() -> None:
    truth = {"Brand": "Acme", "Color": "Red", "Size": "M"}
    page = {"brand:": "acme", "Color": "Blue", "Model": "X"}
    assert specifics(page, truth) == ["right", "wrong", "missing", "invented"]


def test_a_sample_of_specifics_invents_nothing() -> None:
    truth = {f"Trait {number}": "yes" for number in range(10)}
    assert specifics({**truth, "Model": "X"}, truth) == ["right"] * 10


def test_a_shortened_specific_needs_only_its_beginning() -> None:
    assert specifics({"Condition": "New: never worn before"}, {"Condition": "New: never ..."}) == ["right"]
    assert specifics({"Condition": "Used: worn"}, {"Condition": "New: never ..."}) == ["wrong"]
    assert specifics({"Color": "Red and blue"}, {"Color": "Red"}) == ["wrong"]


def test_every_accepted_reading_is_right() -> None:
    truth = {"price": 9.0, "in_stock": True, "accept": {"price": [8.0, 9.0], "in_stock": [True, None]}}
    assert outcome("price", {"price": price(8.0)}, truth) == "right"
    assert outcome("price", {"price": price(9.0)}, truth) == "right"
    assert outcome("price", {"price": price(7.0)}, truth) == "wrong"
    assert outcome("in_stock", {"in_stock": None}, truth) == "none"
    assert outcome("in_stock", {"in_stock": False}, truth) == "wrong"


def test_a_note_among_the_readings_is_no_reading() -> None:
    truth = {"options": {"Size": ["S"]}, "accept": {"options": ["as the swatches stand"]}}
    assert outcome("options", {"options": [group("Size", "S")]}, truth) == "right"
    assert outcome("options", {"options": [group("Size", "L")]}, truth) == "wrong"
    start = {"description_start": "A lamp", "accept": {"description_start": ["(any other start / null)"]}}
    assert outcome("description_start", {"description": "A chair"}, start) is None


def test_what_is_in_doubt_is_left_out_unless_readings_are_accepted() -> None:
    doubt = {"price": 9.0, "title": "Lamp", "unsure": ["price: hidden", "asin", "title says 5 W"]}
    assert outcome("price", {"price": price(1.0)}, doubt) is None
    assert outcome("item_id", {"item_id": "B"}, {**doubt, "item_id": "A"}) is None
    assert outcome("title", {"title": "Chair"}, doubt) == "wrong"
    assert outcome("price", {"price": price(1.0)}, {**doubt, "accept": {"price": [9.0, None]}}) == "wrong"


def test_a_page_of_another_kind_has_none_of_the_fields() -> None:
    found = compare({"kind": "other"}, item(title="Lamp", price=5.0, in_stock=None))
    assert [(verdict.field, verdict.verdict) for verdict in found] == [
        ("kind", "wrong"),
        ("title", "missing"),
        ("price", "missing"),
        ("list_price", "none"),
        ("in_stock", "none"),
    ]


def test_a_price_on_a_page_that_sells_nothing_is_invented() -> None:
    found = compare(item(title="Lamp", price=price(5.0)), plain_truth("notfound"))
    assert [(verdict.field, verdict.verdict) for verdict in found] == [
        ("kind", "wrong"),
        ("price", "invented"),
    ]


@pytest.mark.parametrize(
    ("kind", "page"),
    [
        ("captcha", {"kind": "challenge", "reason": "captcha"}),
        ("captcha", {"kind": "challenge", "reason": "blocked"}),
        ("signin", {"kind": "challenge", "reason": "signin"}),
        ("notfound", {"kind": "not_found"}),
        ("error", {"kind": "error"}),
        ("home", {"kind": "search"}),
        ("reviews", {"kind": "other"}),
        ("cart", {"kind": "other"}),
        ("checkout", {"kind": "other"}),
    ],
)
def test_pages_without_a_file_must_be_of_their_kind(kind: str, page: dict[str, Any]) -> None:
    assert {verdict.verdict for verdict in compare(page, plain_truth(kind))} == {"right"}
    assert "wrong" in {verdict.verdict for verdict in compare({"kind": "item"}, plain_truth(kind))}


def test_a_sign_in_is_no_captcha() -> None:
    found = compare({"kind": "challenge", "reason": "signin"}, plain_truth("captcha"))
    assert [verdict.verdict for verdict in found] == ["right", "wrong"]


@pytest.mark.parametrize("kind", ["item", "results", "nonsense"])
def test_no_truth_is_made_up(kind: str) -> None:
    with pytest.raises(ConfigError, match=kind):
        plain_truth(kind)


def test_tally_counts_by_field_and_shares_without_the_agreed_nones() -> None:
    verdicts = [
        Verdict(field="a", verdict="right"),
        Verdict(field="b", verdict="none"),
        Verdict(field="a", verdict="missing"),
        Verdict(field="a", verdict="right"),
        Verdict(field="a", verdict="invented"),
    ]
    table = tally(verdicts)
    assert table.fields == {"a": Counts(right=2, missing=1, invented=1), "b": Counts(none=1)}
    assert table.total == Counts(right=2, missing=1, invented=1, none=1)
    assert table.fields["a"].share == table.total.share == 0.5
    assert table.fields["b"].share is None
