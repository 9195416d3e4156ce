"""docs/safety.md says of every threat what is true now."""

from __future__ import annotations

import importlib.util
import re
from types import ModuleType

import pytest
from threats.rows import ROWS


@pytest.fixture(scope="module")
def matrix() -> ModuleType:
    from pathlib import Path

    path = Path(__file__).resolve().parents[2] / "scripts/safety_matrix.py"
    spec = importlib.util.spec_from_file_location("safety_matrix", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_test_that_a_row_names_is_there(matrix: ModuleType) -> None:
    assert matrix.missing_tests() == []


def test_the_page_is_fresh_and_has_every_row(matrix: ModuleType) -> None:
    written = matrix.TARGET.read_text("utf-8")
    assert written == matrix.page(), "stale: run python scripts/safety_matrix.py"
    assert re.findall(r"^\| ([A-G]\d+) \|", written, re.MULTILINE) == [row.id for row in ROWS]
    allowed = [line for line in written.splitlines() if "allowed `" in line]
    assert [line.split()[1] for line in allowed] == ["E18"], "words to search for may leave, and nothing else"
