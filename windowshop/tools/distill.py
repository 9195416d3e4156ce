"""Trajectory distillation: the best successful rollout of each query, as samples to train on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from windowshop.goals.shoppingbench import Document, ShoppingGoal
from windowshop.scoring.shoppingbench import ShoppingScore, recommended_ids, score
from windowshop.scoring.similarity import TitleSimilarity
from windowshop.tools.catalogue import Catalogue
from windowshop.tools.rollout import Rollout, last_recommended, length_reward, query_of
from windowshop.tools.turn import format_reward, parse_turn

MAX_TOKENS: Final = 16_384


def score_rollout(
    rollout: Rollout,
    goal: ShoppingGoal,
    catalogue: Catalogue,
    titles: TitleSimilarity,
    trim: bool = False,
) -> ShoppingScore:
    """Return the score of what a rollout recommended last."""
    ids = recommended_ids(last_recommended(rollout) or "", trim)
    found: Mapping[str, Document] = {product.product_id: product for product in catalogue.view(ids)}
    return score(goal, ids, found, titles)


def sample(rollouts: Iterable[tuple[Rollout, ShoppingScore]]) -> Iterator[Rollout]:
    """Yield for each query the successful rollout of the highest length reward; none for a query without one.

    A rollout that did not end itself has no reward, and is never taken.
    """
    best: dict[str, tuple[float, Rollout]] = {}
    for rollout, scored in rollouts:
        reward = length_reward(rollout)
        if scored.success and reward > best.get(query_of(rollout), (0.0, rollout))[0]:
            best[query_of(rollout)] = reward, rollout
    for _, rollout in best.values():
        yield rollout


def sft_samples(rollout: Rollout, count_tokens: Callable[[str], int]) -> Iterator[dict[str, str]]:
    """Yield instruction, input and output of each step that keeps the format and is not too long."""
    for step in rollout:
        system, user = (message["content"] for message in step["prompt"])
        output = _output(step)
        if format_reward(output) and count_tokens(system + user + output) <= MAX_TOKENS:
            yield {"instruction": system, "input": user, "output": output}


def rl_prompts(rollout: Rollout, split: str) -> Iterator[dict[str, Any]]:
    """Yield a prompt of reinforcement learning for each step, with the step's own output as ground truth."""
    for number, step in enumerate(rollout):
        output = _output(step)
        if not format_reward(output):
            continue
        yield {
            "data_source": "shoppingbench",
            "prompt": list(step["prompt"]),
            "ability": "shopping",
            "reward_model": {"style": "rule", "ground_truth": output},
            "extra_info": {"split": split, "index": number, "query": query_of(rollout)},
        }


def words(text: str) -> int:
    """Count tokens roughly, four characters each, where no tokenizer is at hand."""
    return -(-len(text) // 4)


def _output(step: Mapping[str, Any]) -> str:
    """Return a step's turn in its tags, without the ids of its calls."""
    said: str = step["completion"]["content"]
    return parse_turn(said).text
