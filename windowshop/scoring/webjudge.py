"""WebJudge's three stages: key points, a mark for each picture, the verdict on those that matter."""

from __future__ import annotations

import re
from typing import Any, Final

from windowshop.scoring.case import Case, Prompt, Protocol, Ruling, Seeing, part, shown
from windowshop.scoring.fence import RULE, fence

THRESHOLD: Final = 3
"""A picture is kept from this mark on, of 1 to 5."""
KEPT: Final = 50

_POINTS = (
    "You prepare the check of a web agent's work. From the task alone, list the key points: each "
    "requirement that "
    "the task states outright, one a numbered line, in its own words. Add none that it does not state."
)
_MARK = (
    "You look at one moment of a web agent's work and say how much it tells about the task's key "
    "points. Give your "
    "reasons briefly, then a line `Score: N`, N from 1 (tells nothing) to 5 (shows an essential step "
    "or a result). "
)
_JUDGE = (
    "You decide whether a web agent has done its task, from the task, its key points, the agent's "
    "actions and the "
    "moments that matter, in order. Be strict. Every key point must be met. A condition on the "
    "results (a filter, a "
    "range, an order) is met only where it was really applied or the chosen product shows it: words "
    "typed into the "
    "search box are not a filter, and a range must be the one asked for, neither wider nor narrower. "
    "An answer that "
    'contradicts what is shown fails. Give your reasons, then a last line `Status: "success"` or '
    '`Status: "failure"`. '
)
_SCORE = re.compile(r"score\W{0,6}([1-5])\b", re.IGNORECASE)
_STATUS = re.compile(r"status\W{1,6}(success|failure)\b", re.IGNORECASE)


def webjudge(case: Case, seeing: Seeing) -> Protocol:
    """Judge the whole task. An episode without an answer fails without a call."""
    if case.answer is None:
        return {"task": Ruling(repository=False, strict=False)}
    task = f"TASK: {case.task.instruction}"
    points = yield Prompt(stage="key points", messages=_messages(_POINTS, [part(task)]))
    moments = (
        [shown(one) for one in case.screenshots]
        if seeing == "screenshots"
        else [part(fence(text)) for text in case.observations]
    )
    kept: list[tuple[dict[str, str], str]] = []
    for number, moment in enumerate(moments, 1):
        asked = [part(f"{task}\nKEY POINTS:\n{points}\nMOMENT {number}:"), moment]
        reply = yield Prompt(
            stage=f"moment {number}", messages=_messages(_MARK + RULE, asked), max_tokens=512
        )
        mark = _SCORE.findall(reply)
        if mark and int(mark[-1]) >= THRESHOLD:
            kept.append((moment, reply))
    kept = kept[-KEPT:]
    actions = "\n".join(f"{number}. {action}" for number, action in enumerate(case.actions[:-1], 1))
    said = "\n".join(reply for _, reply in kept)
    final = [
        part(
            f"{task}\nKEY POINTS:\n{points}\nACTIONS:\n{fence(actions)}\nANSWER of the "
            f"agent:\n{fence(case.answer)}"
            f"\nNOTES on the moments:\n{fence(said)}\n{len(kept)} moments follow:"
        ),
        *(moment for moment, _ in kept),
    ]
    reply = yield Prompt(stage="verdict", messages=_messages(_JUDGE + RULE, final))
    return {
        "task": Ruling(repository="success" in reply.lower().split("status:")[-1], strict=status_of(reply))
    }


def status_of(reply: str) -> bool | None:
    """Read the last status line; None where there is none."""
    found = _STATUS.findall(reply)
    return found[-1].lower() == "success" if found else None


def _messages(rules: str, content: list[dict[str, str]]) -> tuple[dict[str, Any], ...]:
    return ({"role": "system", "content": rules}, {"role": "user", "content": content})
