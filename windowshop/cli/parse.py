"""`windowshop parse`: what a saved page says, and where each field stands."""

from __future__ import annotations

import json
import shutil
import textwrap
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click

from windowshop.cli.page_options import page_options, read_page

if TYPE_CHECKING:
    from windowshop.adapters.explain import Answer, Explanation, Finding

_NARROWEST = 60


@click.command(name="parse")
@page_options
@click.option("--explain", is_flag=True, help="Print where each field comes from, every source's answer.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON (as it does anyway without --explain).")
@click.option(
    "--tiles",
    type=click.IntRange(0),
    default=3,
    show_default=True,
    help="How many of the results --explain tells of.",
)
def command(
    file: str, site: str, url: str | None, locale: str, explain: bool, as_json: bool, tiles: int
) -> None:
    """Read a saved page of SITE and print its facts as JSON.

    FILE is HTML, plain or gzipped; - reads standard input. Dry: nothing is fetched.

    With --explain: every place where a field may stand, in the order in which they are believed. The one
    that was believed is marked *, one that says something else !; those that say nothing come last.

    Example: windowshop parse item.html --site amazon --explain
    """
    from windowshop.api import explain_page, parse_page
    from windowshop.terminal import printable

    given = read_page(file, site, url, locale)
    if not explain:
        click.echo(parse_page(*given).model_dump_json(indent=1))
        return
    explanation = explain_page(*given, tiles=tiles)
    if as_json:
        click.echo(explanation.model_dump_json(indent=1))
    else:
        click.echo(printable("\n".join(_story(explanation))))


def _story(explanation: Explanation) -> Iterator[str]:
    page = explanation.page
    yield f"{page.site} {page.locale or '-'}  kind: {page.kind}"
    if not explanation.fields:
        yield "a page of this kind has no fields to explain"
    order = list(type(page).model_fields)
    yield from _findings(sorted(explanation.fields, key=lambda finding: order.index(finding.field)))
    for number, tile in enumerate(explanation.tiles, 1):
        yield f"\ntile {number}  {tile.item_id}"
        yield from _findings(tile.fields)


def _findings(findings: Iterable[Finding]) -> Iterator[str]:
    width = max(_NARROWEST, shutil.get_terminal_size((120, 24)).columns)
    for finding in findings:
        yield f"\n{finding.field}: {_cut(_words(finding.value), width - len(finding.field) - 2)}"
        silent = [answer.where for answer in finding.answers if answer.value is None and not answer.unsaid]
        for answer in finding.answers:
            if answer.where not in silent:
                mark = "*" if answer.won else "!" if answer.differs else " "
                place = "" if answer.where == answer.source else f"  [{_cut(answer.where, width // 3)}]"
                yield _cut(f"  {mark} {answer.source}{place}  {_said(answer, finding)}", width)
        if silent:
            yield textwrap.fill(
                f"  - nothing at {', '.join(silent)}",
                width,
                subsequent_indent="    ",
                break_long_words=False,
                break_on_hyphens=False,
            )


def _said(answer: Answer, finding: Finding) -> str:
    if answer.unsaid:
        return "no value, whatever follows"
    if answer.won and answer.value == finding.value:
        return "believed"
    return _words(answer.value) if answer.differs or answer.won else "the same"


def _words(value: Any) -> str:
    """Write a value for a person: a price as money, everything else as JSON or as it is."""
    if value is None:
        return "-"
    if isinstance(value, dict) and "amount" in value:
        high = "" if value["high"] is None else f" to {value['high']:.2f}"
        return f"{value['amount']:.2f}{high} {value['currency'] or '?'}"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _cut(text: str, width: int) -> str:
    text = " ".join(text.split()) if "\n" in text else text
    return text if len(text) <= width else f"{text[: width - 3]}..."
