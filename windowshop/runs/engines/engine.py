"""What an engine is."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Protocol

from windowshop.episodes import EpisodeResult
from windowshop.runs.plan import Trial


class Lost(Exception):
    """The worker died in the middle of a trial: killed, out of memory, its machine gone."""


class Engine(Protocol):
    """Play trials somewhere else. The parent never gives it more at once than the plan has workers."""

    def submit(self, trial: Trial, past: tuple[str, ...] = ()) -> Future[EpisodeResult]:
        """Begin a trial. The future raises what `Worker.play` raises, or `Lost`."""

    def abandon(self, future: Future[EpisodeResult]) -> None:
        """Give a trial up: its worker is killed where that is possible, and never waited for."""
