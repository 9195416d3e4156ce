"""What people's answers come to: Eq. 1 by hand, and their verdicts on DeepShop's aspects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from windowshop.episodes import Task
from windowshop.frozen import Frozen
from windowshop.report.entries import Entry, Group
from windowshop.report.reading import Run
from windowshop.scoring.aspects import aspects_of
from windowshop.scoring.case import Ruling, Verdict
from windowshop.scoring.labels import NO, UNKNOWN, YES, latest, manual_reward, overall
from windowshop.scoring.score import percent
from windowshop.scoring.statistics import Interval, mean_interval, scaled, share_interval

Answers = Mapping[str, Mapping[str, Mapping[str, str]]]


class HandRow(Frozen):
    """Eq. 1 as one person judged it, of one agent on one site; figures from 0 to 100.

    `episodes` are those answered in full; the parts are over all answers but "cannot tell".
    """

    site: str
    agent: str
    annotator: str
    episodes: int
    score: float | None
    score_interval: Interval
    success: float | None
    success_interval: Interval
    attribute: float | None
    option: float | None
    type: float | None
    price: float | None


def hand_rows(groups: Sequence[Group]) -> list[HandRow]:
    """Return a row for each person who answered about a group."""
    known: dict[str, Answers] = {}
    rows = []
    for group in groups:
        for run in {str(entry.run.path): entry.run for entry in group.entries}.values():
            known.setdefault(str(run.path), latest(run.labels))
        people = sorted({name for entry in group.entries for name in known[str(entry.run.path)]})
        for person in people:
            given = [
                (entry, known[str(entry.run.path)].get(person, {}).get(entry.name, {}))
                for entry in group.entries
            ]
            answered = [(entry, answers) for entry, answers in given if answers]
            if answered:
                rows.append(_row(group, person, answered))
    return rows


def hand_verdicts(runs: Sequence[Run]) -> list[tuple[Run, Verdict]]:
    """Return people's verdicts in the form of a judge's; who cannot tell has not ruled."""
    found = []
    for run in runs:
        results = {result.episode: result for result in run.results}
        for person, episodes in sorted(latest(run.labels).items()):
            for name, answers in episodes.items():
                result = results.get(name)
                if result is None:
                    continue
                rulings = {
                    aspect: _ruling(answers[f"aspect:{aspect}"])
                    for aspect in aspects_of(result.task, "lenient").asked()
                    if answers.get(f"aspect:{aspect}") in (YES, NO)
                }
                whole = overall(result.task, answers)
                about = aspects_of(result.task)
                if rulings:
                    verdict = Verdict(
                        episode=name,
                        task=result.task.id,
                        site=result.site,
                        agent=result.agent,
                        repeat=result.repeat,
                        protocol="by hand",
                        model=person,
                        seeing="screenshots",
                        category=about.category,
                        difficulty=about.difficulty,
                        rulings={str(aspect): ruling for aspect, ruling in rulings.items()},
                        overall=None if whole is None else _ruling(whole),
                        no_answer=result.intent is None,
                    )
                    found.append((run, verdict))
    return found


def _row(group: Group, person: str, answered: Sequence[tuple[Entry, Mapping[str, str]]]) -> HandRow:
    rewards = [manual_reward(_task(entry), answers) for entry, answers in answered]
    full = [reward for reward in rewards if reward is not None]
    hits = sum(reward == 1.0 for reward in full)
    each = [answers for _, answers in answered]
    return HandRow(
        site=group.site,
        agent=group.agent,
        annotator=person,
        episodes=len(full),
        score=percent(full),
        score_interval=scaled(mean_interval(full), 100),
        success=100 * hits / len(full) if full else None,
        success_interval=scaled(share_interval(hits, len(full)), 100),
        attribute=_part(each, "attribute:"),
        option=_part(each, "option:"),
        type=percent(float(one["type"]) for one in each if one.get("type") not in (None, UNKNOWN)),
        price=_part(each, "price"),
    )


def _part(answers: Sequence[Mapping[str, str]], prefix: str) -> float | None:
    """Return the mean share of wishes met, over the episodes in which one was answered."""
    shares = []
    for given in answers:
        values = [value for name, value in given.items() if name.startswith(prefix) and value != UNKNOWN]
        if values:
            shares.append(sum(value == YES for value in values) / len(values))
    return percent(shares)


def _ruling(value: str) -> Ruling:
    return Ruling(repository=value == YES, strict=value == YES)


def _task(entry: Entry) -> Task:
    assert entry.result is not None
    return entry.result.task
