"""Every branch of the policy and the guard is taken by the tests that judge them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
JUDGES = (
    "tests/test_policy.py",
    "tests/test_guard.py",
    "tests/test_sandbox.py",
    "tests/threats/test_refusals.py",
    "tests/threats/test_layers.py",
)


def test_every_branch_of_the_safety_room_is_taken(tmp_path: Path) -> None:
    coverage = (sys.executable, "-m", "coverage")
    environment = {**os.environ, "COVERAGE_FILE": str(tmp_path / "data")}
    for variable in [name for name in environment if name.startswith(("PYTEST", "WINDOWSHOP"))]:
        del environment[variable]
    plain = ("-q", "-p", "no:xdist", "-p", "no:cacheprovider")
    ran = subprocess.run(
        [*coverage, "run", "--branch", "--source=windowshop.safety", "-m", "pytest", *plain, *JUDGES],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout[-3000:]
    said = subprocess.run(
        [*coverage, "report", "-m", "--skip-covered", "--fail-under=100"],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert said.returncode == 0, said.stdout
