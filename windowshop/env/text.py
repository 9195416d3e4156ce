"""`WebAgentTextEnv` with the simulator's own signatures: its users change one import."""

from __future__ import annotations

import random
import string
from collections.abc import Callable
from pathlib import Path
from typing import Any

from windowshop.env.dialect import Clicks, known
from windowshop.env.goals import Tasks, tasks_of
from windowshop.env.html import page
from windowshop.env.place import Place
from windowshop.env.server import SimBrowser, SimServer
from windowshop.env.session import Session, Turn
from windowshop.env.shopfront import borrow, give_back
from windowshop.episodes import Task
from windowshop.translators.layout import layout
from windowshop.translators.observation import render_text
from windowshop.views import Mode

_FEATURES = 512
Info = dict[str, Any] | None


class WebAgentTextEnv:
    """The simulator's text environment, on a real shop's pages (simulator rules a, b, c and e).

    `observation_mode`, `filter_goals`, `limit_goals`, `session_prefix`, `show_attrs`, `num_prev_obs` and
    `num_prev_actions` mean what they mean there; `file_path`, `num_products`, `human_goals` and `get_image`
    are about its catalogue, and taken without effect. `session` is the one to begin with, `server` another
    environment's, whose goals and sessions are then shared.

    `tasks` are the goals, `instruction` is a task of one's own to begin with, of which no goal is known;
    `place` or the options that make one say where to shop. `clicks`, `scored`, `max_steps` and `out` are
    those of `LiveShopEnv`.
    """

    def __init__(
        self,
        observation_mode: str = "html",
        file_path: str | None = None,
        server: SimServer | None = None,
        *,
        filter_goals: Callable[[int, dict[str, Any]], bool] | None = None,
        limit_goals: int = -1,
        num_products: int | None = None,
        human_goals: bool | int = False,
        get_image: bool | int = False,
        session: int | str | None = None,
        session_prefix: str | None = None,
        show_attrs: bool = False,
        num_prev_obs: int = 0,
        num_prev_actions: int = 0,
        tasks: Tasks = None,
        instruction: str | None = None,
        place: Place | None = None,
        clicks: Clicks = "id",
        max_steps: int | None = None,
        scored: bool = True,
        out: str | Path | None = None,
        **where: Any,
    ) -> None:
        place = Place.choose(place, where)
        clicks = known(clicks)
        self.observation_mode = observation_mode
        self.session: Any = session
        self.session_prefix = session_prefix
        self.num_prev_obs = num_prev_obs
        self.num_prev_actions = num_prev_actions
        self._out = None if out is None else Path(out)
        self.server = server or SimServer(tasks_of(tasks, place), filter_goals, limit_goals)
        self._front = borrow(place, self._out, "env", mode_kept(observation_mode))
        self._session = Session(self._front, clicks, max_steps, show_attrs, scored)
        self.browser = SimBrowser(self._session)
        self.instruction_text = ""
        self.prev_obs: list[str] = []
        self.prev_actions: list[str] = []
        try:
            if instruction is None:
                self.reset(session)
            else:
                self.ask(instruction)
        except BaseException:
            self.close()
            raise

    def reset(
        self, session: int | str | None = None, instruction_text: str | None = None
    ) -> tuple[str, None]:
        """Begin goal number `session`, or the goal of a session of that name (a new one draws it).

        `instruction_text` sets the attribute of that name and nothing else, as in the simulator.
        """
        name = "".join(random.choices(string.ascii_lowercase, k=10)) if session is None else str(session)
        self.session = (self.session_prefix or "") + name
        number = session if isinstance(session, int) and not isinstance(session, bool) else None
        task = self.server.begin(self.session, number)
        self._session.reset(task, self.session)
        self.server.note(self.session, self._session)
        self.instruction_text = self.get_instruction_text() if instruction_text is None else instruction_text
        seen = self.observation
        self.prev_obs, self.prev_actions = [seen], []
        return seen, None

    def ask(self, instruction: str) -> str:
        """Begin a task of one's own, of which no goal is known, and return what is seen."""
        name = "".join(random.choices(string.ascii_lowercase, k=10))
        self.server.give((self.session_prefix or "") + name, Task(id=name, instruction=instruction))
        return self.reset(name)[0]

    def step(self, action: str) -> tuple[str, float, bool, Info]:
        """Do one action; what is not available changes nothing.

        `info` is None, as in the simulator, but where there is something that it could not have to say: how
        the episode ended, and what would have been bought. An episode that a block ended is done.
        """
        turn = self._session.step(action)
        self.server.note(self.session, self._session)
        return (
            self._remember(action, self.observation),
            turn.least,
            turn.terminated or turn.truncated,
            _info(turn),
        )

    def _remember(self, action: str, seen: str) -> str:
        """Return what is seen behind what was seen and done before it, the oldest first (rule a.8)."""
        self.prev_actions.append(action)
        parts = [seen]
        for back in range(1, 1 + max(self.num_prev_obs, self.num_prev_actions)):
            if back <= min(len(self.prev_actions), self.num_prev_actions):
                parts.append(self.prev_actions[-back])
            if back <= min(len(self.prev_obs), self.num_prev_obs):
                parts.append(self.prev_obs[-back])
        self.prev_obs.append(seen)
        return " [SEP] ".join(reversed(parts))

    def get_available_actions(self) -> dict[str, Any]:
        """Return the simulator's has_search_bar and clickables."""
        return self._session.turn.observation.available_actions.model_dump(mode="json")

    def get_instruction_text(self) -> str:
        """Return the instruction as the page has it: with its heading."""
        view = self._session.view
        return (
            f"Instruction: {view.instruction}"
            if view.screen == "search"
            else f"Instruction:{view.instruction}"
        )

    def get_image(self) -> list[float]:
        """Return no picture's features: what the simulator answers for a product that it has none of."""
        return [0.0] * _FEATURES

    @property
    def observation(self) -> str:
        """Return what is on view, in the environment's mode."""
        view = self._session.view
        if self.observation_mode == "html":
            return page(view)
        if self.observation_mode in ("text", "text_rich", "url"):
            return render_text(view, layout(view), self.observation_mode)  # type: ignore[arg-type]
        raise ValueError(f"Observation mode {self.observation_mode} not supported.")

    @property
    def state(self) -> dict[str, str]:
        """Return url, html and instruction_text."""
        return {
            "url": self.browser.current_url,
            "html": self.browser.page_source,
            "instruction_text": self.instruction_text,
        }

    def convert_html_to_text(self, html: str, simple: bool = False) -> str:
        """Return the page on view as text; `html` is taken for that page."""
        view = self._session.view
        return render_text(view, layout(view), "text" if simple else "text_rich")

    def render(self, mode: str = "human") -> None:
        """Do nothing, as in the simulator."""

    def close(self) -> None:
        """End what is open; the last environment of a shop closes it."""
        self._session.close()
        give_back(self._front, self._out)


def mode_kept(observation_mode: str) -> Mode:
    """Return the mode in which the run folder keeps what is seen: rich, unless plain text is read."""
    return "text" if observation_mode == "text" else "text_rich"


def _info(turn: Turn) -> Info:
    if turn.outcome is None:
        return None
    return {
        "outcome": turn.outcome,
        "reason": turn.reason,
        "reward": turn.reward,
        "purchase": turn.purchase,
    }
