"""WebShop's imitation and reinforcement agents, as they were trained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from windowshop.agents.settings import AgentSettings
from windowshop.agents.webshop.wording import choices, click_by_id, pad, prepare, prepare_goal
from windowshop.errors import AgentError, ConfigError
from windowshop.views import Observation

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import PreTrainedTokenizerBase

    from windowshop.agents.webshop.choice_model import ChoiceModel
    from windowshop.agents.webshop.search_model import SearchModel

_STATE_LENGTH = 512
_ACTION_LENGTH = {"webshop-il": 512, "webshop-rl": 64}


class WebshopAgent:
    """Search with the words that the search model writes first; then choose by lot, as likely as it scores.

    `greedy` takes the best instead. `images` gives 512 features by (lower-cased) item id, for the product
    on view; without them zeros stand there, as in WebShop's own transfer to real shops. An episode's lots
    depend on the seed and the instruction alone.
    """

    def __init__(
        self,
        kind: str,
        choice: ChoiceModel,
        tokenizer: PreTrainedTokenizerBase,
        search: SearchModel,
        seed: int = 0,
        greedy: bool = False,
        images: Mapping[str, Tensor] | None = None,
    ) -> None:
        self._kind = kind
        self._choice = choice
        self._tokenizer = tokenizer
        self._search = search
        self._seed = seed
        self._greedy = greedy
        self._images = images or {}
        self.reset("")

    def reseed(self, seed: int) -> None:
        """Draw other lots from the next episode on."""
        self._seed = seed

    def reset(self, instruction: str) -> None:
        """Begin the lots of this episode."""
        self._lots = Random(f"{self._seed} {instruction}")
        self._item = ""

    def recall(self, observation: Observation, action: str) -> None:
        """Draw the lots that were drawn then, and know the product that was opened."""
        choices(observation, self._lots)
        self._lots.getrandbits(63)
        self._open(observation, action)

    def act(self, observation: Observation) -> str:
        """Return the models' action."""
        if observation.mode != "text_rich":
            raise ConfigError(f"--agent {self._kind} reads pages as it was trained to: --mode text_rich")
        if observation.available_actions.has_search_bar:
            self.recall(observation, "")
            return f"search[{self._search.queries(prepare_goal(observation.text))[0].strip()}]"
        valid = choices(observation, self._lots)
        if not valid:
            raise AgentError("the page offers nothing to click")
        chosen = self._draw(self.scores(observation.text, valid, self._image(observation)))
        action = click_by_id(valid[chosen], observation)
        self._open(observation, action)
        return action

    def scores(self, text: str, valid: Sequence[str], image: Tensor | None = None) -> Tensor:
        """Return the log-probability of each action on a page."""
        import torch

        state = self._encode([text], _STATE_LENGTH)[0]
        actions, mask = pad(self._encode(valid, _ACTION_LENGTH[self._kind]))
        with torch.inference_mode():
            scores: Tensor = self._choice(
                torch.tensor([state]),
                torch.tensor(actions),
                torch.tensor(mask),
                torch.zeros(512) if image is None else image,
            )
        return scores

    def _encode(self, texts: Sequence[str], length: int) -> list[list[int]]:
        encoded = self._tokenizer([prepare(text) for text in texts], truncation=True, max_length=length)
        return [list(ids) for ids in encoded["input_ids"]]

    def _draw(self, scores: Tensor) -> int:
        import torch

        lots = torch.Generator().manual_seed(self._lots.getrandbits(63))
        if self._greedy:
            return int(scores.argmax())
        return int(torch.multinomial(scores.softmax(0), 1, generator=lots))

    def _open(self, observation: Observation, action: str) -> None:
        name = action.removeprefix("click[").removesuffix("]")
        if name in observation.titles:
            self._item = name

    def _image(self, observation: Observation) -> Tensor | None:
        """Return the features of the product on view, where they were given."""
        on_item = "buy now" in observation.available_actions.clickables
        return self._images.get(self._item) if on_item else None


def load_webshop_agent(kind: str, seed: int, settings: AgentSettings) -> WebshopAgent:
    """Return the agent of a checkpoint; raise `ConfigError` naming what is missing."""
    try:
        import transformers  # noqa: F401, I001 - the lighter one first
        import torch  # noqa: F401
    except ImportError:
        raise ConfigError(
            f"--agent {kind} needs the extra webshop: pip install 'windowshop[webshop]'"
        ) from None
    from windowshop.agents.webshop.checkpoint import load_choice_tokenizer
    from windowshop.agents.webshop.search_model import SearchModel

    path = settings.checkpoint
    if path is None:
        raise ConfigError(f"--agent {kind} needs --checkpoint: the choice model's file, or a folder with it")
    choice = _shared_choice_model(path)
    vocabulary = choice.bert.config.vocab_size
    return WebshopAgent(
        kind,
        choice,
        load_choice_tokenizer(path, vocabulary, one_string=kind == "webshop-rl"),
        SearchModel(_search_folder(path, settings.search_checkpoint)),
        seed,
        settings.greedy,
        _load_images(settings.images),
    )


@lru_cache(maxsize=2)
def _shared_choice_model(path: Path) -> ChoiceModel:
    """Return the model, once for all the agents of a process: it is only read."""
    from windowshop.agents.webshop.checkpoint import load_choice_model

    return load_choice_model(path)


def _search_folder(checkpoint: Path, given: Path | None) -> Path:
    """Return the folder of the search model: the one given, or where the release keeps it."""
    if given is not None:
        return given
    folder = checkpoint if checkpoint.is_dir() else checkpoint.parent
    names = ("search", "il_search_bart", "web_search/checkpoint-800", "checkpoint-800")
    places = [place / name for place in (folder, folder.parent, folder.parent.parent) for name in names]
    found = next((place for place in places if (place / "config.json").is_file()), None)
    if found is None:
        raise ConfigError(f"no search model: give --search-checkpoint DIR, or put it at {folder / 'search'}")
    return found


def _load_images(path: Path | None) -> dict[str, Tensor]:
    from windowshop.agents.webshop.checkpoint import read_tensors
    from windowshop.agents.webshop.choice_model import IMAGE_SIZE

    images = {name.lower(): tensor.float() for name, tensor in read_tensors(path).items()} if path else {}
    wrong = next((name for name, tensor in images.items() if tensor.shape != (IMAGE_SIZE,)), None)
    if wrong is not None:
        raise ConfigError(f"{path}: the features of {wrong} are not {IMAGE_SIZE} numbers")
    return images
