"""What simulator code reaches for behind the environment: `env.server` and `env.browser`."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from windowshop.env.goals import weights
from windowshop.env.html import page
from windowshop.env.reward import verbose
from windowshop.env.session import Session
from windowshop.episodes import Task
from windowshop.errors import ConfigError
from windowshop.translators.address import address

Goal = dict[str, Any]


class SimServer:
    """Goals and sessions by the simulator's names. May be shared by environments, as there.

    `goals` are in session order; `user_sessions` holds, by session, what the simulator keeps of one (goal,
    page, keywords, asin, asins, options, actions, done, reward, verbose_info). `product_item_dict` grows
    with every product that was seen, and `product_prices` with every price.
    """

    def __init__(
        self,
        tasks: Sequence[Task],
        filter_goals: Callable[[int, Goal], bool] | None = None,
        limit_goals: int = -1,
    ) -> None:
        kept = [
            task for number, task in enumerate(tasks) if not filter_goals or filter_goals(number, _goal(task))
        ]
        if 0 <= limit_goals < len(kept):
            kept = kept[:limit_goals]
        self.tasks = kept
        self.goals = [_goal(task) for task in kept]
        self.user_sessions: dict[str, dict[str, Any]] = {}
        self.product_item_dict: dict[str, dict[str, Any]] = {}
        self.product_prices: dict[str, float] = {}
        self.assigned_instruction_text: str | None = None
        self._given: dict[str, Task] = {}

    def begin(self, session: str, number: int | None) -> Task:
        """Return a session's task: the one it had, else goal `number`, else one that is drawn.

        Draws from Python's own `random`, as the simulator does.
        """
        if session not in self._given:
            if number is not None and not -len(self.tasks) <= number < len(self.tasks):
                raise ConfigError(f"there is no goal {number} among {len(self.tasks)}; give tasks=")
            drawn = (
                random.choices(range(len(self.tasks)), weights(self.tasks))[0] if number is None else number
            )
            self._given[session] = self.tasks[drawn]
        task = self._given[session]
        if self.assigned_instruction_text is not None:
            task = task.model_copy(update={"instruction": self.assigned_instruction_text})
            self._given[session] = task
        self.user_sessions[session] = {"goal": _goal(task), "done": False}
        return task

    def give(self, session: str, task: Task) -> None:
        """Give a session a task that need not be among the goals."""
        self._given[session] = task

    def note(self, session: str, played: Session) -> None:
        """Note where a session stands, and the product on view."""
        view, turn = played.view, played.turn
        state = self.user_sessions[session]
        state |= {
            "page": view.page,
            "keywords": None if view.keywords is None else list(view.keywords),
            "asin": view.item_id,
            "asins": set(view.visited),
            "options": dict(view.options),
            "actions": dict(view.counts),
        }
        if turn.terminated:
            state |= {"done": True, "reward": turn.least}
            state["verbose_info"] = verbose(turn.parts) if turn.parts else {}
        if view.listing is not None:
            for row in view.listing.rows:
                self.product_item_dict.setdefault(row.item_id, {"asin": row.item_id, "Title": row.title})
        product = view.product
        if product is not None and view.item_id is not None:
            self.product_item_dict[view.item_id] = {
                "asin": view.item_id,
                "name": product.title,
                "Title": product.title,
                "Description": product.description,
                "BulletPoints": list(product.bullets),
                "Price": product.price,
                "Rating": product.rating,
                "customization_options": {group: list(values) for group, values in product.options},
            }
            if product.page is not None and product.page.price is not None:
                self.product_prices[view.item_id] = product.page.price.amount


class SimBrowser:
    """What the simulator's browser shows: the page on view and its address."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def page_source(self) -> str:
        """Return the page as HTML."""
        return page(self._session.view)

    @property
    def current_url(self) -> str:
        """Return the simulator's address of the page."""
        return address(self._session.view)


def _goal(task: Task) -> Goal:
    return {**(task.goal or {}), "instruction_text": task.instruction}
