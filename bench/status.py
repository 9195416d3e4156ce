"""How long `windowshop status` takes for a run of many episodes: bench/status.py [--episodes N]."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import click

from windowshop.demo import goals
from windowshop.episodes import EpisodeResult, Spent, Step
from windowshop.purchase import PurchaseIntent
from windowshop.runs.folder import RunFolder
from windowshop.runs.plan import Plan
from windowshop.tasks.load import to_tasks
from windowshop.views import AvailableActions

OUTCOMES = ("intercepted", "intercepted", "step_limit", "blocked:captcha", "site_error", "budget:requests")


def write(path: Path, episodes: int) -> int:
    """Write a run as a runner would have, goals, intents and steps in full; return its steps."""
    tasks = to_tasks(goals())
    tasks = [tasks[n % len(tasks)].model_copy(update={"id": str(n)}) for n in range(episodes // 4)]
    plan = Plan(tasks=tuple(tasks), sites=("amazon", "ebay"), agents=("rule", "random"))
    folder = RunFolder(path, plan.settings(), plan.tasks)
    at = datetime.now(UTC)
    actions = AvailableActions(has_search_bar=False, clickables=tuple(f"b0{n:08}" for n in range(12)))
    steps = 0
    with (path / "steps.jsonl").open("ab") as lines:
        for number, trial in enumerate(plan.trials()):
            for step in range(4):
                line = Step(
                    episode=trial.name,
                    step=step,
                    observation="a title of some length [SEP] " * 60,
                    available_actions=actions,
                    state_url="x" * 120,
                    at=at,
                )
                lines.write(line.model_dump_json().encode() + b"\n")
                steps += 1
            intent = PurchaseIntent(
                episode=trial.name,
                site=trial.site,
                item_id="B000000001",
                title="a title of some length " * 5,
                options={"size": "large", "color": "red"},
                chosen={"size": "large", "color": "red"},
                url="https://www.amazon.com/dp/B000000001",
                page_digest="0" * 64,
                at=at,
            )
            folder.episodes.append(
                EpisodeResult(
                    episode=trial.name,
                    task=trial.task,
                    site=trial.site,
                    locale="us",
                    agent=trial.agent,
                    outcome=OUTCOMES[number % len(OUTCOMES)],
                    steps=3,
                    visits=2,
                    intent=intent,
                    spent=Spent(requests=2, bytes=2_400_000),
                    seconds=2.5,
                )
            )
    folder.close()
    return steps


@click.command()
@click.option("--episodes", default=10_000, show_default=True)
@click.option("--repeat", default=5, show_default=True, help="Of several measurements the best counts.")
@click.option("--json", "as_json", is_flag=True)
def main(episodes: int, repeat: int, as_json: bool) -> None:
    """Write a run of many episodes and ask how it stands, each time in a new process."""
    with tempfile.TemporaryDirectory() as home:
        run = Path(home) / "run"
        steps = write(run, episodes)
        walls, cpus = [], []
        for _ in range(repeat):
            before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            command = [sys.executable, "-m", "windowshop", "status", str(run)]
            told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            walls.append(time.perf_counter() - began)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpus.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        assert f"of {episodes} episodes are done" in told, told
        megabytes = sum(path.stat().st_size for path in run.iterdir()) // 1_000_000
    said = {
        "episodes": episodes,
        "steps": steps,
        "folder_mb": megabytes,
        "seconds": round(min(walls), 2),
        "cpu_seconds": round(min(cpus), 2),
    }
    click.echo(
        json.dumps(said) if as_json else "\n".join(f"{name:12} {value}" for name, value in said.items())
    )


if __name__ == "__main__":
    main()
