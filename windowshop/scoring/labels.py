"""What people say of an episode: questions, answers, and what they come to."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from pydantic import ValidationError

from windowshop.episodes import Task
from windowshop.errors import ConfigError
from windowshop.frozen import Frozen
from windowshop.scoring.aspects import ASPECTS, aspects_of
from windowshop.scoring.live import is_goal
from windowshop.terminal import cell, plain_cell

YES, NO, UNKNOWN = "yes", "no", "unknown"
_THREE: Final = ((YES, "Yes"), (NO, "No"), (UNKNOWN, "Cannot tell"))
_KINDS: Final = (
    ("1", "The kind that was asked for"),
    ("0.5", "Related"),
    ("0.1", "Hardly related"),
    ("0", "Another kind"),
)
_FIELDS: Final = ("episode", "annotator", "question", "value", "blind", "at")


class Label(Frozen):
    """One line of `labels.jsonl`: a person's answer; the last to a question counts, "" takes it back."""

    format: int = 1
    episode: str
    annotator: str
    question: str
    value: str
    blind: bool = False
    at: datetime


class Question(Frozen):
    """Something to answer about an episode; `part` is the part of Eq. 1 or the aspect it belongs to."""

    name: str
    part: str
    text: str
    wanted: str | None = None
    answers: tuple[tuple[str, str], ...] = _THREE


def questions_for(task: Task) -> list[Question]:
    """Return the four parts of Eq. 1, each wish apart where the goal names them, and DeepShop's aspects."""
    goal = task.goal if is_goal(task.goal) else None
    found = [
        Question(
            name="type",
            part="type",
            text="Is it the kind of product?",
            answers=_KINDS,
            wanted=_text(goal, "name"),
        )
    ]
    wishes = _wishes(goal, "attributes")
    options = _wishes(goal, "goal_options")
    if goal is None:
        found.append(
            Question(name="attribute:all", part="attribute", text="Has it every property asked for?")
        )
        found.append(Question(name="option:all", part="option", text="Are the options those asked for?"))
    found += [
        Question(name=f"attribute:{n}", part="attribute", text="Has it this property?", wanted=wish)
        for n, wish in enumerate(wishes)
    ]
    found += [
        Question(name=f"option:{n}", part="option", text="Is this option chosen?", wanted=wish)
        for n, wish in enumerate(options)
    ]
    limit = None if goal is None else f"at most {float(goal['price_upper']):.2f}"
    found.append(Question(name="price", part="price", text="Is the price right?", wanted=limit))
    words = {
        "attribute": "Do the product's properties fit?",
        "filter": "Are the filters met?",
        "sort": "Is the order kept?",
    }
    found += [
        Question(name=f"aspect:{aspect}", part=aspect, text=words[aspect], wanted=query)
        for aspect, query in aspects_of(task, "lenient").asked().items()
    ]
    return found


def latest(labels: Iterable[Label]) -> dict[str, dict[str, dict[str, str]]]:
    """Return the answers that count, by annotator, episode and question."""
    answers: dict[str, dict[str, dict[str, str]]] = {}
    for label in labels:
        given = answers.setdefault(label.annotator, {}).setdefault(label.episode, {})
        given.pop(label.question, None)
        if label.value:
            given[label.question] = label.value
    return answers


def manual_reward(task: Task, answers: Mapping[str, str]) -> float | None:
    """Return Eq. 1 from a person's answers; None while one is missing or cannot be told."""
    asked = [question for question in questions_for(task) if not question.name.startswith("aspect:")]
    values = {question.name: answers.get(question.name) for question in asked}
    if any(value in (None, UNKNOWN) for value in values.values()):
        return None
    parts = [value == YES for name, value in values.items() if name != "type"]
    return sum(parts) / len(parts) * float(values["type"] or 0.0)


def overall(task: Task, answers: Mapping[str, str]) -> str | None:
    """Return the holistic verdict: yes where every aspect is; None while one is missing or unknown."""
    given = [answers.get(f"aspect:{aspect}") for aspect in aspects_of(task, "lenient").asked()]
    if any(value in (None, UNKNOWN) for value in given):
        return NO if NO in given else None
    return YES if all(value == YES for value in given) else NO


def ratings(labels: Iterable[Label], tasks: Mapping[str, Task]) -> dict[str, dict[str, dict[str, str]]]:
    """Return what each annotator said by question group: the aspects, overall, and the parts of Eq. 1.

    Keys: group, annotator, item. An attribute or option is an item of its own; who cannot tell has not rated.
    """
    found: dict[str, dict[str, dict[str, str]]] = {}
    for annotator, episodes in sorted(latest(labels).items()):
        for episode, answers in episodes.items():
            for question, value in answers.items():
                if value == UNKNOWN:
                    continue
                kind, _, which = question.partition(":")
                group, item = (
                    (which, episode) if kind == "aspect" else (f"Eq. 1, {kind}", f"{episode} {question}")
                )
                found.setdefault(group, {}).setdefault(annotator, {})[item] = value
            verdict = overall(tasks[episode], answers) if episode in tasks else None
            if verdict is not None:
                found.setdefault("overall", {}).setdefault(annotator, {})[episode] = verdict
    order = [*ASPECTS, "overall"]
    return dict(
        sorted(found.items(), key=lambda pair: (order.index(pair[0]) if pair[0] in order else 9, pair[0]))
    )


def to_csv(labels: Iterable[Label]) -> str:
    """Return labels as CSV with a header."""
    out = io.StringIO()
    writer = csv.DictWriter(out, _FIELDS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    dumped = (label.model_dump(mode="json") for label in labels)
    writer.writerows({name: cell(value) for name, value in row.items()} for row in dumped)
    return out.getvalue()


def from_csv(text: str, source: str) -> Iterator[Label]:
    """Yield the labels of a CSV file; raise `ConfigError` naming the line and what is wrong with it."""
    reader = csv.DictReader(io.StringIO(text))
    missing = {"episode", "annotator", "question", "value", "at"} - set(reader.fieldnames or ())
    if missing:
        raise ConfigError(f"{source}: no column {', '.join(sorted(missing))}; columns: {', '.join(_FIELDS)}")
    for number, row in enumerate(reader, 2):
        yield check_label(
            {name: plain_cell(value) for name, value in row.items() if name in _FIELDS}, f"{source}:{number}"
        )


def from_jsonl(text: str, source: str) -> Iterator[Label]:
    """Yield the labels of a file of JSON lines; raise `ConfigError` naming the line."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                record = json.loads(line)
            except ValueError as error:
                raise ConfigError(f"{source}:{number} is not JSON: {error}") from error
            yield check_label(record, f"{source}:{number}")


def check_label(record: Any, where: str) -> Label:
    """Return a label; raise `ConfigError` for a record that is none."""
    try:
        return Label.model_validate(record)
    except ValidationError as error:
        first = error.errors()[0]
        raise ConfigError(f"{where} is no label: {first['loc']}: {first['msg']}") from None


def _wishes(goal: Mapping[str, Any] | None, field: str) -> Sequence[str]:
    wishes = (goal or {}).get(field) or ()
    if isinstance(wishes, Mapping):
        return [f"{name}: {value}" for name, value in wishes.items()]
    return [str(wish) for wish in wishes]


def _text(goal: Mapping[str, Any] | None, field: str) -> str | None:
    value = (goal or {}).get(field)
    return value if isinstance(value, str) else None
