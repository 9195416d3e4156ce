"""A run in other people's formats, from its folder alone."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

from windowshop.errors import ConfigError, StorageError
from windowshop.export.record import Played, played

FORMATS = {
    "il-trajs": "windowshop.export.il_trajs",
    "sft": "windowshop.export.sft",
    "mind2web": "windowshop.export.mind2web",
    "parquet": "windowshop.export.parquet",
    "webvoyager": "windowshop.export.webvoyager",
}
Write = Callable[[Iterator[Played], Path, Path], int]

__all__ = ["FORMATS", "Played", "export", "played"]


def export(run: Path, name: str, out: Path, outcomes: frozenset[str] = frozenset()) -> int:
    """Write a run's episodes to `out` in one format; return how many.

    `outcomes` keeps only the episodes that ended so; none keeps all. Raises `ConfigError` for a folder
    that is no run, for an `out` that is there already, and where nothing is left; `StorageError` where it
    cannot be written.
    """
    if name not in FORMATS:
        raise ConfigError(f"unknown format {name!r}; known: {', '.join(FORMATS)}")
    if out.exists() and (out.is_file() or any(out.iterdir())):
        raise ConfigError(f"{out} is there already; choose another --out")
    write: Write = import_module(FORMATS[name]).write
    chosen = [one for one in played(run) if not outcomes or one.result.outcome in outcomes]
    if not chosen:
        raise ConfigError(f"{run} has no finished episode{' that ended so' if outcomes else ''} to export")
    partial = out.with_name(f"{out.name}.partial")
    _remove(partial)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        count = write(iter(chosen), run, partial)
        partial.replace(out)
    except OSError as error:
        raise StorageError(f"cannot write {out}: {error.strerror}") from error
    finally:
        _remove(partial)
    return count


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
