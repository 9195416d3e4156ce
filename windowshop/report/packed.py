"""Verdicts as DeepShop's own arrays: one an aspect, without the tasks that do not ask it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from windowshop.errors import ConfigError, StorageError
from windowshop.scoring.aspects import ASPECTS
from windowshop.scoring.case import Verdict


def write_arrays(folder: Path, verdicts: Sequence[Verdict]) -> list[Path]:
    """Write `<run>_attribute.npy` and so on in the order of the verdicts, and the ids beside each.

    The arrays carry no ids, so `<run>_attribute.txt` names the task of each place. Raises `ConfigError`
    without numpy.
    """
    try:
        import numpy
    except ImportError:
        raise ConfigError("--npy needs numpy: pip install 'windowshop[report]'") from None
    written = []
    for aspect in ASPECTS:
        ruled = [one for one in verdicts if aspect in one.rulings]
        path = folder / f"{folder.name}_{aspect}.npy"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            numpy.save(path, numpy.array([int(one.rulings[aspect].repository) for one in ruled]))
            path.with_suffix(".txt").write_text("".join(f"{one.task}\n" for one in ruled), encoding="utf-8")
        except OSError as error:
            raise StorageError(f"cannot write {path}: {error.strerror}") from error
        written.append(path)
    return written
