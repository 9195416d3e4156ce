"""The live shop as a Gymnasium environment."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

try:
    import gymnasium
except ImportError:
    from windowshop.errors import ConfigError

    raise ConfigError("the environment needs Gymnasium: pip install 'windowshop[gym]'") from None

from windowshop.env.dialect import Clicks, known
from windowshop.env.goals import Tasks, asked, tasks_of, weights
from windowshop.env.place import Place
from windowshop.env.session import MAX_STEPS, Session, Turn
from windowshop.env.shopfront import Shopfront, borrow, give_back
from windowshop.env.spaces import AnyText
from windowshop.episodes import Task
from windowshop.errors import ConfigError
from windowshop.views import Mode

MAX_OBSERVATION = 1 << 17
MAX_ACTION = 1 << 10


class LiveShopEnv(gymnasium.Env[str, str]):
    """Shop in dry-run: text in, text out, and `click[buy now]` ends the episode with a purchase intent.

    `place` and the options that make one (site, locale, source, recording, base_url, transport, contact) say
    where; without any it is the demo shop. `tasks` is a file, a list of goals, tasks or instructions, or
    nothing for the demo shop's own. `clicks` is the dialect: by "id", or by "title" as the trained baselines
    click. `out` is the run folder (see `Shopfront`). An info holds available_actions, instruction, task,
    outcome, reason, note, reward (None where not known in full), purchase and url.
    Environments of one process that are made alike share one shopfront.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012  (Gymnasium's own)

    def __init__(
        self,
        place: Place | None = None,
        *,
        tasks: Tasks = None,
        mode: Mode = "text_rich",
        clicks: Clicks = "id",
        max_steps: int | None = MAX_STEPS,
        show_attributes: bool = False,
        scored: bool = True,
        out: str | Path | None = None,
        render_mode: str | None = None,
        **where: Any,
    ) -> None:
        if mode not in ("text", "text_rich", "url"):
            raise ConfigError(f"mode {mode!r}: text, text_rich or url")
        self.place = Place.choose(place, where)
        self.place.load()
        self.tasks = tasks_of(tasks, self.place)
        self.render_mode = render_mode
        self.observation_space = AnyText(MAX_OBSERVATION)
        self.action_space = AnyText(MAX_ACTION)
        self._out = None if out is None else Path(out)
        self._mode: Mode = mode
        self._session_options: dict[str, Any] = {
            "clicks": known(clicks),
            "max_steps": max_steps,
            "show_attributes": show_attributes,
            "scored": scored,
        }
        self._front: Shopfront | None = None
        self._session: Session | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Begin the task that `options` names, or one that is drawn.

        Options: `task` (a place in the list, or an id) or `instruction` (any text; no goal is known then).
        """
        super().reset(seed=seed)
        turn = self._open().reset(self._choose(options or {}))
        return self._text(turn), self._info(turn)

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Do one action; of a reward not known in full it is the least, and `info["reward"]` says None."""
        session = self._open()
        if session.turn.terminated or session.turn.truncated:
            raise gymnasium.error.ResetNeeded("the episode has ended; call reset()")
        turn = session.step(action)
        return self._text(turn), turn.least, turn.terminated, turn.truncated, self._info(turn)

    def get_available_actions(self) -> dict[str, Any]:
        """Return the simulator's has_search_bar and clickables."""
        return _available(self._open().turn)

    def get_instruction_text(self) -> str:
        """Return what the agent is asked to find."""
        return self._open().turn.observation.instruction

    def render(self) -> str | None:
        """Return what the agent reads, where `render_mode` is "ansi"."""
        return self._text(self._open().turn) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """End what is open; the last environment of a shopfront closes it."""
        if self._session is not None:
            self._session.close()
            self._session = None
        if self._front is not None:
            give_back(self._front, self._out)
            self._front = None

    def _open(self) -> Session:
        if self._session is None:
            self._front = borrow(self.place, self._out, "env", self._mode)
            self._session = Session(self._front, **self._session_options)
        return self._session

    def _choose(self, options: Mapping[str, Any]) -> Task:
        unknown = set(options) - {"task", "instruction"}
        if unknown or len(options) > 1:
            raise ConfigError(f"options {sorted(options)}: give task or instruction")
        if "instruction" in options:
            return Task(id="asked", instruction=str(options["instruction"]))
        if "task" in options:
            return asked(self.tasks, options["task"])
        return self.tasks[int(self.np_random.choice(len(self.tasks), p=weights(self.tasks)))]

    def _text(self, turn: Turn) -> str:
        return turn.observation.text[:MAX_OBSERVATION]

    def _info(self, turn: Turn) -> dict[str, Any]:
        return {
            "available_actions": _available(turn),
            "instruction": turn.observation.instruction,
            "url": turn.observation.url,
            "outcome": turn.outcome,
            "reason": turn.reason,
            "note": turn.note,
            "reward": turn.reward,
            "purchase": turn.purchase,
        }


def _available(turn: Turn) -> dict[str, Any]:
    return turn.observation.available_actions.model_dump(mode="json")
