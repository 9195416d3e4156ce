"""A report as Markdown: the same tables, for a paper or a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from windowshop.report.figures import Figures, site_name
from windowshop.report.gap import CAUSES
from windowshop.report.page import title_of
from windowshop.report.render import NOTHING, interval, number, seconds, size
from windowshop.scoring.statistics import Interval


def markdown(figures: Figures) -> str:
    """Return the tables of a report."""
    lines = [f"# {title_of(figures)}", ""]
    for run in figures.runs:
        lines.append(
            f"- {run.name}: {run.created[:16]}, {run.source}, {run.finished} of {run.episodes} episodes ended"
        )
    lines.append(
        f"- {figures.intercepted} purchases intercepted, {figures.ordered} made; "
        f"{figures.refused_requests} requests refused; {figures.pages} pages visited"
    )
    for title, head, rows in _tables(figures):
        if rows:
            lines += ["", f"## {title}", "", *_table(head, rows)]
    return "\n".join(lines) + "\n"


def _tables(figures: Figures) -> Iterator[tuple[str, str, list[Sequence[object]]]]:
    yield (
        "Score, success and their parts (Tables 4 and 9)",
        "site agent episodes score success attribute option type price unknown",
        [
            (
                site_name(row.site),
                row.agent,
                row.means.counted,
                _with(row.means.score, row.score_interval)
                if row.means.known == row.means.counted
                else f"{number(row.means.low)} to {number(row.means.high)} (partly unknown)",
                _with(row.means.success, row.success_interval),
                *map(number, (row.means.attribute, row.means.option, row.means.type, row.means.price)),
                row.means.counted - row.means.known,
            )
            for row in figures.scores
        ],
    )
    yield (
        "The same by hand",
        "site agent person episodes score success attribute option type price",
        [
            (
                site_name(row.site),
                row.agent,
                row.annotator,
                row.episodes,
                _with(row.score, row.score_interval),
                _with(row.success, row.success_interval),
                *map(number, (row.attribute, row.option, row.type, row.price)),
            )
            for row in figures.by_hand
        ],
    )
    yield (
        "Agents on the same goals",
        "site first second goals difference only-first only-second p corrected",
        [
            (
                site_name(one.site),
                one.first,
                one.second,
                one.goals,
                _with(one.difference, one.interval),
                one.only_first,
                one.only_second,
                number(one.mcnemar, 3),
                number(one.adjusted, 3),
            )
            for one in figures.comparisons
        ],
    )
    yield (
        "Repeats",
        "site agent goals k pass@k pass^k",
        [
            (site_name(row.site), row.agent, row.goals[k - 1], k, number(at), number(every))
            for row in figures.passes
            for k, (at, every) in enumerate(zip(row.at, row.all, strict=True), 1)
        ],
    )
    yield (
        "Points lost, per cause",
        " ".join(["site", "agent", "goals", "paired", "expected", "reached", *CAUSES]),
        [
            (
                site_name(row.site),
                row.agent,
                row.episodes,
                row.paired,
                number(row.baseline),
                number(row.reached),
                *(number(row.causes.get(cause, 0.0)) for cause in CAUSES),
            )
            for row in figures.losses
        ],
    )
    yield (
        "Judges (DeepShop's table)",
        "site agent judge tasks n attribute filter sort task no-answer",
        [
            (
                site_name(row.site),
                row.agent,
                row.judge,
                row.group,
                row.episodes,
                *(
                    _with(row.cells[name].repository, row.cells[name].interval, 0)
                    if name in row.cells
                    else NOTHING
                    for name in ("attribute", "filter", "sort", "task")
                ),
                row.no_answer,
            )
            for row in figures.deepshop
        ],
    )
    yield (
        "Agreement",
        "question raters items percent kappa alpha",
        [
            (
                one.question,
                ", ".join(one.raters),
                one.items,
                _with(one.percent, one.percent_interval, 0),
                _with(one.kappa, one.kappa_interval, 2),
                _with(one.alpha, one.alpha_interval, 2),
            )
            for one in figures.agreements
        ],
    )
    yield (
        "Trajectories (Table 2): average (least, most)",
        "site agent episodes states items searches",
        [
            (
                site_name(row.site),
                row.agent,
                row.episodes,
                *(
                    f"{number(one.average)} ({one.least}, {one.most})"
                    for one in (row.states, row.items, row.searches)
                ),
            )
            for row in figures.trajectories
        ],
    )
    yield (
        "Outcomes and cost",
        "site agent outcomes refused pages traffic time credits tokens cost",
        [
            (
                site_name(row.site),
                row.agent,
                ", ".join(f"{count} {name}" for name, count in row.counts.items()),
                row.refused_requests,
                cost.pages,
                size(cost.bytes),
                seconds(cost.seconds),
                number(cost.credits, 0),
                number(cost.tokens, 0),
                number(cost.cost, 4),
            )
            for row, cost in zip(figures.outcomes, figures.costs, strict=True)
        ],
    )


def _with(value: float | None, around: Interval, digits: int = 1) -> str:
    found = interval(around, digits)
    return number(value, digits) + (f" ({found})" if found else "")


def _table(head: str, rows: Sequence[Sequence[object]]) -> list[str]:
    names = head.split(" ")
    cells = [names, ["---"] * len(names), *rows]
    return ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in cells]
