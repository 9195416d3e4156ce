"""`windowshop webmall`: four shops to run its tasks in, and its figures and files of a run."""

from __future__ import annotations

from pathlib import Path

import click

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.group(name="webmall")
def command() -> None:
    """Run WebMall's tasks in four shops on this machine, and score them as the paper and its code do."""


@command.command()
@click.argument("exports", nargs=-1, type=_FILE)
@click.option(
    "--policy", type=click.Path(dir_okay=False, path_type=Path), help="Where to write the policy file."
)
def serve(exports: tuple[Path, ...], policy: Path | None) -> None:
    """Serve four shops until interrupted, filled from four WooCommerce EXPORTS (CSV) or with invented goods.

    The policy file names them, so that `run --sandbox` may use their carts and checkouts.

    Example: windowshop webmall serve 1.csv 2.csv 3.csv 4.csv --policy shops.toml
    """
    import threading

    from windowshop.demo.woo import Mall
    from windowshop.demo.woo_goods import load_goods
    from windowshop.demo.woo_stock import SHOPS, stock
    from windowshop.errors import ConfigError

    if exports and len(exports) != SHOPS:
        raise ConfigError(f"there are {SHOPS} shops: give {SHOPS} exports, or none for invented goods")
    goods = [load_goods(path) for path in exports] if exports else stock()
    with Mall(goods) as mall:
        if policy is not None:
            tables = (f'[[shop]]\nurl = "{url}"\nallow = ["cart", "checkout"]\n' for url in mall.addresses)
            policy.write_text("\n".join(tables), encoding="utf-8")
        for number, (url, sold) in enumerate(zip(mall.addresses, goods, strict=True), 1):
            click.echo(f"shop {number}  {url}  {len(sold)} products")
        options = f"--site webmall --base-url {','.join(mall.addresses)}"
        click.echo(f"windowshop run --tasks TASKS {options}" + (f" --sandbox {policy}" if policy else ""))
        threading.Event().wait()


@command.command()
@click.argument("run", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Write its result files there.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, a line a task.")
def score(run: Path, out: Path | None, as_json: bool) -> None:
    """Score a RUN of WebMall's tasks: the paper's strict figures beside those of its own code.

    CR, P, R and F1 compare the set of offers answered, put into carts or ordered with the right one, and are
    averaged over tasks. `checklist` to `visits` are the benchmark's own: they overlook what is too much.
    """
    from windowshop.errors import ConfigError, StorageError
    from windowshop.runs.mall import RECORDS, read_records
    from windowshop.scoring.webmall import score_task, table
    from windowshop.scoring.webmall_files import result_files

    records = read_records(run)
    if not records:
        raise ConfigError(f"{run} has no {RECORDS}: it is no run of WebMall's tasks with --site webmall")
    scores = [score_task(record.goal, record.steps, record.carts) for record in records]
    if out is not None:
        try:
            for name, text in result_files(run.resolve().name, records, scores).items():
                path = out / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise StorageError(f"cannot write {out}: {error.strerror}") from error
    if as_json:
        for one in scores:
            click.echo(one.model_dump_json())
        return
    names = ("CR", "P", "R", "F1", "checklist", "answers", "visits", "reward", "steps")
    click.echo(f"{'':28}{'tasks':>6}" + "".join(f"{name:>10}" for name in names))
    for group, found in table(scores).items():
        rated = (
            *(found.cr, found.precision, found.recall, found.f1, found.cr_checklist),
            *(found.partial_completion, found.checkpoint_completion, found.reward),
        )
        cells = "".join(f"{100 * value:>10.1f}" for value in rated)
        click.echo(f"{group:28}{found.tasks:>6}{cells}{found.steps:>10.1f}")
