"""`windowshop run` and `windowshop show`, as a user calls them."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from filelock import FileLock

from windowshop.cli import group
from windowshop.journal import read_journal


def windowshop(*args: str | Path, env: dict[str, str] | None = None) -> Result:
    return CliRunner().invoke(group, [*map(str, args)], env=env)


def demo(out: Path, *args: str | Path) -> Result:
    return windowshop("run", "--transport", "http", "--out", out, *args)


def walked(run: Path) -> list[tuple[Any, ...]]:
    steps = read_journal(run / "steps.jsonl")
    return [
        (step["episode"], step["action"], step["observation"], step["available_actions"]) for step in steps
    ]


BOTH = ("--tasks", "demo", "--limit", "3", "--site", "amazon", "--site", "ebay")


def test_the_demo_shop_is_the_default_and_dry_run_is_named_everywhere(tmp_path: Path) -> None:
    result = demo(tmp_path / "run", *BOTH)
    tmp_path = tmp_path / "run"
    assert result.exit_code == 0, result.output
    assert "DRY-RUN on the embedded demo shop" in result.stderr
    assert "dry-run: nothing was bought" in result.stdout
    assert result.stdout.count("intercepted") == 6
    manifest = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    assert manifest["dry_run"] is True
    assert set(manifest["settings"]["policies"]) == {"amazon", "ebay"}
    assert len(list(read_journal(tmp_path / "purchases.jsonl"))) == 6
    assert "dry-run" in windowshop("run", "--help").stdout


def test_a_replay_opens_no_socket_and_repeats_every_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    demo(tmp_path / "first", *BOTH)

    def refuse(*args: object, **options: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    result = demo(tmp_path / "second", *BOTH, "--recording", tmp_path / "first")
    assert result.exit_code == 0, result.output
    assert walked(tmp_path / "second") == walked(tmp_path / "first")
    assert "no socket is opened" in result.stderr


def test_a_page_that_is_not_in_the_recording_is_a_typed_outcome(tmp_path: Path) -> None:
    demo(tmp_path / "first", "kettle")
    result = demo(tmp_path / "second", "a red mug", "--recording", tmp_path / "first")
    assert result.exit_code == 6
    assert "replay_miss" in result.stdout
    assert "nearest: https://www.amazon.com/" in result.stderr


def test_the_same_command_goes_on_and_runs_nothing_twice(tmp_path: Path) -> None:
    demo(tmp_path, *BOTH)
    before = (tmp_path / "steps.jsonl").read_bytes()
    assert demo(tmp_path, *BOTH).exit_code == 0
    assert (tmp_path / "steps.jsonl").read_bytes() == before
    other = demo(tmp_path, *BOTH, "--max-steps", "3")
    assert other.exit_code == 2
    assert "holds another run (different: max_steps)" in other.stderr


def test_a_kill_loses_at_most_the_step_in_flight(tmp_path: Path) -> None:
    script = tmp_path / "agent_that_kills.py"
    script.write_text(
        "import os, signal\n"
        "class Agent:\n"
        "    def __init__(self): self.count = 0\n"
        "    def act(self, observation):\n"
        "        self.count += 1\n"
        "        if self.count == 5: os.kill(os.getpid(), signal.SIGKILL)\n"
        "        return 'search[kettle %d]' % self.count\n"
    )
    command = ["-m", "windowshop", "run", "x", "--transport", "http", "--out", str(tmp_path / "run")]
    killed = subprocess.run(
        [sys.executable, *command, "--agent", "agent_that_kills:Agent"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path), "PATH": ""},
        capture_output=True,
        check=False,
    )
    assert killed.returncode == -9, killed.stderr
    steps = list(read_journal(tmp_path / "run/steps.jsonl"))
    assert [step["action"] for step in steps] == [None, *(f"search[kettle {n}]" for n in range(1, 5))]
    shown = windowshop("show", tmp_path / "run")
    assert "not finished" in shown.stdout


def test_a_live_run_needs_live_and_cannot_be_a_replay(tmp_path: Path) -> None:
    result = windowshop("run", "x", "--live", "--recording", tmp_path)
    assert (result.exit_code, "exclude each other" in result.stderr) == (2, True)


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["x", "--no-dry-run"], "--no-dry-run is refused"),
        ([], "say what to shop for"),
        (["x", "--tasks", "demo"], "say what to shop for"),
        (["x", "--site", "nowhere"], "unknown site 'nowhere'; known sites: amazon, ebay"),
        (["x", "--locale", "mars"], "amazon has no locale 'mars'"),
        (["x", "--agent", "nobody"], "unknown agent 'nobody'"),
        (["x", "--transport", "scraperapi"], "it needs --live"),
        (["--tasks", "/does/not/exist.json"], "cannot read tasks"),
        (["--tasks", "demo", "--limit", "x"], "--limit 'x'"),
    ],
)
def test_a_slip_of_the_user_is_named_with_its_mending(tmp_path: Path, args: list[str], says: str) -> None:
    result = windowshop("run", "--out", tmp_path / "run", *args)
    assert result.exit_code == 2
    assert says in result.stderr
    assert not (tmp_path / "run").exists()


def test_options_come_from_the_environment_and_from_a_file(tmp_path: Path) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text('[run]\nsite = ["ebay"]\ntransport = "http"\n')
    result = windowshop("--config", settings, "run", "kettle", "--out", tmp_path / "a", "--json")
    assert json.loads(result.stdout)["site"] == "ebay"
    env = {"WINDOWSHOP_RUN_SITE": "ebay", "WINDOWSHOP_RUN_TRANSPORT": "http", "WINDOWSHOP_RUN_JSON": "1"}
    result = windowshop("run", "kettle", "--out", tmp_path / "b", env=env)
    assert json.loads(result.stdout)["site"] == "ebay"
    settings.write_text("[run]\ndry-runn = false\n")
    result = windowshop("--config", settings, "run", "kettle")
    assert (result.exit_code, "has no option 'dry-runn'" in result.stderr) == (2, True)


def test_a_folder_that_cannot_be_written_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = demo(tmp_path / "file" / "run", "kettle")
    assert result.exit_code == 8
    assert "cannot write the run folder" in result.stderr


def test_a_full_disk_ends_the_run_and_loses_no_finished_step(tmp_path: Path) -> None:
    demo(tmp_path / "run", "kettle")
    (tmp_path / "run/steps.jsonl").rename(tmp_path / "kept.jsonl")
    (tmp_path / "run/episodes.jsonl").unlink()
    (tmp_path / "run/steps.jsonl").symlink_to("/dev/full")
    result = demo(tmp_path / "run", "kettle")
    assert result.exit_code == 8
    assert "No space left on device; every line before this one is safe" in result.stderr


def test_show_prints_each_step_and_the_intent(tmp_path: Path) -> None:
    demo(tmp_path, *BOTH)
    result = windowshop("show", tmp_path, "--episode", "ebay-1")
    assert result.exit_code == 0
    assert "3. click[buy now]  ->  intercept action.buy" in result.stdout
    assert "amazon" not in result.stdout
    shown = json.loads(windowshop("show", tmp_path, "--json").stdout)
    assert [episode["result"]["outcome"] for episode in shown["episodes"]] == ["intercepted"] * 6
    assert windowshop("show", tmp_path, "--episode", "nobody").exit_code == 2
    (tmp_path / "run.json").unlink()
    assert "is not a run folder" in windowshop("show", tmp_path).stderr


def test_another_task_in_the_same_folder_is_another_run(tmp_path: Path) -> None:
    assert demo(tmp_path / "run", "red kettle").exit_code == 0
    result = demo(tmp_path / "run", "blue shoes")
    assert (result.exit_code, "different: tasks" in result.stderr) == (2, True)


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "steps.jsonl").write_text("mine")
    for out in (tmp_path, tmp_path / "steps.jsonl"):
        result = demo(out, "kettle")
        assert (result.exit_code, "is there already and is not a run" in result.stderr) == (2, True)
    assert (tmp_path / "steps.jsonl").read_text() == "mine"


def test_two_runners_cannot_write_in_one_folder(tmp_path: Path) -> None:
    demo(tmp_path / "run", "kettle")
    with FileLock(tmp_path / "run/.lock"):
        result = demo(tmp_path / "run", "kettle")
    assert (result.exit_code, "another runner is writing" in result.stderr) == (8, True)


def test_a_resumed_run_counts_everything_and_its_replay_is_the_same(tmp_path: Path) -> None:
    run = tmp_path / "run"
    demo(run, *BOTH)
    episodes = run / "episodes.jsonl"
    kept = episodes.read_text(encoding="utf-8").splitlines(keepends=True)[:4]
    episodes.write_text("".join(kept), encoding="utf-8")
    before = (run / "pages.warc.gz").stat().st_size
    result = demo(run, *BOTH)
    assert result.stdout.count("intercepted") == 6
    assert (run / "pages.warc.gz").stat().st_size == before, "pages of this run are not fetched again"
    again = demo(tmp_path / "again", *BOTH, "--recording", run)
    assert again.exit_code == 0
    ours, theirs = (
        json.loads(windowshop("show", path, "--json").stdout) for path in (run, tmp_path / "again")
    )
    for one, other in zip(ours["episodes"], theirs["episodes"], strict=True):
        assert [step["observation"] for step in one["steps"]] == [
            step["observation"] for step in other["steps"]
        ]


def test_an_agent_in_the_current_directory_is_found_and_its_failures_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_agent_here.py").write_text(
        "import sys\n"
        "class Leaves:\n"
        "    def act(self, observation): sys.exit(3)\n"
        "class Odd:\n"
        "    def act(self, observation): return 'search[\\udcff kettle]'\n"
        "class Broken:\n"
        "    def __init__(self): raise RuntimeError('no weights')\n"
    )
    left = demo(tmp_path / "a", "x", "--agent", "my_agent_here:Leaves")
    assert (left.exit_code, "the agent raised SystemExit: 3" in left.stderr) == (1, True)
    odd = demo(tmp_path / "b", "x", "--agent", "my_agent_here:Odd")
    assert (odd.exit_code, "step_limit" in odd.stdout) == (0, True)
    broken = demo(tmp_path / "c", "x", "--agent", "my_agent_here:Broken")
    assert (broken.exit_code, "RuntimeError: no weights" in broken.stderr) == (2, True)


def test_what_was_asked_cannot_drive_the_terminal(tmp_path: Path) -> None:
    result = demo(tmp_path / "run", "kettle \x1b[2J red")
    shown = windowshop("show", tmp_path / "run")
    assert "\x1b[2J" not in result.stdout + result.stderr + shown.stdout


def test_a_record_that_is_none_is_named(tmp_path: Path) -> None:
    demo(tmp_path / "run", "kettle")
    with (tmp_path / "run/episodes.jsonl").open("a") as file:
        file.write('{"who": "knows"}\n')
    result = windowshop("show", tmp_path / "run")
    assert (result.exit_code, "holds a record that is no EpisodeResult" in result.stderr) == (2, True)


def test_a_terminal_shows_one_live_table(tmp_path: Path) -> None:
    screen, terminal = os.openpty()
    command = ["run", *BOTH, "--transport", "http", "--workers", "2", "--out", str(tmp_path / "run")]
    with subprocess.Popen(
        [sys.executable, "-m", "windowshop", *command],
        stdout=subprocess.DEVNULL,
        stderr=terminal,
        env={**os.environ, "COLUMNS": "120", "TERM": "xterm"},
    ) as process:
        os.close(terminal)
        shown = b""
        with suppress(OSError):  # how a terminal says that nobody writes to it any more
            while part := os.read(screen, 65536):
                shown += part
    os.close(screen)
    assert process.returncode == 0, shown
    said = shown.decode()
    assert "windowshop, dry-run: demo" in said
    assert "step limit" in said
    assert "a minute" in said
    assert "[1/6]" not in said, "the plain lines are for where there is no terminal"


def test_a_plan_does_nothing(tmp_path: Path) -> None:
    more = ("--agent", "rule", "--agent", "random", "--repeats", "2", "--live", "--max-requests", "50")
    result = demo(tmp_path / "run", *BOTH, *more, "--plan", "--json")
    assert result.exit_code == 0, result.output
    plan = json.loads(result.stdout)
    assert (plan["episodes"], plan["requests_at_most"]) == (3 * 2 * 2 * 2, 50)
    assert set(plan["policy"]) == {"amazon", "ebay"}
    assert (plan["cost_at_most"], plan["credits_at_most"]) == (0.0, 0.0)
    assert plan["minutes_at_polite_rate"] > 2
    assert not (tmp_path / "run").exists()
