"""The options that `run` and `replay` share: who shops, how often, how many at once, and what it may take."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from windowshop.agents import AgentSettings
    from windowshop.runs.plan import Plan
    from windowshop.runs.worker import LoadAgent

_AGENT = (
    "checkpoint",
    "search_checkpoint",
    "model",
    "temperature",
    "prices",
    "greedy",
    "images",
    "timeout",
    "stream",
    "reply_tokens",
)
_LIMITS = ("seconds", "requests", "bytes", "credits", "tokens", "cost")
_PATIENCE = 1800.0


def grid_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a verb; it is given `agents`, `limits` and so on, as `Plan` wants them."""

    @functools.wraps(function)
    def wrapped(*args: Any, **options: Any) -> Any:
        from windowshop.agents import AgentSettings
        from windowshop.runs.limits import Limits

        one = {name: options.pop(f"episode_{name}") for name in _LIMITS}
        whole = {name: options.pop(f"max_{name}") for name in _LIMITS}
        if one["seconds"] is None and "human" not in options["agents"]:
            one["seconds"] = _PATIENCE
        if options["processes"] is not None and options["engine"] != "processes":
            raise click.UsageError("--processes goes with --engine processes")
        options["limits"] = Limits(**one)
        options["run_limits"] = Limits(**whole, blocks=options.pop("max_blocks"))
        options["agents"] = tuple(dict.fromkeys(options["agents"]))
        options["agent_settings"] = AgentSettings(
            **{name: options.pop(name) for name in _AGENT},
            max_cost=whole["cost"],
            max_tokens=whole["tokens"],
        )
        return function(*args, **options)

    for option in reversed(_options()):
        wrapped = option(wrapped)
    return wrapped


def make_loader(plan: Plan, settings: AgentSettings, out: Path) -> LoadAgent:
    """Return what makes this plan's agents; raise `ConfigError` now for one that cannot be made.

    Agents in threads share one purse for models, from which an earlier sitting in the folder `out` may have
    spent; an agent that was made to see whether it can be is used.
    """
    from windowshop.agents import load_agent

    if plan.engine != "threads":
        for spec in plan.agents:
            load_agent(spec, plan.seed, settings)
        return functools.partial(load_agent, settings=settings)
    from windowshop.episodes import Spent
    from windowshop.llm import Budget
    from windowshop.runs.folder import read_spent

    is_limited = settings.max_cost is not None or settings.max_tokens is not None
    spent = read_spent(out) if is_limited else Spent()
    budget = Budget(settings.max_cost, settings.max_tokens, spent.cost or 0.0, spent.tokens or 0)
    load = functools.partial(load_agent, settings=settings, budget=budget)
    made = {spec: load(spec, plan.seed) for spec in plan.agents}
    return lambda spec, seed: made.pop(spec, None) or load(spec, seed)


def _options() -> list[Callable[..., Any]]:
    amount = {"requests": int, "bytes": int, "tokens": int}
    option = click.option
    return [
        option("--agent", "agents", multiple=True, default=["rule"], show_default=True, help=_AGENT_HELP),
        option("--repeats", default=1, show_default=True, type=click.IntRange(1), help="Each cell so often."),
        option("--workers", default=1, show_default=True, type=click.IntRange(1), help="So many at once."),
        option(
            "--engine",
            type=click.Choice(["threads", "processes", "ray"]),
            default="threads",
            show_default=True,
            help="Where the workers live.",
        ),
        option("--processes", type=click.IntRange(1), help="That share the workers [default: one each]."),
        option("--ray-address", help="The Ray cluster to join [default: one on this machine]."),
        option("--max-steps", default=15, show_default=True, type=click.IntRange(1), help="An episode's."),
        option("--mode", type=click.Choice(["text", "text_rich"]), default="text_rich", show_default=True),
        option(
            "--actions",
            type=click.Choice(["simulator", "extended"]),
            default="simulator",
            show_default=True,
            help="extended adds sort[...], filter[...], price[low-high] and rating[4+].",
        ),
        option("--seed", default=0, show_default=True, help="For agents that draw lots."),
        option("--checkpoint", type=_PATH, help="The weights of webshop-il or webshop-rl."),
        option("--search-checkpoint", type=_PATH, help="Their search model, where it stands elsewhere."),
        option("--greedy", is_flag=True, help="They take the best action instead of drawing lots."),
        option("--images", type=_PATH, help="Their image features: a file of 512 numbers by item id."),
        option(
            "--agent-timeout",
            "timeout",
            default=60.0,
            show_default=True,
            type=click.FloatRange(0, min_open=True),
            help="Seconds that a model, a program or a server has for an answer.",
        ),
        option("--model", help="What the endpoint calls the language model."),
        option("--temperature", type=click.FloatRange(0), help="The language model's [default: its own]."),
        option(
            "--reply-tokens",
            default=1024,
            show_default=True,
            type=click.IntRange(1),
            help="The language model's longest answer.",
        ),
        option("--stream", is_flag=True, help="Ask for its answers in a stream."),
        option("--prices", type=_PATH, help="A TOML file: what a million tokens cost, a table a model."),
        *(
            option(f"--max-{name}", type=amount.get(name, float), help=f"The whole run's limit on {name}.")
            for name in _LIMITS
        ),
        *(
            option(f"--episode-{name}", type=amount.get(name, float), help=f"One episode's limit on {name}.")
            for name in _LIMITS
        ),
        option("--max-blocks", type=click.IntRange(1), help="Leave a site alone after so many [default: 1]."),
        option("--resume-steps", is_flag=True, help="Go on in the middle of an episode, not at its start."),
        option(
            "--out", type=click.Path(path_type=Path), help="The run folder [default: a new one in runs/]."
        ),
        option("--json", "as_json", is_flag=True, help="Print the results as JSON lines."),
    ]


_PATH = click.Path(exists=True, path_type=Path)
_AGENT_HELP = (
    "rule, rule+options, random, human, scripted:FILE, webshop-il, webshop-rl, llm, llm-tools, "
    "'cmd: PROGRAM', http://ADDRESS or module:factory (see docs/agents.md). Repeatable."
)
