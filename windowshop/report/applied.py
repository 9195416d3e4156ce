"""Check every episode of a run by rules, from its addresses and its recorded pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from windowshop.episodes import EpisodeResult, Step
from windowshop.pages import Facet, ResultsPage
from windowshop.report.recorded import Recorded
from windowshop.runs.folder import read_manifest, read_results, read_steps
from windowshop.scoring.applied import Applied, InForce, apply_rules, in_force
from windowshop.scoring.aspects import Absent

APPLIED = "scores/applied.jsonl"


def apply_to_run(run: Path, absent: Absent = "lenient") -> Iterator[Applied]:
    """Yield what rules find in each episode that has ended, in the order in which they ended."""
    recorded = Recorded(run, read_manifest(run)["settings"])
    steps = read_steps(run)
    for result in read_results(run):
        taken = steps.get(result.episode, [])
        chosen = recorded.chosen(result, taken)
        yield apply_rules(
            result, _last_list(recorded, result, taken), chosen.page if chosen else None, absent
        )


def _last_list(recorded: Recorded, result: EpisodeResult, steps: Sequence[Step]) -> InForce | None:
    """Return how the list was ordered and narrowed that the agent looked at last."""
    lists = recorded.lists(steps)
    refined = recorded.refined(result, lists[-1]) if lists else None
    if refined is None:
        return None
    facets: list[Facet] = []
    offered: tuple[Facet, ...] | None = None
    for step in lists:
        offered = recorded.facets(step.page_digest, result.site, result.locale)
        facets += offered or ()
    page = recorded.page(lists[-1].page_digest, result.site, result.locale)
    tiles = page.tiles if isinstance(page, ResultsPage) else ()
    return in_force(refined, facets, tiles, offered)
