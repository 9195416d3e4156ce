"""Agreement: the figures of libraries, from labels to the command line."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import krippendorff
import numpy
import pytest
from click.testing import CliRunner
from made_runs import MadeRun, deepshop, kettle
from model_server import ModelServer, Turn, says
from statsmodels.stats.inter_rater import cohens_kappa, to_table

from windowshop.cli import group
from windowshop.episodes import Task
from windowshop.journal import Journal
from windowshop.report.labelling import Desk
from windowshop.scoring.agreement import alpha, among_all, between_two, kappa, percent_agreement
from windowshop.scoring.labels import Label, manual_reward, overall, questions_for

ANSWERS = ("yes", "no", "unsure")


def rows(seed: int, count: int = 40, raters: int = 2, gaps: float = 0.0) -> list[tuple[str | None, ...]]:
    dice = random.Random(seed)
    found: list[tuple[str | None, ...]] = []
    for _ in range(count):
        truth = dice.choice(ANSWERS)
        row = [truth if dice.random() < 0.7 else dice.choice(ANSWERS) for _ in range(raters)]
        found.append(tuple(None if dice.random() < gaps else value for value in row))
    return found


def library_kappa(pairs: list[tuple[str | None, ...]]) -> float:
    coded = numpy.array([[ANSWERS.index(str(value)) for value in pair] for pair in pairs])
    return float(cohens_kappa(to_table(coded, bins=numpy.arange(-0.5, 3.5))[0], return_results=False))


@pytest.mark.parametrize("seed", range(8))
def test_kappa_is_the_library_s(seed: int) -> None:
    assert kappa(rows(seed)) == pytest.approx(library_kappa(rows(seed)))


@pytest.mark.parametrize("seed", range(4))
def test_alpha_is_the_library_s_with_gaps_too(seed: int) -> None:
    data = rows(seed, raters=4, gaps=0.3)
    coded = [[numpy.nan if value is None else ANSWERS.index(value) for value in row] for row in data]
    expected = krippendorff.alpha(numpy.array(coded).T, level_of_measurement="nominal")
    assert alpha(data) == pytest.approx(expected)


def test_kappa_of_the_textbook() -> None:
    pairs = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    assert kappa(pairs) == pytest.approx(0.4)
    assert percent_agreement(pairs) == 70.0


def test_one_answer_alone_has_no_kappa_and_no_alpha() -> None:
    same = [("yes", "yes")] * 5
    assert (percent_agreement(same), kappa(same), alpha(same)) == (100.0, None, None)
    assert percent_agreement([]) is None


def test_several_raters_count_where_two_rated() -> None:
    ratings = {"a": {"1": "yes", "2": "no"}, "b": {"1": "yes"}, "c": {"2": "yes", "3": "no"}}
    found = among_all("sort", ratings)
    assert (found.items, found.percent, found.kappa) == (2, 50.0, None)
    two = between_two("sort", "a", "b", ratings)
    assert (two.items, two.percent) == (1, 100.0)


def test_intervals_hold_the_figure_and_repeat() -> None:
    data = rows(1, 60)
    rated = {
        "a": {str(n): row[0] or "" for n, row in enumerate(data)},
        "b": {str(n): row[1] or "" for n, row in enumerate(data)},
    }
    found = between_two("q", "a", "b", rated)
    assert found == between_two("q", "a", "b", rated)
    for value, around in ((found.percent, found.percent_interval), (found.kappa, found.kappa_interval)):
        assert value is not None and around.low is not None and around.high is not None
        assert around.low < value < around.high


TASKS = [
    deepshop(number, filter=f"under {10 + number}", sort="cheapest" if number % 2 else "None")
    for number in range(12)
]


def judge_of(body: dict[str, object]) -> Turn:
    """Answer yes where the sub-query has an even digit sum: a judge with a mind of its own."""
    text = json.dumps(body["messages"])
    query = text.split("TASK: ")[1].split("\\n")[0]
    return says(
        "Seen.\nSUCCESS" if sum(map(int, filter(str.isdigit, query))) % 2 == 0 else "Seen.\nNOT SUCCESS"
    )


@pytest.fixture
def labelled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A run that two scripted annotators labelled and a model on loopback judged."""
    path = tmp_path / "run"
    with MadeRun(path) as run:
        for task in TASKS:
            run.episode(task)
    for seed, name in enumerate(("ana", "ben")):
        dice = random.Random(seed)
        desk = Desk(path, blind=True)
        for key in desk.order(name):
            given = {one.name: dice.choice(one.answers[:2])[0] for one in desk.questions(key)}
            assert desk.record(name, key, given) == []
        desk.close()
    with ModelServer(judge_of) as server:
        monkeypatch.setenv("WINDOWSHOP_LLM_BASE_URL", server.url)
        judged = CliRunner().invoke(group, ["judge", str(path), "--model", "m"])
        assert judged.exit_code == 0, judged.output
        yield path


def test_a_labelled_and_judged_run_agrees_as_a_library_says(labelled: Path) -> None:
    result = CliRunner().invoke(group, ["agreement", str(labelled), "--json"])
    assert result.exit_code == 0, result.output
    told = {(one["question"], *one["raters"]): one for one in json.loads(result.stdout)}

    labels = [json.loads(line) for line in (labelled / "labels.jsonl").read_text().splitlines()]
    said: dict[tuple[str, str], dict[str, str]] = {}
    for label in labels:
        if label["question"].startswith("aspect:"):
            said.setdefault((label["annotator"], label["question"][7:]), {})[label["episode"]] = label[
                "value"
            ]
    for line in (labelled / "scores/judge-deepshop-screenshots-m.jsonl").read_text().splitlines():
        verdict = json.loads(line)
        for aspect, ruling in verdict["rulings"].items():
            said.setdefault(("judge", aspect), {})[verdict["episode"]] = (
                "yes" if ruling["repository"] else "no"
            )

    for who in ("ana", "ben", "judge"):
        episodes = {episode for (rater, _), rated in said.items() for episode in rated if rater == who}
        said[who, "overall"] = {
            episode: "no"
            if any(said[who, aspect].get(episode) == "no" for aspect in ("attribute", "filter", "sort"))
            else "yes"
            for episode in episodes
        }
    judge = "m (deepshop)"
    for aspect, items in (("attribute", 12), ("filter", 12), ("sort", 6), ("overall", 12)):
        for first, second in (("ana", "ben"), ("judge", "ana"), ("judge", "ben")):
            one, other = said[first, aspect], said[second, aspect]
            pairs = [(one[episode], other[episode]) for episode in sorted(one.keys() & other.keys())]
            names = tuple(judge if name == "judge" else name for name in (first, second))
            found = told[aspect, *names]
            assert found["items"] == len(pairs) == items
            assert found["percent"] == pytest.approx(100 * sum(a == b for a, b in pairs) / items)
            coded = numpy.array([[ANSWERS.index(value) for value in pair] for pair in pairs])
            if found["kappa"] is not None:
                assert found["kappa"] == pytest.approx(library_kappa(pairs))
            if found["alpha"] is not None:
                domain = [0, 1]
                expected = krippendorff.alpha(coded.T, value_domain=domain, level_of_measurement="nominal")
                assert found["alpha"] == pytest.approx(expected)
    assert sum(one["kappa"] is not None for one in told.values()) > 8


def test_the_report_shows_what_people_and_judges_found(labelled: Path) -> None:
    assert CliRunner().invoke(group, ["report", str(labelled)]).exit_code == 0
    told = json.loads((labelled / "report.json").read_text())
    labels = [json.loads(line) for line in (labelled / "labels.jsonl").read_text().splitlines()]
    assert {row["judge"] for row in told["deepshop"]} == {"m (deepshop)", "ana (by hand)", "ben (by hand)"}
    for row in told["deepshop"]:
        name = row["judge"].partition(" ")[0]
        if row["group"] == "all" and name != "m":
            for aspect in ("attribute", "filter", "sort"):
                said = [
                    x["value"]
                    for x in labels
                    if (x["annotator"], x["question"]) == (name, f"aspect:{aspect}")
                ]
                assert row["cells"][aspect]["repository"] == pytest.approx(
                    100 * said.count("yes") / len(said)
                )
    for hand in told["by_hand"]:
        prices = [
            x["value"] for x in labels if (x["annotator"], x["question"]) == (hand["annotator"], "price")
        ]
        assert hand["price"] == pytest.approx(100 * prices.count("yes") / len(prices))
    page = (labelled / "report.html").read_text()
    assert "Cohen's kappa" in page or "Cohen&#39;s kappa" in page
    assert "ana (by hand)" in page


def test_the_command_prints_a_table_and_says_when_there_is_nothing(labelled: Path, tmp_path: Path) -> None:
    shown = CliRunner().invoke(group, ["agreement", str(labelled)])
    assert "attribute" in shown.stdout and "ana, ben" in shown.stdout
    with MadeRun(tmp_path / "empty") as run:
        run.episode(kettle(0))
    nothing = CliRunner().invoke(group, ["agreement", str(tmp_path / "empty")])
    assert (nothing.exit_code, "windowshop label" in nothing.stderr) == (2, True)


def test_who_cannot_tell_has_not_rated(tmp_path: Path) -> None:
    with MadeRun(tmp_path) as run:
        names = [run.episode(deepshop(number)) for number in range(2)]
    with Journal(tmp_path / "labels.jsonl") as journal:
        for annotator, values in (("ana", ("yes", "unknown")), ("ben", ("yes", "no"))):
            for name, value in zip(names, values, strict=True):
                journal.append(
                    Label(
                        episode=name,
                        annotator=annotator,
                        question="aspect:attribute",
                        value=value,
                        at=datetime.now(UTC),
                    )
                )
    told = json.loads(CliRunner().invoke(group, ["agreement", str(tmp_path), "--json"]).stdout)
    assert {(one["question"], one["items"]) for one in told} == {("attribute", 1), ("overall", 1)}


def test_a_person_s_answers_come_to_eq_1_and_to_a_verdict() -> None:
    task = kettle(0)
    names = [question.name for question in questions_for(task)]
    assert names == [
        "type",
        "attribute:0",
        "attribute:1",
        "option:0",
        "price",
        "aspect:attribute",
        "aspect:filter",
    ]
    answers = {"type": "0.5", "attribute:0": "yes", "attribute:1": "no", "option:0": "yes", "price": "yes"}
    assert manual_reward(task, answers) == pytest.approx(0.5 * 3 / 4)
    assert manual_reward(task, {**answers, "price": "unknown"}) is None
    assert overall(task, {"aspect:attribute": "yes"}) is None
    assert overall(task, {"aspect:attribute": "yes", "aspect:filter": "yes"}) == "yes"
    assert overall(task, {"aspect:filter": "no"}) == "no"
    plain = Task(id="p", instruction="a kettle")
    assert [q.name for q in questions_for(plain)] == [
        "type",
        "attribute:all",
        "option:all",
        "price",
        "aspect:attribute",
    ]
