"""The one door from the tests to the data that stands beside the project."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of recorded episodes, real pages and benchmark files, or skip."""
    if not SHARED.is_dir():
        pytest.skip(f"the shared data are not at {SHARED}")
    return SHARED
