"""A language model that shops: it reads the page as text, thinks, and names one action."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from windowshop.agents.prompts import ACTIONS, complaint, page_text, system_prompt
from windowshop.agents.said import Said, read_call, read_words
from windowshop.agents.settings import AgentSettings
from windowshop.episodes import Exchange
from windowshop.errors import ConfigError, WindowshopError
from windowshop.llm import Budget, ChatModel, PriceTable, Reply
from windowshop.views import Observation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NO_ACTION = "(no action)"
_PAGES_IN_FULL = 3
_GLIMPSE = 300


class LlmAgent:
    """Ask a chat model at each step, in words (`llm`, as in ReAct) or by tool calls (`llm-tools`).

    An answer without an action gets one chance to be put right; after that the step is a no-op. The model
    sees what it said before, and the last pages in full. Raises `ModelError` and `BudgetSpent`.
    """

    def __init__(self, model: ChatModel, style: str, settings: AgentSettings, seed: int | None) -> None:
        self._model = model
        self._style = style
        self._asked: dict[str, Any] = {
            "temperature": settings.temperature,
            "seed": seed,
            "max_tokens": settings.reply_tokens,
            "tools": ACTIONS if style == "llm-tools" else (),
        }
        self._exchanges: list[Exchange] = []
        self._messages: list[dict[str, Any]] = []
        self.reset("")

    @property
    def budget(self) -> Budget:
        """Return what was spent, and what may be."""
        return self._model.budget

    def reset(self, instruction: str) -> None:
        """Forget the last episode; the instruction itself stands on every page."""
        self._messages = [{"role": "system", "content": system_prompt(self._style)}]

    def act(self, observation: Observation) -> str:
        """Return the model's action, or one that changes nothing where it names none twice."""
        self._tell(page_text(observation))
        said = self._ask(observation)
        if said.action is None:
            self._tell(complaint(said.problem))
            said = self._ask(observation)
        return NO_ACTION if said.action is None else said.action

    def reseed(self, seed: int) -> None:
        """Ask with another seed from here on."""
        self._asked["seed"] = seed

    def recall(self, observation: Observation, action: str) -> None:
        """Remember a step that was done."""
        self._tell(page_text(observation))
        self._messages.append({"role": "assistant", "content": f"Action: {action}"})

    def exchanges(self) -> list[Exchange]:
        """Return what was asked and answered since this was last called."""
        told, self._exchanges = self._exchanges, []
        return told

    def _tell(self, text: str) -> None:
        """Add our side of the conversation: to a tool's call it is the result, else it is the user's word."""
        calls = self._messages[-1].get("tool_calls")
        to = {"role": "tool", "tool_call_id": calls[0]["id"]} if calls else {"role": "user"}
        self._messages.append({**to, "content": text})

    def _ask(self, observation: Observation) -> Said:
        messages = _shortened(self._messages)
        request = {"model": self._model.name, "messages": messages, **self._asked}
        try:
            reply = self._model.complete(messages, **self._asked)
        except WindowshopError as error:
            self._exchanges.append(Exchange(request=request, error=str(error)))
            raise
        self._exchanges.append(_exchange(request, reply))
        said = (read_call if self._style == "llm-tools" else read_words)(reply, observation)
        self._messages.append(said.message)
        return said


def load_llm_agent(style: str, seed: int, settings: AgentSettings, budget: Budget | None) -> LlmAgent:
    """Return the agent; raise `ConfigError` where a model, its price, endpoint or extra is missing."""
    if settings.model is None:
        raise ConfigError(f"--agent {style} needs --model NAME, as the endpoint knows it")
    model = ChatModel(
        settings.model,
        prices=PriceTable.load(settings.prices) if settings.prices else None,
        budget=budget or Budget(settings.max_cost, settings.max_tokens),
        timeout=settings.timeout,
        stream=settings.stream,
    )
    return LlmAgent(model, style, settings, seed)


def _shortened(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the conversation with only the last pages in full."""
    ours = [number for number, message in enumerate(messages) if message["role"] in ("user", "tool")]
    old = set(ours[:-_PAGES_IN_FULL])
    return [
        {**message, "content": _glimpse(message["content"])} if number in old else dict(message)
        for number, message in enumerate(messages)
    ]


def _glimpse(text: str) -> str:
    return text if len(text) <= _GLIMPSE else f"{text[:_GLIMPSE]} ... (an earlier page, shortened)"


def _exchange(request: dict[str, Any], reply: Reply) -> Exchange:
    return Exchange(
        request=request,
        answer=dict(reply.raw),
        prompt_tokens=reply.prompt_tokens,
        completion_tokens=reply.completion_tokens,
        cost=reply.cost,
        seconds=reply.seconds,
    )
