"""`windowshop tasks`: take in a benchmark's tasks, look at them, and say what is wrong with a file."""

from __future__ import annotations

from pathlib import Path

import click

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.group(name="tasks")
def command() -> None:
    """Import, show and check the tasks of WebShop, DeepShop, ShoppingBench, WebMall, and your own."""


@command.command("import")
@click.argument("benchmark")
@click.argument("files", nargs=-1, required=True, type=_FILE)
@click.option(
    "-o", "--out", type=click.Path(dir_okay=False, path_type=Path), help="Where to; else standard output."
)
@click.option("--human", type=_FILE, help="WebShop: the human instructions beside the items.")
@click.option("--attributes", type=_FILE, help="WebShop: the attributes of the synthetic goals.")
@click.option("--split", type=click.Choice(["test", "eval", "train"]), help="WebShop: the baselines' split.")
@click.option("--seed", type=int, default=233, show_default=True, help="WebShop: how goals are shuffled.")
def import_(
    benchmark: str,
    files: tuple[Path, ...],
    out: Path | None,
    human: Path | None,
    attributes: Path | None,
    split: str | None,
    seed: int,
) -> None:
    """Turn the FILES of a BENCHMARK into typed tasks, one JSON object a line, for `run --tasks`.

    Example: windowshop tasks import deepshop deepshop_test.jsonl -o deepshop.tasks.jsonl
    """
    from windowshop.errors import ConfigError, StorageError
    from windowshop.tasks.read import Beside, read_benchmark

    beside = Beside(human=human, attributes=attributes, split=split, seed=seed)
    tasks = [task for file in files for task in read_benchmark(benchmark, file, beside)]
    if len({task.id for task in tasks}) < len(tasks):
        raise ConfigError("the files share task ids; import each into a file of its own")
    lines = "".join(task.model_dump_json(exclude_none=True) + "\n" for task in tasks)
    if out is None:
        click.echo(lines, nl=False)
        return
    try:
        out.write_text(lines, encoding="utf-8")
    except OSError as error:
        raise StorageError(f"cannot write {out}: {error.strerror}") from error
    click.echo(f"{len(tasks)} tasks of {benchmark} in {out}")


@command.command()
@click.argument("file", type=_FILE)
@click.option("--id", "wanted", help="Only the task of this id, with its goal.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines.")
def show(file: Path, wanted: str | None, as_json: bool) -> None:
    """Show the tasks in FILE: id, benchmark and instruction; with --id, all that scoring knows."""
    import json

    from windowshop.errors import ConfigError
    from windowshop.tasks.load import load_tasks
    from windowshop.terminal import printable

    tasks = [task for task in load_tasks(file) if wanted in (None, task.id)]
    if not tasks:
        raise ConfigError(f"{file} has no task {wanted!r}; without --id all are listed")
    for task in tasks:
        if as_json:
            click.echo(task.model_dump_json(exclude_none=True))
        else:
            click.echo(printable(f"{task.id}  {task.benchmark or '-'}  {task.instruction}"))
            if wanted is not None and task.goal is not None:
                click.echo(printable(json.dumps(task.goal, indent=1, ensure_ascii=False)))


@command.command()
@click.argument("file", type=_FILE)
@click.option("--benchmark", help="Whose records they are, where the fields do not say.")
def lint(file: Path, benchmark: str | None) -> None:
    """Name every record and field of FILE that is wrong; exit code 1 where there is one."""
    from windowshop.tasks.read import lint_tasks

    count, wrong = lint_tasks(file, benchmark)
    for problem in wrong:
        click.echo(problem if problem.startswith(str(file)) else f"{file}: {problem}")
    if wrong:
        raise SystemExit(1)
    click.echo(f"{file}: {count} tasks, nothing wrong")


@command.command()
@click.argument("seeds", type=_FILE)
@click.option("--model", required=True, help="The model behind the endpoint that the environment names.")
@click.option(
    "--rounds", type=click.IntRange(0), default=5, show_default=True, help="Evolutions of each seed."
)
@click.option("--seed", type=int, default=0, show_default=True, help="What draws the kinds of evolution.")
@click.option("--each", type=click.IntRange(1), help="So many of each domain and difficulty; else all.")
@click.option("--max-cost", type=float, help="Stop before the model costs more than this.")
@click.option("--max-tokens", type=int, help="Stop before the model takes more tokens than this.")
@click.option("--prices", type=_FILE, help="What models cost: a TOML file.")
@click.option(
    "--log", type=click.Path(dir_okay=False, path_type=Path), help="Every record; else OUT.evolved.jsonl."
)
@click.option("-o", "--out", type=click.Path(dir_okay=False, path_type=Path), required=True)
def evolve(
    seeds: Path,
    model: str,
    rounds: int,
    seed: int,
    each: int | None,
    max_cost: float | None,
    max_tokens: int | None,
    prices: Path | None,
    log: Path | None,
    out: Path,
) -> None:
    """Make harder requests from the SEEDS, as DeepShop does, and write them in its format to OUT.

    SEEDS holds a request a line, or tasks. The same command goes on where it was stopped: what is in the log
    is not asked again.
    """
    from windowshop.journal import Journal, read_journal
    from windowshop.llm import Budget, ChatModel, PriceTable
    from windowshop.tasks.evolve import Evolved, counts, sample
    from windowshop.tasks.evolve import evolve as evolved
    from windowshop.tasks.load import load_tasks

    log = log or out.with_suffix(".evolved.jsonl")
    texts = [task.instruction for task in load_tasks(seeds)]
    table = PriceTable.load(prices) if prices else None
    chat = ChatModel(model, prices=table, budget=Budget(max_cost=max_cost, max_tokens=max_tokens))
    records = [Evolved.model_validate(record) for record in read_journal(log)] if log.exists() else []
    with Journal(log) as journal:
        for record in evolved(texts, chat, records, seed, rounds):
            journal.append(record)
            records.append(record)
    records = [record for record in records if record.round <= rounds and record.seed < len(texts)]
    chosen = sample(records, each, seed) if each else sorted(records, key=lambda record: record.key)
    lines = (record.goal(number).model_dump_json() + "\n" for number, record in enumerate(chosen))
    out.write_text("".join(lines), encoding="utf-8")
    click.echo(f"{len(chosen)} of {len(records)} requests in {out}")
    for what, counted in counts(chosen).items():
        click.echo(f"{what}: " + ", ".join(f"{name} {count}" for name, count in sorted(counted.items())))
