"""An agent behind an address of the user's: each question is POSTed as JSON, the answer is its action."""

from __future__ import annotations

from urllib.parse import urlsplit

from windowshop.agents.message import describe, read_action
from windowshop.errors import ConfigError
from windowshop.redaction import redact
from windowshop.views import Observation


class RemoteAgent:
    """Ask the server at `url`; one that fails, hangs or talks nonsense ends the episode (`AgentError`)."""

    def __init__(self, url: str, timeout: float = 60.0) -> None:
        parts = urlsplit(url)
        if not parts.hostname:
            raise ConfigError(f"--agent {url!r} names no host; write http://127.0.0.1:8000/act, for example")
        if redact(url) != url:
            raise ConfigError("--agent http://...: no password or key in an address, which a run keeps")
        self._url = url
        self._timeout = timeout
        self._step = 0

    def reset(self, instruction: str) -> None:
        """Count the steps of a new episode from 0."""
        self._step = 0

    def recall(self, observation: Observation, action: str) -> None:
        """Count a step that was done; what came of it stands in the next question."""
        self._step += 1

    def act(self, observation: Observation) -> str:
        """Return the server's action."""
        from windowshop.llm.post import post_json

        question = describe(observation, self._step)
        self._step += 1
        return read_action(post_json(self._url, question, self._timeout), f"the agent at {self._url}")
