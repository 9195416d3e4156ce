"""`windowshop judge`: let a model judge what a run came to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from windowshop.scoring.aspects import Absent
    from windowshop.scoring.case import Case, Seeing, Verdict


@click.command(name="judge")
@click.argument("run", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--model", required=True, help="The model, by the name that the endpoint has for it.")
@click.option(
    "--protocol", type=click.Choice(["deepshop", "webjudge"]), default="deepshop", show_default=True
)
@click.option(
    "--text-only", is_flag=True, help="Judge typed facts (webjudge: the observations), not screenshots."
)
@click.option(
    "--absent",
    type=click.Choice(["repository", "lenient"]),
    default="repository",
    show_default=True,
    help='Sub-queries that are not asked: "None" alone, or also what is empty, "none" or "**".',
)
@click.option(
    "--tasks",
    "tasks_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="What was asked, where RUN is a folder of WebVoyager's results.",
)
@click.option("--episode", help="Only this episode (a name or its beginning).")
@click.option(
    "--prices", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="A TOML file of prices."
)
@click.option("--max-cost", type=click.FloatRange(min=0), help="What all judging of this run may cost.")
@click.option("--max-tokens", type=click.IntRange(min=0), help="How many tokens this command may take.")
@click.option(
    "--npy", type=click.Path(file_okay=False, path_type=Path), help="Write the aspects as DeepShop's arrays."
)
@click.option("--json", "as_json", is_flag=True, help="Print each verdict as a line of JSON.")
def command(
    run: Path,
    model: str,
    protocol: str,
    text_only: bool,
    absent: str,
    tasks_file: Path | None,
    episode: str | None,
    prices: Path | None,
    max_cost: float | None,
    max_tokens: int | None,
    npy: Path | None,
    as_json: bool,
) -> None:
    """Judge a run by DeepShop's protocol (or WebJudge's), through any OpenAI-compatible endpoint.

    RUN is a run folder, or anyone's results in WebVoyager's layout (task<id>/interact_messages.json and
    screenshots) with --tasks.

    The endpoint and its key come from WINDOWSHOP_LLM_BASE_URL and WINDOWSHOP_LLM_API_KEY. Prompts and raw
    replies are kept in RUN/judge/calls.jsonl, and what was answered once is not asked again: the same command
    goes on after a limit, an interrupt or a failure.

    Example: windowshop judge runs/one --model gpt-4o --prices prices.toml --max-cost 2
    """
    from windowshop.journal import Journal, read_journal
    from windowshop.llm import Budget, ChatModel, PriceTable
    from windowshop.report.judged import CALLS, verdicts_file
    from windowshop.scoring.judge import Judge, check_seeing

    seeing: Seeing = "text" if text_only else "screenshots"
    cases = _cases(run, tasks_file, "lenient" if absent == "lenient" else "repository", episode)
    check_seeing(cases, seeing)
    spent = sum(record.get("cost") or 0.0 for record in read_journal(run / CALLS))
    chat = ChatModel(
        model,
        prices=PriceTable.load(prices) if prices else None,
        budget=Budget(max_cost=max_cost, max_tokens=max_tokens, cost=spent),
    )
    path = verdicts_file(run, protocol, model, seeing)
    verdicts: list[Verdict] = []
    with Journal(run / CALLS, durable=True) as calls:
        judge = Judge(protocol, chat, seeing, calls, run)
        try:
            for verdict in judge.judge(cases):
                verdicts.append(verdict)
                click.echo(f"[{len(verdicts)}/{len(cases)}] {verdict.episode}: {_said(verdict)}", err=True)
        finally:
            _keep(path, verdicts, whole=episode is None)
            click.echo(f"{judge.asked} calls, {judge.recalled} answered before", err=True)
    if npy is not None:
        from windowshop.report.packed import write_arrays

        write_arrays(npy, verdicts)
    if as_json:
        for verdict in verdicts:
            click.echo(verdict.model_dump_json())
        return
    _summary(verdicts)
    click.echo(f"verdicts: {path}; prompts and replies: {run / CALLS}")


def _cases(run: Path, tasks_file: Path | None, absent: Absent, episode: str | None) -> list[Case]:
    from windowshop.errors import ConfigError
    from windowshop.report.judged import cases_of
    from windowshop.report.voyager import cases_of_results, is_results
    from windowshop.tasks.load import load_tasks

    if not is_results(run):
        return cases_of(run, absent, episode)
    if tasks_file is None:
        raise ConfigError(f"{run} holds WebVoyager's results; give the tasks that were run with --tasks")
    cases = cases_of_results(run, load_tasks(tasks_file), absent)
    return [case for case in cases if case.episode.startswith(episode or "")]


def _keep(path: Path, verdicts: Sequence[Verdict], whole: bool) -> None:
    """Write the verdicts; those of episodes that were not judged now stay as they are."""
    from windowshop.journal import read_journal
    from windowshop.report.judged import write_verdicts
    from windowshop.scoring.case import Verdict

    before = {record["episode"]: Verdict.model_validate(record) for record in read_journal(path)}
    write_verdicts(path, list({**before, **{verdict.episode: verdict for verdict in verdicts}}.values()))


def _said(verdict: Verdict) -> str:
    if verdict.error:
        return f"no verdict: {verdict.error}"
    parts = [f"{name} {_word(ruling.repository)}" for name, ruling in verdict.rulings.items()]
    return ", ".join(parts) + (" (no answer)" if verdict.no_answer else "")


def _word(verdict: bool | None) -> str:
    return {True: "yes", False: "no", None: "unclear"}[verdict]


def _summary(verdicts: Sequence[Verdict]) -> None:
    from windowshop.report.deepshop_table import deepshop_rows

    for row in deepshop_rows(list(verdicts)):
        if row.group == "all":
            cells = [f"{name} {cell.repository:.1f} of {cell.asked}" for name, cell in row.cells.items()]
            click.echo(f"{row.site}, {row.agent}: {'; '.join(cells)}; {row.no_answer} without an answer")
