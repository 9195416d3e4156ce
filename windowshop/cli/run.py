"""`windowshop run`: agents shop, in dry-run, and everything they saw and did is kept."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from windowshop.cli.grid import grid_options

if TYPE_CHECKING:
    from windowshop.episodes import Task
    from windowshop.runs.plan import Plan


@click.command(name="run")
@click.argument("instruction", required=False)
@click.option("--tasks", "tasks_file", help="A file of goals or instructions, or the word demo.")
@click.option("--limit", help="Only the first N tasks, or A-B: those from A, counted from 0, up to B.")
@click.option("--site", "sites", multiple=True, default=["amazon"], show_default=True, help="Repeatable.")
@click.option("--locale", default="us", show_default=True, help="The marketplace (see: windowshop sites).")
@click.option(
    "--transport",
    type=click.Choice(["auto", "http", "browser", "scraperapi"]),
    default="auto",
    show_default=True,
    help="auto is the browser where there is one.",
)
@click.option("--live", is_flag=True, help="Visit the real site. Without it, the demo shop.")
@click.option(
    "--recording",
    type=click.Path(path_type=Path),
    help="Replay pages from a recording's name, a run folder or a WARC file; no socket is opened.",
)
@click.option(
    "--record-mode",
    type=click.Choice(["none", "once", "new_episodes", "all"]),
    default="none",
    show_default=True,
    help="With --recording NAME and --live: whether pages that it lacks are fetched and added to it.",
)
@click.option(
    "--page-seconds", type=click.FloatRange(0), help="Fetch a page again after so long [default: never]."
)
@click.option(
    "--base-url", help="Where a shop of your own stands, for --site webshop and others that anyone can run."
)
@click.option(
    "--sandbox",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A policy file of shops of your own, whose carts and checkouts WebMall's tasks may then use.",
)
@click.option("--contact", help="How the site can reach you, in the user agent of live requests.")
@click.option(
    "--dry-run/--no-dry-run",
    default=True,
    show_default=True,
    help="On real shops dry-run is the only mode; --no-dry-run is refused.",
)
@click.option(
    "--plan", "only_plan", is_flag=True, help="Print what would be run and what it would take; do nothing."
)
@grid_options
@click.pass_context
def command(
    ctx: click.Context,
    /,
    instruction: str | None,
    tasks_file: str | None,
    limit: str | None,
    out: Path | None,
    dry_run: bool,
    only_plan: bool,
    as_json: bool,
    agent_settings: Any,
    **options: Any,
) -> None:
    """Let an agent shop for INSTRUCTION, or for each task of a file. Dry-run: it looks and never buys.

    Without --live and without --recording it shops in the embedded demo shop. `click[buy now]` ends an
    episode with a recorded purchase intent. Every --agent does every task on every --site, --repeats times.
    Run the same command with the same --out to go on after an interrupt.

    \b
    Examples:
      windowshop run "a red ceramic kettle under 40 dollars"
      windowshop run --tasks demo --limit 10 --site amazon --site ebay
      windowshop run "usb c cable" --site ebay --live --contact you@example.org
      windowshop run --tasks goals.json --agent rule --agent llm --model m --max-cost 5 --workers 8 --plan
    """
    from windowshop.cli import start_logging
    from windowshop.cli.carry_out import carry_out
    from windowshop.cli.grid import make_loader
    from windowshop.errors import ConfigError

    start_logging(ctx)
    if not dry_run:
        raise ConfigError(
            "--no-dry-run is refused: no sandbox policy names a shop of your own; drop the option"
        )
    plan = _plan(_tasks(instruction, tasks_file, limit), {**options, "agent_settings": agent_settings})
    if only_plan:
        from windowshop.cli.estimate import print_plan

        print_plan(plan, agent_settings, as_json)
        return
    out = out or new_folder()
    load = make_loader(plan, agent_settings, out)
    _announce(plan, out)
    carry_out(ctx, plan, load, out, as_json)


def _tasks(instruction: str | None, tasks_file: str | None, limit: str | None) -> tuple[Task, ...]:
    from windowshop.episodes import Task
    from windowshop.errors import ConfigError

    if (instruction is None) == (tasks_file is None):
        raise ConfigError("say what to shop for: an INSTRUCTION in quotes, or --tasks FILE, or --tasks demo")
    if instruction is not None and limit is not None:
        raise ConfigError("--limit goes with --tasks")
    if instruction is not None:
        instruction = instruction.encode("utf-8", "replace").decode()
        return (Task(id="0", instruction=instruction),)
    return read_tasks_file(str(tasks_file), limit)


def read_tasks_file(name: str, limit: str | None) -> tuple[Task, ...]:
    """Return the tasks in a file, or the demo shop's, as far as they are wanted."""
    from windowshop.tasks.load import load_tasks, pick, to_tasks

    if name == "demo":
        from windowshop.demo import goals

        return tuple(pick(to_tasks(goals()), limit))
    return tuple(pick(load_tasks(Path(name)), limit))


def _plan(tasks: tuple[Task, ...], options: dict[str, Any]) -> Plan:
    from windowshop.adapters import load_site
    from windowshop.errors import ConfigError
    from windowshop.locales import LOCALES
    from windowshop.runs.plan import Plan

    live = options.pop("live")
    live = _recording_mode(live, options)
    own = options["base_url"] is not None
    real = [site for site in options["sites"] if site in LOCALES]
    if own and len(real) == len(options["sites"]):
        raise ConfigError("--base-url is for a shop of your own, not a real one: name its --site too")
    if own and live and not real:
        raise ConfigError("--live is for real shops; your own at --base-url goes without")
    if options["sandbox"] is not None and (not own or options["sites"] != ("webmall",)):
        raise ConfigError("--sandbox is for --site webmall at --base-url: no other run fills a cart")
    source = (
        "live" if live else "recording" if options["recording"] else "own" if own and not real else "demo"
    )
    if options["transport"] == "auto":
        options["transport"] = _auto_transport(source)
    elif options["transport"] == "scraperapi" and source != "live":
        raise ConfigError("--transport scraperapi visits the web from its own machines: it needs --live")
    options["sites"] = tuple(dict.fromkeys(options["sites"]))
    for site in options["sites"]:
        load_site(site, options["locale"], None if site in LOCALES else options["base_url"])
    return Plan(tasks=tasks, source=source, **options)


def _recording_mode(live: bool, options: dict[str, Any]) -> bool:
    """Settle which recording is read or added to, in vcrpy's words; say whether the site is visited."""
    from windowshop.errors import ConfigError
    from windowshop.runs.recordings import HOME, find_recording

    given, mode = options["recording"], options["record_mode"]
    if mode == "none":
        if live and given:
            raise ConfigError(
                "--live and --recording exclude each other, but for --record-mode once, new_episodes or all"
            )
        options["recording"] = find_recording(given) if given else None
        return live
    if not live or given is None or len(given.parts) > 1:
        raise ConfigError("--record-mode goes with --live and with --recording NAME, a plain name")
    options["recording"] = HOME / given
    if mode == "once" and options["recording"].exists():
        options["record_mode"] = "none"
        return False
    return live


def _auto_transport(source: str) -> str:
    if source in ("recording", "own"):
        return "http"
    from windowshop.transports.browser import is_usable

    return "browser" if is_usable() else "http"


def _announce(plan: Plan, out: Path) -> None:
    """Say on standard error, before anything is fetched, where the pages come from and what is allowed."""
    where = {
        "demo": "the embedded demo shop, under the real host names",
        "recording": f"the recording {plan.recording}; no socket is opened",
        "live": "the LIVE site",
        "own": f"your own server at {plan.base_url}",
    }[plan.source]
    how = "DRY-RUN" if plan.sandbox is None else f"carts and checkouts as {plan.sandbox} allows,"
    click.echo(f"windowshop: {how} on {where}; transport {plan.transport}; run folder {out}", err=True)
    if plan.base_url is not None and plan.source != "own":
        click.echo(f"windowshop: and on your own server at {plan.base_url}", err=True)
    if plan.source == "demo" and plan.locale != "us":
        click.echo("windowshop: the demo shop is in English and US dollars under every host name", err=True)
    if plan.source != "live":
        if plan.transport == "http" and plan.source == "demo":
            click.echo("windowshop: fetching without a browser (see: windowshop doctor)", err=True)
        return
    from windowshop.transports.pace import DELAY

    for site, digest in plan.settings()["policies"].items():
        click.echo(f"  site    {site} ({plan.locale})", err=True)
        click.echo(f"  policy  default deny, reads only, {digest[:16]}", err=True)
    click.echo(f"  polite  robots.txt obeyed, at least {DELAY:g} s between requests to a host", err=True)
    budget = plan.size * plan.max_steps
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


def new_folder() -> Path:
    """Return a folder that is not there yet, named by the time."""
    first = Path("runs", datetime.now().strftime("%Y%m%d-%H%M%S"))
    names = (first, *(first.with_name(f"{first.name}-{number}") for number in range(2, 1000)))
    return next(path for path in names if not path.exists())
