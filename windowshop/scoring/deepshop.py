"""DeepShop's judge: one call an aspect about the last fifteen screenshots, in our own words."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from windowshop.scoring.case import Case, Prompt, Protocol, Ruling, Seeing, part, shown
from windowshop.scoring.fence import RULE, fence

SETTINGS: Final[Mapping[str, Any]] = {"temperature": 0.0, "seed": 42}
ATTACHED: Final = 15
"""Screenshots attached at most; the prompt states this number even where there are fewer, as the original."""

_SCREENS = (
    "You check whether a shopping agent did what a task asked of it. You are given the task, the "
    "agent's answer, "
    "and screenshots of the pages that it visited, in order. Where the answer and the screenshots "
    "contradict each "
    "other, believe the screenshots; where the screenshots say nothing about a point, believe the "
    "answer. Visit no "
    "address and assume nothing that is not shown. If any part of the task was not done, the whole "
    "was not done. "
)
_FACTS = (
    "You check whether a shopping agent did what a task asked of it. You are given the task, the "
    "agent's answer, "
    "the actions that it took, and the facts that were read from the chosen product's page. Where "
    "the answer and "
    "the facts contradict each other, believe the facts; where the facts say nothing about a point, "
    "believe the "
    "answer. Assume nothing that is not shown. If any part of the task was not done, the whole was not done. "
)
_VERDICT = (
    "First give your reasons in a few sentences. Then close with a line of its own that is exactly "
    "SUCCESS or "
    "exactly NOT SUCCESS, and write neither anywhere else."
)
_LAST_LINE = re.compile(r"\W*(?:verdict\W+)?(NOT SUCCESS|SUCCESS)\W*", re.IGNORECASE)


def deepshop(case: Case, seeing: Seeing) -> Protocol:
    """Ask about each aspect of a task; what is not asked is skipped, and no answer is 0 without a call."""
    rulings = {}
    for aspect, query in case.aspects.asked().items():
        if case.answer is None:
            rulings[str(aspect)] = Ruling(repository=False, strict=False)
            continue
        reply = yield Prompt(stage=aspect, messages=_messages(case, query, seeing))
        rulings[str(aspect)] = Ruling(repository=repository_rule(reply), strict=strict_rule(reply))
    return rulings


def repository_rule(reply: str) -> bool:
    """Read a verdict as the original does: case-sensitive substrings, `NOT SUCCESS` first."""
    return "NOT SUCCESS" not in reply and "SUCCESS" in reply


def strict_rule(reply: str) -> bool | None:
    """Read a verdict from the last line alone; None where that line is not one of the two."""
    lines = [line for line in reply.splitlines() if line.strip()]
    found = _LAST_LINE.fullmatch(lines[-1]) if lines else None
    return None if found is None else found[1].upper() == "SUCCESS"


def _messages(case: Case, query: str, seeing: Seeing) -> tuple[dict[str, Any], ...]:
    head = f"TASK: {query}\nANSWER of the agent:\n{fence(case.answer or '')}"
    if seeing == "text":
        acted = fence("\n".join(case.actions))
        facts = fence(json.dumps(case.facts, indent=1, ensure_ascii=False, sort_keys=True))
        content = [part(f"{head}\nACTIONS:\n{acted}\nFACTS of the chosen product:\n{facts}")]
    else:
        pictures = case.screenshots[-ATTACHED:]
        content = [part(f"{head}\n{ATTACHED} screenshots follow:"), *map(shown, pictures)]
    rules = (_SCREENS if seeing == "screenshots" else _FACTS) + RULE + " " + _VERDICT
    return (
        {"role": "system", "content": rules},
        {"role": "user", "content": [*content, part("Your verdict:")]},
    )
