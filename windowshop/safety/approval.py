"""A person's word, read from the terminal and from nowhere else."""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from windowshop.terminal import printable

TERMINAL = Path("/dev/tty")
"""The controlling terminal: what an agent prints, pipes or sets in the environment does not come in here."""

_TURN = threading.Lock()


def is_approved(question: str, terminal: Path = TERMINAL) -> bool:
    """Ask at the terminal; only a typed "yes" is one. Where there is no terminal the answer is no.

    One question stands there at a time, and what was typed before it is no answer to it.
    """
    try:
        with _TURN, terminal.open("r+b", buffering=0) as line:
            _forget_typed(line)
            line.write(f"{printable(question)} Type yes to allow it: ".encode())
            return line.readline(16).strip().lower() == b"yes"
    except OSError:
        return False


def _forget_typed(line: BinaryIO) -> None:
    with suppress(ImportError):  # Windows has no such terminal, and there the answer is no
        import termios

        with suppress(termios.error):
            termios.tcflush(line, termios.TCIFLUSH)
