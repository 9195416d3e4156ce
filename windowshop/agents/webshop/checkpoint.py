"""Read the released checkpoints: a state-dict file, or a folder as the model hub keeps it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windowshop.errors import ConfigError

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import PreTrainedTokenizerBase

    from windowshop.agents.webshop.choice_model import ChoiceModel

WEIGHTS = ("model.safetensors", "pytorch_model.bin", "model.pth", "choice_il_epoch9.pth")
_POSITIONS = "bert.embeddings.position_ids"  # kept by the library of 2022, made anew by today's
_HEAD_SIZE = 64
BUTTONS = ("[button]", "[button_]", "[clicked button]", "[clicked button_]")


def load_choice_model(path: Path) -> ChoiceModel:
    """Return the choice model of a file or folder, ready to score; raise `ConfigError` naming what is wrong.

    Its sizes are read from the tensors; what they do not tell (the number of heads) from a `config.json`
    beside them, else it is BERT's own.
    """
    from transformers import BertConfig

    from windowshop.agents.webshop.choice_model import ChoiceModel

    weights = find_weights(path)
    tensors = read_tensors(weights)
    tensors.pop(_POSITIONS, None)
    try:
        vocabulary, size = tensors["bert.embeddings.word_embeddings.weight"].shape
        positions = tensors["bert.embeddings.position_embeddings.weight"].shape[0]
        inner = tensors["bert.encoder.layer.0.intermediate.dense.weight"].shape[0]
    except KeyError as error:
        raise ConfigError(f"{weights} is no choice model of WebShop's: it has no tensor {error}") from None
    layers = {name.split(".")[3] for name in tensors if name.startswith("bert.encoder.layer.")}
    beside = _read_config(weights.with_name("config.json"))
    config = BertConfig(
        vocab_size=vocabulary,
        hidden_size=size,
        num_hidden_layers=len(layers),
        num_attention_heads=beside.get("num_attention_heads", max(1, size // _HEAD_SIZE)),
        intermediate_size=inner,
        max_position_embeddings=positions,
        attn_implementation="eager",
    )
    model = ChoiceModel(config, images="image_linear.weight" in tensors)
    try:
        found = model.load_state_dict(tensors, strict=False)
    except RuntimeError as error:
        raise ConfigError(
            f"{weights}: a tensor has the wrong shape: {str(error).splitlines()[-1].strip()}"
        ) from None
    missing = [name for name in found.missing_keys if not name.startswith("linear_3.")]
    wrong = missing + list(found.unexpected_keys)
    if wrong:
        raise ConfigError(
            f"{weights} is no choice model of WebShop's: {len(missing)} tensors are missing and "
            f"{len(found.unexpected_keys)} unknown, the first of them {wrong[0]}"
        )
    model.eval()
    return model


def load_choice_tokenizer(path: Path, vocabulary: int, one_string: bool) -> PreTrainedTokenizerBase:
    """Return the tokenizer of bert-base-uncased, which cuts on the left, with the words for buttons.

    It comes from the checkpoint's folder (`vocab.txt` or `tokenizer.json`) or from this machine's cache of
    the model hub. With `one_string` the four words are added as one, as the agent trained by reinforcement
    had them. Raises `ConfigError` where there is none, or where it does not fit the model's `vocabulary`.
    """
    from transformers import AddedToken, AutoTokenizer, BertTokenizerFast

    folder = path if path.is_dir() else path.parent
    own = any((folder / name).is_file() for name in ("tokenizer.json", "vocab.txt"))
    kind, name = (BertTokenizerFast, str(folder)) if own else (AutoTokenizer, "bert-base-uncased")
    try:
        tokenizer = kind.from_pretrained(name, local_files_only=True, truncation_side="left")
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"no tokenizer: put the vocab.txt of bert-base-uncased into {folder} ({type(error).__name__})"
        ) from None
    if tokenizer.vocab_size + len(BUTTONS) != vocabulary:
        raise ConfigError(
            f"the tokenizer {name} knows {tokenizer.vocab_size} words, and the model {vocabulary} with the "
            f"{len(BUTTONS)} for buttons: they do not belong together"
        )
    words = (", ".join(BUTTONS),) if one_string else BUTTONS
    tokenizer.add_special_tokens(
        {"additional_special_tokens": [AddedToken(word, special=True, normalized=False) for word in words]},
    )
    return tokenizer


def find_weights(path: Path) -> Path:
    """Return the file of tensors that `path` is or holds."""
    if path.is_file():
        return path
    found = [path / name for name in WEIGHTS if (path / name).is_file()]
    if not found:
        kind = (
            "holds none of"
            if path.is_dir()
            else "is not there; a checkpoint is a file, or a folder with one of"
        )
        raise ConfigError(f"--checkpoint {path} {kind} {', '.join(WEIGHTS)}")
    return found[0]


def read_tensors(path: Path) -> dict[str, Tensor]:
    """Return the tensors of a file; nothing in it is run."""
    import torch

    try:
        if path.suffix == ".safetensors":
            from safetensors.torch import load_file

            return load_file(path)
        tensors: Any = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # each format has its own errors, and damage can look like anything
        raise ConfigError(
            f"cannot read tensors from {path}: {type(error).__name__}: {str(error)[:200]}"
        ) from None
    if not isinstance(tensors, dict) or not all(
        isinstance(value, torch.Tensor) for value in tensors.values()
    ):
        raise ConfigError(f"{path} holds no state dict (names and tensors)")
    return dict(tensors)


def _read_config(path: Path) -> dict[str, Any]:
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot read {path}: {error}") from None
    if not isinstance(config, dict):
        raise ConfigError(f"{path} is no model's configuration")
    return config
