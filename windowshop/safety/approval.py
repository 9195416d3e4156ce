"""A person's word, read from the terminal and from nowhere else."""

from __future__ import annotations

from pathlib import Path

from windowshop.terminal import printable

TERMINAL = Path("/dev/tty")
"""The controlling terminal: what an agent prints, pipes or sets in the environment does not come in here."""


def is_approved(question: str, terminal: Path = TERMINAL) -> bool:
    """Ask at the terminal; only a typed "yes" is one. Where there is no terminal the answer is no."""
    try:
        with terminal.open("r+b", buffering=0) as line:
            line.write(f"{printable(question)} Type yes to allow it: ".encode())
            return line.readline(16).strip().lower() == b"yes"
    except OSError:
        return False
