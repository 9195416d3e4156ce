"""`windowshop site`: check whether a shop's layout has drifted, keep a page that could not be read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from windowshop.cli import site_new
from windowshop.cli.page_options import page_options, read_page
from windowshop.cli.run import new_folder

if TYPE_CHECKING:
    from windowshop.adapters import Site
    from windowshop.adapters.explain import Explains, Explanation
    from windowshop.errors import PageError
    from windowshop.runs.drift import Alarm, Figures
    from windowshop.runs.survey import Survey
    from windowshop.wire import Response


@click.group(name="site")
def command() -> None:
    """Watch over what the adapters can read of a shop's pages. Nothing is fetched without --live."""


command.add_command(site_new.command)


@command.command(name="check")
@click.argument("site")
@click.argument(
    "folder", metavar="[DIR]", type=click.Path(exists=True, file_okay=False, path_type=Path), required=False
)
@click.option("--live", is_flag=True, help="Fetch a handful of pages from the real site, politely.")
@click.option("--demo", is_flag=True, help="Fetch them from the embedded demo shop, to try this out.")
@click.option("--query", "queries", multiple=True, help="What to search for; repeatable.")
@click.option(
    "--items",
    type=click.IntRange(0, 10),
    default=3,
    show_default=True,
    help="How many items to open from each results page.",
)
@click.option("--locale", default="us", show_default=True, help="The marketplace (see: windowshop sites).")
@click.option("--contact", help="How the site can reach you, in the user agent of live requests.")
@click.option("--transport", type=click.Choice(["http", "browser"]), default="http", show_default=True)
@click.option(
    "--out", type=click.Path(path_type=Path), help="Where fetched pages are kept [default: runs/TIME]."
)
@click.option(
    "--tolerance",
    type=click.FloatRange(0, 1),
    default=0.1,
    show_default=True,
    help="By how much the share of pages that yield a field may fall.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--update", is_flag=True, help="Make these pages the baseline, in the project's own file.")
def check(
    site: str,
    folder: Path | None,
    live: bool,
    demo: bool,
    queries: tuple[str, ...],
    items: int,
    locale: str,
    contact: str | None,
    transport: Literal["http", "browser"],
    out: Path | None,
    tolerance: float,
    as_json: bool,
    update: bool,
) -> None:
    """Sound an alarm if the pages of SITE in DIR are not read as well as those of the baseline.

    DIR holds pages as .html or .html.gz, with a manifest.jsonl or without, or a run's folder. For each kind
    of page and field: on which share of the pages it is read, and from where. An alarm, and exit code 1: a
    share that fell by more than the tolerance, or a field that most pages now yield from a place that was
    rare before. What one or two odd pages do by chance is no alarm.

    With --live the pages are the shop's own of today: a few searches and the first items found, through the
    guard, as its robots.txt allows, some seconds apart, and recorded, so that the same check can be made of
    them again. A shop that blocks us is left alone at once, with exit code 3.

    \b
    Examples:
      windowshop site check amazon saved/
      windowshop site check ebay --live --contact you@example.org --out runs/ebay-today
    """
    from windowshop.adapters import load_site
    from windowshop.adapters.explain import Explains
    from windowshop.errors import ConfigError
    from windowshop.runs.drift import BASELINE, alarms, count, dump_baseline, load_baseline

    if live + demo + (folder is not None) > 1 or (update and (live or demo)):
        raise ConfigError("DIR, --live and --demo exclude each other, and --update wants a DIR")
    adapter = load_site(site, locale)
    if not isinstance(adapter, Explains):
        raise ConfigError(f"the adapter of {site} cannot say where its fields come from")
    if live or demo:
        from windowshop.runs.survey import QUERIES, Survey

        wanted = Survey(queries=queries or QUERIES, items=items)
        folder = out or new_folder()
        now = count(_explained(adapter, _fetched(adapter, wanted, live, folder, transport, contact)))
    else:
        folder = folder or Path()
        now = count(_explained(adapter, _pages(folder, site)))
    if not now:
        raise ConfigError(f"no page of {site} in {folder}: it wants .html, .html.gz or .warc.gz files")
    if update:
        Path(str(BASELINE)).write_text(dump_baseline(site, now), "utf-8")
    baseline = load_baseline(site)
    found = alarms(baseline, now, tolerance)
    if as_json:
        shares = {kind: figures.model_dump(mode="json") for kind, figures in now.items()}
        listed = [alarm.model_dump(mode="json") for alarm in found]
        click.echo(
            json.dumps({"site": site, "kinds": shares, "alarms": listed}, ensure_ascii=False, indent=1)
        )
    else:
        click.echo("\n".join(_table(site, baseline, now, found)))
    if found:
        raise SystemExit(1)


@command.command(name="capture")
@page_options
@click.option(
    "--out",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="A new folder for the case.",
)
def capture(file: str, site: str, url: str | None, locale: str, out: Path) -> None:
    """Keep a page, above all one that cannot be read, as a case that can be attached to a report.

    Writes page.html.gz without names, e-mail, delivery places, session ids and tokens, and without the
    scripts that carry them; meta.json: what it is, or which field was missing and where it was looked for;
    expected.json: what is read of it. FILE is HTML, plain or gzipped. Look through it before you publish it.

    Example: windowshop site capture runs/one/pages/0123.html --site amazon --out case
    """
    from windowshop.adapters import load_site
    from windowshop.runs.capture import FILES
    from windowshop.runs.capture import capture as keep
    from windowshop.runs.saved import saved_page

    body, address, _ = read_page(file, site, url, locale)
    case = keep(load_site(site, locale, base_url=address), saved_page(body, address), out)
    click.echo(f"{case.kind or case.error}\n{out}: {', '.join(FILES)}")
    if case.changed:
        click.echo(f"secrets stood in: {', '.join(case.changed)}", err=True)


def _pages(folder: Path, site: str) -> Iterator[Response]:
    """Yield a folder's pages of one site, as its manifest lists them where it has one."""
    from windowshop.cli.accuracy import entries
    from windowshop.runs.saved import saved_pages

    beside = folder.resolve().name == site and (folder.resolve().parent / "manifest.jsonl").exists()
    if beside or (folder / "manifest.jsonl").exists():
        return (page.response() for page in entries(folder) if page.site == site)
    return (response for _, response in saved_pages(folder, site))


def _fetched(
    site: Site,
    wanted: Survey,
    live: bool,
    folder: Path,
    transport: Literal["http", "browser"],
    contact: str | None,
) -> Iterator[Response]:
    """Fetch the pages of a survey, after saying what is about to be done."""
    from windowshop.errors import Leak
    from windowshop.runs.selftest import selftest
    from windowshop.runs.stack import open_origin
    from windowshop.runs.survey import survey
    from windowshop.transports.pace import DELAY

    where = f"the LIVE site {site.locale.host}" if live else "the embedded demo shop"
    click.echo(f"windowshop: at most {wanted.size} pages of {where}; kept in {folder}", err=True)
    if live:
        click.echo(f"  polite  robots.txt obeyed, at least {DELAY:g} s between requests", err=True)
        holds, says = selftest(transport)
        click.echo(f"  guard   {says}", err=True)
        if not holds:
            raise Leak(f"the guard's own test failed, so the live site is not visited: {says}")
    folder.mkdir(parents=True, exist_ok=True)
    with open_origin("live" if live else "demo", None, folder) as origin:
        yield from survey(site, wanted, origin, folder, transport, contact)


def _explained(adapter: Explains, pages: Iterable[Response]) -> Iterator[Explanation | PageError]:
    from windowshop.errors import PageError

    for response in pages:
        try:
            yield adapter.explain(response)
        except PageError as error:
            yield error


def _table(site: str, baseline: Figures, now: Figures, found: list[Alarm]) -> Iterator[str]:
    for kind, figures in now.items():
        before = baseline.get(kind)
        yield f"\n{site} {kind}: {figures.pages} pages"
        names = dict.fromkeys([*(before.fields if before else ()), *figures.fields])
        for field in names:
            was = "-" if before is None else f"{before.share(field):.0%}"
            read = figures.fields.get(field)
            sources = sorted(read.sources.items(), key=lambda item: -item[1]) if read else []
            places = ", ".join(f"{name} {number}" for name, number in sources[:4])
            more = f" and {len(sources) - 4} more" if len(sources) > 4 else ""
            yield f"  {field:<16} {figures.share(field):>5.0%}  was {was:>4}  {places}{more}".rstrip()
    yield ""
    if not baseline:
        yield f"no baseline of {site} to compare with"
    elif not found:
        yield "no alarm"
    for alarm in found:
        yield f"ALARM  {alarm.kind} {alarm.field}: {alarm.message}"
