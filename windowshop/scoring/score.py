"""One episode's score, as `windowshop score` writes it, and the figures of many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from windowshop.episodes import EpisodeResult
from windowshop.frozen import Frozen
from windowshop.scoring.live import Chosen, Counting, Parts, is_goal, judge_purchase
from windowshop.scoring.nouns import Nouns
from windowshop.scoring.outcomes import is_environment
from windowshop.scoring.webshop import Purchased, type_match


class Shown(Frozen):
    """What the shop showed the agent: how many products, and the best title score (Eq. 6) among them."""

    products: int
    best_title_score: float | None = None
    best_title: str | None = None


class Score(Frozen):
    """One line of `scores/webshop.jsonl`.

    `counts` says whether the episode says something about the agent; one that the environment ended does not.
    An episode without a purchase scores 0. `reward` is None where it cannot be known (or judged at all, see
    `why`); it then lies from `low` to `high`.
    """

    format: int = 1
    scorer: str = "webshop"
    episode: str
    task: str
    site: str
    agent: str
    repeat: int = 0
    outcome: str
    counts: bool
    reward: float | None
    low: float | None
    high: float | None
    r_type: float | None = None
    r_att: float | None = None
    r_option: float | None = None
    r_price: float | None = None
    parts: Parts | None = None
    shown: Shown | None = None
    why: str | None = None

    @property
    def is_success(self) -> bool | None:
        """Say whether the reward is 1; None where that is unknown."""
        if self.low is None or self.high is None:
            return None
        return True if self.low == 1.0 else False if self.high < 1.0 else None


def score_episode(
    result: EpisodeResult,
    chosen: Chosen | None,
    titles: Sequence[str] | None,
    nouns: Nouns,
    counting: Counting = "chosen",
) -> Score:
    """Score how an episode ended. `titles` are those of the products that its pages of results showed."""
    goal = result.task.goal
    counts = not is_environment(result.outcome)
    about = {
        "episode": result.episode,
        "task": result.task.id,
        "site": result.site,
        "agent": result.agent,
        "repeat": result.repeat,
        "outcome": result.outcome,
        "counts": counts,
    }
    if goal is None or not is_goal(goal):
        return Score(
            **about, reward=None, low=None, high=None, why="the task has no goal in WebShop's format"
        )
    shown = None if titles is None else best_shown(titles, goal.get("name"), nouns)
    if not counts:
        return Score(
            **about,
            reward=None,
            low=0.0,
            high=1.0,
            shown=shown,
            why=f"the agent was stopped: {result.outcome}",
        )
    if result.intent is None:
        nothing = {"reward": 0.0, "low": 0.0, "high": 0.0, "r_type": 0.0, "r_att": 0.0, "r_price": 0.0}
        if goal.get("goal_options"):
            nothing["r_option"] = 0.0
        return Score(**about, **nothing, shown=shown, why=f"nothing was bought: {result.outcome}")
    parts = judge_purchase(result.intent, goal, chosen, nouns, counting)
    return Score(
        **about,
        reward=parts.reward,
        low=parts.low,
        high=parts.high,
        r_type=parts.type.factor,
        r_att=parts.r_att,
        r_option=parts.r_option,
        r_price=None if parts.price.matched is None else float(parts.price.matched),
        parts=parts,
        shown=shown,
        why=None
        if chosen
        else "the chosen product's page is not in the recording: its title alone was judged",
    )


def best_shown(titles: Sequence[str], goal_name: object, nouns: Nouns) -> Shown:
    """Return how near the products on view came to the goal's kind of product."""
    if not isinstance(goal_name, str):
        return Shown(products=len(titles))
    wanted = nouns(goal_name)
    rated = [
        (type_match(Purchased(name=title, title=title), {}, nouns(title), wanted).title_score, title)
        for title in dict.fromkeys(titles)
    ]
    best = max(rated, key=lambda pair: pair[0], default=None)
    return Shown(
        products=len(titles),
        best_title_score=best[0] if best else None,
        best_title=best[1] if best else None,
    )


class Means(Frozen):
    """The figures of a group of scores, 0 to 100. None where nothing is known.

    `score` and `success` are over the `known` of the `counted` episodes; `low` and `high` are what the
    score would be were every unknown at its worst or best; `score_all` takes the episodes that the
    environment ended as 0.
    """

    episodes: int
    counted: int
    known: int
    score: float | None
    low: float | None
    high: float | None
    success: float | None
    successes: int
    judged: int
    score_all: float | None
    attribute: float | None
    option: float | None
    type: float | None
    price: float | None


def means(scores: Iterable[Score]) -> Means:
    """Return the figures of a group: 100 x the mean reward, and the share of rewards of 1 (in per cent)."""
    everything = [score for score in scores if score.low is not None]
    counted = [score for score in everything if score.counts]
    verdicts = [score.is_success for score in counted if score.is_success is not None]
    known = [score.reward for score in counted if score.reward is not None]
    of_all = [0.0 if not score.counts else score.reward for score in everything]
    return Means(
        episodes=len(everything),
        counted=len(counted),
        known=len(known),
        score=percent(known),
        low=percent([score.low for score in counted]),
        high=percent([score.high for score in counted]),
        success=percent(verdicts),
        successes=sum(verdicts),
        judged=len(verdicts),
        score_all=percent(of_all),
        attribute=percent([score.r_att for score in counted]),
        option=percent([score.r_option for score in counted]),
        type=percent([score.r_type for score in counted]),
        price=percent([score.r_price for score in counted]),
    )


def percent(values: Iterable[float | None]) -> float | None:
    """Return 100 x the mean of what is known, or None where nothing is."""
    known = [value for value in values if value is not None]
    return 100 * sum(known) / len(known) if known else None
