"""Agreement in runs: between annotators, and between each judge and the people."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations

from windowshop.report.deepshop_table import judge_name
from windowshop.report.reading import Run
from windowshop.scoring.agreement import Agreement, among_all, between_two
from windowshop.scoring.labels import NO, YES, ratings

Collected = dict[str, dict[str, dict[str, str]]]


def agreements(runs: Sequence[Run]) -> list[Agreement]:
    """Return, per question, how far each two annotators, all of them, and each judge and person agree.

    A judge's verdict is that of the repository's rule. Pairs that rated nothing together are left out.
    """
    people, judges = people_ratings(runs), judge_ratings(runs)
    found = []
    for question, rated in people.items():
        names = sorted(rated)
        found += [between_two(question, one, other, rated) for one, other in combinations(names, 2)]
        if len(names) > 2:
            found.append(among_all(question, rated))
        for judge, verdicts in sorted(judges.get(question, {}).items()):
            both = {**rated, judge: verdicts}
            found += [between_two(question, judge, name, both) for name in names]
    return [one for one in found if one.items]


def people_ratings(runs: Sequence[Run]) -> Collected:
    """Return what people said, by question, annotator and item of any run."""
    merged: Collected = defaultdict(lambda: defaultdict(dict))
    for number, run in enumerate(runs):
        tasks = {result.episode: result.task for result in run.results}
        for question, rated in ratings(run.labels, tasks).items():
            for annotator, items in rated.items():
                merged[question][annotator] |= {f"{number} {item}": value for item, value in items.items()}
    return merged


def judge_ratings(runs: Sequence[Run]) -> Collected:
    """Return what judges said, by question, judge and item."""
    merged: Collected = defaultdict(lambda: defaultdict(dict))
    for number, run in enumerate(runs):
        for verdict in run.verdicts:
            name = judge_name(verdict)
            for question, ruling in verdict.rulings.items():
                merged[question][name][f"{number} {verdict.episode}"] = YES if ruling.repository else NO
            if verdict.overall is not None:
                merged["overall"][name][f"{number} {verdict.episode}"] = (
                    YES if verdict.overall.repository else NO
                )
    return merged
