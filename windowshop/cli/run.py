"""`windowshop run`: an agent shops, in dry-run, and everything it saw and did is kept."""

from __future__ import annotations

import sys
from datetime import datetime
from json import loads
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from windowshop.episodes import EpisodeResult, Task
    from windowshop.runs.batch import Plan


@click.command(name="run")
@click.argument("instruction", required=False)
@click.option("--tasks", "tasks_file", help="A file of goals or instructions, or the word demo.")
@click.option("--limit", help="Only the first N tasks, or A-B: those from A, counted from 0, up to B.")
@click.option("--site", "sites", multiple=True, default=["amazon"], show_default=True, help="Repeatable.")
@click.option("--locale", default="us", show_default=True, help="The marketplace (see: windowshop sites).")
@click.option(
    "--agent", default="rule", show_default=True, help="rule, human, scripted:FILE, or module:factory."
)
@click.option("--max-steps", default=15, show_default=True, type=click.IntRange(1))
@click.option(
    "--transport",
    type=click.Choice(["auto", "http", "browser", "scraperapi"]),
    default="auto",
    show_default=True,
    help="auto is the browser where there is one.",
)
@click.option("--mode", type=click.Choice(["text", "text_rich"]), default="text_rich", show_default=True)
@click.option("--seed", default=0, show_default=True, help="For agents that draw lots.")
@click.option("--live", is_flag=True, help="Visit the real site. Without it, the demo shop.")
@click.option(
    "--recording",
    type=click.Path(exists=True, path_type=Path),
    help="Replay pages from a run folder or a WARC file; no socket is opened.",
)
@click.option("--base-url", help="Where a WebShop server of your own stands, for --site webshop.")
@click.option("--out", type=click.Path(path_type=Path), help="The run folder [default: a new one in runs/].")
@click.option("--contact", help="How the site can reach you, in the user agent of live requests.")
@click.option(
    "--dry-run/--no-dry-run",
    default=True,
    show_default=True,
    help="On real shops dry-run is the only mode; --no-dry-run is refused.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON lines.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    instruction: str | None,
    tasks_file: str | None,
    limit: str | None,
    out: Path | None,
    dry_run: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Let an agent shop for INSTRUCTION, or for each task of a file. Dry-run: it looks and never buys.

    Without --live and without --recording it shops in the embedded demo shop. `click[buy now]` ends an
    episode with a recorded purchase intent. Run the same command with the same --out to go on after an
    interrupt.

    \b
    Examples:
      windowshop run "a red ceramic kettle under 40 dollars"
      windowshop run --tasks demo --limit 10 --site amazon --site ebay
      windowshop run "usb c cable" --site ebay --live --contact you@example.org
      windowshop run --tasks demo --limit 10 --recording runs/one
    """
    from windowshop.agents import load_agent
    from windowshop.cli import start_logging
    from windowshop.errors import ConfigError
    from windowshop.runs.batch import run_batch
    from windowshop.runs.folder import RunFolder, read_results

    start_logging(ctx)
    if not dry_run:
        raise ConfigError(
            "--no-dry-run is refused: no sandbox policy names a shop of your own; drop the option"
        )
    plan = _plan(_tasks(instruction, tasks_file, limit, options), options)
    agent = load_agent(plan.agent, plan.seed)
    out = out or _new_folder()
    _announce(plan, out)
    folder = RunFolder(out, plan.settings())
    try:
        done = len(folder.finished())
        for result in run_batch(plan, agent, folder):
            done += 1
            if as_json:
                click.echo(result.model_dump_json())
            else:
                _progress(result, done, len(plan.tasks) * len(plan.sites))
    except KeyboardInterrupt:
        click.echo(f"\ninterrupted; the same command with --out {out} goes on from here", err=True)
        ctx.exit(130)
    finally:
        folder.close()
    results = read_results(out)
    if not as_json:
        _table(results)
        _conclude(plan, out, results)
    ctx.exit(_exit_code(results))


def _tasks(
    instruction: str | None, tasks_file: str | None, limit: str | None, options: dict[str, Any]
) -> tuple[Task, ...]:
    from windowshop.episodes import Task
    from windowshop.errors import ConfigError
    from windowshop.tasks.load import goals_to_tasks, load_tasks, pick

    if (instruction is None) == (tasks_file is None):
        raise ConfigError("say what to shop for: an INSTRUCTION in quotes, or --tasks FILE, or --tasks demo")
    if instruction is not None and limit is not None:
        raise ConfigError("--limit goes with --tasks")
    if instruction is not None:
        instruction = instruction.encode("utf-8", "replace").decode()
        return (Task(id="0", instruction=instruction),)
    if tasks_file == "demo":
        from windowshop.demo import goals

        return tuple(pick(goals_to_tasks(goals()), limit))
    return tuple(pick(load_tasks(Path(str(tasks_file))), limit))


def _plan(tasks: tuple[Task, ...], options: dict[str, Any]) -> Plan:
    from windowshop.adapters import load_site
    from windowshop.errors import ConfigError
    from windowshop.runs.batch import Plan

    live, recording = options.pop("live"), options["recording"]
    if live and recording:
        raise ConfigError("--live and --recording exclude each other")
    own = options["base_url"] is not None
    if own and (live or options["sites"] != ("webshop",)):
        raise ConfigError("--base-url is for --site webshop alone, and goes without --live")
    source = "live" if live else "recording" if recording else "own" if own else "demo"
    if options["transport"] == "auto":
        options["transport"] = _auto_transport(source)
    elif options["transport"] == "scraperapi" and source != "live":
        raise ConfigError("--transport scraperapi visits the web from its own machines: it needs --live")
    for site in options["sites"]:
        load_site(site, options["locale"], options["base_url"])
    return Plan(tasks=tasks, source=source, **options)


def _auto_transport(source: str) -> str:
    if source in ("recording", "own"):
        return "http"
    from windowshop.transports.browser import find_browser

    return "http" if find_browser() is None else "browser"


def _announce(plan: Plan, out: Path) -> None:
    """Say on standard error, before anything is fetched, where the pages come from and what is allowed."""
    where = {
        "demo": "the embedded demo shop, under the real host names",
        "recording": f"the recording {plan.recording}; no socket is opened",
        "live": "the LIVE site",
        "own": f"your own server at {plan.base_url}",
    }[plan.source]
    click.echo(f"windowshop: DRY-RUN on {where}; transport {plan.transport}; run folder {out}", err=True)
    if plan.source == "demo" and plan.locale != "us":
        click.echo("windowshop: the demo shop is in English and US dollars under every host name", err=True)
    if plan.source != "live":
        if plan.transport == "http" and plan.source == "demo":
            click.echo("windowshop: fetching without a browser (see: windowshop doctor)", err=True)
        return
    from windowshop.transports.politeness import DELAY

    for site, digest in plan.settings()["policies"].items():
        click.echo(f"  site    {site} ({plan.locale})", err=True)
        click.echo(f"  policy  default deny, reads only, {digest[:16]}", err=True)
    click.echo(f"  polite  robots.txt obeyed, at least {DELAY:g} s between requests to a host", err=True)
    budget = len(plan.tasks) * len(plan.sites) * plan.max_steps
    click.echo(f"  budget  at most {budget} pages, retries apart ({plan.max_steps} steps each)", err=True)
    _prove_the_guard(plan)


def _prove_the_guard(plan: Plan) -> None:
    """See, before a live site is visited, that a purchase does not get out on this machine."""
    from windowshop.errors import Leak
    from windowshop.runs.selftest import selftest

    holds, says = selftest("browser" if plan.transport == "browser" else "http")
    click.echo(f"  guard   {says}", err=True)
    if not holds:
        raise Leak(f"the guard's own test failed, so the live site is not visited: {says}")


def _new_folder() -> Path:
    """Return a folder that is not there yet, named by the time."""
    first = Path("runs", datetime.now().strftime("%Y%m%d-%H%M%S"))
    names = (first, *(first.with_name(f"{first.name}-{number}") for number in range(2, 1000)))
    return next(path for path in names if not path.exists())


def _conclude(plan: Plan, out: Path, results: list[EpisodeResult]) -> None:
    left = len(plan.tasks) * len(plan.sites) - len(results)
    if left:
        click.echo(f"{left} episodes were not begun; the same command with --out {out} goes on")
    if plan.source == "demo":
        from windowshop.runs.stack import SHOP_COUNTERS

        harm = loads((out / SHOP_COUNTERS).read_text(encoding="utf-8"))["harm"]
        click.echo(
            f"the demo shop's cart, checkout and account pages were asked for {sum(harm.values())} times"
        )
    click.echo(f"dry-run: nothing was bought. Look at it with: windowshop show {out}")


def _progress(result: EpisodeResult, number: int, total: int) -> None:
    from windowshop.terminal import printable

    click.echo(f"[{number}/{total}] {result.episode}: {result.outcome} after {result.steps} steps", err=True)
    if result.reason and result.outcome not in ("intercepted", "step_limit"):
        click.echo(f"        {printable(result.reason)}", err=True)


def _table(results: list[EpisodeResult]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from windowshop.terminal import printable

    table = Table(title="dry-run: what would have been bought", title_justify="left")
    for name in ("site", "goal", "steps", "product", "price", "outcome"):
        table.add_column(name, justify="right" if name in ("steps", "price") else "left", overflow="fold")
    for result in results:
        intent = result.intent
        price = intent.unit_price.text if intent and intent.unit_price else None
        cells = (
            result.site,
            result.task.instruction,
            str(result.steps),
            (intent.title or intent.item_id) if intent else "",
            price or "",
            result.outcome,
        )
        table.add_row(*(Text(printable(cell)) for cell in cells))
    Console(width=None if sys.stdout.isatty() else 140).print(table)


def _exit_code(results: list[EpisodeResult]) -> int:
    """Return the gravest exit code among the outcomes; an intercepted purchase and a step limit are well."""
    from windowshop.errors import EXIT_CODES

    found = {EXIT_CODES.get(result.outcome.partition(":")[0], 0) for result in results}
    return next((code for code in (4, 8, 2, 3, 6, 7, 5, 1) if code in found), 0)
