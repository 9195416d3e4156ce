"""One query, one agent, one toolbox: the loop of ShoppingBench, and the lines of its rollout files."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

from windowshop.errors import ConfigError
from windowshop.tools.prompt import history_text, system_text
from windowshop.tools.toolbox import Toolbox
from windowshop.tools.turn import Turn, message, parse_turn

MAX_STEPS: Final = 30
Rollout = list[dict[str, Any]]
"""The steps of one query, as a line of a rollout file holds them (section 3.3)."""


class ToolAgent(Protocol):
    """Say what to do next: `<think>`, `<tool_call>` and `<response>` in the text of one turn."""

    def turn(self, system: str, history: str) -> str:
        """Return the text of the next turn, for the system text and the whole history of the query."""


def roll_out(query: str, agent: ToolAgent, tools: Toolbox, max_steps: int = MAX_STEPS) -> Rollout:
    """Return the steps of one query: until it is terminated, a turn says nothing, or `max_steps` are done."""
    system, steps = system_text(tools.names), []
    said: list[dict[str, Any]] = []
    for number in range(1, max_steps + 1):
        history = history_text(query, said)
        text = agent.turn(system, history)
        turn = parse_turn(text)
        results = [tools.call(call.name, call.parameters) for call in turn.calls]
        said.append(message(turn, results))
        steps.append(
            {
                "prompt": [{"role": "system", "content": system}, {"role": "user", "content": history}],
                "completion": {"reasoning_content": turn.think or "", "content": text, "message": said[-1]},
                "extra_info": {"step": number, "query": query, "timestamp": round(time.time() * 1000)},
            }
        )
        if tools.status is not None or turn == Turn(think=turn.think):
            break
    return steps


def read_rollouts(path: Path) -> Iterator[Rollout]:
    """Yield the rollouts of a file, a query a line; raise `ConfigError` naming a line that is none."""
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                rollout = json.loads(line)
                query_of(rollout)
            except (ValueError, LookupError, TypeError) as error:
                raise ConfigError(f"{path}:{number}: not a rollout: {error!r}") from None
            yield rollout


def query_of(rollout: Rollout) -> str:
    """Return the query that a rollout answers."""
    return str(rollout[0]["extra_info"]["query"])


def last_recommended(rollout: Rollout) -> str | None:
    """Return the ids of the last recommendation, as the agent wrote them; None where it made none."""
    said = [
        call["parameters"].get("product_ids")
        for call in calls(rollout)
        if call["name"] == "recommend_product"
    ]
    return str(said[-1]) if said and said[-1] is not None else None


def is_terminated(rollout: Rollout) -> bool:
    """Say whether the last step ended the query itself."""
    last: Mapping[str, Any] = rollout[-1]["completion"]["message"]
    return any(call["name"] == "terminate" for call in last.get("tool_call", ()))


def length_reward(rollout: Rollout) -> float:
    """Return one over the number of steps of a rollout that ended itself, else 0 (section 3.4)."""
    return 1 / len(rollout) if is_terminated(rollout) else 0.0


def calls(rollout: Rollout) -> Sequence[Mapping[str, Any]]:
    """Return all tool calls of a rollout, in order."""
    return [call for step in rollout for call in step["completion"]["message"].get("tool_call", ())]
