"""Samples on disk: JSON lines, one JSON array, or Parquet, as the trainer wants them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from windowshop.errors import ConfigError, StorageError


def write_samples(samples: Sequence[Mapping[str, Any]], out: Path) -> None:
    """Write samples in the format that the file's name asks for; raise `ConfigError` for any other."""
    try:
        match out.suffix:
            case ".jsonl":
                lines = (json.dumps(sample, ensure_ascii=False) + "\n" for sample in samples)
                out.write_text("".join(lines), encoding="utf-8")
            case ".json":
                out.write_text(json.dumps(samples, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
            case ".parquet":
                _parquet(samples, out)
            case other:
                raise ConfigError(f"{out}: {other or 'no suffix'}; write .jsonl, .json or .parquet")
    except OSError as error:
        raise StorageError(f"cannot write {out}: {error.strerror}") from error


def _parquet(samples: Sequence[Mapping[str, Any]], out: Path) -> None:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise ConfigError("Parquet needs the extra: pip install 'windowshop[export]'") from None
    parquet.write_table(pyarrow.Table.from_pylist([dict(sample) for sample in samples]), out)
