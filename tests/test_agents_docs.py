"""Every example in docs/agents.md runs, as it stands there, in the demo shop."""

from __future__ import annotations

import os
import re
import shlex
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer, Turn, calls, says
from webshop_checkpoint import save_choice, save_search

from windowshop.cli import main
from windowshop.episodes import EpisodeResult
from windowshop.journal import read_journal

TEXT = (Path(__file__).resolve().parent.parent / "docs/agents.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"<!-- file: (\S+) -->\n```\w*\n(.*?)```", TEXT, re.DOTALL))
COMMANDS = [
    line for block in re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL) for line in block.strip().split("\n")
]
RUNS = [line for line in COMMANDS if line.startswith("windowshop run ")]
ENDS = {"scripted": "agent_error", "random": None, "webshop-il": None, "webshop-rl": None}


def _answer(body: dict[str, Any]) -> Turn:
    page = body["messages"][-1]["content"]
    if "search[<words>]" in page:
        name, argument = "search", "kettle"
    elif "click[buy now]" in page:
        name, argument = "click", "buy now"
    else:
        name, argument = "click", re.findall(r"click\[(\w{10})\]", page)[0]
    if body.get("tools"):
        return calls(name, {"query" if name == "search" else "target": argument})
    return says(f"Thought: go on.\nAction: {name}[{argument}]")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with all that the examples name."""
    folder = tmp_path_factory.mktemp("examples")
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "checkpoint").mkdir()
    save_choice(folder / "checkpoint", images=True, form="model.pth")
    save_search(folder / "checkpoint/search")
    return folder


def test_there_is_an_example_of_every_kind() -> None:
    shown = {re.split(r"[: ]", shlex.split(line)[shlex.split(line).index("--agent") + 1])[0] for line in RUNS}
    kinds = "rule rule+options random scripted webshop-il webshop-rl llm llm-tools cmd http shopper"
    assert shown == set(kinds.split())


def test_the_programs_in_two_languages_are_short() -> None:
    assert all(len(FILES[name].splitlines()) <= 20 for name in ("shopper_program.py", "shopper.pl"))


@pytest.mark.parametrize("line", RUNS)
def test_an_example_runs(line: str, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    monkeypatch.syspath_prepend(place)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("WINDOWSHOP_RUN_TRANSPORT", "http")
    monkeypatch.setenv("WINDOWSHOP_RUN_MAX_STEPS", "6")
    monkeypatch.setenv("WINDOWSHOP_RUN_OUT", str(tmp_path / "run"))
    monkeypatch.setenv("WINDOWSHOP_LLM_API_KEY", "...")
    kind = re.split(r"[: ]", shlex.split(line)[4])[0]
    with ModelServer(_answer) as models:
        monkeypatch.setenv("WINDOWSHOP_LLM_BASE_URL", models.url)
        if kind == "http":
            _run_beside_the_server(line, place)
        else:
            _run(line)
    (result,) = [EpisodeResult.model_validate(one) for one in read_journal(tmp_path / "run/episodes.jsonl")]
    expected = ENDS.get(kind, "intercepted")
    assert result.outcome == expected or (
        expected is None and result.outcome in ("intercepted", "step_limit")
    )
    asked = len(list(read_journal(tmp_path / "run/exchanges.jsonl")))
    assert asked == len(models.asked) == (result.steps if kind.startswith("llm") else 0)


def _run(line: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(shlex.split(line)[1:])
    assert ended.value.code in (0, 1)


def _run_beside_the_server(line: str, place: Path) -> None:
    (start,) = [command for command in COMMANDS if command.endswith(" &")]
    script, port = shlex.split(start)[1], str(_free_port())
    (place / script).write_text(FILES[script].replace("8765", port), encoding="utf-8")
    with subprocess.Popen([sys.executable, script], cwd=place, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == b"listening\n"
        _run(line.replace("8765", port))
        server.kill()
