"""Query evolution as DeepShop does it: seeds are varied over five domains, then made harder round by round.

Every text comes from a model and is checked before it is kept; a record is written once it is whole, so that
the same call goes on where it was stopped. Prompts are our own.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

from windowshop.errors import ModelError
from windowshop.frozen import Frozen
from windowshop.goals.deepshop import ASPECTS, Aspect, DeepShopGoal

if TYPE_CHECKING:
    from windowshop.llm import ChatModel

Answer = TypeVar("Answer")
Domain = Literal["Books", "Electronics", "Home", "Fashion", "Sports"]
DOMAINS: Final[tuple[Domain, ...]] = ("Books", "Electronics", "Home", "Fashion", "Sports")
ROUNDS: Final = 5
WEB: Final = "https://www.amazon.com/?language=en_US&currency=USD"
_LONGEST: Final = 1500
_SYSTEM = (
    "You write requests that people give to a shopping assistant of an online shop. Answer with the request "
    "alone: one paragraph of plain English, no quotation marks around it, no lists, no markdown."
)
_HARDER: Final[Mapping[Aspect, str]] = {
    "attribute": "one more requirement on the product itself, such as brand, model, colour, size, material, "
    "capacity, compatibility or a price limit",
    "filter": "one more condition that the shop's filters can express, such as a lowest rating, a number of "
    "reviews, free shipping, a return policy, a warranty, condition or how recently it came out",
    "sort": "one wish about order, such as the lowest price, the best rating, the newest or best-selling; "
    "if an order is wished already, make it more exact",
}


class Evolved(Frozen):
    """A request with its history: `round` 0 is a varied seed; `steps` are the kinds of evolution since.

    `parts` are the three sub-queries, None for what is not asked.
    """

    seed: int
    domain: Domain
    round: int
    steps: tuple[Aspect, ...] = ()
    text: str
    parts: dict[Aspect, str | None]

    @property
    def key(self) -> tuple[int, str, int]:
        """Return what tells this record from all others."""
        return self.seed, self.domain, self.round

    @property
    def difficulty(self) -> Literal["easy", "medium", "hard"]:
        """Return the difficulty by the number of evolutions: 0 to 1, 2 to 3, 4 to 5."""
        return "easy" if self.round <= 1 else "medium" if self.round <= 3 else "hard"

    def goal(self, number: int) -> DeepShopGoal:
        """Return the record as DeepShop's files hold it."""
        parts = {aspect: self.parts.get(aspect) or "None" for aspect in ASPECTS}
        return DeepShopGoal(
            web_name="Amazon",
            id=f"Amazon--{number}",
            ques=self.text,
            web=WEB,
            category=self.domain,
            difficulty=self.difficulty,
            **parts,
        )


def evolve(
    seeds: Sequence[str], model: ChatModel, done: Iterable[Evolved] = (), seed: int = 0, rounds: int = ROUNDS
) -> Iterator[Evolved]:
    """Yield every record that is not `done` yet: seeds x domains x (1 + rounds), each on the one before it.

    Which kind of evolution comes when is drawn from `seed` alone, so that a stopped call goes on as it would
    have. Raises `ModelError` where the model's second answer is no use either.
    """
    known = {record.key: record for record in done}
    for number, text in enumerate(seeds):
        for domain in DOMAINS:
            dice = random.Random(f"{seed}/{number}/{domain}")
            kinds = tuple(dice.choice(ASPECTS) for _ in range(rounds))
            before: Evolved | None = None
            for place in range(rounds + 1):
                record = known.get((number, domain, place))
                if record is None:
                    record = _next(model, number, domain, text, before, kinds[:place])
                    yield record
                before = record


def sample(records: Iterable[Evolved], each: int, seed: int = 0) -> list[Evolved]:
    """Return `each` records of every domain and difficulty, drawn from `seed`, or all there are."""
    cells: dict[tuple[str, str], list[Evolved]] = {}
    for record in records:
        cells.setdefault((record.domain, record.difficulty), []).append(record)
    dice = random.Random(seed)
    return [one for cell in sorted(cells) for one in dice.sample(cells[cell], min(each, len(cells[cell])))]


def counts(records: Sequence[Evolved]) -> dict[str, Counter[str]]:
    """Count records by domain, difficulty, and what they ask (the paper's Figures 3 and 4)."""
    return {
        "domain": Counter(record.domain for record in records),
        "difficulty": Counter(record.difficulty for record in records),
        "asks": Counter(aspect for record in records for aspect in ASPECTS if record.parts.get(aspect)),
        "asks by difficulty": Counter(
            f"{record.difficulty} {aspect}"
            for record in records
            for aspect in ASPECTS
            if record.parts.get(aspect)
        ),
        "evolutions": Counter(step for record in records for step in record.steps),
    }


def _next(
    model: ChatModel,
    number: int,
    domain: Domain,
    seed_text: str,
    before: Evolved | None,
    steps: tuple[Aspect, ...],
) -> Evolved:
    if before is None:
        asked = f"Write a request like the one below for a product of the domain {domain}.\n\n{seed_text}"
        text = _ask(model, asked, lambda answer: _request(answer, seed_text))
    else:
        kind = _HARDER[steps[-1]]
        asked = f"Rewrite the request below with {kind}. Keep all that it asks already.\n\n{before.text}"
        text = _ask(model, asked, lambda answer: _request(answer, before.text))
    return Evolved(
        seed=number, domain=domain, round=len(steps), steps=steps, text=text, parts=decompose(text, model)
    )


def decompose(text: str, model: ChatModel) -> dict[Aspect, str | None]:
    """Return the three sub-queries of a request: on the product, on filters, on order."""
    asked = (
        "Split the request below into what it asks of the product itself (attribute), of the shop's filters "
        "such as ratings, reviews, shipping and returns (filter), and of the order of results (sort). Answer "
        'with a JSON object with the keys "attribute", "filter" and "sort"; each value is a short phrase '
        f"that names the product too, or null where nothing of that kind is asked.\n\n{text}"
    )
    return _ask(model, asked, _parts)


def _ask(model: ChatModel, asked: str, check: Callable[[str], Answer]) -> Answer:
    """Return the model's answer once it passes; it is told once what was wrong with it."""
    messages: list[Mapping[str, Any]] = [
        {"role": "system", "content": _SYSTEM},
        {"role": "user", "content": asked},
    ]
    wrong = ""
    for _ in range(2):
        answer = model.complete(messages, temperature=0.0).text or ""
        try:
            return check(answer)
        except ValueError as error:
            wrong = str(error)
            repair = f"That is no use: {wrong}. Answer again, with nothing else."
            messages = [
                *messages,
                {"role": "assistant", "content": answer},
                {"role": "user", "content": repair},
            ]
    raise ModelError(f"{model.name} gave no usable answer in two tries: {wrong}")


def _request(answer: str, before: str) -> str:
    text = " ".join(answer.split()).strip('"')
    if not text or len(text) > _LONGEST:
        raise ValueError(f"a request has 1 to {_LONGEST} characters")
    if "**" in text or text.startswith(("#", "-", "*", "{")):
        raise ValueError("markdown stands in it")
    if text.lower() == " ".join(before.split()).lower():
        raise ValueError("it is the same request")
    return text


def _parts(answer: str) -> dict[Aspect, str | None]:
    start, end = answer.find("{"), answer.rfind("}")
    try:
        found = json.loads(answer[start : end + 1])
    except ValueError:
        raise ValueError("it is no JSON object") from None
    if not isinstance(found, dict) or set(found) != set(ASPECTS):
        raise ValueError(f"the keys are {', '.join(ASPECTS)}")
    parts: dict[Aspect, str | None] = {}
    for aspect in ASPECTS:
        value = found[aspect]
        if value is not None and not isinstance(value, str):
            raise ValueError(f"{aspect} is a phrase or null")
        said = " ".join((value or "").split())
        parts[aspect] = said if said and said.lower() not in ("none", "null", "**") else None
    if parts["attribute"] is None:
        raise ValueError("every request asks something of the product: attribute is missing")
    return parts
