"""WebShop's trained agents, on small checkpoints in the released format that are made here, at random.

The scores are computed a second time in plain numpy, from the tensors and the tokens alone.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import torch
from tokenizers import ByteLevelBPETokenizer
from transformers import BartForConditionalGeneration, BertConfig
from webshop_checkpoint import HEADS, SIZE, WORDS, save_choice, save_search

from windowshop.agents import AgentSettings, load_agent
from windowshop.agents.webshop import WebshopAgent
from windowshop.agents.webshop.checkpoint import load_choice_model, load_choice_tokenizer
from windowshop.agents.webshop.choice_model import ChoiceModel
from windowshop.agents.webshop.wording import choices, click_by_id, prepare, prepare_goal
from windowshop.errors import ConfigError
from windowshop.views import AvailableActions, Observation

PAGE = (
    'Instruction:\nfind me a "red" lamp\n[button] Back to Search [button_]\nPage 1 (Total results: 3)\n'
    "[button] Next > [button_]\n\n[button] B01 [button_]\nA Lamp\n$10.0\n\n"
    "[clicked button] B02 [clicked button_]\n"
)
SHOWN = {"b01": "A Lamp", "b02": "Red Lamp [new], 30cm", "b03": "a lamp"}


def seeing(*clickables: str, text: str = PAGE, search: bool = False, **more: Any) -> Observation:
    actions = AvailableActions(has_search_bar=search, clickables=clickables)
    kept: dict[str, Any] = {"instruction": "a red lamp", "url": "", "mode": "text_rich", **more}
    return Observation(text=text, available_actions=actions, **kept)


RESULTS = seeing("back to search", "next >", "b01", "b02", "b03", titles=SHOWN)


FORMS = [(True, "model.pth"), (False, "pytorch_model.bin"), (True, "model.safetensors")]


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Return a checkpoint in each of the forms, each with a search model."""
    torch.manual_seed(7)
    folders = [tmp_path_factory.mktemp("checkpoint") for _ in FORMS]
    for folder, form in zip(folders, FORMS, strict=True):
        save_choice(folder, *form)
        save_search(folder / "search")
    return folders


@pytest.fixture
def checkpoint(checkpoints: list[Path]) -> Path:
    return checkpoints[0]


def load(checkpoint: Path, kind: str = "webshop-il", seed: int = 0, **settings: Any) -> WebshopAgent:
    agent = load_agent(kind, seed, AgentSettings(checkpoint=checkpoint, **settings))
    assert isinstance(agent, WebshopAgent)
    return agent


# ---- the same scores, from the formulas alone -------------------------------------------------------------


def _tensors(folder: Path) -> dict[str, Any]:
    if (folder / "model.safetensors").exists():
        from safetensors.numpy import load_file

        return dict(load_file(folder / "model.safetensors"))
    (file,) = (path for path in folder.iterdir() if path.suffix in (".pth", ".bin"))
    return {name: value.numpy() for name, value in torch.load(file, weights_only=True).items()}


def _softmax(values: Any) -> Any:
    grown = np.exp(values - values.max(-1, keepdims=True))
    return grown / grown.sum(-1, keepdims=True)


def _bert(t: dict[str, Any], ids: list[int], real: int) -> Any:
    """Encode one row of ids of which the first `real` are not padding."""

    def linear(name: str, x: Any) -> Any:
        return x @ t[f"bert.{name}.weight"].T + t[f"bert.{name}.bias"]

    def norm(name: str, x: Any) -> Any:
        spread = np.sqrt(x.var(-1, keepdims=True) + 1e-12)
        return (x - x.mean(-1, keepdims=True)) / spread * t[f"bert.{name}.weight"] + t[f"bert.{name}.bias"]

    e = "embeddings"
    x = t[f"bert.{e}.word_embeddings.weight"][ids] + t[f"bert.{e}.position_embeddings.weight"][: len(ids)]
    x = norm(f"{e}.LayerNorm", x + t[f"bert.{e}.token_type_embeddings.weight"][0])
    hidden = np.where(np.arange(len(ids)) < real, 0.0, -1e30)
    for layer in range(2):
        at = f"encoder.layer.{layer}"
        q, k, v = (linear(f"{at}.attention.self.{name}", x) for name in ("query", "key", "value"))
        width = SIZE // HEADS
        heads = [slice(h * width, (h + 1) * width) for h in range(HEADS)]
        mixed = [_softmax(q[:, h] @ k[:, h].T / math.sqrt(width) + hidden) @ v[:, h] for h in heads]
        x = norm(
            f"{at}.attention.output.LayerNorm",
            linear(f"{at}.attention.output.dense", np.concatenate(mixed, -1)) + x,
        )
        y = linear(f"{at}.intermediate.dense", x)
        y = y * 0.5 * (1 + np.vectorize(math.erf)(y / math.sqrt(2)))
        x = norm(f"{at}.output.LayerNorm", linear(f"{at}.output.dense", y) + x)
    return x


def _plain_scores(
    t: dict[str, Any], state: list[int], actions: list[list[int]], image: Any, length: int
) -> Any:
    """Return the log-probabilities for actions padded to `length`."""
    t = {name: value.astype(np.float64) for name, value in t.items()}
    page = _bert(t, state, len(state))
    if "image_linear.weight" in t:
        front = image @ t["image_linear.weight"].T + t["image_linear.bias"]
        page = np.concatenate([front[None], page])
    scores = []
    for action in actions:
        a = _bert(t, action + [0] * (length - len(action)), len(action))
        att = (
            a @ t["attn.input_linear.weight"].T
            + (page @ t["attn.memory_linear.weight"].T).T
            + (a * t["attn.dot_scale"]) @ page.T
        )
        seen = _softmax(att) @ page
        asked = _softmax(att.max(-1)) @ a
        fused = np.concatenate([a, seen, a * seen, asked * seen], -1)
        hidden = np.maximum(fused @ t["linear_1.weight"].T + t["linear_1.bias"], 0)
        scores.append((hidden[: len(action)].mean(0) @ t["linear_2.weight"].T + t["linear_2.bias"])[0])
    whole = np.array(scores)
    return whole - whole.max() - np.log(np.exp(whole - whole.max()).sum())


def _wordpiece(text: str, buttons: bool, most: int) -> list[int]:
    """Tokenise by hand: words of letters and digits, marks apart, greedy pieces; the end is kept."""
    import re

    vocabulary = {word: number for number, word in enumerate(WORDS)}
    special = {
        word: len(WORDS) + n
        for n, word in enumerate(("[button]", "[button_]", "[clicked button]", "[clicked button_]"))
    }
    known = (
        "|".join(re.escape(word) for word in sorted(special, key=len, reverse=True)) if buttons else r"(?!)"
    )
    ids: list[int] = []
    for word in re.findall(rf"\[SEP\]|{known}|[a-z0-9]+|[^\sa-z0-9]", text):
        if word in special and buttons:
            ids.append(special[word])
        elif word == "[SEP]":
            ids.append(vocabulary[word])
        else:
            pieces, rest, lead = [], word, ""
            while rest:
                end = next((n for n in range(len(rest), 0, -1) if lead + rest[:n] in vocabulary), 0)
                if not end:
                    pieces = [vocabulary["[UNK]"]]
                    break
                pieces.append(vocabulary[lead + rest[:end]])
                rest, lead = rest[end:], "##"
            ids += pieces
    return [vocabulary["[CLS]"], *ids[-(most - 2) :], vocabulary["[SEP]"]]


@pytest.mark.parametrize("kind", ["webshop-il", "webshop-rl"])
@pytest.mark.parametrize("page", [PAGE, PAGE * 30], ids=["short", "cut on the left"])
@pytest.mark.parametrize("form", range(3), ids=[name for _, name in FORMS])
def test_scores_are_those_of_the_formulas(checkpoints: list[Path], form: int, kind: str, page: str) -> None:
    checkpoint = checkpoints[form]
    agent = load(checkpoint, kind)
    valid = [
        "click[back to search]",
        "click[next >]",
        "click[item - a lamp]",
        "click[item - " + "red lamp, " * 40 + "]",
    ]
    image = torch.linspace(-1, 1, 512)
    il = kind == "webshop-il"
    state = _wordpiece(prepare(page), il, 512)
    actions = [_wordpiece(prepare(text), il, 512 if il else 64) for text in valid]
    assert (len(state) == 512) == (page != PAGE)
    longest = max(len(action) for action in actions)
    assert longest == 64 if not il else longest > 64
    plain = _plain_scores(_tensors(checkpoint), state, actions, image.numpy(), longest)
    assert agent.scores(page, valid, image).numpy() == pytest.approx(plain, abs=1e-5)
    none = _plain_scores(_tensors(checkpoint), state, actions, np.zeros(512), longest)
    assert agent.scores(page, valid).numpy() == pytest.approx(none, abs=1e-5)


def test_the_length_of_the_padding_matters_as_in_training(checkpoint: Path) -> None:
    agent, tensors = load(checkpoint), _tensors(checkpoint)
    valid = ["click[next >]", "click[item - a lamp]"]
    state, actions = (
        _wordpiece(prepare(PAGE), True, 512),
        [_wordpiece(prepare(text), True, 512) for text in valid],
    )
    longest = max(len(action) for action in actions)
    trimmed, padded = (
        _plain_scores(tensors, state, actions, np.zeros(512), n) for n in (longest, longest + 11)
    )
    assert np.abs(trimmed - padded).max() > 1e-4
    assert agent.scores(PAGE, valid).numpy() == pytest.approx(trimmed, abs=1e-5)


def test_texts_are_prepared_as_in_training() -> None:
    assert prepare(' A "Red" [SEP] Men\'s lamp\n') == "a red [SEP] mens lamp"
    page = 'WebShop\nInstruction: \nI want a "red" Lamp, and price lower than 30.00 dollars'
    page += "\n[button] Search [button_]\n"
    assert prepare_goal(page) == "i want a red lamp"
    assert (
        prepare_goal("Amazon Shopping Game\nInstruction: \na lamp\n[button] Search [button_]\n") == "a lamp"
    )


def test_choices_are_by_title_in_page_order_and_cut_by_lot() -> None:
    listed = choices(RESULTS, Random(0))
    assert listed == [
        "click[back to search]",
        "click[next >]",
        "click[item - a lamp]",
        "click[item - red lamp [new], 30cm]",
        "click[item - a lamp]",
    ]
    assert [click_by_id(choice, RESULTS) for choice in listed[1:]] == [
        "click[next >]",
        "click[b03]",
        "click[b02]",
        "click[b03]",
    ]
    many = seeing("search", *(f"size {n}" for n in range(40)))
    cut = choices(many, Random(1))
    assert cut == choices(many, Random(1)) != choices(many, Random(2))
    assert cut[:6] == [f"click[size {n}]" for n in range(6)]
    assert (len(set(cut)), len(cut) <= 20, "click[size 39]" in cut) == (len(cut), True, True)
    assert len(choices(seeing(*(str(n) for n in range(20))), Random(0))) == 20


def test_lots_are_seeded_by_episode_and_as_likely_as_the_scores(checkpoint: Path) -> None:
    agent = load(checkpoint)
    drawn = []
    for number in range(120):
        agent.reset(f"episode {number}")
        drawn.append(agent.act(RESULTS))
    again = load(checkpoint)
    again.reset("episode 100")
    assert again.act(RESULTS) == drawn[100]
    other = load(checkpoint, seed=1)
    seen = [(other.reset(f"episode {number}"), other.act(RESULTS))[1] for number in range(30)]
    assert seen != drawn[:30]
    valid = choices(RESULTS, Random(0))
    chances = agent.scores(PAGE, valid).exp()
    for action in set(drawn):
        expected = sum(
            float(p)
            for p, choice in zip(chances, valid, strict=True)
            if click_by_id(choice, RESULTS) == action
        )
        assert drawn.count(action) / 120 == pytest.approx(expected, abs=0.2)
    best = load(checkpoint, greedy=True).act(RESULTS)
    assert best == click_by_id(valid[int(chances.argmax())], RESULTS)


def test_an_episode_that_goes_on_draws_as_if_it_had_not_stopped(checkpoint: Path) -> None:
    pages = [seeing("search", search=True, text="WebShop\nInstruction: \na lamp\n"), *[RESULTS] * 6]
    whole, resumed = load(checkpoint), load(checkpoint)
    whole.reset("x")
    actions = [whole.act(page) for page in pages]
    resumed.reset("x")
    for page, action in zip(pages[:4], actions, strict=False):
        resumed.recall(page, action)
    assert [resumed.act(page) for page in pages[4:]] == actions[4:]


def test_the_search_is_the_first_of_five_beams(checkpoint: Path) -> None:
    first = "WebShop\nInstruction: \nFind me a 'red' lamp, and price lower than 30.00 dollars"
    first += "\n[button] Search [button_]\n"
    page = seeing("search", search=True, text=first)
    action = load(checkpoint).act(page)
    folder = checkpoint / "search"
    words = ByteLevelBPETokenizer(str(folder / "vocab.json"), str(folder / "merges.txt"))
    ids = torch.tensor([[0, *words.encode("find me a red lamp").ids, 2]])
    model = BartForConditionalGeneration.from_pretrained(str(folder)).eval()
    beams = model.generate(ids, max_length=512, num_beams=5, num_return_sequences=5, do_sample=False)
    assert len(beams) == 5
    kept = [[number for number in beam.tolist() if number > 3] for beam in beams]
    assert action == f"search[{words.decode(kept[0]).strip()}]"


def test_images_are_features_of_the_product_on_view(checkpoint: Path, tmp_path: Path) -> None:
    torch.save({"B02": torch.full((512,), 3.0)}, tmp_path / "images.pt")
    agent = load(checkpoint, images=tmp_path / "images.pt")
    asked: list[float | None] = []
    inner = agent.scores

    def scores(text: str, valid: Any, image: Any = None) -> Any:
        asked.append(None if image is None else float(image[0]))
        return inner(text, valid, image)

    agent.scores = scores  # type: ignore[method-assign]
    agent.reset("x")
    item = seeing("back to search", "< prev", "buy now")
    agent.recall(RESULTS, "click[b02]")
    for page in (RESULTS, item):
        agent.recall(RESULTS, "click[b02]")
        agent.act(page)
    agent.recall(RESULTS, "click[b01]")
    agent.act(item)
    assert asked == [None, 3.0, None]
    torch.save({"b02": torch.zeros(5)}, tmp_path / "short.pt")
    with pytest.raises(ConfigError, match="the features of b02 are not 512 numbers"):
        load(checkpoint, images=tmp_path / "short.pt")


def test_a_full_size_model_has_the_212_released_tensors(shared: Path) -> None:
    released = json.loads((shared / "golden/choice_il_state_dict.json").read_text())
    with torch.device("meta"):
        model = ChoiceModel(BertConfig(vocab_size=30526))
    assert [[name, list(tensor.shape)] for name, tensor in model.state_dict().items()] == released
    assert len(released) == 212


def _drop(tensors: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in tensors.items() if key != name}


def test_a_checkpoint_that_is_wrong_says_what_is(checkpoint: Path, tmp_path: Path) -> None:
    whole = {name: torch.from_numpy(value) for name, value in _tensors(checkpoint).items()}
    wrong = {
        "no tensor": _drop(whole, "bert.embeddings.word_embeddings.weight"),
        "1 tensors are missing": _drop(whole, "linear_1.bias"),
        "1 unknown, the first of them extra": {**whole, "extra": torch.zeros(1)},
        "wrong shape": {**whole, "linear_2.bias": torch.zeros(2)},
        "no state dict": {"epoch": 9},
    }
    for says, tensors in wrong.items():
        torch.save(tensors, tmp_path / "model.pth")
        with pytest.raises(ConfigError, match=says):
            load_choice_model(tmp_path)
    (tmp_path / "model.pth").write_bytes(b"not tensors")
    with pytest.raises(ConfigError, match="cannot read tensors"):
        load_choice_model(tmp_path)
    with pytest.raises(ConfigError, match=r"holds none of model\.safetensors"):
        load_choice_model(tmp_path.parent)
    with pytest.raises(ConfigError, match="is not there"):
        load_choice_model(tmp_path / "none.pth")
    torch.save(_drop(whole, "linear_3.0.bias"), tmp_path / "model.pth")
    assert load_choice_model(tmp_path) is not None


def test_what_else_is_missing_is_named(
    checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ConfigError, match="webshop-il needs --checkpoint"):
        load_agent("webshop-il")
    with pytest.raises(ConfigError, match=r"put the vocab\.txt of bert-base-uncased into"):
        load_choice_tokenizer(tmp_path, 10, one_string=False)
    with pytest.raises(ConfigError, match="do not belong together"):
        load_choice_tokenizer(checkpoint, len(WORDS), one_string=False)
    alone = tmp_path / "alone"
    alone.mkdir()
    save_choice(alone, True, "model.pth")
    with pytest.raises(ConfigError, match="no search model: give --search-checkpoint DIR"):
        load(alone)
    with pytest.raises(ConfigError, match="cannot load the search model"):
        load(alone, search_checkpoint=tmp_path)
    assert load(alone / "model.pth", search_checkpoint=checkpoint / "search")
    with pytest.raises(ConfigError, match="--mode text_rich"):
        load(checkpoint).act(RESULTS.model_copy(update={"mode": "text"}))
