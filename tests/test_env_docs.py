"""The examples of docs/env.md, as they stand there."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from test_env_same import served

from windowshop.cli import group

PAGE = (Path(__file__).resolve().parents[1] / "docs/env.md").read_text("utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
COMMANDS = re.findall(r"^\$ windowshop (.*?)(?: +#.*)?$", PAGE, re.MULTILINE)


def run(code: str, folder: Path, **environment: str) -> str:
    (folder / "example.py").write_text(code, "utf-8")
    said = subprocess.run(
        [sys.executable, "-W", "error", "example.py"],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert said.returncode == 0, said.stderr
    return said.stdout


def test_there_is_an_example_of_every_way_in() -> None:
    for name in ("gymnasium.make(", "make_vec(", "WebAgentTextEnv(", 'clicks="title"', "urlopen("):
        assert any(name in code for code in EXAMPLES), name


@pytest.mark.parametrize("code", [code for code in EXAMPLES if "urlopen(" not in code])
def test_an_example_runs(code: str, tmp_path: Path) -> None:
    assert run(code.replace("human_goals=True", "human_goals=True, scored=False"), tmp_path).strip()


def test_the_example_over_http_runs(tmp_path: Path) -> None:
    (code,) = (code for code in EXAMPLES if "urlopen(" in code)
    with served("ebay", tmp_path / "run") as address:
        assert "0.0 False" in run(code, tmp_path, SHOP=address)


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_is_one(line: str) -> None:
    command = group
    context = command.make_context("windowshop", ["-q", "doctor"])
    words = shlex.split(line)
    while hasattr(command, "get_command"):
        command = command.get_command(context, words.pop(0))
        assert command is not None, line
    known = {option for parameter in command.params for option in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= known
