"""A report as HTML: one file, and a folder of episodes beside it where they are many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from windowshop.episodes import Step
from windowshop.report.entries import Entry, entries_of
from windowshop.report.figures import Figures, figures_of, site_name
from windowshop.report.gap import CAUSES
from windowshop.report.pictures import data_address, small_picture
from windowshop.report.plots import color_of, plots_of
from windowshop.report.reading import Refusal, Run
from windowshop.report.render import render, resource
from windowshop.report.scored import write_text
from windowshop.scoring.live import CARRIES_OVER

STYLE = "style.css"
_WORDS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")
INLINE = 40
"""Up to so many episodes stand in the one file."""


@dataclass(frozen=True)
class Moment:
    """One step as it is shown: its screenshot (of a new page), and what was refused during it."""

    step: Step
    picture: str | None
    same_page: bool
    refusals: list[Refusal]


@dataclass(frozen=True)
class Shown:
    """One episode as it is shown, with its neighbours in the list."""

    entry: Entry
    address: str
    moments: list[Moment]


def write_report(runs: Sequence[Run], path: Path, inline: int = INLINE) -> Figures:
    """Write `path`, and `NAME-episodes/` beside it where there are more than `inline` episodes."""
    entries = entries_of(runs)
    figures = figures_of(runs, entries)
    if len(entries) <= inline:
        pictures = Embedded()
        shown = [Shown(entry, f"#e-{entry.key}", moments_of(entry, pictures)) for entry in entries]
        write_text(path, report_page(figures, shown, inline=True))
        return figures
    folder = path.with_name(f"{path.stem}-episodes")
    beside = Beside(folder)
    write_text(folder / STYLE, resource(STYLE))
    shown = [Shown(entry, f"{folder.name}/{entry.key}.html", []) for entry in entries]
    for place, one in enumerate(shown):
        full = Shown(one.entry, f"{one.entry.key}.html", moments_of(one.entry, beside))
        near = [
            shown[other].entry.key + ".html" if 0 <= other < len(shown) else None
            for other in (place - 1, place + 1)
        ]
        write_text(folder / f"{one.entry.key}.html", episode_page(full, f"../{path.name}#episodes", near))
    write_text(path, report_page(figures, shown, inline=False))
    return figures


class Embedded:
    """Pictures that stand in the page itself."""

    def __init__(self) -> None:
        self._known: dict[Path, str | None] = {}

    def address(self, path: Path) -> str | None:
        """Return an address that holds the picture."""
        if path not in self._known:
            found = small_picture(path)
            self._known[path] = None if found is None else data_address(found)
        return self._known[path]


class Beside:
    """Pictures that stand in a folder beside the pages, each once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def address(self, path: Path) -> str | None:
        """Return the picture's address, as seen from the folder."""
        name = f"{path.stem}.webp"
        target = self._folder / name
        if not target.exists():
            found = small_picture(path)
            if found is None:
                return None
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(found)
        return name


def moments_of(entry: Entry, pictures: Any) -> list[Moment]:
    """Return an episode's steps as they are shown; a page's picture once while the agent stays on it."""
    found, before = [], None
    for step in entry.steps:
        same = step.screenshot is not None and step.screenshot == before
        new = step.screenshot is not None and not same
        found.append(
            Moment(
                step=step,
                picture=pictures.address(entry.run.path / step.screenshot)
                if new and step.screenshot
                else None,
                same_page=same,
                refusals=[one for one in entry.refusals if one.step == step.step],
            )
        )
        before = step.screenshot
    return found


def report_page(figures: Figures, shown: Sequence[Shown], inline: bool, live: bool = False) -> str:
    """Return the report as a page; with `live` it looks for news at its own server."""
    plots = {
        name: {"title": plot.title, "caption": plot.caption, "svg": Markup(plot.svg)}
        for name, plot in plots_of(figures).items()
    }
    return render(
        "report.html",
        scripts=("report.js", "live.js") if live else ("report.js",),
        connects=live,
        title=title_of(figures),
        figures=figures,
        plots=plots,
        shown=shown,
        inline=inline,
        live=live,
        causes=CAUSES,
        color_of=lambda cause: f"c{int(color_of(cause)[-2:], 16)}",
        carries_over=CARRIES_OVER,
        site_name=site_name,
    )


def episode_page(shown: Shown, back: str, near: Sequence[str | None], live: bool = False) -> str:
    """Return one episode as a page of its own; `near` are the addresses before and after it."""
    return render(
        "episode.html",
        scripts=("live.js",) if live else (),
        style_address=None if live else STYLE,
        connects=live,
        title=f"{shown.entry.name} · {site_name(shown.entry.site)}",
        one=shown,
        back=back,
        near=near,
        live=live,
        site_name=site_name,
    )


def title_of(figures: Figures) -> str:
    """Return what the report is about, in a line."""
    agents = list(dict.fromkeys(row.agent for row in figures.outcomes))
    sites = list(dict.fromkeys(site_name(row.site) for row in figures.outcomes))
    if not agents:
        return ", ".join(run.name for run in figures.runs)
    count = _WORDS[len(agents)] if len(agents) < len(_WORDS) else str(len(agents))
    who = f"Agent {agents[0]}" if len(agents) == 1 else f"{count} agents"
    where = " and ".join([", ".join(sites[:-1]), sites[-1]] if len(sites) > 1 else sites)
    return f"{who} on {where}"
