"""WebMall's figures: the paper's strict ones, and those of its own code, quirks included, side by side."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal
from urllib.parse import unquote, urlsplit

from windowshop.frozen import Frozen
from windowshop.goals.webmall import GROUPS, MallGoal
from windowshop.orders import Line, Order

ANSWERS: Final = 0.8
VISITS: Final = 0.2
_URL: Final = re.compile(
    r"(?:https?://)?(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,})(?::\d+)?(?:/\S*)?\b"
)
_PARTS: Final = re.compile(r"###|[\s,;]+")
_COUNTRIES: Final = ("us", "usa", "united states")


class MallStep(Frozen):
    """What one step brought: where it led, what a page then told of the cart, an order, an answer.

    `carted` are the product addresses (or slugs) that the page on view shows to be in the cart.
    """

    action: str | None = None
    url: str = ""
    carted: tuple[str, ...] = ()
    order: Order | None = None
    submitted: str | None = None
    thought: str = ""


class MallRecord(Frozen):
    """One line of `webmall.jsonl`: what scoring knows of an episode. `carts` lay there when it ended."""

    format: int = 1
    episode: str
    task: str
    goal: MallGoal
    shops: tuple[str, ...] = ()
    steps: tuple[MallStep, ...] = ()
    carts: tuple[Line, ...] = ()


class Checkpoint(Frozen):
    """One line of a task's checklist; reached once, it stays so."""

    id: str
    value: str
    type: Literal["string", "cart", "checkout", "url"]
    weight: float
    flag: bool = False

    @property
    def is_answer(self) -> bool:
        """Say whether it is one of the answers, and not a step on the way."""
        return self.id.startswith("answer")


class Checked(Frozen):
    """A checklist after a step: the reward that the step brought, and the wrong solutions seen in it."""

    checklist: tuple[Checkpoint, ...]
    reward: float = 0.0
    wrong: tuple[str, ...] = ()


def checklist(goal: MallGoal) -> tuple[Checkpoint, ...]:
    """Return a task's checklist: answers weigh 0.8 together, what leads to them 0.2."""
    answers, kind = goal.correct_answer.answers, goal.correct_answer.type
    on_the_way: list[tuple[str, str, Literal["url", "cart"]]] = []
    for number, answer in enumerate(answers, 1):
        on_the_way.append((f"visit_product_page_{number}", answer, "url"))
        if kind == "checkout":
            on_the_way.append((f"cart{number}", answer, "cart"))
    return (
        *(
            Checkpoint(id=f"answer{number}", value=answer, type=kind, weight=ANSWERS / len(answers))
            for number, answer in enumerate(answers, 1)
        ),
        *(
            Checkpoint(id=name, value=value, type=sort, weight=VISITS / len(on_the_way))
            for name, value, sort in on_the_way
        ),
    )


def check(before: Sequence[Checkpoint], step: MallStep, goal: MallGoal) -> Checked:
    """Return the checklist after one step, by the rules of WebMall's evaluators."""
    left = {point.type for point in before if not point.flag}
    reached: set[str] = set()
    wrong: list[str] = []
    if "url" in left:
        reached |= {
            point.id for point in before if point.type == "url" and folded(point.value) in folded(step.url)
        }
    if "cart" in left and step.carted:
        _match(before, "cart", step.carted, step.url, reached, wrong)
    if "checkout" in left and step.order is not None:
        named = [line.url or "" for line in step.order.lines]
        if is_for(step.order, goal):
            _match(before, "checkout", named, None, reached, wrong)
        else:
            wrong += [slug_of(url) for url in named if slug_of(url) not in _slugs(before, "checkout")]
    if step.submitted is not None:
        given = {folded(url): url for url in urls_in(step.submitted)}
        right = {folded(point.value): point.id for point in before if point.type == "string"}
        reached |= {right[url] for url in given if url in right}
        wrong += [given[url] for url in given if url not in right]
    new = {point.id for point in before if not point.flag} & reached
    after = tuple(point.model_copy(update={"flag": point.flag or point.id in new}) for point in before)
    reward = sum(point.weight for point in before if point.id in new)
    return Checked(checklist=after, reward=reward, wrong=tuple(wrong))


def _match(
    before: Sequence[Checkpoint],
    kind: str,
    shown: Iterable[str],
    page: str | None,
    reached: set[str],
    wrong: list[str],
) -> None:
    """Tick off the slugs that a page shows; in a cart one of another shop, or one seen before, is wrong.

    Foreign items in a cart are never seen as wrong; foreign items in an order are.
    """
    points = [point for point in before if point.type == kind]
    for slug in dict.fromkeys(map(slug_of, shown)):
        fitting = [
            point
            for point in points
            if slug_of(point.value) == slug
            and not point.flag
            and point.id not in reached
            and (page is None or urlsplit(point.value).netloc == urlsplit(page).netloc)
        ]
        if fitting:
            reached.add(fitting[0].id)
        elif kind == "checkout" or any(slug_of(point.value) == slug for point in points):
            wrong.append(slug)


def _slugs(points: Iterable[Checkpoint], kind: str) -> set[str]:
    return {slug_of(point.value) for point in points if point.type == kind}


def is_for(order: Order, goal: MallGoal) -> bool:
    """Say whether an order is for the task's person: not city, card or quantity, as in WebMall's own code."""
    address = (order.address or "").lower()
    told = goal.user_details or {}
    asked = (told.get(name, "").lower() for name in ("name", "street", "house_number", "zip", "state"))
    email = told.get("email", "").lower()
    return (
        all(part in address for part in asked)
        and any(country in address for country in _COUNTRIES)
        and email in order.text.lower()
    )


def urls_in(text: str) -> list[str]:
    """Return the addresses in an answer as WebMall finds them, each once by what it is folded to.

    A host needs a dot, or to be localhost; addresses joined by commas are one; `v1.com` is one too.
    """
    found = _URL.findall(text.replace("###", "\n"))
    return list({folded(url): url for url in reversed(found)}.values())[::-1]


def folded(url: str) -> str:
    """Return an address as WebMall compares it: what it strips eats into hosts that begin with h, t, p, s."""
    return url.rstrip("/").lstrip("http://").lstrip("https://")  # noqa: B005  the original's own slip


def slug_of(url: str) -> str:
    """Return the last part of a product's address."""
    return unquote(urlsplit(url).path if "/" in url else url).rstrip("/").rpartition("/")[2].lower()


class MallScore(Frozen):
    """One task's figures. `cr`, `precision`, `recall` and `f1` are the paper's, on sets of offers.

    `cr_checklist` to `checkpoint_completion` are what the benchmark's own summary prints; `reward` is the
    weight of what was reached. `wrong` are the wrong solutions of the last step that had any.
    """

    task: str
    category: str
    cr: float
    precision: float
    recall: float
    f1: float
    cr_checklist: float
    partial_completion: float
    checkpoint_completion: float
    precision_checklist: float
    reward: float
    steps: int
    checklist: tuple[Checkpoint, ...]
    wrong: tuple[str, ...] = ()


def score_task(goal: MallGoal, steps: Sequence[MallStep], carts: Sequence[Line] = ()) -> MallScore:
    """Score one task; `carts` is what lay in the shops' carts when the episode ended."""
    points, reward = checklist(goal), 0.0
    wrong: tuple[str, ...] = ()
    for step in steps:
        checked = check(points, step, goal)
        points, reward = checked.checklist, reward + checked.reward
        wrong = checked.wrong or wrong
    gold = {plain(url) for url in goal.correct_answer.answers}
    given = _returned(goal, steps, carts)
    hits = len(gold & given)
    precision = hits / len(given) if given else 0.0
    recall = hits / len(gold)
    answers = [point.flag for point in points if point.is_answer]
    others = [point.flag for point in points if not point.is_answer]
    return MallScore(
        task=goal.id,
        category=goal.category,
        cr=float(given == gold),
        precision=precision,
        recall=recall,
        f1=2 * precision * recall / (precision + recall) if hits else 0.0,
        cr_checklist=float(all(answers)),
        partial_completion=sum(answers) / len(answers),
        checkpoint_completion=sum(others) / len(others),
        precision_checklist=sum(answers) / (sum(answers) + len(wrong)) if any(answers) else 0.0,
        reward=reward,
        steps=len(steps),
        checklist=points,
        wrong=wrong,
    )


def _returned(goal: MallGoal, steps: Sequence[MallStep], carts: Sequence[Line]) -> set[str]:
    """Return the set of offers that the agent answered with, put into carts, or ordered."""
    match goal.correct_answer.type:
        case "cart":
            return {plain(line.url) for line in carts if line.url}
        case "checkout":
            orders = [step.order for step in steps if step.order is not None]
            return {plain(line.url) for order in orders for line in order.lines if line.url}
    answers = [step.submitted for step in steps if step.submitted is not None]
    return {plain(part) for answer in answers[-1:] for part in _PARTS.split(answer) if "/" in part}


def plain(url: str) -> str:
    """Return an address as it is rightly compared: without scheme, trailing slash and case of the host."""
    parts = urlsplit(url if "//" in url else f"//{url}")
    return f"{parts.netloc.lower()}{unquote(parts.path).rstrip('/')}"


class MallMeans(Frozen):
    """The means of a group of tasks, 0 to 1."""

    tasks: int
    cr: float
    precision: float
    recall: float
    f1: float
    cr_checklist: float
    partial_completion: float
    checkpoint_completion: float
    precision_checklist: float
    reward: float
    steps: float


def means(scores: Iterable[MallScore]) -> MallMeans:
    """Return the macro-averages: each task counts once, however many offers it asks for."""
    listed = list(scores)
    names = [name for name in MallMeans.model_fields if name != "tasks"]
    return MallMeans(
        tasks=len(listed),
        **{name: sum(getattr(score, name) for score in listed) / max(1, len(listed)) for name in names},
    )


def table(scores: Sequence[MallScore]) -> Mapping[str, MallMeans]:
    """Return the means of each category, of each of the paper's groups, and of all."""
    found: dict[str, list[MallScore]] = defaultdict(list)
    for score in scores:
        found[score.category].append(score)
        for group, categories in GROUPS.items():
            if score.category in categories:
                found[f"[{group}]"].append(score)
        found["all"].append(score)
    return {name: means(listed) for name, listed in sorted(found.items())}
