"""The drawings of a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from windowshop.frozen import Frozen
from windowshop.report.entries import SIMULATOR
from windowshop.report.figures import Figures, ScoreRow, site_name
from windowshop.report.gap import CAUSES
from windowshop.report.render import number
from windowshop.report.svg import GRID, INK, MUTED, PAPER, SERIES, new_figure, to_svg
from windowshop.terminal import printable

_WIDTH = 7.2


class Plot(Frozen):
    """A drawing: its name in the page, its title, what to know about it, and the SVG."""

    name: str
    title: str
    caption: str
    svg: str


def plots_of(figures: Figures) -> dict[str, Plot]:
    """Return the drawings for which there is something to draw, by name."""
    drawn: list[Plot] = []
    if figures.scores:
        drawn += [_scores(figures.scores), _distribution(figures.scores)]
    if any(max(curve.shares) > 0 for curve in figures.reached):
        drawn.append(_reached(figures))
    if figures.pairs:
        drawn.append(_pairs(figures))
    if any(loss.lost > 0 for loss in figures.losses):
        drawn.append(_losses(figures))
    return {plot.name: plot for plot in drawn}


def _row_name(site: str, agent: str) -> str:
    return printable(f"{site_name(site)} · {agent}")


def _scores(rows: Sequence[ScoreRow]) -> Plot:
    """Dots with whiskers: score and success side by side; a thick bar where parts are unknown."""
    figure = new_figure(_WIDTH, 0.75 + 0.42 * len(rows))
    left, right = figure.subplots(1, 2, sharey=True, gridspec_kw={"wspace": 0.12})
    for place, row in enumerate(reversed(rows)):
        found = row.means
        if found.known < found.counted and found.low is not None and found.high is not None:
            left.plot(
                [found.low, found.high],
                [place, place],
                color=SERIES[0],
                linewidth=6,
                alpha=0.25,
                solid_capstyle="butt",
            )
        _dot(
            left, place, found.score if found.known == found.counted else None, row.score_interval, SERIES[0]
        )
        _dot(right, place, found.success, row.success_interval, SERIES[1])
    for axes, title in ((left, "Score"), (right, "Success rate, %")):
        axes.set_title(title, loc="left", fontsize=9, color=MUTED)
        axes.set_xlim(-3, 103)
        axes.set_ylim(-0.6, len(rows) - 0.4)
        axes.grid(axis="x")
        axes.set_xticks(range(0, 101, 25))
        axes.spines["bottom"].set_visible(False)
    left.set_yticks(range(len(rows)), [_row_name(row.site, row.agent) for row in reversed(rows)])
    says = "; ".join(
        f"{_row_name(row.site, row.agent)}: score {number(row.means.score)}, "
        f"success {number(row.means.success)} %"
        for row in rows
    )
    return Plot(
        name="scores",
        title="Score and success",
        caption="Dots are means, lines their 95 % intervals; a pale bar spans what the score may be where "
        "parts of it are unknown.",
        svg=to_svg(figure, "scores", says),
    )


def _dot(axes: Any, place: int, value: float | None, interval: Any, color: str) -> None:
    if interval.low is not None and interval.high is not None:
        axes.plot(
            [interval.low, interval.high], [place, place], color=color, linewidth=1.6, solid_capstyle="round"
        )
    if value is not None:
        axes.plot([value], [place], "o", color=color, markersize=6, clip_on=False)


def _distribution(rows: Sequence[ScoreRow]) -> Plot:
    """Small bars per group: how many episodes got which reward."""
    figure = new_figure(_WIDTH, 0.6 + 0.55 * len(rows))
    panels = figure.subplots(len(rows), 1, sharex=True, squeeze=False)[:, 0]
    for axes, row in zip(panels, rows, strict=True):
        bins = Counter(min(19, int(reward * 20 + 1e-9)) for reward in row.rewards)
        most = max(bins.values(), default=1)
        axes.bar(
            [place / 20 + 0.025 for place in bins],
            [count / most for count in bins.values()],
            width=0.042,
            color=SERIES[0],
        )
        axes.set_ylim(0, 1.25)
        axes.set_xlim(-0.01, 1.01)
        axes.set_yticks([0.4], [_row_name(row.site, row.agent)])
        if not row.rewards:
            axes.text(0.5, 0.4, "no reward is known in full", ha="center", color=MUTED, fontsize=8.5)
    panels[-1].set_xlabel("reward")
    says = "; ".join(
        f"{_row_name(row.site, row.agent)}: {len(row.rewards)} rewards, "
        f"{sum(reward == 1 for reward in row.rewards)} of 1"
        for row in rows
    )
    return Plot(
        name="distribution",
        title="How rewards are spread",
        caption="Episodes by reward, each row to its own height. Only rewards that are known in full.",
        svg=to_svg(figure, "distribution", says),
    )


def _reached(figures: Figures) -> Plot:
    curves = [curve for curve in figures.reached if max(curve.shares) > 0]
    figure = new_figure(_WIDTH, 2.5)
    axes = figure.subplots()
    longest = max(len(curve.shares) for curve in curves)
    for place, curve in enumerate(curves):
        shares = [*curve.shares, *([curve.shares[-1]] * (longest - len(curve.shares)))]
        color = SERIES[place % len(SERIES)]
        axes.step(
            range(longest),
            shares,
            where="post",
            color=color,
            linewidth=1.8,
            label=_row_name(curve.site, curve.agent),
        )
    axes.set_xlim(0, longest - 1)
    axes.set_ylim(0, max(5.0, 1.1 * max(max(curve.shares) for curve in curves)))
    axes.set_xlabel("steps")
    axes.set_ylabel("succeeded, %")
    axes.grid(axis="y")
    axes.locator_params(axis="x", integer=True)
    axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0), labelcolor=INK)
    says = "; ".join(
        f"{_row_name(c.site, c.agent)}: {c.shares[-1]:.0f} % after {len(c.shares) - 1} steps" for c in curves
    )
    return Plot(
        name="reached",
        title="Success by step",
        caption="The share of episodes that had succeeded within so many steps.",
        svg=to_svg(figure, "reached", says),
    )


def _pairs(figures: Figures) -> Plot:
    """Each goal's reward in the simulator against that on the site; dots grow with the number of goals."""
    sites = list(dict.fromkeys(pair.site for pair in figures.pairs))
    figure = new_figure(min(_WIDTH, 2.9 * len(sites) + 0.6), 3.0)
    panels = figure.subplots(1, len(sites), sharey=True, squeeze=False)[0]
    agents = list(dict.fromkeys(pair.agent for pair in figures.pairs))
    for axes, site in zip(panels, sites, strict=True):
        axes.plot([0, 1], [0, 1], color=GRID, linewidth=1)
        for place, agent in enumerate(agents):
            points = Counter(
                (round(pair.simulator, 2), round(pair.real, 2))
                for pair in figures.pairs
                if (pair.site, pair.agent) == (site, agent)
            )
            axes.scatter(
                [point[0] for point in points],
                [point[1] for point in points],
                [26 * count**0.8 for count in points.values()],
                color=SERIES[place % len(SERIES)],
                alpha=0.7,
                linewidths=0,
                label=agent,
            )
        axes.set_xlim(-0.06, 1.06)
        axes.set_ylim(-0.06, 1.06)
        axes.set_aspect("equal")
        axes.set_title(site_name(site), loc="left", fontsize=9, color=MUTED)
        axes.set_xlabel(f"reward in the {site_name(SIMULATOR)}")
    panels[0].set_ylabel("reward on the site")
    if len(agents) > 1:
        panels[-1].legend(frameon=False, labelcolor=INK, loc="lower right")
    below = sum(pair.real < pair.simulator for pair in figures.pairs)
    return Plot(
        name="pairs",
        title="Simulator against real site, per goal",
        caption="A goal below the line was worth less on the site. A larger dot stands for several goals.",
        svg=to_svg(figure, "pairs", f"{below} of {len(figures.pairs)} goals were worth less on the site"),
    )


def _losses(figures: Figures) -> Plot:
    rows = figures.losses
    figure = new_figure(_WIDTH, 0.75 + 0.42 * len(rows))
    axes = figure.subplots()
    causes = [cause for cause in CAUSES if any(cause in row.causes for row in rows)]
    for place, row in enumerate(reversed(rows)):
        axes.barh(place, row.reached, color=GRID, height=0.5)
        start = row.reached
        for cause, lost in row.causes.items():
            axes.barh(
                place, lost, left=start, color=color_of(cause), height=0.5, edgecolor=PAPER, linewidth=0.8
            )
            if lost >= 6:
                axes.text(
                    start + lost / 2,
                    place,
                    f"{lost:.0f}",
                    ha="center",
                    va="center",
                    color=PAPER,
                    fontsize=8.5,
                )
            start += lost
        axes.text(
            row.reached - 1, place, f"{row.reached:.0f}", ha="right", va="center", color=MUTED, fontsize=8.5
        )
    axes.set_yticks(range(len(rows)), [_row_name(row.site, row.agent) for row in reversed(rows)])
    axes.set_xlim(0, max(100.0, *(row.baseline for row in rows)))
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.set_xlabel("points of the score")
    axes.spines["bottom"].set_visible(False)
    says = "; ".join(
        f"{_row_name(row.site, row.agent)} lost {row.lost:.0f} points: "
        + ", ".join(f"{cause} {lost:.0f}" for cause, lost in row.causes.items())
        for row in rows
    )
    return Plot(
        name="losses",
        title="Points reached and lost",
        caption=f"Grey is what was reached; the rest is lost, by cause ({', '.join(causes)}).",
        svg=to_svg(figure, "losses", says),
    )


def color_of(cause: str) -> str:
    """Return the stand-in colour of a cause."""
    return SERIES[list(CAUSES).index(cause) % len(SERIES)]
