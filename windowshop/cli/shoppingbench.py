"""`windowshop shoppingbench`: a catalogue, rollouts over it, their score, and samples to train on."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from windowshop.goals.shoppingbench import ShoppingGoal
    from windowshop.runs.stack import SourceName
    from windowshop.scoring.shoppingbench import ShoppingScore
    from windowshop.tools.catalogue import Catalogue
    from windowshop.tools.rollout import Rollout, ToolAgent

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_FOLDER = click.Path(file_okay=False, path_type=Path)
_THERE = click.Path(exists=True, file_okay=False, path_type=Path)
_ANY = click.Path(exists=True, path_type=Path)
_OUT = click.Path(dir_okay=False, path_type=Path)
_tasks = click.option("--tasks", "tasks_file", type=_FILE, required=True, help="ShoppingBench's queries.")


def _shop(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say what is searched, and hand the verb `place`, a context of a catalogue."""

    @click.option("--catalogue", type=_THERE, help="A catalogue's folder, made by `index`.")
    @click.option("--site", help="A shop instead, such as amazon; its demo without --recording or --live.")
    @click.option(
        "--recording", type=click.Path(exists=True, path_type=Path), help="The shop's recorded pages."
    )
    @click.option("--live", is_flag=True, help="Visit the real site.")
    @click.option("--contact", help="How the site can reach you, in the user agent of live requests.")
    @click.option("--pages", type=_FOLDER, help="Where the shop's pages are recorded; live needs it.")
    @functools.wraps(function)
    def wrapped(
        catalogue: Path | None,
        site: str | None,
        recording: Path | None,
        live: bool,
        contact: str | None,
        pages: Path | None,
        **options: Any,
    ) -> Any:
        from windowshop.errors import ConfigError

        if (catalogue is None) == (site is None):
            raise ConfigError("say what is searched: --catalogue DIR, or --site amazon or ebay")
        if catalogue is not None:
            place: AbstractContextManager[Catalogue] = _open_catalogue(catalogue)
        else:
            place = _open_shop(str(site), recording, live, contact, pages)
        return function(place=place, **options)

    return wrapped


_titles = click.option(
    "--titles",
    default="words",
    show_default=True,
    help="What compares titles: `words` (no model; not the paper's) or a sentence-transformers model.",
)
_trim = click.option("--trim", is_flag=True, help="Forgive blanks around recommended ids.")


@click.group(name="shoppingbench")
def command() -> None:
    """Run and score ShoppingBench: tools over a catalogue, ASR and CAR, trajectory distillation."""


@command.command()
@click.argument("files", nargs=-1, required=True, type=_FILE)
@click.option("-o", "--out", type=_FOLDER, required=True, help="The new catalogue's folder.")
def index(files: tuple[Path, ...], out: Path) -> None:
    """Make a catalogue of the documents in FILES (JSON lines, gzipped or not)."""
    from windowshop.tools.catalogue import build_catalogue, read_lines

    count = build_catalogue((line for file in files for line in read_lines(file)), out)
    click.echo(f"{count} products in {out}")


@command.command()
@_tasks
@_shop
@click.option("--agent", default="rule", show_default=True, help="`rule`, or `llm` with --model.")
@click.option("--model", help="The model behind the endpoint that the environment names.")
@click.option("--python/--no-python", default=False, help="Offer python_execute, in a sandboxed process.")
@click.option("--web", help="Offer web_search: your own as module:factory, with search(query, max_results).")
@click.option("--limit", type=click.IntRange(1), help="Only the first queries.")
@click.option("--max-steps", type=click.IntRange(1), default=30, show_default=True)
@click.option(
    "-o", "--out", type=_OUT, required=True, help="The rollout file; what it holds is not run again."
)
def run(
    tasks_file: Path,
    place: AbstractContextManager[Catalogue],
    agent: str,
    model: str | None,
    python: bool,
    web: str | None,
    limit: int | None,
    max_steps: int,
    out: Path,
) -> None:
    """Let an agent answer the queries, a line of OUT each."""
    from windowshop.journal import Journal
    from windowshop.tools.rollout import query_of, read_rollouts, roll_out
    from windowshop.tools.sandbox import Limits
    from windowshop.tools.toolbox import Toolbox
    from windowshop.tools.web import load_web_search

    chosen = _agent(agent, model)
    engine = load_web_search(web) if web else None
    done = {query_of(rollout) for rollout in read_rollouts(out)} if out.exists() else set()
    queries = list(_goals(tasks_file))[:limit]
    with place as shop, Journal(out) as journal:
        for query in queries:
            if query not in done:
                tools = Toolbox(shop, engine, Limits() if python else None)
                rollout = roll_out(query, chosen, tools, max_steps)
                journal.append_line(json.dumps(rollout, ensure_ascii=False).encode())
    click.echo(f"{len(queries)} queries in {out} ({len(done & set(queries))} were there)")


@command.command()
@click.argument("rollouts", type=_FILE)
@_tasks
@_shop
@_titles
@_trim
@click.option("--json", "as_json", is_flag=True, help="Print every query's score as JSON lines.")
def score(
    rollouts: Path,
    tasks_file: Path,
    place: AbstractContextManager[Catalogue],
    titles: str,
    trim: bool,
    as_json: bool,
) -> None:
    """Score the rollouts of a file: ASR and CAR by intent, over what ran and over all that was asked."""
    from rich.console import Console
    from rich.table import Table

    from windowshop.scoring.shoppingbench import summarise

    goals = _goals(tasks_file)
    with place as shop:
        scores = [scored for _, scored in _scored([rollouts], goals, shop, titles, trim)]
    if as_json:
        for scored in scores:
            click.echo(scored.model_dump_json())
        return
    table = Table("intent", "asked", "ran", "ASR %", "CAR %", "ASR % of asked", "CAR % of asked", "gold %")
    intents = sorted({goal.intent for goal in goals.values()})
    for intent in [*intents, "all"]:
        asked = sum(intent in (goal.intent, "all") for goal in goals.values())
        total = summarise((each for each in scores if intent in (each.intent, "all")), asked)
        shares = (total.asr, total.car, total.asr_of_asked, total.car_of_asked, total.gold)
        table.add_row(intent, str(asked), str(total.ran), *map(_percent, shares))
    Console().print(table)
    note = ", which is not the paper's model" if titles == "words" else ""
    click.echo(f"titles compared by {titles}{note}")


@command.command()
@click.argument("rollouts", nargs=-1, required=True, type=_FILE)
@_tasks
@_shop
@_titles
@_trim
@click.option("--format", "kind", type=click.Choice(["sft", "rl"]), default="sft", show_default=True)
@click.option("--split", default="train", show_default=True, help="rl: what the prompts are for.")
@click.option("-o", "--out", type=_OUT, required=True, help="sft: .jsonl or .json; rl: .parquet or .jsonl.")
def distill(
    rollouts: tuple[Path, ...],
    tasks_file: Path,
    place: AbstractContextManager[Catalogue],
    titles: str,
    trim: bool,
    kind: str,
    split: str,
    out: Path,
) -> None:
    """Keep the shortest successful rollout of each query, and write its steps as samples to train on."""
    from windowshop.tools.distill import rl_prompts, sample, sft_samples, words
    from windowshop.tools.samples import write_samples

    with place as shop:
        kept = list(sample(_scored(list(rollouts), _goals(tasks_file), shop, titles, trim)))
    samples: list[dict[str, Any]] = []
    for rollout in kept:
        samples.extend(sft_samples(rollout, words) if kind == "sft" else rl_prompts(rollout, split))
    write_samples(samples, out)
    click.echo(f"{len(samples)} samples of {len(kept)} queries in {out}")


def _goals(file: Path) -> dict[str, ShoppingGoal]:
    from windowshop.errors import ConfigError
    from windowshop.goals.shoppingbench import shopping_goal
    from windowshop.tasks.load import load_tasks

    tasks = load_tasks(file)
    if any(task.benchmark != "shoppingbench" or task.goal is None for task in tasks):
        raise ConfigError(f"{file} holds other tasks than ShoppingBench's")
    return {task.instruction: shopping_goal(task.goal or {}) for task in tasks}


def _scored(
    files: list[Path], goals: dict[str, ShoppingGoal], shop: Catalogue, titles: str, trim: bool
) -> Iterator[tuple[Rollout, ShoppingScore]]:
    from windowshop.errors import ConfigError
    from windowshop.scoring.similarity import load_similarity
    from windowshop.tools.distill import score_rollout
    from windowshop.tools.rollout import query_of, read_rollouts

    alike = load_similarity(titles)
    for file in files:
        for rollout in read_rollouts(file):
            goal = goals.get(query_of(rollout))
            if goal is None:
                raise ConfigError(f"{file}: the tasks have no query {query_of(rollout)[:60]!r}")
            yield rollout, score_rollout(rollout, goal, shop, alike, trim)


@contextmanager
def _open_catalogue(folder: Path) -> Iterator[Catalogue]:
    from windowshop.tools.catalogue import LocalCatalogue

    catalogue = LocalCatalogue(folder)
    try:
        yield catalogue
    finally:
        catalogue.close()


@contextmanager
def _open_shop(
    site: str, recording: Path | None, live: bool, contact: str | None, pages: Path | None
) -> Iterator[Catalogue]:
    from windowshop.env.place import Place
    from windowshop.env.shopfront import Shopfront
    from windowshop.errors import ConfigError
    from windowshop.tools.bridge import ShopCatalogue

    if live and recording is not None:
        raise ConfigError("--live and --recording exclude each other")
    source: SourceName = "live" if live else "demo" if recording is None else "recording"
    with Shopfront(Place(site=site, source=source, recording=recording, contact=contact), pages) as front:
        yield ShopCatalogue(front.counter()[0])


def _agent(name: str, model: str | None) -> ToolAgent:
    from windowshop.errors import ConfigError

    if name == "rule":
        from windowshop.tools.rule import RuleToolAgent

        return RuleToolAgent()
    if name == "llm" and model:
        from windowshop.llm import ChatModel
        from windowshop.tools.model_agent import ModelToolAgent

        return ModelToolAgent(ChatModel(model))
    raise ConfigError(f"--agent {name!r}: take `rule`, or `llm` with --model")


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"
