"""`windowshop record`: keep the pages of a run under a name."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(name="record")
@click.argument("run", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("name")
@click.option("--add", is_flag=True, help="Add to a recording that is there already.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(run: Path, name: str, add: bool, as_json: bool) -> None:
    """Keep the pages of RUN as the recording NAME, in recordings/, for any agent to be replayed on.

    Of each address the page that was fetched last is kept; failed attempts and robot checks are left out, and
    so is what tells who was looking: e-mail, tokens, session ids, names and places.

    Example: windowshop record runs/20260101-120000 kettles
    """
    from windowshop.runs.recordings import save_run

    made = save_run(run, name, add=add)
    if as_json:
        click.echo(made.model_dump_json(indent=1, exclude={"tasks"}))
        return
    gone = f", {made.left_out} failures left out" if made.left_out else ""
    click.echo(f"recordings/{name}: {made.pages} pages, {len(made.tasks)} tasks{gone}")
    click.echo(f"replay it with: windowshop replay {name} --agent rule")
