"""The simulator's memory of earlier observations and actions, put before the present one."""

from __future__ import annotations


class Memory:
    """Remember observations and actions, and write the prefix of simulator rule a.8."""

    def __init__(self, observations: int = 0, actions: int = 0) -> None:
        self._observations = observations
        self._actions = actions
        self._past: list[str] = []
        self._acted: list[str] = []

    def begin(self, observation: str) -> str:
        """Forget all but the first observation of a new episode, and return it."""
        self._past, self._acted = [observation], []
        return observation

    def add(self, action: str, observation: str) -> str:
        """Return the observation behind its prefix (oldest first), and remember the step."""
        self._acted.append(action)
        parts = [observation]
        for back in range(1, 1 + max(self._observations, self._actions)):
            if back <= min(len(self._acted), self._actions):
                parts.append(self._acted[-back])
            if back <= min(len(self._past), self._observations):
                parts.append(self._past[-back])
        self._past.append(observation)
        return " [SEP] ".join(reversed(parts))
