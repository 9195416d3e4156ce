"""Lines that survive a kill, a torn tail and a full disk."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from windowshop.errors import StorageError
from windowshop.journal import Journal, read_journal

WRITER = """
import os, signal, sys
from pathlib import Path
from windowshop.journal import Journal
journal = Journal(Path(sys.argv[1]))
for number in range(100):
    journal.append({"number": number})
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_line_is_on_disk_before_append_returns(tmp_path: Path) -> None:
    path = tmp_path / "steps.jsonl"
    killed = subprocess.run([sys.executable, "-c", WRITER, str(path)], check=False)
    assert killed.returncode == -9
    assert [record["number"] for record in read_journal(path)] == list(range(100))


def test_a_torn_line_is_set_aside_and_never_dropped(tmp_path: Path) -> None:
    path = tmp_path / "steps.jsonl"
    path.write_bytes(b'{"number":1}\n{"numb')
    assert [record["number"] for record in read_journal(path)] == [1]
    with Journal(path) as journal:
        journal.append({"number": 2})
    assert [record["number"] for record in read_journal(path)] == [1, 2]
    assert (tmp_path / "steps.jsonl.torn").read_bytes() == b'{"numb\n'


def test_a_full_disk_says_so(tmp_path: Path) -> None:
    path = tmp_path / "full.jsonl"
    path.symlink_to("/dev/full")
    with pytest.raises(StorageError, match=r"No space left.*every line before this one is safe"):
        Journal(path).append({"number": 1})
