"""WebShop's choice model: BERT over the page and over each action, fused by attention to a score."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import BertModel

if TYPE_CHECKING:
    from transformers import BertConfig

IMAGE_SIZE = 512
_VALUE_SIZE = 128
_NEVER = 1e30


class Fusion(nn.Module):  # type: ignore[misc]
    """Attend from each action's tokens to the page's, and back."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.input_linear = nn.Linear(size, 1, bias=False)
        self.memory_linear = nn.Linear(size, 1, bias=False)
        self.dot_scale = nn.Parameter(torch.full((size,), size**-0.5))

    def forward(self, action: Tensor, state: Tensor, state_mask: Tensor) -> Tensor:
        """Return features (actions, tokens, 4 x size) of actions (actions, tokens, size) on a state (1, ...).

        The action's padding is not masked: it weighs in the attention from the page to the action.
        """
        likeness = (action * self.dot_scale) @ state.transpose(1, 2)
        scores = self.input_linear(action) + self.memory_linear(state).transpose(1, 2) + likeness
        scores = scores - _NEVER * (1 - state_mask[:, None])
        seen = scores.softmax(-1) @ state
        asked = scores.amax(-1).softmax(-1)[:, None] @ action
        return torch.cat([action, seen, action * seen, asked * seen], dim=-1)


class ChoiceModel(nn.Module):  # type: ignore[misc]
    """Score the actions of one page. The names of the parts are those of the released tensors.

    With `images` a picture's features stand in front of the page's tokens. The value head `linear_3` was
    used in training by reinforcement alone.
    """

    def __init__(self, config: BertConfig, images: bool = True) -> None:
        super().__init__()
        size = config.hidden_size
        self.bert = BertModel(config)
        self.attn = Fusion(size)
        self.linear_1 = nn.Linear(size * 4, size)
        self.linear_2 = nn.Linear(size, 1)
        self.image_linear = nn.Linear(IMAGE_SIZE, size) if images else None
        self.linear_3 = nn.Sequential(nn.Linear(size, _VALUE_SIZE), nn.LeakyReLU(), nn.Linear(_VALUE_SIZE, 1))

    def forward(self, state: Tensor, actions: Tensor, actions_mask: Tensor, image: Tensor) -> Tensor:
        """Return the log-probability of each action.

        `state` is token ids (1, tokens) without padding, `actions` (actions, tokens) padded to the longest
        with their mask, `image` features (512); zeros stand for no picture.
        """
        state_mask = torch.ones_like(state)
        page = self.bert(state, attention_mask=state_mask)[0]
        if self.image_linear is not None:
            page = torch.cat([self.image_linear(image)[None, None], page], dim=1)
            state_mask = torch.cat([state_mask[:, :1], state_mask], dim=1)
        words = self.bert(actions, attention_mask=actions_mask)[0]
        features = functional.relu(self.linear_1(self.attn(words, page, state_mask.to(words.dtype))))
        weights = (actions_mask / actions_mask.sum(1, keepdim=True)).to(features.dtype)
        scores: Tensor = self.linear_2((features * weights[..., None]).sum(1))[:, 0]
        return scores.log_softmax(0)
