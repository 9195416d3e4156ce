"""A runner that can be killed at any moment, at little cost: one process that forks a fresh one each time.

python crashing.py FOLDER HOST PORT CA_FILE KILLS SEED
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections import Counter
from pathlib import Path

from windowshop.agents import load_agent
from windowshop.agents.rule import RuleAgent
from windowshop.episodes import Task
from windowshop.journal import read_journal
from windowshop.runs.batch import run_batch
from windowshop.runs.folder import RunFolder, read_results, read_steps
from windowshop.runs.plan import Plan
from windowshop.runs.stack import Origin
from windowshop.transports.last_hop import LastHop
from windowshop.transports.recording import PAGES
from windowshop.transports.warc import members, read_page, target_of
from windowshop.views import Observation

EPISODES = 100
THINGS = ("kettle", "shirt", "rug", "pillow", "lantern", "serum", "shampoo", "lotion", "cable", "pants")
SHORTEST, LONGEST = 0.0, 0.12


class Witness(RuleAgent):
    """The rule, and a note outside the run folder of each observation before it is acted upon."""

    def __init__(self, notes: Path) -> None:
        super().__init__()
        self._notes = os.open(notes, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def act(self, observation: Observation) -> str:
        os.write(self._notes, f"{json.dumps(observation.text)}\n".encode())
        return super().act(observation)


def play(plan: Plan, run: Path, origin: Origin) -> None:
    folder = RunFolder(run, plan.settings(), plan.tasks)
    for _ in run_batch(plan, folder, lambda spec, seed: Witness(run.with_suffix(".seen")), origin):
        pass
    folder.close()


def is_over_before_it_is_killed(plan: Plan, run: Path, origin: Origin, after: float) -> bool:
    """Play in a process of its own; say whether it ended by itself in the time that it had."""
    child = os.fork()
    if child == 0:
        try:
            play(plan, run, origin)
        except BaseException as error:
            print(repr(error), file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    end = time.monotonic() + after
    while time.monotonic() < end:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            assert status == 0, f"the runner failed: {status}"
            return True
        time.sleep(0.0005)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert status in (0, signal.SIGKILL), f"the runner failed: {status}"
    return status == 0


def check_killed(run: Path) -> Counter[str]:
    """Check a folder as a kill left it: all that an agent has seen is there; say what was torn."""
    texts = Counter(record["observation"] for record in read_journal(run / "steps.jsonl"))
    notes = run.with_suffix(".seen")
    seen = (
        Counter(json.loads(line) for line in notes.read_text().splitlines()) if notes.exists() else Counter()
    )
    assert not seen - texts, "an agent saw a step that is not on the disk"
    torn = Counter(kill=1)
    for path in run.glob("*.jsonl"):
        data = path.read_bytes()
        torn[path.name] += bool(data) and not data.endswith(b"\n")
    return torn


def check_finished(plan: Plan, run: Path) -> None:
    """Check a whole run: each episode once, each page whole, nothing lost and nothing said twice."""
    names = {trial.name for trial in plan.trials()}
    lines = [record["episode"] for record in read_journal(run / "episodes.jsonl")]
    assert len(lines) == len(set(lines)), "an episode ended twice"
    assert set(lines) == names
    results = {result.episode: result for result in read_results(run)}
    assert {result.outcome for result in results.values()} == {"intercepted"}
    for name, steps in read_steps(run).items():
        assert [step.step for step in steps] == list(range(results[name].steps + 1)), name
    pages = Counter(target_of(member) for member in members(run / PAGES)) - Counter([None])
    del pages[None]
    assert max(pages.values()) == 1, "a page that was on the disk was fetched again"
    file = run / PAGES
    ends = [member.end for member in members(file)]
    assert ends[-1] == file.stat().st_size, "the pages are not whole"
    starts = [member.start for member in members(file) if target_of(member)]
    assert all(read_page(file, start).body for start in starts)


def main(home: Path, origin: Origin, kills: int, seed: int) -> None:
    dice = random.Random(seed)
    tasks = tuple(
        Task(id=str(number), instruction=f"a {THINGS[number % len(THINGS)]} {number // len(THINGS)}")
        for number in range(EPISODES // 2)
    )
    plan = Plan(tasks=tasks, sites=("amazon", "ebay"), workers=3)
    load_agent("rule")
    done: Counter[str] = Counter()
    began = time.monotonic()
    while done["kill"] < kills or not done["finished"]:
        run = home / f"run-{done['finished']}"
        after = dice.uniform(SHORTEST, LONGEST) if done["kill"] < kills else 600.0
        if is_over_before_it_is_killed(plan, run, origin, after):
            check_finished(plan, run)
            done["finished"] += 1
        else:
            done += check_killed(run)
    print(json.dumps({**done, "seconds": round(time.monotonic() - began, 1)}))


if __name__ == "__main__":
    folder, host, port, authority, wanted, number = sys.argv[1:]
    hop = LastHop(host=host, port=int(port), ca_pem=Path(authority).read_bytes())
    main(Path(folder), Origin(last_hop=hop), int(wanted), int(number))
