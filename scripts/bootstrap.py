"""Make `.venv` with windowshop in it, and find or fetch a Chromium; say what could not be had.

`bootstrap.py EXTRA` installs that extra too (`demo` or `dev`). On the Python that constraints.txt was made
for, its versions are taken: the same ones every time, and pip need not search for versions that agree.

Only the standard library is used: this runs before anything is installed.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
CONSTRAINTS = ROOT / "constraints.txt"
IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


def main(extra: str = "dev") -> int:
    """Bring `.venv` up to date with pyproject.toml; do nothing where it is."""
    if sys.version_info < (3, 11):  # noqa: UP036 - this is what finds out
        print(f"windowshop needs Python 3.11 or newer; this is {sys.version.split()[0]}", file=sys.stderr)
        return 2
    described = (ROOT / "pyproject.toml").read_bytes() + CONSTRAINTS.read_bytes()
    wanted = hashlib.sha256(described).hexdigest()
    if not (is_stamped(extra, wanted) or is_stamped("dev", wanted)):
        make_venv()
        install(f"{ROOT}[{extra}]")
        stamp(extra).write_text(wanted)
    find_browser()
    return 0


def stamp(extra: str) -> Path:
    """Name the file that says for which pyproject.toml an extra was installed."""
    return VENV / f"windowshop-{extra}.stamp"


def is_stamped(extra: str, wanted: str) -> bool:
    """Say whether an extra is installed as it is wanted."""
    return PYTHON.exists() and stamp(extra).exists() and stamp(extra).read_text() == wanted


def install(project: str) -> None:
    """Install the project, with the constraints on the Python that they are for."""
    command = (PYTHON, "-m", "pip", "install", "-q", "--disable-pip-version-check", "-e", project)
    if sys.version_info[:2] == (3, 11) and sys.platform == "linux" and quiet(*command, "-c", CONSTRAINTS):
        return
    run(*command)


def make_venv() -> None:
    """Create the environment with pip in it, also where the system's Python lacks ensurepip."""
    if PYTHON.exists() and quiet(PYTHON, "-m", "pip", "--version"):
        return
    if quiet(sys.executable, "-m", "venv", "--clear", VENV):
        return
    if quiet(sys.executable, "-m", "pip", "--version"):
        run(sys.executable, "-m", "venv", "--clear", "--without-pip", VENV)
        run(sys.executable, "-m", "pip", "--python", PYTHON, "install", "-q", "pip")
        return
    if IS_ROOT and shutil.which("apt-get"):
        quiet("apt-get", "update", "-qq")
        quiet("apt-get", "install", "-y", "-qq", "--no-install-recommends", "python3-venv")
    if not quiet(sys.executable, "-m", "venv", "--clear", VENV):
        print("windowshop: no virtual environment; install python3-venv (or pip) first", file=sys.stderr)
        sys.exit(2)


def find_browser() -> None:
    """Look for a Chromium; install one by apt where we are root, else Playwright's own."""
    if has_browser():
        return
    print("windowshop: no Chromium found, fetching one", file=sys.stderr)
    if IS_ROOT and shutil.which("apt-get"):
        quiet("apt-get", "update", "-qq")
        quiet("apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium")
    if not has_browser():
        quiet(PYTHON, "-m", "playwright", "install", "chromium")
    if not has_browser():
        print("windowshop: no Chromium could be had; pages are fetched without a browser", file=sys.stderr)


def has_browser() -> bool:
    """Ask windowshop itself, so that both look in the same places."""
    code = "from windowshop.transports.chromium import find_browser; raise SystemExit(find_browser() is None)"
    return quiet(PYTHON, "-c", code)


def quiet(*command: str | Path) -> bool:
    """Run a command without its output; say whether it succeeded."""
    return subprocess.run(list(map(str, command)), capture_output=True, check=False).returncode == 0


def run(*command: str | Path) -> None:
    """Run a command or stop with its exit code."""
    code = subprocess.run(list(map(str, command)), check=False).returncode
    if code != 0:
        sys.exit(code)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
