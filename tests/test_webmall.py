"""WebMall: its tasks, its strict figures and its own, by hand; and episodes in four shops, carts included."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from model_server import ModelServer, says

from windowshop.actions import ToItem, ToResults, ToSubPage
from windowshop.adapters import load_site
from windowshop.cli import group
from windowshop.demo.woo import Mall
from windowshop.demo.woo_goods import Goods
from windowshop.demo.woo_stock import stock
from windowshop.errors import ConfigError, PageError
from windowshop.goals.webmall import MallGoal, current_id, mall_goal, old_id, placed
from windowshop.journal import read_journal
from windowshop.orders import Line, Order
from windowshop.runs.mall import read_records
from windowshop.safety.policy import judge, own_policy
from windowshop.scoring.webmall import (
    MallStep,
    check,
    checklist,
    folded,
    means,
    score_task,
    table,
    urls_in,
)
from windowshop.scoring.webmall_files import GOALS, PENALTIES, STEPS

SHOPS = tuple(f"http://localhost:{port}" for port in (8081, 8082, 8083, 8084))
SOLUTION = "http://localhost:8085"
WHO = {
    "name": "Ann Moor", "street": "Quay", "house_number": "7", "zip": "60614", "city": "Hull", "state": "IL",
    "country": "USA", "email": "ann@example.org",
}  # fmt: skip
CARD = {"card": "4242424242424242", "cvv": "123", "expiry_date": "12/28"}


def goal(*answers: str, kind: str = "string", category: str = "Specific_Product", **more: Any) -> MallGoal:
    record = {
        "id": "Webmall_X_Task1",
        "category": category,
        "task": "<task>\\nFind {{URL_1}}.\\n</task>",
        "correct_answer": {"type": kind, "answers": answers},
    }
    return mall_goal({**record, **more})


ONE, TWO, THREE = (f"{SHOPS[n]}/product/{slug}" for n, slug in ((0, "lamp"), (1, "lamp"), (2, "kettle")))


# tasks


def test_the_whole_task_file_imports(shared: Path, tmp_path: Path) -> None:
    out = tmp_path / "tasks.jsonl"
    file = shared / "benchmarks" / "webmall" / "task_sets.json"
    result = CliRunner().invoke(group, ["tasks", "import", "webmall", str(file), "-o", str(out)])
    assert result.exit_code == 0, result.output
    goals = [mall_goal(record["goal"]) for record in read_journal(out)]
    assert Counter(one.category for one in goals) == {
        "Specific_Product": 12, "Cheapest_Product": 10, "Best_Fit_Specific": 11, "Best_Fit_Vague": 8,
        "Cheapest_Best_Fit_Specific": 10, "Cheapest_Best_Fit_Vague": 6, "Add_To_Cart": 7,
        "Compatible_Products": 5, "Substitute": 6, "Checkout": 8, "FindAndOrder": 8,
    }  # fmt: skip
    answers = [url for one in goals for url in one.correct_answer.answers]
    assert (len(answers), len(set(answers))) == (230, 198)
    assert sum(one.buyer is not None for one in goals) == 16
    for one in goals:
        there = placed(one, (*SHOPS, SOLUTION))
        assert "{{" not in there.model_dump_json() and "\\n" not in there.text and "<" not in there.text
        assert "E-Store Athletes" in there.instruction and SOLUTION in there.instruction
    lint = CliRunner().invoke(group, ["tasks", "lint", str(file)])
    assert lint.exit_code == 0, lint.output


def test_every_old_id_is_known(shared: Path) -> None:
    aliases = json.loads((shared / "benchmarks/webmall/id_aliases_1aaef63.json").read_text("utf-8"))
    assert len(aliases) == 63
    for old, new in aliases.items():
        assert current_id(old) == current_id(f"webmall.{old}") == new
        assert old_id(new) == old
        assert current_id(new) == new


def test_a_wrong_record_is_named(tmp_path: Path) -> None:
    file = tmp_path / "sets.json"
    file.write_text(
        json.dumps([{"tasks": [{"id": "a", "category": "b", "correct_answer": {"type": "gift"}}]}])
    )
    result = CliRunner().invoke(group, ["tasks", "import", "webmall", str(file)])
    assert result.exit_code == 2
    assert "record 0: task" in result.output or "record 0: correct_answer" in result.output


def test_a_place_that_nothing_fills_is_an_error() -> None:
    with pytest.raises(ConfigError, match="URL_1"):
        placed(goal("a"), ())
    found = placed(goal("{{URL_2}}/product/a", task="Shop3: {{name}} {{card}}", category="Checkout",
                        user_details=WHO, payment_info=CARD), (*SHOPS, SOLUTION))  # fmt: skip
    assert found.text == "CamelCases: Ann Moor 4242424242424242"
    assert found.correct_answer.answers == (f"{SHOPS[1]}/product/a",)


# scoring by hand


def test_the_weights_are_four_fifths_for_answers() -> None:
    points = checklist(goal(ONE, TWO, kind="checkout"))
    assert [(point.id, point.type, round(point.weight, 3)) for point in points] == [
        ("answer1", "checkout", 0.4), ("answer2", "checkout", 0.4),
        ("visit_product_page_1", "url", 0.05), ("cart1", "cart", 0.05),
        ("visit_product_page_2", "url", 0.05), ("cart2", "cart", 0.05),
    ]  # fmt: skip
    assert sum(point.weight for point in checklist(goal(ONE, TWO, THREE))) == pytest.approx(1)


def test_half_right_and_one_too_many() -> None:
    steps = (
        MallStep(url=f"{ONE}/?variant=1"),
        MallStep(url=SHOPS[1], submitted=f"Offer1: {ONE}/###Offer2: {THREE}"),
    )
    score = score_task(goal(ONE, TWO), steps)
    assert (score.cr, score.precision, score.recall, score.f1) == (0.0, 0.5, 0.5, 0.5)
    assert (score.cr_checklist, score.partial_completion, score.checkpoint_completion) == (0.0, 0.5, 0.5)
    assert score.reward == pytest.approx(0.4 + 0.1)
    assert score.wrong == (THREE,) and score.precision_checklist == 0.5


def test_the_benchmarks_own_figure_overlooks_what_is_too_much() -> None:
    score = score_task(goal(ONE), (MallStep(submitted=f"{ONE}###{TWO}"),))
    assert (score.cr, score.precision, score.recall) == (0.0, 0.5, 1.0)
    assert score.cr_checklist == 1.0


def test_no_answer_is_nothing_and_done_is_no_offer() -> None:
    for steps in ((), (MallStep(submitted="Done"),), (MallStep(submitted=""),)):
        score = score_task(goal(ONE), steps)
        assert (score.cr, score.precision, score.recall, score.f1, score.reward) == (0, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"{ONE}/ , {TWO}.", [ONE, TWO]),
        (f"{ONE},{TWO}", [f"{ONE},{TWO}"]),
        ("http://webmall-1:8081/product/lamp", []),
        ("the shop v1.com has it", ["v1.com"]),
        (f"{ONE}###{ONE}/", [ONE]),
        ("Done", []),
    ],
)
def test_addresses_are_found_as_the_benchmark_finds_them(text: str, found: list[str]) -> None:
    assert urls_in(text) == found


def test_its_folding_eats_into_hosts() -> None:
    assert folded("http://shop.example/a/") == folded("op.example/a") == "op.example/a"
    assert folded("https://localhost:8081/x") == "localhost:8081/x"


def test_the_strict_figures_do_not_share_its_slips() -> None:
    score = score_task(
        goal("http://shop.example/product/a"), (MallStep(submitted="http://op.example/product/a"),)
    )
    assert (score.cr, score.cr_checklist) == (0.0, 1.0)
    joined = score_task(goal(ONE, TWO), (MallStep(submitted=f"{ONE},{TWO}"),))
    assert (joined.cr, joined.cr_checklist) == (1.0, 0.0)


def test_a_cart_is_credited_in_its_own_shop_alone() -> None:
    wanted = goal(ONE, kind="cart", category="Add_To_Cart")
    elsewhere = check(checklist(wanted), MallStep(url=TWO, carted=(TWO,)), wanted)
    assert (elsewhere.reward, elsewhere.wrong) == (0.0, ("lamp",))
    here = check(elsewhere.checklist, MallStep(url=ONE, carted=(ONE,)), wanted)
    assert here.reward == pytest.approx(1.0) and here.wrong == ()


def test_what_is_foreign_in_a_cart_only_the_strict_figures_see() -> None:
    wanted = goal(ONE, kind="cart")
    steps = (MallStep(url=ONE, carted=(ONE,)), MallStep(url=THREE, carted=(THREE,)))
    score = score_task(wanted, steps, (Line(title="a", url=f"{ONE}/"), Line(title="b", url=THREE)))
    assert (score.cr, score.precision, score.recall) == (0.0, 0.5, 1.0)
    assert (score.cr_checklist, score.wrong) == (1.0, ())
    assert score_task(wanted, steps[:1], (Line(title="a", url=ONE),)).cr == 1.0


def test_addresses_typed_in_a_cart_task_are_wrong_there() -> None:
    score = score_task(goal(ONE, kind="cart"), (MallStep(submitted=ONE),))
    assert score.wrong == (ONE,) and score.cr_checklist == 0.0


def order(*urls: str, address: str = "Ann Moor 7 Quay Springfield, IL 60614 United States (US)") -> Order:
    lines = tuple(Line(title="x", url=url) for url in urls)
    return Order(number="1", lines=lines, address=address, text="Email: ann@example.org")


def test_an_order_counts_for_the_right_person_city_and_card_aside() -> None:
    wanted = goal(ONE, kind="checkout", category="Checkout", user_details=WHO, payment_info=CARD)
    assert score_task(wanted, (MallStep(order=order(ONE)),)).cr_checklist == 1.0
    stranger = score_task(wanted, (MallStep(order=order(ONE, address="Bob Moor 7 Quay IL 60614 US")),))
    assert (stranger.cr_checklist, stranger.cr) == (0.0, 1.0)
    more = score_task(wanted, (MallStep(order=order(ONE, THREE)),))
    assert (more.cr_checklist, more.cr, more.wrong) == (1.0, 0.0, ("kettle",))


def test_a_flag_once_set_is_rewarded_once() -> None:
    steps = (MallStep(url=ONE), MallStep(url=ONE), MallStep(submitted=ONE))
    assert score_task(goal(ONE), steps).reward == pytest.approx(1.0)


def test_the_means_are_of_tasks_and_not_of_offers() -> None:
    many = score_task(goal(ONE, TWO, THREE), (MallStep(submitted=ONE),))
    one = score_task(goal(ONE, category="Add_To_Cart", kind="cart"), (), (Line(title="a", url=ONE),))
    both = means([many, one])
    assert (both.tasks, both.cr, both.precision) == (2, 0.5, 1.0)
    assert both.recall == pytest.approx((1 / 3 + 1) / 2)
    assert set(table([many, one])) == {"Specific_Product", "Add_To_Cart", "[specific]", "[action]", "all"}


# several shops as one site

MALL = ",".join(SHOPS).replace("localhost", "127.0.0.1")


def test_a_search_of_all_shops_asks_them_one_after_the_other() -> None:
    mall = load_site("webmall", "de", MALL)
    policy = own_policy(mall.name, MALL, tuple(mall.readable))
    urls = [mall.request(ToResults(query="ssd", page=page)).url for page in (1, 2, 3, 4)]
    urls += [
        mall.request(ToResults(query="shop 3: ssd", page=2)).url,
        mall.request(ToItem(item_id="shop2-7")).url,
    ]
    assert [url.split("/")[2][-4:] for url in urls] == ["8081", "8082", "8083", "8084", "8083", "8082"]
    assert all(judge(policy, url).allowed for url in urls)
    assert not judge(policy, urls[0].replace("8081", "8086")).allowed
    assert not judge(policy, "http://127.0.0.1:8082/cart/").allowed


@pytest.mark.parametrize(
    "navigation",
    [
        ToResults(query="ssd", page=5),
        ToResults(query="shop 9: ssd"),
        ToItem(item_id="7"),
        ToItem(item_id="shop9-7"),
        ToSubPage(item_id="shop1-7", tab="description", url="http://127.0.0.1:8081/x"),
    ],
)
def test_what_is_in_no_shop_is_an_error(navigation: Any) -> None:
    with pytest.raises(PageError):
        load_site("webmall", "de", MALL).request(navigation)


def test_no_option_points_it_at_a_real_shop() -> None:
    mall = load_site("webmall", "de", MALL)
    with pytest.raises(ConfigError):
        own_policy(mall.name, f"{MALL},https://www.amazon.com", tuple(mall.readable))


# episodes


def goods(shop: int) -> tuple[Goods, ...]:
    return (
        Goods(number=10 + shop, slug="quay-lamp", name="Quay lamp", price=10.0 * shop),
        Goods(number=20 + shop, slug="quay-kettle", name="Quay kettle", price=30.0),
    )


@pytest.fixture
def mall() -> Iterator[Mall]:
    with Mall([goods(shop) for shop in range(1, 5)]) as running:
        yield running


def run(
    mall: Mall,
    tmp_path: Path,
    actions: list[str],
    answers: list[str],
    may_sell: bool = True,
    named: int = 4,
    agent: Sequence[str] = (),
    **record: Any,
) -> Result:
    tasks, script, policy = (tmp_path / name for name in ("tasks.jsonl", "script.txt", "shops.toml"))
    told = goal(*answers, **record).model_dump(mode="json")
    task = {"id": told["id"], "instruction": "Find.", "goal": told, "benchmark": "webmall"}
    tasks.write_text(json.dumps(task) + "\n")
    script.write_text("\n".join(actions) + "\n")
    policy.write_text(
        "".join(f'[[shop]]\nurl = "{url}"\nallow = ["cart", "checkout"]\n' for url in mall.addresses[:named])
    )
    return CliRunner().invoke(
        group,
        [
            *("run", "--tasks", str(tasks), "--site", "webmall", "--locale", "de", "--max-steps", "50"),
            *("--base-url", ",".join(mall.addresses), *(agent or ("--agent", f"scripted:{script}"))),
            *(["--sandbox", str(policy)] if may_sell else []),
            *("--out", str(tmp_path / "run")),
        ],
    )


def test_offers_of_all_shops_are_found_and_handed_in(mall: Mall, tmp_path: Path) -> None:
    actions = [
        "search[lamp]",
        "click[next >]",
        "click[back to search]",
        "search[shop 3: lamp]",
        "click[shop3-13]",
    ]
    answers = ["{{URL_1}}/product/quay-lamp", "{{URL_3}}/product/quay-lamp"]
    result = run(mall, tmp_path, [*actions, "submit[shop1-11 ### Shop3-13]"], answers)
    assert result.exit_code == 0 and "answered" in result.output, result.output
    (record,) = read_records(tmp_path / "run")
    score = score_task(record.goal, record.steps, record.carts)
    assert (score.cr, score.f1) == (1.0, 1.0)
    assert score.checkpoint_completion == 0.5
    assert not any(shop.harm for shop in mall.shops)
    (episode,) = read_journal(tmp_path / "run" / "episodes.jsonl")
    assert episode["outcome"] == "answered"


def test_a_model_that_only_clicks_hands_in_what_it_added(
    mall: Mall, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    actions = ["search[lamp]", "click[shop1-11]", "click[add to answer]", "click[back to search]"]
    actions += ["search[shop 3: lamp]", "click[shop3-13]", "click[add to answer]", "click[submit answer]"]
    with ModelServer([says(f"Thought: so.\nAction: {action}") for action in actions]) as server:
        monkeypatch.setenv("WINDOWSHOP_LLM_BASE_URL", server.url)
        monkeypatch.setenv("WINDOWSHOP_LLM_API_KEY", "sk-test")
        answers = ["{{URL_1}}/product/quay-lamp", "{{URL_3}}/product/quay-lamp"]
        result = run(mall, tmp_path, [], answers, may_sell=False, agent=("--agent", "llm", "--model", "m"))
    assert result.exit_code == 0 and "answered" in result.output, result.output
    (record,) = read_records(tmp_path / "run")
    assert score_task(record.goal, record.steps, record.carts).cr == 1.0
    offered = server.asked[2].body["messages"][-1]["content"]
    assert "click[add to answer]" in offered and "click[add to cart]" not in offered


def test_an_order_is_placed_in_a_sandbox_and_scored(mall: Mall, tmp_path: Path) -> None:
    actions = [
        "search[shop 2: kettle]",
        "click[shop2-22]",
        "click[add to cart]",
        "click[checkout]",
        "submit[Done]",
    ]
    result = run(
        mall, tmp_path, actions, answers=["{{URL_2}}/product/quay-kettle"], kind="checkout",
        category="Checkout", user_details=WHO, payment_info=CARD,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "1 orders were placed in your own shops" in result.output and "DRY-RUN" not in result.output
    (placed_order,) = mall.shops[1].orders
    assert placed_order.billing["email"] == "ann@example.org" and placed_order.card == CARD["card"]
    (record,) = read_records(tmp_path / "run")
    score = score_task(record.goal, record.steps, record.carts)
    assert (score.cr, score.cr_checklist, score.reward) == (1.0, 1.0, pytest.approx(1.0))
    audit = list(read_journal(tmp_path / "run" / "audit.jsonl"))
    assert [line["form"] for line in audit if line["what"] == "submit"] == ["add", "place"]


def test_a_buying_agent_fills_the_cart_where_a_cart_is_asked_for(mall: Mall, tmp_path: Path) -> None:
    actions = ["search[shop 4: lamp]", "click[shop4-14]", "click[buy now]"]
    result = run(mall, tmp_path, actions, answers=["{{URL_4}}/product/quay-lamp"], kind="cart")
    assert result.exit_code == 0, result.output
    (record,) = read_records(tmp_path / "run")
    assert [line.title for line in record.carts] == ["Quay lamp"]
    assert score_task(record.goal, record.steps, record.carts).cr == 1.0
    assert not (tmp_path / "run" / "purchases.jsonl").read_text()


def test_a_buying_agent_answers_where_an_offer_is_asked_for(mall: Mall, tmp_path: Path) -> None:
    actions = ["search[lamp]", "click[shop1-11]", "click[buy now]"]
    assert run(mall, tmp_path, actions, answers=["{{URL_1}}/product/quay-lamp"]).exit_code == 0
    (record,) = read_records(tmp_path / "run")
    assert score_task(record.goal, record.steps, record.carts).cr == 1.0
    assert len(list(read_journal(tmp_path / "run" / "purchases.jsonl"))) == 1
    assert not any(shop.harm for shop in mall.shops)


def test_without_a_policy_file_nothing_is_put_into_a_cart(mall: Mall, tmp_path: Path) -> None:
    actions = ["search[lamp]", "click[shop1-11]", "click[add to cart]", "click[checkout]", "submit[Done]"]
    result = run(
        mall, tmp_path, actions, may_sell=False, answers=["{{URL_1}}/product/quay-lamp"], kind="cart"
    )
    assert result.exit_code == 0, result.output
    steps = list(read_journal(tmp_path / "run" / "steps.jsonl"))
    assert [step["decision"] for step in steps[3:5]] == ["no-op", "no-op"]
    assert "add to cart" not in steps[2]["available_actions"]["clickables"]
    assert not any(shop.harm for shop in mall.shops)


def test_a_sandbox_is_for_the_mall_alone(mall: Mall, tmp_path: Path) -> None:
    policy = tmp_path / "shops.toml"
    policy.write_text(f'[[shop]]\nurl = "{mall.addresses[0]}"\nallow = ["cart"]\n')
    for more in (["--site", "amazon"], ["--site", "woocommerce", "--base-url", mall.addresses[0]]):
        result = CliRunner().invoke(group, ["run", "a lamp", *more, "--sandbox", str(policy)])
        assert result.exit_code == 2 and "--sandbox is for" in result.output


def test_a_shop_that_the_policy_does_not_name_ends_the_run(mall: Mall, tmp_path: Path) -> None:
    result = run(mall, tmp_path, ["submit[Done]"], ["{{URL_1}}/product/quay-lamp"], named=3)
    assert result.exit_code == 2 and "does not name" in result.output


def test_the_result_files_are_the_benchmarks_own(mall: Mall, tmp_path: Path) -> None:
    actions = ["search[lamp]", "click[shop1-11]", "submit[shop1-11 ### http://v1.com/x]"]
    run(mall, tmp_path, actions, answers=["{{URL_1}}/product/quay-lamp"])
    out = tmp_path / "files"
    result = CliRunner().invoke(group, ["webmall", "score", str(tmp_path / "run"), "--out", str(out)])
    assert result.exit_code == 0 and "all " in result.output, result.output
    read = {
        name: list(csv.reader(io.StringIO((out / name).read_text())))
        for name in ("goal_achievement.csv", "penalties.csv")
    }
    assert read["goal_achievement.csv"] == [
        list(GOALS),
        ["run", "Webmall_X_Task1", "answer1", "True", "0.8"],
        ["run", "Webmall_X_Task1", "visit_product_page_1", "True", "0.2"],
    ]
    assert read["penalties.csv"] == [list(PENALTIES), ["run", "Webmall_X_Task1", "", "http://v1.com/x"]]
    rows = list(csv.DictReader(io.StringIO((out / "task_stepwise_log.csv").read_text()), delimiter="\t"))
    assert tuple(rows[0]) == STEPS
    assert [(row["shop_id"], row["reward"], row["cumulative_reward"]) for row in rows] == [
        ("1", "0.0", "0.0"), ("1", "0.0", "0.0"), ("1", "0.2", "0.2"), ("", "0.8", "1.0")
    ]  # fmt: skip
    summary = json.loads((out / "study_summary.json").read_text())
    assert summary["tasks"]["Webmall_X_Task1"]["task_completed"] is True
    assert summary["tasks"]["Webmall_X_Task1"]["strict"]["cr"] == 0.0
    told = json.loads((out / "Webmall_X_Task1" / "task_summary.json").read_text())
    assert told["2"]["finished"] is True and told["1"]["reward"] == pytest.approx(0.2)


def test_a_run_of_something_else_is_no_run_of_webmall(tmp_path: Path) -> None:
    result = CliRunner().invoke(group, ["webmall", "score", str(tmp_path)])
    assert result.exit_code == 2 and "webmall.jsonl" in result.output


def test_the_invented_shops_overlap_at_different_prices() -> None:
    shops = stock()
    assert len(shops) == 4 and all(len(one) > 50 for one in shops)
    prices: dict[str, set[float | None]] = {}
    for one in shops:
        assert len({product.number for product in one}) == len(one)
        for product in one:
            prices.setdefault(product.slug, set()).add(product.price)
    assert sum(len(found) > 1 for found in prices.values()) > len(prices) / 2
