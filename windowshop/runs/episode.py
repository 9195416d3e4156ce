"""One agent, one task, one shop: the diagram of the architecture in code."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from windowshop.actions import Buy, ChooseOption, Navigation
from windowshop.episodes import Exchange, Spent, Step, Task
from windowshop.errors import ActionError, Challenged, FetchError, Gone, WindowshopError
from windowshop.journal import Lines
from windowshop.pages import Page
from windowshop.purchase import PurchaseIntent
from windowshop.runs.evidence import Source, Sources
from windowshop.runs.session import advance, learn
from windowshop.runs.visit import Visitor
from windowshop.safety.guard import Guard
from windowshop.safety.intercept import intend
from windowshop.translators.action import parse
from windowshop.translators.choice import find_variant, remark, selection
from windowshop.translators.layout import shown_rows
from windowshop.translators.observation import render
from windowshop.views import Mode, Observation, View
from windowshop.wire import Response

_NOTHING = Spent()


class Episode:
    """Hold the view between steps. A step is on disk before its observation is returned.

    `intent` is set once the agent has tried to buy, which ends the episode; `last` is the last line written.
    """

    def __init__(
        self,
        task: Task,
        name: str,
        visitor: Visitor,
        guard: Guard,
        steps: Lines,
        purchases: Lines,
        mode: Mode = "text_rich",
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        exchanges: Lines | None = None,
        extended: bool = False,
    ) -> None:
        self.task = task
        self.name = name
        self.view = View(instruction=task.instruction, session=name, extended=extended)
        self.intent: PurchaseIntent | None = None
        self.last: Step | None = None
        self.count = 0
        self.visits = 0
        self.began = time.perf_counter()
        self._visitor = visitor
        self._guard = guard
        self._steps = steps
        self._purchases = purchases
        self._mode = mode
        self._now = now
        self._exchanges = exchanges
        self._sources = Sources()

    def reset(self) -> Observation:
        """Begin at the search page and return what the agent reads there."""
        self._guard.episode = self.name
        return self._record(None, None, None, [], time.perf_counter(), 0.0, _NOTHING)

    def step(self, text: str, agent_seconds: float = 0.0, agent_spent: Spent = _NOTHING) -> Observation:
        """Do one action and return what the agent reads next; `agent_spent` is what choosing it took.

        A malformed or unavailable action changes nothing, as in the simulator. Raises every other
        `WindowshopError`; the step is recorded all the same.
        """
        text = text.encode("utf-8", "replace").decode()
        began = time.perf_counter()
        fetched: list[Response] = []
        note: str | None = None
        try:
            action = parse(text, self.view)
            decision = self._guard.review(action, self.view)
            after = advance(self.view, action)
            if not isinstance(after, View):
                page, source = self._visit(after, fetched)
                known = learn(self.view, after, page)
                self._sources.add(after, source, known)
                after = advance(known, action, arrived=True)
            if not isinstance(after, View):
                raise FetchError(f"one visit was not enough: {after!r}")
            if isinstance(action, Buy):
                self._intercept()
            self.view = after
            page_now = after.product.page if after.product else None
            if isinstance(action, ChooseOption) and page_now is not None:
                note = remark(page_now, after.options)
            verdict = f"{decision.verdict} {decision.rule}"
        except (ActionError, Gone) as slip:
            verdict, note = "no-op", str(slip)
        except WindowshopError as error:
            self._record(text, error.outcome, str(error), fetched, began, agent_seconds, agent_spent)
            raise
        return self._record(text, verdict, note, fetched, began, agent_seconds, agent_spent)

    def conclude(self, folder: Path) -> None:
        """Write down what only a benchmark asks of an episode that has ended; here it is nothing."""

    def close(self) -> None:
        """Close what was opened for this episode alone; here it is nothing."""

    def keep(self, exchange: Exchange) -> None:
        """Write down what the agent asked of others before its next step."""
        if self._exchanges is not None:
            told = {"episode": self.name, "step": max(0, self.count - 1)}
            self._exchanges.append(exchange.model_copy(update=told))

    def _visit(self, navigation: Navigation, fetched: list[Response]) -> tuple[Page, Source]:
        page, source, response = self._visitor.visit(navigation)
        if response is not None:
            fetched.append(response)
            self.visits += 1
        match page.kind:
            case "challenge":
                raise Challenged(f"{page.site} asks who we are ({page.reason}) at {source.url}", page.reason)
            case "error":
                raise FetchError(f"{page.site} answered with its error page at {source.url}")
            case "not_found":
                raise Gone("the item is not available any more")
        return page, source

    def _intercept(self) -> None:
        """Write down, durably, what would have been bought; nothing is sent."""
        page = self.view.product.page if self.view.product else None
        selected = selection(page, self.view.options) if page else {}
        source = self._sources.behind(self.view)
        self.intent = intend(
            self.view,
            episode=self.name,
            site=self._visitor.site.name,
            selected=selected,
            variant=find_variant(page, selected) if page else None,
            url=source.url if source else None,
            page_digest=source.digest if source else None,
            at=self._now(),
        )
        self._purchases.append(self.intent)

    def _record(
        self,
        action: str | None,
        decision: str | None,
        note: str | None,
        fetched: list[Response],
        began: float,
        agent_seconds: float,
        agent_spent: Spent,
    ) -> Observation:
        seen = render(self.view, self._mode)
        source = self._sources.behind(self.view)
        credits = [response.credits for response in fetched if response.credits is not None]
        self.last = Step(
            episode=self.name,
            step=self.count,
            action=action,
            decision=decision,
            note=note,
            observation=seen.text,
            available_actions=seen.available_actions,
            state_url=seen.url,
            url=source.url if source else None,
            page_digest=source.digest if source else None,
            screenshot=source.screenshot if source else None,
            done=self.intent is not None,
            visits=len(fetched),
            bytes=sum(len(response.body) for response in fetched),
            credits=sum(credits) if credits else None,
            tokens=agent_spent.tokens,
            cost=agent_spent.cost,
            neutralised=_neutralised(self.view),
            at=self._now(),
            seconds=round(time.perf_counter() - began, 4),
            agent_seconds=round(agent_seconds, 4),
        )
        self._steps.append(self.last)
        self.count += 1
        return seen.model_copy(update={"decision": decision, "note": note})


def _neutralised(view: View) -> int:
    """Count what was taken out of the words of the page on view."""
    if view.screen == "results" and view.listing is not None:
        return sum(row.neutralised for row in view.listing.rows[shown_rows(view)])
    return view.product.neutralised if view.product and view.screen in ("item", "sub") else 0
