"""`windowshop recordings`: list, merge and import them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from windowshop.runs.recordings import Recording


@click.group(name="recordings", invoke_without_command=True)
@click.option("--site", help="Only those with pages of this site.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, a line a recording.")
@click.pass_context
def command(ctx: click.Context, site: str | None, as_json: bool) -> None:
    """List the recordings in recordings/; merge several into one, or import a HAR file.

    \b
    Examples:
      windowshop recordings
      windowshop recordings merge kettles lamps --name all
      windowshop recordings import saved.har --name kettles --site amazon
    """
    from windowshop.runs.recordings import list_recordings

    if ctx.invoked_subcommand is not None:
        return
    for made in list_recordings():
        if site in (None, *made.sites):
            _say(made, as_json)


@command.command(name="merge")
@click.argument("recordings", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--name", required=True, help="What the new one is called.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def merge_command(recordings: tuple[Path, ...], name: str, as_json: bool) -> None:
    """Make one recording of several RECORDINGS: names, run folders or WARC files.

    Of an address that more than one has, the page that was fetched last is kept.
    """
    from windowshop.runs.recordings import find_recording, merge

    _say(merge([find_recording(path) for path in recordings], name), as_json)


@command.command(name="import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--name", required=True, help="What the recording is called.")
@click.option("--site", "sites", multiple=True, help="Whose pages they are. Repeatable.")
@click.option("--locale", default="us", show_default=True, help="The marketplace.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def import_command(file: Path, name: str, sites: tuple[str, ...], locale: str, as_json: bool) -> None:
    """Make a recording of the pages in a HAR FILE, as browsers and proxies save them.

    Only what was got by GET is taken; requests that failed are left out, and so are cookies and tokens.
    """
    from datetime import UTC, datetime

    from windowshop.runs.recordings import Recording, save
    from windowshop.transports.har import read_har

    about = Recording(name=name, created=datetime.now(UTC), origins=(str(file),), sites=sites, locale=locale)
    _say(save(about, lambda: read_har(file)), as_json)


def _say(made: Recording, as_json: bool) -> None:
    from windowshop.terminal import printable

    if as_json:
        click.echo(made.model_dump_json(exclude={"tasks"}))
        return
    sites = ", ".join(made.sites) or "any site"
    line = f"{made.name}  {made.pages} pages, {len(made.tasks)} tasks, {sites}, {str(made.created)[:10]}"
    click.echo(printable(f"{line}, from {', '.join(made.origins)}"))
