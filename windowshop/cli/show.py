"""`windowshop show`: what the agent saw and did."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from windowshop.cli.filters import filters

if TYPE_CHECKING:
    from windowshop.runs.status import Which


@click.command(name="show")
@click.argument("run", type=click.Path(exists=True, file_okay=False, path_type=Path))
@filters
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the run, its episodes and their steps.")
def command(run: Path, which: Which, as_json: bool) -> None:
    """Print a run step by step: the observation, the action, the guard's verdict, the purchase intents.

    Example: windowshop show runs/20260101-120000 --episode amazon-3
    """
    from windowshop.errors import ConfigError
    from windowshop.runs.folder import read_manifest, read_results, read_steps
    from windowshop.terminal import printable

    manifest = read_manifest(run)
    results = {result.episode: result for result in read_results(run)}
    meant = {name for name, result in results.items() if which(result.model_dump())}
    is_unended_meant = which.model_copy(update={"episode": None}) == type(which)()
    episodes = {
        name: steps
        for name, steps in read_steps(run).items()
        if name in meant
        or (name not in results and is_unended_meant and name.startswith(which.episode or ""))
    }
    if which != type(which)() and not episodes:
        raise ConfigError(f"{run} has no such episode; it has: {', '.join(results) or 'none'}")
    if as_json:
        click.echo(
            json.dumps(
                {
                    "run": manifest,
                    "episodes": [
                        {
                            "episode": name,
                            "result": results[name].model_dump(mode="json") if name in results else None,
                            "steps": [step.model_dump(mode="json") for step in steps],
                        }
                        for name, steps in episodes.items()
                    ],
                },
                indent=1,
            )
        )
        return
    from rich.console import Console
    from rich.panel import Panel
    from rich.text import Text

    console = Console()
    settings = manifest["settings"]
    console.print(
        Text(
            f"dry-run, {settings['source']}, agent {', '.join(settings['agents'])}, "
            f"transport {settings['transport']}, seed {settings['seed']}, {manifest['created']}",
            style="dim",
        )
    )
    for name, steps in episodes.items():
        console.rule(Text(name))
        for step in steps:
            if step.action is not None:
                line = f"{step.step}. {step.action}  ->  {step.decision}"
                console.print(Text(printable(f"{line}  ({step.note})" if step.note else line), style="bold"))
            where = step.url or step.state_url
            console.print(
                Panel(
                    Text(printable(step.observation.strip())),
                    title=Text(printable(where)),
                    title_align="left",
                )
            )
        result = results.get(name)
        if result is None:
            console.print(Text("not finished", style="yellow"))
            continue
        console.print(
            Text(
                printable(f"{result.outcome}: {result.reason}"),
                style="bold green" if result.intent else "yellow",
            )
        )
        if result.intent is not None:
            console.print(Text(printable(result.intent.model_dump_json(indent=1))))
