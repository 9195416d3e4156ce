"""Small checkpoints of WebShop's models in the released format, with random weights and vocabularies."""

from __future__ import annotations

import json
from pathlib import Path

import torch
from tokenizers import ByteLevelBPETokenizer
from transformers import BartConfig, BartForConditionalGeneration, BertConfig

from windowshop.agents.webshop.choice_model import ChoiceModel

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
MARKS = list("[]-.,:$_<>!()")
WORDS = [
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"),
    *("button", "click", "clicked", "item", "lamp", "red", "instruction", "webshop", "search", "price"),
    *MARKS,
    *LETTERS,
    *(f"##{letter}" for letter in LETTERS),
    "button_",
]
HEADS, SIZE = 2, 24


def save_choice(folder: Path, images: bool, form: str) -> None:
    config = BertConfig(
        vocab_size=len(WORDS) + 4,
        hidden_size=SIZE,
        num_hidden_layers=2,
        num_attention_heads=HEADS,
        intermediate_size=40,
        max_position_embeddings=512,
        initializer_range=0.3,
    )
    model = ChoiceModel(config, images=images)
    for name, tensor in model.named_parameters():
        if not name.startswith("bert."):
            torch.nn.init.normal_(tensor, std=0.15)
    tensors = dict(model.state_dict())
    (folder / "config.json").write_text(json.dumps({"num_attention_heads": HEADS, "model_type": "bert"}))
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n")
    if form == "model.safetensors":
        from safetensors.torch import save_file

        save_file(tensors, folder / form)
    else:
        tensors["bert.embeddings.position_ids"] = torch.arange(512)[None]
        torch.save(tensors, folder / form)


def save_search(folder: Path) -> None:
    folder.mkdir()
    words = ByteLevelBPETokenizer()
    words.train_from_iterator(
        ["i want a red lamp", "find me a red lamp for the kitchen"],
        300,
        1,
        False,
        ["<s>", "<pad>", "</s>", "<unk>"],
    )
    words.save_model(str(folder))
    config = BartConfig(
        vocab_size=words.get_vocab_size(),
        d_model=16,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        max_position_embeddings=600,
        init_std=0.5,
    )
    model = BartForConditionalGeneration(config)
    model.final_logits_bias[0, 2] = 5.0
    (folder / "config.json").write_text(json.dumps({**config.to_dict(), "no_repeat_ngram_size": 3}))
    torch.save(model.state_dict(), folder / "pytorch_model.bin")
