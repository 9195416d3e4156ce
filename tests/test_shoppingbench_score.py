"""ShoppingBench's score, by cases computed by hand."""

from __future__ import annotations

import pytest

from windowshop.goals.shoppingbench import Document, Voucher, Wanted, shopping_goal
from windowshop.scoring.shoppingbench import fit, recommended_ids, score, summarise
from windowshop.scoring.similarity import WordSimilarity, load_similarity

TITLES = WordSimilarity()
LAMP = Document(
    product_id="1",
    shop_id="s",
    title="Brass desk lamp",
    price=90,
    service=("COD",),
    sku_options={"1": {"color": "Red", "size": "L"}, "2": {"color": "blue", "size": "S"}},
    attributes={"material": ("Brass",), "style": ("plain", "old")},
)
CHAIR = Document(product_id="2", shop_id="s", title="Oak chair", price=200)
STOOL = Document(product_id="3", shop_id="t", title="Oak stool", price=50)
CATALOGUE = {product.product_id: product for product in (LAMP, CHAIR, STOOL)}


def goal(**record: object):  # type: ignore[no-untyped-def]
    return shopping_goal({"query": "q", **record})


@pytest.mark.parametrize(
    ("wanted", "rule"),
    [
        ({"product_id": "1", "title": ["nothing alike"]}, 1.0),  # the very product
        ({"product_id": "9", "title": ["brass lamp"]}, 1.0),  # cosine 2 / sqrt(2 * 3) = 0.816
        ({"product_id": "9", "title": ["iron lamp"]}, 0.0),  # cosine 1 / sqrt(6) = 0.41, under 0.5
        ({"product_id": "9", "title": ["brass lamp"], "price": [{"between": [90, 100]}]}, 1.0),
        ({"product_id": "9", "title": ["brass lamp"], "price": [{"greater than": [91, None]}]}, 0.5),
        ({"product_id": "9", "title": ["brass lamp"], "price": [{"less than": [None, 90]}]}, 1.0),
        ({"product_id": "9", "title": ["brass lamp"], "service": ["COD", "official"]}, 2 / 3),
        # one variant must have them: red is in the first, s in the second
        ({"product_id": "9", "title": ["brass lamp"], "sku_options": [{"color": "red", "size": "s"}]}, 2 / 3),
        ({"product_id": "9", "title": ["brass lamp"], "sku_options": [{"material": "brass"}]}, 1.0),
        ({"product_id": "9", "title": ["brass lamp"], "attributes": [{"style": ["old", "new"]}]}, 2 / 3),
    ],
)
def test_the_rule_counts_every_constraint_once(wanted: dict[str, object], rule: float) -> None:
    assert fit(LAMP, Wanted.model_validate(wanted), TITLES).rule == pytest.approx(rule)


def test_fields_that_were_not_asked_are_whole() -> None:
    each = fit(LAMP, Wanted(product_id="9", title=("iron lamp",)), TITLES)
    assert (each.title, each.price, each.service, each.features, each.is_gold) == (0, 1, 1, 1, False)


def test_a_single_product_is_the_first_that_is_recommended() -> None:
    asked = goal(reward={"product_id": "1", "title": ["x"]})
    assert score(asked, ["1", "2"], CATALOGUE, TITLES).success
    assert not score(asked, ["2", "1"], CATALOGUE, TITLES).success
    assert score(asked, [], CATALOGUE, TITLES).rule == 0


def test_several_products_are_compared_place_by_place_and_come_from_one_shop() -> None:
    both = [{"product_id": "1", "title": ["x"]}, {"product_id": "2", "title": ["y"]}]
    asked = goal(reward=both)
    right = score(asked, ["1", "2"], CATALOGUE, TITLES)
    assert (right.rule, right.shop, right.success, right.gold) == (1.0, True, True, 1.0)
    swapped = score(asked, ["2", "1"], CATALOGUE, TITLES)
    assert (swapped.rule, swapped.shop, swapped.success) == (0.0, True, False)
    other = score(
        goal(reward=[both[0], {"product_id": "9", "title": ["oak stool"]}]), ["1", "3"], CATALOGUE, TITLES
    )
    assert (other.rule, other.shop, other.success) == (1.0, False, False)
    half = score(asked, ["1"], CATALOGUE, TITLES)
    assert (half.rule, half.shop, half.success) == (0.5, False, False)


def test_blanks_around_an_id_make_it_unknown_as_in_the_published_script() -> None:
    assert recommended_ids("1, 2") == ("1", " 2")
    assert recommended_ids("1, 2", trim=True) == ("1", "2")


VOUCHER = {"threshold": 100, "budget": 100, "price_after_voucher": 1}


@pytest.mark.parametrize(
    ("voucher", "total", "same_shop", "paid"),
    [
        ({"voucher_type": "platform", "discount_type": "fixed", "face_value": 30}, 100, False, 70),
        ({"voucher_type": "platform", "discount_type": "fixed", "face_value": 30}, 99, False, 99),
        ({"voucher_type": "shop", "discount_type": "fixed", "face_value": 30}, 150, False, 150),
        ({"voucher_type": "shop", "discount_type": "fixed", "face_value": 30}, 150, True, 120),
        (
            {"voucher_type": "platform", "discount_type": "percentage", "discount": 0.5, "cap": 40},
            200,
            False,
            160,
        ),
        (
            {"voucher_type": "platform", "discount_type": "percentage", "discount": 0.1, "cap": 40},
            200,
            False,
            180,
        ),
    ],
)
def test_a_voucher_counts_from_its_threshold_on(
    voucher: dict[str, object], total: float, same_shop: bool, paid: float
) -> None:
    assert Voucher.model_validate({**VOUCHER, **voucher}).price(total, same_shop) == pytest.approx(paid)


def test_a_voucher_query_succeeds_within_the_budget() -> None:
    both = [{"product_id": "1", "title": ["x"]}, {"product_id": "3", "title": ["y"]}]  # 90 + 50, two shops
    fixed = {**VOUCHER, "voucher_type": "platform", "discount_type": "fixed", "face_value": 40}
    enough = score(goal(reward=both, voucher=fixed), ["1", "3"], CATALOGUE, TITLES)
    assert (enough.paid, enough.budget, enough.success, enough.shop) == (100, True, True, None)
    one_shop = score(
        goal(reward=both, voucher={**fixed, "voucher_type": "shop"}), ["1", "3"], CATALOGUE, TITLES
    )
    assert (one_shop.paid, one_shop.budget, one_shop.success) == (140, False, False)
    rich = {**fixed, "voucher_type": "shop", "budget": 140}
    assert score(goal(reward=both, voucher=rich), ["1", "3"], CATALOGUE, TITLES).success
    assert score(goal(reward=both, voucher=fixed), ["1", "4"], CATALOGUE, TITLES).budget is False


def test_a_knowledge_query_wants_the_hidden_word_and_the_title() -> None:
    asked = goal(Knowledge_Attribute="Brass", reward={"product_id": "9", "title": "Brass desk lamp"})
    assert (score(asked, ["1"], CATALOGUE, TITLES).rule, score(asked, ["2"], CATALOGUE, TITLES).rule) == (
        1.0,
        0.0,
    )
    half = score(
        goal(Knowledge_Attribute="desk", reward={"product_id": "9", "title": "Oak"}), ["1"], CATALOGUE, TITLES
    )
    assert (half.rule, half.success) == (0.5, False)
    year = goal(Knowledge_Attribute=1989, reward={"product_id": "9", "title": "Oak"})
    assert year.knowledge == "1989"


def test_queries_that_never_ran_count_in_the_second_denominator() -> None:
    asked = goal(reward={"product_id": "1", "title": ["x"]})
    scores = [score(asked, ["1"], CATALOGUE, TITLES), score(asked, ["2"], CATALOGUE, TITLES)]
    total = summarise(scores, asked=4)
    assert (total.asr, total.car, total.asr_of_asked, total.car_of_asked) == (0.5, 0.5, 0.25, 0.25)
    assert summarise([], asked=2).asr is None


def test_the_plain_similarity_is_the_cosine_of_the_words() -> None:
    same = load_similarity("words")
    assert same.similarity("Red, red lamp", "lamp RED red") == pytest.approx(1.0)
    assert same.similarity("red lamp", "blue chair") == 0
    assert same.similarity("", "") == 0
