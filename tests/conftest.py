"""The one door from the tests to the data that stands beside the project, and no skip in CI."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of recorded episodes, real pages and benchmark files, or skip."""
    if not SHARED.is_dir():
        pytest.skip(f"the shared data are not at {SHARED}")
    return SHARED


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Make a skip a failure where everything must run."""
    if report.skipped and os.environ.get("CI") and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped in CI: {report.longrepr}"
