"""Actions from a file, one a line: for tests, demonstrations and replaying somebody's choices."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from windowshop.errors import AgentError, ConfigError
from windowshop.views import Observation


class ScriptedAgent:
    """Do what a file says, line by line; an empty line or one that begins with `#` is passed over."""

    def __init__(self, path: str) -> None:
        try:
            lines = Path(path).read_text(encoding="utf-8").splitlines()
        except OSError as error:
            raise ConfigError(f"cannot read the script {path!r}: {error.strerror}") from error
        self._actions = [line for line in lines if line.strip() and not line.startswith("#")]
        self._left: Iterator[str] = iter(self._actions)

    def reset(self, instruction: str) -> None:
        """Begin again at the first line."""
        self._left = iter(self._actions)

    def act(self, observation: Observation) -> str:
        """Return the next line; raise `AgentError` where the script has ended."""
        try:
            return next(self._left)
        except StopIteration:
            raise AgentError(f"the script ended after {len(self._actions)} actions") from None

    def recall(self, observation: Observation, action: str) -> None:
        """Pass over a line that was done."""
        next(self._left, None)
