"""Reports: figures that a few independent lines compute too, and pages that ask nothing of the network."""

from __future__ import annotations

import json
import math
import random
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from statistics import mean
from typing import Any

import numpy
import pytest
from click.testing import CliRunner, Result
from made_runs import MadeRun, deepshop, kettle
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as library_mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from windowshop.cli import group
from windowshop.journal import read_journal
from windowshop.pages import Price
from windowshop.report.figures import figures_of
from windowshop.report.reading import read_run
from windowshop.scoring.statistics import holm, mcnemar, mean_interval, pass_all_k, pass_at_k, share_interval

DEAR = Price(amount=90.0, currency="USD", text="$90.00")


def windowshop(*args: str | Path) -> Result:
    result = CliRunner().invoke(group, [*map(str, args)])
    assert result.exit_code == 0, result.output
    return result


def mixed(
    path: Path,
    *,
    agents: tuple[str, ...] = ("rule", "careful"),
    sites: tuple[str, ...] = ("amazon", "ebay"),
    goals: int = 8,
    repeats: int = 1,
    seed: int = 1,
    **settings: Any,
) -> Path:
    """Write and score a run whose episodes end in every way."""
    dice = random.Random(seed)
    with MadeRun(path, **settings) as run:
        for site in sites:
            for agent in agents:
                for repeat in range(repeats):
                    for number in range(goals):
                        lucky = dice.random() < (0.7 if agent == "careful" else 0.3)
                        bad = dice.random()
                        run.episode(
                            kettle(number),
                            site=site,
                            agent=agent,
                            repeat=repeat,
                            steps=dice.randrange(2, 7),
                            outcome="blocked:captcha"
                            if bad < 0.08
                            else "step_limit"
                            if bad < 0.2
                            else "intercepted",
                            price=None if bad > 0.95 else Price(amount=30, currency="USD") if lucky else DEAR,
                            chosen={"color": "red"} if dice.random() < 0.8 else {},
                            refused=dice.randrange(3),
                            screenshots=number == 0,
                        )
    windowshop("score", path)
    return path


def test_the_figures_are_those_of_a_few_independent_lines(tmp_path: Path) -> None:
    run = mixed(tmp_path / "run", goals=20)
    windowshop("report", run)
    told = json.loads((run / "report.json").read_text())
    scores, steps = list(read_journal(run / "scores/webshop.jsonl")), list(read_journal(run / "steps.jsonl"))
    ends = {end["episode"]: end for end in read_journal(run / "episodes.jsonl")}
    assert len(told["scores"]) == 4
    for row in told["scores"]:
        mine = [one for one in scores if (one["site"], one["agent"]) == (row["site"], row["agent"])]
        counted = [one for one in mine if not one["outcome"].startswith("blocked")]
        known = [one["reward"] for one in counted if one["reward"] is not None]
        sure = [one for one in counted if one["low"] == 1 or one["high"] < 1]
        assert row["means"]["counted"] == len(counted)
        assert row["means"]["score"] == pytest.approx(100 * mean(known))
        assert row["means"]["low"] == pytest.approx(100 * mean(one["low"] for one in counted))
        assert row["means"]["success"] == pytest.approx(100 * mean(one["low"] == 1 for one in sure))
        for name, key in (
            ("attribute", "r_att"),
            ("option", "r_option"),
            ("type", "r_type"),
            ("price", "r_price"),
        ):
            assert row["means"][name] == pytest.approx(
                100 * mean(o[key] for o in counted if o[key] is not None)
            )
        low, high = proportion_confint(sum(one["low"] == 1 for one in sure), len(sure), method="wilson")
        assert row["success_interval"] == {"low": pytest.approx(100 * low), "high": pytest.approx(100 * high)}
        assert row["score_interval"]["low"] < row["means"]["score"] < row["score_interval"]["high"]
    for row in told["trajectories"]:
        walks = Counter(step["episode"] for step in steps)
        lengths = [
            walks[name]
            for name, end in ends.items()
            if (end["site"], end["agent"]) == (row["site"], row["agent"])
        ]
        assert row["states"] == {
            "average": pytest.approx(mean(lengths)),
            "least": min(lengths),
            "most": max(lengths),
        }
        assert row["searches"]["average"] == 1.0
    refused = [line for line in read_journal(run / "audit.jsonl") if line["verdict"] == "refuse"]
    assert (
        told["refused_requests"] == len(refused) == sum(row["refused_requests"] for row in told["outcomes"])
    )
    for row, cost in zip(told["outcomes"], told["costs"], strict=True):
        own = [end for end in ends.values() if (end["site"], end["agent"]) == (row["site"], row["agent"])]
        assert row["counts"] == Counter(end["outcome"] for end in own)
        names = {end["episode"] for end in own}
        assert cost["bytes"] == sum(step["bytes"] for step in steps if step["episode"] in names)
    for row in told["reached"]:
        sure = [
            o
            for o in scores
            if (o["site"], o["agent"]) == (row["site"], row["agent"]) and (o["low"] == 1 or o["high"] < 1)
        ]
        for most, share in enumerate(row["shares"]):
            won = sum(o["low"] == 1 and ends[o["episode"]]["steps"] <= most for o in sure)
            assert share == pytest.approx(100 * won / len(sure))


def test_agents_are_compared_on_the_goals_that_both_tried(tmp_path: Path) -> None:
    run = mixed(tmp_path / "run", goals=25)
    found = figures_of([read_run(run)]).comparisons
    scores = list(read_journal(run / "scores/webshop.jsonl"))
    assert [one.site for one in found] == ["amazon", "ebay"]
    for one in found:
        by_agent = {
            agent: {
                s["task"]: s["reward"]
                for s in scores
                if s["site"] == one.site and s["agent"] == agent and s["reward"] is not None and s["counts"]
            }
            for agent in (one.first, one.second)
        }
        first, second = by_agent[one.first], by_agent[one.second]
        both = sorted(first.keys() & second.keys())
        assert one.goals == len(both)
        assert one.difference == pytest.approx(100 * mean(first[task] - second[task] for task in both))
        table = [[0, 0], [0, 0]]
        for task in both:
            table[first[task] < 1][second[task] < 1] += 1
        assert one.mcnemar == pytest.approx(library_mcnemar(table, exact=True).pvalue)
    raw = [one.mcnemar for one in found]
    assert [one.adjusted for one in found] == pytest.approx(list(multipletests(raw, method="holm")[1]))


@pytest.mark.parametrize("values", [[0.01, 0.04, 0.03], [0.5, 0.6], [0.02], []])
def test_holm_is_the_library_s(values: list[float]) -> None:
    expected = list(multipletests(values, method="holm")[1]) if values else []
    assert holm(values) == pytest.approx(expected)


def test_mcnemar_knows_when_nothing_tells_agents_apart() -> None:
    assert mcnemar(0, 0) is None
    assert mcnemar(5, 0) == pytest.approx(2 * 0.5**5)


def test_intervals_say_nothing_of_nothing() -> None:
    for values in ([], [0.4], [0.4, 0.4, 0.4]):
        assert mean_interval(values).low is None
    assert share_interval(0, 0).low is None
    assert share_interval(0, 10).low == pytest.approx(0.0)
    data = [0.0, 0.2, 0.2, 0.5, 0.9, 1.0, 1.0]
    mine = mean_interval(data)
    other = stats.bootstrap((data,), numpy.mean, rng=numpy.random.default_rng(1)).confidence_interval
    assert mine.low == pytest.approx(other.low, abs=0.03)
    assert mine.high == pytest.approx(other.high, abs=0.03)


def test_pass_at_k_is_what_drawing_gives() -> None:
    dice = random.Random(0)
    tries = [True] * 2 + [False] * 3
    drawn = [dice.sample(tries, 3) for _ in range(20_000)]
    assert pass_at_k(5, 2, 3) == pytest.approx(mean(any(draw) for draw in drawn), abs=0.01)
    assert pass_all_k(5, 4, 2) == pytest.approx(math.comb(4, 2) / math.comb(5, 2))
    assert pass_at_k(2, 1, 3) is None


def test_repeats_come_to_pass_at_k(tmp_path: Path) -> None:
    with MadeRun(tmp_path) as run:
        for goal, wins in enumerate((3, 1, 0)):
            for repeat in range(3):
                run.episode(
                    kettle(goal),
                    repeat=repeat,
                    price=Price(amount=30, currency="USD") if repeat < wins else DEAR,
                    title="Red ceramic kettle dishwasher safe",
                )
    windowshop("score", tmp_path)
    (row,) = figures_of([read_run(tmp_path)]).passes
    assert row.goals == (3, 3, 3)
    assert row.at == pytest.approx((100 * 4 / 9, 100 * (1 + 2 / 3 + 0) / 3, 200 / 3))
    assert row.all == pytest.approx((100 * 4 / 9, 100 / 3, 100 / 3))


def test_the_gap_to_the_simulator_is_shared_out_by_cause(tmp_path: Path) -> None:
    with MadeRun(tmp_path / "sim", sites=["webshop"]) as run:
        for number in range(4):
            run.episode(kettle(number), site="webshop")
    with MadeRun(tmp_path / "site") as run:
        run.episode(kettle(0))
        run.episode(kettle(1), price=DEAR)
        run.episode(kettle(2), outcome="blocked:captcha")
        run.episode(kettle(3), outcome="page_error")
    for name in ("sim", "site"):
        windowshop("score", tmp_path / name)
    windowshop("report", tmp_path / "sim", tmp_path / "site", "--out", tmp_path / "gap.html")
    told = json.loads((tmp_path / "gap.json").read_text())
    (loss,) = told["losses"]
    assert (loss["baseline"], loss["paired"], loss["episodes"]) == (100.0, 4, 4)
    assert loss["causes"] == {"blocked": 25.0, "page": 25.0, "agent": pytest.approx(25 / 4)}
    assert loss["reached"] == pytest.approx(100 - 50 - 25 / 4)
    assert {pair["goal"][-40]: pair["real"] for pair in told["pairs"]}
    assert sorted(pair["real"] for pair in told["pairs"]) == [0.75, 1.0]
    page = (tmp_path / "gap.html").read_text()
    assert page.index('id="gap"') < page.index('id="scores"'), "the gap is the first page"
    assert page.count('id="gap"') == 1
    assert "Simulator against real site" in page


def test_what_could_not_be_bought_or_found_is_told_apart(tmp_path: Path) -> None:
    demo = tmp_path / "demo"
    windowshop("run", "--tasks", "demo", "--limit", "2", "--transport", "http", "--out", demo)
    windowshop("score", demo)
    lines = [json.loads(line) for line in (demo / "scores/webshop.jsonl").read_text().splitlines()]
    for line in lines:
        line["shown"] |= {"best_title_score": 0.1}
    (demo / "scores/webshop.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (loss,) = figures_of([read_run(demo)]).losses
    assert set(loss.causes) == {"search"}
    assert loss.lost == pytest.approx(100 - 100 * mean(line["reward"] for line in lines))


def test_two_runs_of_one_agent_are_told_apart(tmp_path: Path) -> None:
    for name in ("one", "two"):
        mixed(tmp_path / name, agents=("rule",), sites=("amazon",), goals=3)
    found = figures_of([read_run(tmp_path / "one"), read_run(tmp_path / "two")])
    assert [row.agent for row in found.scores] == ["rule · one", "rule · two"]
    assert len(found.comparisons) == 1


def test_deepshop_s_table_has_aspects_categories_and_difficulties(tmp_path: Path) -> None:
    with MadeRun(tmp_path) as run:
        for number in range(4):
            run.episode(
                deepshop(number, difficulty="hard" if number else "easy"),
                outcome="step_limit" if number == 3 else "intercepted",
            )
    (tmp_path / "scores").mkdir()
    rulings = [(True, True), (False, None), (True, False)]
    with (tmp_path / "scores/judge-deepshop-screenshots-m.jsonl").open("w") as file:
        for number in range(4):
            said = dict(
                zip(("repository", "strict"), rulings[number] if number < 3 else (False, False), strict=True)
            )
            file.write(
                json.dumps(
                    {
                        "episode": f"amazon-rule-Amazon--{number}-0",
                        "task": f"Amazon--{number}",
                        "site": "amazon",
                        "agent": "rule",
                        "protocol": "deepshop",
                        "model": "m",
                        "seeing": "screenshots",
                        "category": "Home",
                        "difficulty": "hard" if number else "easy",
                        "rulings": {"attribute": said},
                        "overall": said,
                        "no_answer": number == 3,
                    }
                )
                + "\n"
            )
    rows = {row.group: row for row in figures_of([read_run(tmp_path)]).deepshop}
    assert list(rows) == ["all", "Home", "easy", "hard"]
    cell = rows["all"].cells["attribute"]
    assert (cell.asked, cell.repository, cell.strict, cell.unclear) == (4, 50.0, pytest.approx(100 / 3), 1)
    assert (rows["all"].no_answer, rows["easy"].cells["task"].repository) == (1, 100.0)


class Outline(HTMLParser):
    """Collect what a page asks for, and what it holds."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.tags: Counter[str] = Counter()
        self.styled = 0
        self.ids: Counter[str] = Counter()
        self.policy = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        named = dict(attrs)
        self.styled += "style" in named
        self.ids.update([str(named["id"])] if "id" in named else [])
        self.addresses += [
            str(named[key]) for key in ("src", "href", "xlink:href", "action") if named.get(key)
        ]
        if (named.get("http-equiv") or "").lower() == "content-security-policy":
            self.policy = str(named["content"])


def test_the_page_asks_nothing_of_the_network(tmp_path: Path) -> None:
    run = mixed(tmp_path / "run", goals=4)
    windowshop("report", run)
    page = (run / "report.html").read_text()
    seen = Outline(page)
    assert "default-src 'none'" in seen.policy
    assert "unsafe" not in seen.policy
    assert seen.styled == 0
    assert [one for one in seen.addresses if not one.startswith(("#", "data:"))] == []
    assert seen.tags["svg"] >= 3
    assert all(count == 1 for count in seen.ids.values())
    assert seen.tags["img"] > 0
    assert len(page) < 2_000_000


def test_what_a_shop_or_an_agent_writes_is_text(tmp_path: Path) -> None:
    bad = "<script>alert(1)</script>\u202e'\"><img src=x onerror=alert(2)>"
    with MadeRun(tmp_path, agent=bad) as run:
        run.episode(
            kettle(0, attributes=[bad], goal_options=[bad]),
            agent=bad,
            title=bad,
            observation=bad,
            seller=bad,
            chosen={bad: bad},
        )
    windowshop("report", tmp_path, "--score")
    page = (tmp_path / "report.html").read_text()
    assert "<script>alert" not in page and "<img src=x" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "\u202e" not in page
    assert Outline(page).tags["script"] == 1


def test_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    run = mixed(tmp_path / "run", goals=3)
    windowshop("report", run, "--out", tmp_path / "one.html")
    windowshop("report", run, "--out", tmp_path / "two.html")
    for ending in ("html", "md", "json"):
        assert (tmp_path / f"one.{ending}").read_bytes() == (tmp_path / f"two.{ending}").read_bytes()


def test_markdown_has_the_same_tables(tmp_path: Path) -> None:
    run = mixed(tmp_path / "run", goals=6, repeats=2)
    windowshop("report", run)
    text, told = (run / "report.md").read_text(), json.loads((run / "report.json").read_text())
    for title in ("Tables 4 and 9", "same goals", "Repeats", "Points lost", "Table 2", "Outcomes and cost"):
        assert title in text
    for row in told["scores"]:
        assert f"{row['means']['success']:.1f} (" in text
    assert re.search(r"^\| Amazon \| careful \|", text, re.MULTILINE)


def test_many_episodes_stand_beside_the_page(tmp_path: Path) -> None:
    run = mixed(tmp_path / "run", goals=15)
    windowshop("report", run)
    page = (run / "report.html").read_text()
    files = sorted((run / "report-episodes").glob("*.html"))
    assert len(files) == 60
    links = [one for one in Outline(page).addresses if one.startswith("report-episodes/")]
    assert {(run / link).resolve() for link in links} == {file.resolve() for file in files}
    middle = Outline((run / links[1]).read_text())
    near = [one for one in middle.addresses if one.endswith(".html")]
    assert near == [Path(links[0]).name, Path(links[2]).name]
    pictures = [
        one for name in links for one in Outline((run / name).read_text()).addresses if one.endswith(".webp")
    ]
    assert pictures and all((run / "report-episodes" / name).is_file() for name in pictures)


def test_an_unfinished_unscored_run_has_a_report_that_says_so(tmp_path: Path) -> None:
    with MadeRun(tmp_path) as run:
        run.episode(kettle(0))
        run.episode(kettle(1), ends=False)
    windowshop("report", tmp_path)
    page = (tmp_path / "report.html").read_text()
    assert "Not scored yet" in page
    assert "going on" in page
    assert "not ended: 1" in page


def test_refused_requests_stand_at_the_step_that_made_them(tmp_path: Path) -> None:
    with MadeRun(tmp_path) as run:
        run.episode(kettle(0), refused=2)
    assert {one.step for one in read_run(tmp_path).refusals["amazon-rule-0-0"]} == {3}
    windowshop("report", tmp_path)
    page = (tmp_path / "report.html").read_text()
    step = page[page.index('-3">', page.index("<article")) :]
    assert "2 refused by the guard" in step
    assert "/gp/cart/1" in step
