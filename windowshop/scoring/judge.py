"""Ask a judge: every prompt and raw reply kept, none paid for twice."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from windowshop.errors import ConfigError, ModelError, StorageError
from windowshop.frozen import Frozen
from windowshop.journal import Journal, read_journal
from windowshop.scoring.case import Case, Prompt, Screenshot, Seeing, Verdict, product_of
from windowshop.scoring.deepshop import SETTINGS, deepshop
from windowshop.scoring.webjudge import webjudge

if TYPE_CHECKING:
    from windowshop.llm import ChatModel

PROTOCOLS: Final = {"deepshop": deepshop, "webjudge": webjudge}
PATIENCE = 3
"""After so many episodes in a row without an answer from the endpoint, judging stops."""


class Call(Frozen):
    """One line of `judge/calls.jsonl`: what was asked and the raw answer. Screenshots by their digest."""

    format: int = 1
    key: str
    episode: str
    protocol: str
    stage: str
    model: str
    settings: dict[str, Any]
    messages: tuple[dict[str, Any], ...]
    text: str
    raw: dict[str, Any]
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
    seconds: float = 0.0
    at: datetime


class Judge:
    """Ask a model through one protocol; a prompt that was answered before is not asked again.

    `calls` is the journal of all calls about a run, which this judge writes and reads; `folder` is where
    the screenshots' paths begin.
    """

    def __init__(self, protocol: str, model: ChatModel, seeing: Seeing, calls: Journal, folder: Path) -> None:
        self.protocol = protocol
        self.seeing = seeing
        self.asked = self.recalled = 0
        self._model = model
        self._calls = calls
        self._folder = folder
        self._known: dict[str, str] = {record["key"]: record["text"] for record in read_journal(calls.path)}

    def judge(self, cases: Iterable[Case]) -> Iterator[Verdict]:
        """Yield the verdict on each case; raise `BudgetSpent`, or `ModelError` at a silent endpoint."""
        silent = 0
        for case in cases:
            try:
                yield self._verdict(case)
                silent = 0
            except ModelError as error:
                silent += 1
                if silent == PATIENCE:
                    raise
                yield self._about(case, error=str(error))

    def _verdict(self, case: Case) -> Verdict:
        procedure = PROTOCOLS[self.protocol](case, self.seeing)
        try:
            prompt = next(procedure)
            while True:
                prompt = procedure.send(self._reply(case, prompt))
        except StopIteration as done:
            rulings = done.value
        overall = product_of(list(rulings.values()))
        return self._about(case, rulings=rulings, overall=overall, no_answer=case.answer is None)

    def _about(self, case: Case, **found: Any) -> Verdict:
        return Verdict(
            episode=case.episode,
            task=case.task.id,
            site=case.site,
            agent=case.agent,
            repeat=case.repeat,
            protocol=self.protocol,
            model=self._model.name,
            seeing=self.seeing,
            category=case.aspects.category,
            difficulty=case.aspects.difficulty,
            **found,
        )

    def _reply(self, case: Case, prompt: Prompt) -> str:
        key = prompt.key(self._model.name, SETTINGS)
        if key in self._known:
            self.recalled += 1
            return self._known[key]
        reply = self._model.complete(
            self._with_pictures(prompt, case.screenshots), max_tokens=prompt.max_tokens, **SETTINGS
        )
        self.asked += 1
        self._calls.append(
            Call(
                key=key,
                episode=case.episode,
                protocol=self.protocol,
                stage=prompt.stage,
                model=self._model.name,
                settings=dict(SETTINGS),
                messages=prompt.messages,
                text=reply.text,
                raw=dict(reply.raw),
                prompt_tokens=reply.prompt_tokens,
                completion_tokens=reply.completion_tokens,
                cost=reply.cost,
                seconds=reply.seconds,
                at=datetime.now(UTC),
            )
        )
        self._known[key] = reply.text
        return reply.text

    def _with_pictures(self, prompt: Prompt, screenshots: Iterable[Screenshot]) -> list[dict[str, Any]]:
        """Return the messages as they are sent, with the bytes of the screenshots in their places."""
        paths = {one.sha256: one.path for one in screenshots}
        return [
            message
            if isinstance(message["content"], str)
            else {**message, "content": [self._sent(one, paths) for one in message["content"]]}
            for message in prompt.messages
        ]

    def _sent(self, part: Mapping[str, str], paths: Mapping[str, str]) -> Mapping[str, Any]:
        if part["type"] != "screenshot":
            return part
        from windowshop.llm import picture

        return picture(read_screenshot(self._folder / paths[part["sha256"]]))


def read_screenshot(path: Path) -> bytes:
    """Return a picture's bytes; raise `StorageError` where it is gone."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise StorageError(f"cannot read the screenshot {path}: {error.strerror}") from error


def screenshot_at(folder: Path, name: str) -> Screenshot:
    """Return a run's screenshot by the digest of its bytes."""
    return Screenshot(path=name, sha256=hashlib.sha256(read_screenshot(folder / name)).hexdigest())


def check_seeing(cases: Iterable[Case], seeing: Seeing) -> None:
    """Raise `ConfigError` where a judge of screenshots would have nothing to look at."""
    answered = [case for case in cases if case.answer is not None]
    if seeing == "screenshots" and answered and not any(case.screenshots for case in answered):
        raise ConfigError(
            "the run holds no screenshots (only a browser takes them): judge it by typed facts with "
            "--text-only"
        )
