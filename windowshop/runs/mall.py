"""An episode in several shops: the simulator's actions, carts and a checkout in a sandbox, and an answer.

Beside the simulator's actions there are `click[add to answer]` on an item's page, and `click[submit answer]`,
which hands in the offers so added and ends the episode; `submit[answer]` hands in others, by their ids or
addresses with `###` between them. Where a policy file names the shops there are also `click[add to cart]` and
`click[checkout]`.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, Final

from windowshop.adapters import Site
from windowshop.adapters.mall import Mall
from windowshop.episodes import Spent, Task
from windowshop.errors import ActionError, AnswerGiven, Gone, UnavailableAction, WindowshopError
from windowshop.goals.webmall import mall_goal, placed
from windowshop.journal import Journal, Lines, read_journal
from windowshop.orders import Line
from windowshop.runs.episode import Episode
from windowshop.runs.plan import Plan
from windowshop.runs.sandbox import load_sandbox
from windowshop.runs.selling import Till, policy_of
from windowshop.safety.sandbox_guard import SandboxGuard
from windowshop.scoring.webmall import MallRecord, MallStep
from windowshop.transports.sandbox import SandboxTransport
from windowshop.views import Observation
from windowshop.wire import Request

RECORDS: Final = "webmall.jsonl"
SOLUTION: Final = "http://localhost:8085"
"""WebMall's own address of its solution page; here an answer needs none."""
_SUBMIT: Final = re.compile(r"submit\[(.*)\]", re.DOTALL | re.IGNORECASE)
_ID: Final = re.compile(r"\bshop[1-9]-[0-9]+\b", re.IGNORECASE)
_ADD, _CHECKOUT, _BUY = "click[add to cart]", "click[checkout]", "click[buy now]"
_NAME, _HAND_IN = "click[add to answer]", "click[submit answer]"
_SEPARATOR: Final = "###"
_NOTHING: Final = Spent()


class MallEpisode(Episode):
    """An episode whose shops are `tills`, by number from 1; none where nothing may be put into a cart.

    `trail` is what the benchmark's scoring knows of each step.
    """

    def __init__(
        self, task: Task, mall: Mall, tills: Mapping[int, Till], stack: ExitStack, **told: Any
    ) -> None:
        goal = placed(mall_goal(task.goal or {}), [*shops_in(mall), SOLUTION])
        told_task = task.model_copy(update={"instruction": goal.text})
        super().__init__(task=told_task, **told)
        self._stack = stack
        self.trail: list[MallStep] = []
        self._mall = mall
        self._goal = goal
        self._tills = tills
        self._used: list[int] = []
        self._answer: list[str] = []
        self._addresses: dict[str, str] = {}

    def reset(self) -> Observation:
        """Begin at the search page."""
        return self._offered(super().reset())

    def step(self, text: str, agent_seconds: float = 0.0, agent_spent: Spent = _NOTHING) -> Observation:
        """Do one action; raise `AnswerGiven` once the answer is handed in, and else what `Episode` raises."""
        plain = text.strip().lower()
        submitted = _SUBMIT.fullmatch(text.strip())
        is_last = submitted is not None or plain == _HAND_IN
        if not (is_last or plain in (_ADD, _CHECKOUT, _NAME) or (plain == _BUY and self._sells)):
            seen = super().step(text, agent_seconds, agent_spent)
            self._learn()
            self.trail.append(MallStep(action=text, url=self._url))
            return self._answered(seen) if self.intent is not None else self._offered(seen)
        began, note = time.perf_counter(), None
        told = MallStep(action=text, url=self._url)
        try:
            if is_last:
                answer = self._spelled(submitted[1]) if submitted else _SEPARATOR.join(self._answer) or "Done"
                told = told.model_copy(update={"submitted": answer})
            elif plain == _NAME:
                note = self._named()
            else:
                told, note = self._sell(plain, told)
            verdict = "allow mall"
        except (ActionError, Gone) as slip:
            verdict, note = "no-op", str(slip)
        except WindowshopError as error:
            self._record(text, error.outcome, str(error), [], began, agent_seconds, agent_spent)
            raise
        self.trail.append(told)
        seen = self._record(text, verdict, note, [], began, agent_seconds, agent_spent)
        if is_last or (plain == _BUY and verdict != "no-op"):
            raise AnswerGiven(told.submitted or "Done")
        return self._offered(seen)

    def conclude(self, folder: Path) -> None:
        """Write down what scoring needs of this episode, the carts as they are now included."""
        record = MallRecord(
            episode=self.name,
            task=self.task.id,
            goal=self._goal,
            shops=tuple(shops_in(self._mall)),
            steps=tuple(self.trail),
            carts=self.lines(),
        )
        with Journal(folder / RECORDS) as journal:
            journal.append(record)

    def close(self) -> None:
        """Close the sessions with the shops."""
        self._stack.close()

    def lines(self) -> tuple[Line, ...]:
        """Return what lies in the carts of all shops that were used."""
        return tuple(line for number in dict.fromkeys(self._used) for line in self._tills[number].lines())

    @property
    def _sells(self) -> bool:
        """Say whether buying is a cart's or a checkout's matter here, and allowed."""
        return bool(self._tills) and self._goal.correct_answer.type != "string"

    @property
    def _url(self) -> str:
        return (self.last.url if self.last else None) or ""

    def _sell(self, plain: str, told: MallStep) -> tuple[MallStep, str]:
        """Put what is on view into its shop's cart, order what is in the last one used, or both."""
        if not self._tills:
            raise UnavailableAction("no policy file names these shops: nothing is put into a cart")
        note = ""
        if plain != _CHECKOUT:
            told, note = self._add(told)
        if plain == _CHECKOUT or (plain == _BUY and self._goal.correct_answer.type == "checkout"):
            if self._goal.buyer is None or not self._used:
                raise UnavailableAction("there is nothing to order, or nobody to order it for")
            till = self._tills[self._used[-1]]
            order = till.check_out(self._goal.buyer)
            url = f"{till.guard.sandbox.shop.origin}/checkout/order-received/{order.number}/"
            told = told.model_copy(update={"order": order, "url": url})
            note = f"order {order.number} is placed"
        return told, note

    def _add(self, told: MallStep) -> tuple[MallStep, str]:
        page = self.view.product.page if self.view.product else None
        number = self._mall.number_of(self._url)
        if self.view.screen != "item" or page is None or number is None or number not in self._tills:
            raise UnavailableAction("nothing is on view that could be put into a cart")
        variant = (self.view.variant_id or "").rpartition("-")[2] if page.variants else None
        self._tills[number].add(Request(url=self._url), variant or None)
        self._used.append(number)
        return told.model_copy(update={"carted": (self._url,)}), f"in the cart of shop {number}"

    def _named(self) -> str:
        """Add what is on view to the answer."""
        if self.view.screen != "item" or not self._url:
            raise UnavailableAction("no offer is on view")
        self._answer.append(self._url)
        return f"{len(set(self._answer))} offers are in the answer"

    def _answered(self, seen: Observation) -> Observation:
        """Take what would have been bought for the last of the answer, where offers are asked for."""
        if self._goal.correct_answer.type == "string" and self._url:
            answer = _SEPARATOR.join((*self._answer, self._url))
            self.trail[-1] = self.trail[-1].model_copy(update={"submitted": answer})
        return seen

    def _learn(self) -> None:
        """Remember under which address each product stands."""
        for row in self.view.listing.rows if self.view.listing else ():
            if row.tile is not None and row.tile.url:
                self._addresses[row.item_id.lower()] = row.tile.url
        if self.view.screen == "item" and self.view.item_id and self._url:
            self._addresses[self.view.item_id.lower()] = self._url

    def _spelled(self, answer: str) -> str:
        """Return an answer with the products' addresses in place of their ids."""
        return _ID.sub(lambda found: self._addresses.get(found[0].lower(), found[0]), answer)

    def _offered(self, seen: Observation) -> Observation:
        """Name what can be clicked besides, where it can be."""
        is_item = self.view.screen == "item"
        offered = {
            "add to answer": is_item,
            "add to cart": is_item and bool(self._tills),
            "checkout": bool(self._used),
            "submit answer": True,
        }
        more = [name for name, is_there in offered.items() if is_there]
        known = seen.available_actions.clickables
        actions = seen.available_actions.model_copy(update={"clickables": (*known, *more)})
        return seen.model_copy(update={"available_actions": actions})


def shops_in(mall: Mall) -> Sequence[str]:
    """Return the addresses of the shops."""
    return [shop.base_url or "" for shop in mall.shops]


def open_episode(plan: Plan, site: Site, audit: Lines) -> Callable[..., Episode]:
    """Return what makes an episode at a site: the mall has its own, with an empty cart in each shop."""
    return partial(_open_mall, plan, site, audit) if isinstance(site, Mall) else Episode


def _open_mall(plan: Plan, mall: Mall, audit: Lines, task: Task, **told: Any) -> Episode:
    if task.benchmark != "webmall":
        return Episode(task=task, **told)
    sandbox = load_sandbox(plan.sandbox) if plan.sandbox else None
    with ExitStack() as stack:
        tills = {}
        for number, shop in enumerate(mall.shops, 1):
            if sandbox is not None and shop.base_url is not None:
                own = sandbox.shop(shop.base_url)
                session = stack.enter_context(SandboxTransport(own.origin, own.address))
                guard = SandboxGuard(policy_of(shop, own), audit)
                guard.episode = str(told["name"])
                tills[number] = Till(shop, guard, session)
        return MallEpisode(task=task, mall=mall, tills=tills, stack=stack.pop_all(), **told)


def read_records(folder: Path) -> list[MallRecord]:
    """Return what each episode of a run left for scoring; of one that was run again, the last."""
    found = (MallRecord.model_validate(record) for record in read_journal(folder / RECORDS))
    return list({record.episode: record for record in found}.values())
