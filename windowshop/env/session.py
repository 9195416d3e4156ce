"""One client's episodes, one after the other: the small object that every kind of environment stands on."""

from __future__ import annotations

import time

from windowshop.env.dialect import Clicks, speak, understand
from windowshop.env.reward import is_scorable, load_nouns, score
from windowshop.env.shopfront import Shopfront
from windowshop.episodes import EpisodeResult, Spent, Task
from windowshop.errors import ConfigError, Leak, StorageError, WindowshopError
from windowshop.frozen import Frozen
from windowshop.purchase import PurchaseIntent
from windowshop.runs.episode import Episode
from windowshop.runs.play import ending_of
from windowshop.scoring.live import Parts
from windowshop.translators.observation import render
from windowshop.views import Observation, View

MAX_STEPS = 100


class Turn(Frozen):
    """What came of a step.

    `reward` is None where it cannot be known in full; `least` is what it is at least. `terminated` says that
    the agent has bought, `truncated` that something else ended the episode; `outcome` (see `EpisodeResult`)
    and `reason` say what. `note` says why a step changed nothing, or what stands against a chosen option.
    """

    observation: Observation
    reward: float | None = 0.0
    least: float = 0.0
    terminated: bool = False
    truncated: bool = False
    outcome: str | None = None
    reason: str | None = None
    note: str | None = None
    purchase: PurchaseIntent | None = None
    parts: Parts | None = None


class Session:
    """Shop at one shopfront, an episode at a time. Not for two threads at once.

    A block, a failed visit and a refusal end the episode, truncated, with their outcome; nothing is visited
    after that until the next reset. Storage that fails, a user's slip and a leak are raised.
    """

    def __init__(
        self,
        front: Shopfront,
        clicks: Clicks = "id",
        max_steps: int | None = MAX_STEPS,
        show_attributes: bool = False,
        scored: bool = True,
    ) -> None:
        self.front = front
        self.clicks: Clicks = clicks
        self.max_steps = max_steps
        self._show_attributes = show_attributes
        self._scored = scored
        self._visitor, self._guard = front.counter()
        self._episode: Episode | None = None
        self._turn: Turn | None = None
        self._is_open = False
        self._is_closed = False

    @property
    def view(self) -> View:
        """Return what is on view."""
        return self._begun().view

    @property
    def turn(self) -> Turn:
        """Return what came last."""
        if self._turn is None:
            raise ConfigError("nothing is begun yet: reset comes first")
        return self._turn

    def reset(self, task: Task, session: str | None = None) -> Turn:
        """Begin an episode; one that has not ended is interrupted."""
        self._demand_open()
        self._interrupt("another one was begun")
        if self._scored and is_scorable(task.goal):
            load_nouns()
        session = session or f"{self.front.site.name}-{task.id}"
        self._episode = self.front.episode(task, session, self._visitor, self._guard, self._show_attributes)
        self._is_open = True
        self._turn = Turn(observation=speak(self._episode.reset(), self._episode.view, self.clicks))
        return self._turn

    def step(self, action: str) -> Turn:
        """Do one action; after a truncated end nothing is done any more.

        After a purchase one may go on, as in the simulator; that is written down as the same episode.
        """
        self._demand_open()
        episode = self._begun()
        if self.turn.truncated:
            return self.turn
        bought = episode.intent
        try:
            seen = episode.step(understand(action, episode.view, self.clicks))
        except (StorageError, ConfigError, Leak):
            raise
        except WindowshopError as error:
            ending = ending_of(error)
            seen = speak(render(episode.view, self.front.mode), episode.view, self.clicks)
            return self._end(
                Turn(observation=seen, truncated=True, outcome=ending.outcome, reason=ending.reason)
            )
        seen = speak(seen, episode.view, self.clicks)
        if episode.intent is not bought and episode.intent is not None:
            return self._end(self._bought(episode, episode.intent, seen))
        if self.max_steps is not None and episode.count > self.max_steps:
            reason = f"no purchase within {self.max_steps} steps"
            return self._end(Turn(observation=seen, truncated=True, outcome="step_limit", reason=reason))
        self._turn = Turn(observation=seen, note=seen.note)
        return self._turn

    def close(self) -> None:
        """End what is open; nothing is begun or done any more."""
        self._interrupt("the session was closed")
        self._is_closed = True

    def _demand_open(self) -> None:
        if self._is_closed:
            raise ConfigError("the session was closed; make another")

    def _begun(self) -> Episode:
        if self._episode is None:
            raise ConfigError("nothing is begun yet: reset comes first")
        return self._episode

    def _bought(self, episode: Episode, intent: PurchaseIntent, seen: Observation) -> Turn:
        goal = episode.task.goal
        parts = None
        if self._scored and goal is not None and is_scorable(goal):
            parts = score(episode.view, intent, goal, load_nouns())
        return Turn(
            observation=seen,
            reward=parts.reward if parts else None,
            least=parts.low if parts else 0.0,
            terminated=True,
            outcome="intercepted",
            reason="the purchase was recorded, not made",
            purchase=intent,
            parts=parts,
        )

    def _interrupt(self, reason: str) -> None:
        if self._is_open:
            self._end(self.turn.model_copy(update={"outcome": "interrupted", "reason": reason}))

    def _end(self, turn: Turn) -> Turn:
        episode = self._begun()
        if self._is_open:
            self._is_open = False
            self.front.conclude(
                EpisodeResult(
                    episode=episode.name,
                    task=episode.task,
                    site=self.front.site.name,
                    locale=self.front.place.locale,
                    agent=self.front.agent,
                    outcome=turn.outcome or "interrupted",
                    reason=turn.reason,
                    steps=max(0, episode.count - 1),
                    visits=episode.visits,
                    intent=turn.purchase,
                    spent=Spent(requests=episode.visits),
                    seconds=round(time.perf_counter() - episode.began, 3),
                )
            )
        self._turn = turn
        return turn
