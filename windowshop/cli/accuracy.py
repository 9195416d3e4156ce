"""`windowshop accuracy`: what the adapters read, beside hand-checked truth files."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import click
from pydantic import BaseModel, ConfigDict, Field
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Column
from rich.table import Table as RichTable

from windowshop.adapters import Site, load_site, site_names
from windowshop.errors import ConfigError, PageError
from windowshop.frozen import Frozen
from windowshop.locales import locale_by_host
from windowshop.scoring.accuracy import PRICES, Counts, Table, Verdict, compare, tally
from windowshop.scoring.truth import PAGE_KINDS, plain_truth
from windowshop.wire import Response

COLUMNS: Final = ("right", "wrong", "missing", "invented", "none")


class Entry(BaseModel):
    """One line of `manifest.jsonl`: one recorded page of a folder."""

    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True)

    site: str
    id: str
    kind: str
    domain: str = ""
    year: str = "unknown"
    url: str | None = None
    skip_accuracy: bool = False
    home: Path = Field(exclude=True)

    @property
    def locale(self) -> str:
        """Return the code of the marketplace that the page came from; "us" where it has no own."""
        found = locale_by_host(self.site, self.domain)
        return "us" if found is None else found.code

    def truth(self) -> dict[str, Any]:
        """Return the truth about the page, from its file or from its kind."""
        file = self.home / "truth" / f"{self.id}.json"
        if not file.exists():
            return plain_truth(self.kind)
        truth: dict[str, Any] = json.loads(file.read_text("utf-8"))
        return truth

    def response(self) -> Response:
        """Return the page as if it had just come from the shop."""
        packed, plain = (self.home / f"{self.id}{ending}" for ending in (".html.gz", ".html"))
        body = gzip.decompress(packed.read_bytes()) if packed.exists() else plain.read_bytes()
        url = self.url or self.truth().get("url") or f"https://{self.domain}/"
        return Response(url=url, status=200, body=body, transport="file", at=datetime.now(UTC))


class Compared(Frozen):
    """One page and everything that came out of comparing it."""

    site: str
    locale: str
    year: str
    id: str
    kind: str
    verdicts: tuple[Verdict, ...]


GROUPS: Final[dict[str, Callable[[Compared], str]]] = {
    "site": lambda page: page.site,
    "locale": lambda page: f"{page.site} {page.locale}",
    "year": lambda page: f"{page.site} {page.year}",
}


def entries(folder: Path) -> list[Entry]:
    """List the recorded pages of a folder, or of the folder of one of its sites."""
    folder = folder.resolve()
    for place, site in ((folder, None), (folder.parent, folder.name)):
        manifest = place / "manifest.jsonl"
        if manifest.exists():
            lines = [json.loads(line) for line in manifest.read_text("utf-8").splitlines() if line.strip()]
            found = [Entry(**{**line, "home": place / line["site"]}) for line in lines]
            return [page for page in found if site in (None, page.site)]
    raise ConfigError(f"no manifest.jsonl in {folder} or beside it")


def compare_all(pages: Iterable[Entry]) -> Iterator[Compared]:
    """Parse each page with the adapter of its site and locale, and compare it with its truth."""
    sites: dict[tuple[str, str], Site] = {}
    for page in pages:
        key = (page.site, page.locale)
        if key not in sites:
            sites[key] = load_site(*key)
        truth = page.truth()
        verdicts = tuple(compare(_read(sites[key], page), truth))
        kind = PAGE_KINDS[truth["kind"]]
        yield Compared(
            site=page.site, locale=page.locale, year=page.year, id=page.id, kind=kind, verdicts=verdicts
        )


def _read(site: Site, page: Entry) -> dict[str, Any]:
    try:
        return site.parse(page.response()).model_dump(mode="json")
    except PageError as error:
        return {"kind": f"{type(error).__name__}: {error}"}
    except Exception as error:
        error.add_note(f"while reading {page.site}/{page.id}")
        raise


@click.command("accuracy")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--site", help="Only the pages of one site.")
@click.option("--kind", help="Only pages of one kind, for example item or results.")
@click.option("--page", "only", help="Only one page, by its id.")
@click.option("--by", type=click.Choice(sorted(GROUPS)), default="site", show_default=True, help="Group by.")
@click.option("--wrong", is_flag=True, help="List every disagreement.")
@click.option("--show", metavar="FIELD", help="List every disagreement about one field.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--floor", type=click.FloatRange(0, 1), help="Exit 1 if a smaller share of values is right.")
@click.option("--no-invented-prices", is_flag=True, help="Exit 1 if a price was read where there is none.")
def command(
    folder: Path,
    site: str | None,
    kind: str | None,
    only: str | None,
    by: str,
    wrong: bool,
    show: str | None,
    as_json: bool,
    floor: float | None,
    no_invented_prices: bool,
) -> None:
    """Compare what is read on the recorded pages of FOLDER with the truth about them.

    FOLDER holds manifest.jsonl, SITE/ID.html.gz (or .html) and SITE/truth/ID.json.
    """
    try:
        listed = [
            page
            for page in entries(folder)
            if site in (None, page.site)
            and only in (None, page.id)
            and kind in (None, page.kind, PAGE_KINDS.get(page.kind))
        ]
        known = site_names()
        pages = [page for page in listed if page.site in known and not page.skip_accuracy]
        compared = list(compare_all(pages))
    except ConfigError as error:
        raise click.UsageError(str(error)) from error
    left_out = [page for page in listed if page.site not in known or page.skip_accuracy]
    differences = _differences(compared, show) if wrong or show else []
    total = tally(verdict for page in compared for verdict in page.verdicts)
    if as_json:
        report = _report(compared, left_out, by, total, differences)
        click.echo(json.dumps(report, ensure_ascii=False, indent=1))
    else:
        _print(compared, left_out, by, total, differences)
    invented = sum(count.invented for field, count in total.fields.items() if field in PRICES)
    if no_invented_prices and invented:
        raise SystemExit(_missed(f"{invented} prices were read where the page states none"))
    if floor is not None and (total.total.share is None or total.total.share < floor):
        share = _percent(total.total.share)
        raise SystemExit(_missed(f"{share} of the values are right; asked for {floor:.2%}"))


def _missed(message: str) -> int:
    click.echo(message, err=True)
    return 1


def _tables(compared: Iterable[Compared], by: str) -> dict[tuple[str, str], tuple[int, Table]]:
    """Tally by group and kind: (group, kind) -> (pages, table)."""
    groups: dict[tuple[str, str], list[Compared]] = defaultdict(list)
    for page in compared:
        groups[GROUPS[by](page), page.kind].append(page)
    return {
        key: (len(pages), tally(verdict for page in pages for verdict in page.verdicts))
        for key, pages in sorted(groups.items())
    }


def _differences(compared: Iterable[Compared], field: str | None) -> list[dict[str, Any]]:
    return [
        {"page": f"{page.site}/{page.id}", **verdict.model_dump(mode="json")}
        for page in compared
        for verdict in page.verdicts
        if verdict.verdict not in ("right", "none") and field in (None, verdict.field)
    ]


def _report(
    compared: list[Compared], left_out: list[Entry], by: str, total: Table, differences: list[dict[str, Any]]
) -> dict[str, Any]:
    rows = [
        {"group": group, "kind": kind, "pages": pages, "field": field}
        | {**count.model_dump(), "share": count.share}
        for (group, kind), (pages, table) in _tables(compared, by).items()
        for field, count in table.fields.items()
    ]
    return {
        "pages": len(compared),
        "left_out": [f"{page.site}/{page.id}" for page in left_out],
        "total": {**total.total.model_dump(), "share": total.total.share},
        "rows": rows,
        "differences": differences,
    }


def _print(
    compared: list[Compared], left_out: list[Entry], by: str, total: Table, differences: list[dict[str, Any]]
) -> None:
    console = Console()
    numbers = [Column(name, justify="right") for name in (*COLUMNS, "share")]
    grid = RichTable(Column("field", no_wrap=True), *numbers, box=SIMPLE)
    for (group, kind), (pages, table) in _tables(compared, by).items():
        grid.add_row(f"{group} {kind} ({pages})", style="bold")
        for field, count in table.fields.items():
            grid.add_row(field, *_cells(count))
        grid.add_section()
    grid.add_row(f"all ({len(compared)})", *_cells(total.total), style="bold")
    for line, item_ids in _lines(differences).items():
        console.print(line + _among(item_ids), markup=False, highlight=False, soft_wrap=True)
    console.print(grid)
    unknown = sorted({page.site for page in left_out if not page.skip_accuracy})
    if unknown:
        pages = sum(page.site in unknown for page in left_out)
        console.print(f"left out: {pages} pages of {', '.join(unknown)}, for which there is no adapter")
    marked = sum(page.skip_accuracy for page in left_out)
    if marked:
        console.print(f"left out: {marked} pages that the manifest marks so")


def _lines(differences: list[dict[str, Any]]) -> dict[str, list[str | None]]:
    """Write each disagreement, those of many tiles only once: line -> ids of the tiles."""
    lines: dict[str, list[str | None]] = defaultdict(list)
    for line in differences:
        expected, got = _apart(line["expected"], line["got"])
        place = f"{line['page']}  {line['field']}  {line['verdict']}"
        lines[f"{place}  expected {expected}  got {got}"].append(line["item_id"])
    return lines


def _among(item_ids: list[str | None]) -> str:
    named = [item_id for item_id in item_ids if item_id]
    if not named:
        return ""
    more = f" and {len(named) - 1} more" if len(named) > 1 else ""
    return f"  (tile {named[0]}{more})"


def _cells(count: Counts) -> list[str]:
    return [*(str(getattr(count, column)) for column in COLUMNS), _percent(count.share)]


def _apart(expected: Any, got: Any) -> tuple[str, str]:
    """Write both sides, of two lists or objects only what differs."""
    if isinstance(expected, list) and isinstance(got, list):
        expected, got = (
            [item for item in expected if item not in got],
            [item for item in got if item not in expected],
        )
    elif isinstance(expected, dict) and isinstance(got, dict):
        expected, got = (
            {key: value for key, value in expected.items() if got.get(key) != value},
            {key: value for key, value in got.items() if expected.get(key) != value},
        )
    return _short(expected), _short(got)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 300 else f"{text[:300]}..."


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.2%}"


if __name__ == "__main__":
    command()
