"""`windowshop replay`: any agent on the pages of an earlier run, or of a recording."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from windowshop.cli.grid import grid_options

if TYPE_CHECKING:
    from windowshop.episodes import Task
    from windowshop.runs.plan import Plan

_OF_THE_RUN = ("agents", "repeats", "max_steps", "mode", "actions", "seed", "locale")


@click.command(name="replay")
@click.argument("what", metavar="RUN|RECORDING", type=click.Path(path_type=Path))
@click.option("--tasks", "tasks_file", help="Other tasks: a file, or the word demo.")
@click.option("--limit", help="Only the first N tasks, or A-B: those from A, counted from 0, up to B.")
@click.option("--site", "sites", multiple=True, help="Only these sites. Repeatable.")
@click.option("--locale", default="us", show_default=True, help="The marketplace, where nothing says it.")
@grid_options
@click.pass_context
def command(
    ctx: click.Context,
    /,
    what: Path,
    tasks_file: str | None,
    limit: str | None,
    sites: tuple[str, ...],
    out: Path | None,
    as_json: bool,
    agent_settings: Any,
    **options: Any,
) -> None:
    """Let agents shop on recorded pages: those of a RUN, a RECORDING's name, or a WARC file.

    No socket is opened. A page that was not recorded ends the episode with `replay_miss` and the nearest
    addresses that were; nothing is ever guessed. Tasks, sites, agents and their settings are those of the
    run, unless said otherwise. With one worker, two replays are the same to the byte but for the times.

    \b
    Examples:
      windowshop replay runs/20260101-120000
      windowshop replay kettles --agent my_agents:Careful
    """
    from windowshop.cli import start_logging
    from windowshop.cli.carry_out import carry_out
    from windowshop.cli.grid import make_loader
    from windowshop.cli.run import new_folder
    from windowshop.runs.recordings import find_recording

    start_logging(ctx)
    said = {name for name in ctx.params if ctx.get_parameter_source(name) is not ParameterSource.DEFAULT}
    options["agent_settings"] = agent_settings
    plan = _plan(find_recording(what), tasks_file, limit, sites, options, said)
    out = out or new_folder()
    load = make_loader(plan, agent_settings, out)
    click.echo(f"windowshop: DRY-RUN on {plan.recording}; no socket is opened; run folder {out}", err=True)
    carry_out(ctx, plan, load, out, as_json)


def _plan(
    path: Path,
    tasks_file: str | None,
    limit: str | None,
    sites: tuple[str, ...],
    options: dict[str, Any],
    said: set[str],
) -> Plan:
    from windowshop.cli.run import read_tasks_file
    from windowshop.errors import ConfigError
    from windowshop.runs.folder import read_manifest, read_tasks
    from windowshop.runs.plan import Plan
    from windowshop.runs.recordings import ABOUT, read_about
    from windowshop.tasks.load import pick

    tasks: tuple[Task, ...] = ()
    of_the_run: dict[str, Any] = {}
    if (path / "run.json").exists():
        settings = read_manifest(path)["settings"]
        tasks = read_tasks(path)
        of_the_run = {
            name: settings[name] for name in (*_OF_THE_RUN, "sites", "base_url") if name in settings
        }
    elif (path / ABOUT).exists():
        about = read_about(path)
        tasks, of_the_run = about.tasks, {"sites": about.sites, "locale": about.locale}
    if tasks_file is not None:
        tasks = read_tasks_file(tasks_file, limit)
    elif tasks:
        tasks = tuple(pick(tasks, limit))
    else:
        raise ConfigError(f"{path} does not say what was shopped for: give --tasks FILE")
    chosen = {**options, **{name: value for name, value in of_the_run.items() if name not in said}}
    chosen["sites"] = sites or of_the_run.get("sites") or ("amazon",)
    return Plan(tasks=tasks, source="recording", recording=path, **chosen)
