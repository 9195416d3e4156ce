"""`windowshop run --plan`: what would be run, and what it would take at most."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from windowshop.terminal import printable

if TYPE_CHECKING:
    from windowshop.agents import AgentSettings
    from windowshop.runs.plan import Plan


def print_plan(plan: Plan, agent_settings: AgentSettings, as_json: bool) -> None:
    """Print the resolved grid and its bounds; nothing is opened, fetched or written."""
    about = {"format": 1, "dry_run": True, **estimate(plan, agent_settings)}
    if as_json:
        click.echo(json.dumps(about, indent=1))
        return
    for name, value in about.items():
        for part in value.items() if isinstance(value, dict) else ((None, value),):
            said = part[1] if part[0] is None else f"{part[0]}: {part[1]}"
            said = ", ".join(map(str, said)) if isinstance(said, list) else said
            click.echo(printable(f"{name:24} {'unknown' if said is None else said}"))
            name = ""


def estimate(plan: Plan, agent_settings: AgentSettings) -> dict[str, Any]:
    """Return the grid and its upper bounds; None is what nobody can know beforehand.

    A step asks for at most one page, and a page is asked for once a run; retries and redirects apart.
    """
    each = min(plan.max_steps, plan.limits.requests or plan.max_steps)
    pages = {site: plan.size // len(plan.sites) * each for site in plan.sites}
    most = sum(pages.values())
    if plan.run_limits.requests is not None:
        most = min(most, plan.run_limits.requests)
        pages = {site: min(number, most) for site, number in pages.items()}
    return {
        "source": plan.source,
        "transport": plan.transport,
        "engine": f"{plan.workers} "
        + (f"in {plan.processes} processes" if plan.processes else f"of {plan.engine}"),
        "sites": list(plan.sites),
        "agents": list(plan.agents),
        "tasks": len(plan.tasks),
        "repeats": plan.repeats,
        "episodes": plan.size,
        "steps_at_most": plan.size * plan.max_steps,
        "policy": plan.settings()["policies"],
        "requests_at_most": 0 if plan.source == "recording" else most,
        "minutes_at_polite_rate": _minutes(plan, pages),
        "credits_at_most": _credits(plan),
        "cost_at_most": _cost(plan, agent_settings),
        "limits": {
            "episode": plan.limits.model_dump(exclude_none=True),
            "run": plan.run_limits.model_dump(exclude_none=True),
        },
    }


def _minutes(plan: Plan, pages: dict[str, int]) -> float:
    """Return how long the pauses alone take, if every step asks for a page: hosts are waited for at once."""
    from windowshop.transports.pace import DELAY, JITTER

    if plan.source != "live":
        return 0.0
    return round(max(pages.values()) * DELAY * (1 + JITTER / 2) / 60, 1)


def _credits(plan: Plan) -> float | None:
    if plan.transport != "scraperapi":
        return 0.0
    return plan.run_limits.credits


def _cost(plan: Plan, agent_settings: AgentSettings) -> float | None:
    asks_models = any(agent.partition(":")[0] not in _FREE for agent in plan.agents)
    return agent_settings.max_cost if asks_models else 0.0


_FREE = ("rule", "rule+options", "random", "human", "scripted", "webshop-il", "webshop-rl")
