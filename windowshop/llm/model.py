"""A chat model behind an OpenAI-compatible endpoint, asked through the `openai` library."""

from __future__ import annotations

import base64
import json
import ssl
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from windowshop.errors import ConfigError, ModelError
from windowshop.llm.budget import Budget
from windowshop.llm.endpoint import find_endpoint
from windowshop.llm.prices import PriceTable
from windowshop.llm.reply import Reply, read_reply
from windowshop.llm.stream import join_stream

if TYPE_CHECKING:
    from openai import OpenAI

MAX_BYTES = 32_000_000
Message = Mapping[str, Any]


def picture(data: bytes, kind: str = "image/png") -> dict[str, Any]:
    """Return a picture as a part of a message's content."""
    url = f"data:{kind};base64,{base64.b64encode(data).decode()}"
    return {"type": "image_url", "image_url": {"url": url}}


class ChatModel:
    """Ask one model; the address and the key come from the environment (see `windowshop.llm`).

    `timeout` (seconds) bounds each try: how long the endpoint may be silent, and how long its answer may take
    to arrive. 429, 5xx and broken connections are tried again `retries` times, after the `Retry-After` that
    the endpoint asks for. With `stream` the answer is fetched in pieces, for endpoints that give no other.
    May be shared by threads.
    """

    def __init__(
        self,
        name: str,
        *,
        base_url: str | None = None,
        prices: PriceTable | None = None,
        budget: Budget | None = None,
        timeout: float = 60.0,
        retries: int = 4,
        stream: bool = False,
    ) -> None:
        try:
            import openai  # noqa: F401
        except ImportError:
            raise ConfigError("models need the extra llm: pip install 'windowshop[llm]'") from None
        self.name = name
        self.budget = budget or Budget()
        self._price = prices.of(name) if prices else None
        if self.budget.max_cost is not None and self._price is None:
            raise ConfigError(f"--max-cost needs the price of {name!r}: give it in a price file (--prices)")
        self._endpoint = find_endpoint(base_url)
        self._timeout = timeout
        self._retries = retries
        self._stream = stream
        self._length_name = "max_tokens"
        self._trust = ssl.create_default_context()

    def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        temperature: float | None = 0.0,
        seed: int | None = None,
        max_tokens: int | None = None,
    ) -> Reply:
        """Return the model's answer; `max_tokens` bounds its length, None leaves a setting to the endpoint.

        Raises `ModelError`, `BudgetSpent`, `ConfigError`: see `windowshop.llm`.
        """
        size = _size(messages, tools)
        held = self.budget.hold(size, max_tokens or 0, self._price)
        began = time.monotonic()
        try:
            asked = {"temperature": temperature, "seed": seed, "tools": list(tools) or None}
            raw = self._ask(
                messages, {name: value for name, value in asked.items() if value is not None}, max_tokens
            )
            reply = read_reply(self._endpoint.hide(raw))
        except BaseException:
            self.budget.settle(held)
            raise
        paid = self._cost(reply)
        self.budget.settle(held, reply.tokens, paid)
        if reply.prompt_tokens is not None and not _has_pictures(messages):
            self.budget.learn(size, reply.prompt_tokens)
        return reply.model_copy(update={"cost": paid, "seconds": round(time.monotonic() - began, 3)})

    def _ask(self, messages: Sequence[Message], settings: dict[str, Any], max_tokens: int | None) -> object:
        """Return the endpoint's answer as JSON; every failure in our own words, without the key."""
        import httpx
        import openai

        length = {} if max_tokens is None else {self._length_name: max_tokens}
        request = {"model": self.name, "messages": list(messages), **settings, **length}
        if self._stream:
            request |= {"stream": True, "stream_options": {"include_usage": True}}
        try:
            with self._open() as client:
                body = self._fetch(client, request)
            return join_stream(body) if self._stream else json.loads(body)
        except openai.BadRequestError as error:
            if error.param == self._length_name == "max_tokens":  # newer models know it by another name
                self._length_name = "max_completion_tokens"
                return self._ask(messages, settings, max_tokens)
            raise self._failure(error) from None
        except (openai.OpenAIError, httpx.HTTPError, ValueError, RecursionError) as error:
            raise self._failure(error) from None

    def _open(self) -> OpenAI:
        """Return a client for one call: whatever goes wrong in it, no connection outlives it."""
        import openai

        return openai.OpenAI(
            base_url=self._endpoint.base_url,
            api_key=self._endpoint.key or "none",
            timeout=self._timeout,
            max_retries=self._retries,
            http_client=openai.DefaultHttpxClient(follow_redirects=False, verify=self._trust),
        )

    def _fetch(self, client: OpenAI, request: dict[str, Any]) -> bytes:
        """Return the whole answer, stream or not, as long as it comes in time and is not too long."""
        body = bytearray()
        with client.chat.completions.with_streaming_response.create(**request) as response:
            until = time.monotonic() + self._timeout
            for piece in response.iter_bytes():
                body += piece
                if len(body) > MAX_BYTES:
                    raise ModelError(f"{self._where()} sent more than {MAX_BYTES} bytes")
                if time.monotonic() > until:
                    raise ModelError(f"{self._where()} did not finish its answer within {self._timeout:g} s")
        return bytes(body)

    def _cost(self, reply: Reply) -> float | None:
        if self._price is None or reply.prompt_tokens is None or reply.completion_tokens is None:
            return None
        return self._price.cost(reply.prompt_tokens, reply.completion_tokens, reply.cached_tokens)

    def _where(self) -> str:
        return self._endpoint.told(self._endpoint.base_url or "the model's endpoint")

    def _failure(self, error: Exception) -> ModelError | ConfigError:
        import openai

        says = self._endpoint.told(str(error))
        match error:
            case openai.APITimeoutError():
                return ModelError(f"{self._where()} did not answer within {self._timeout:g} s")
            case openai.AuthenticationError() | openai.PermissionDeniedError():
                return ConfigError(f"{self._where()} refuses the key: {says}; set WINDOWSHOP_LLM_API_KEY")
            case openai.NotFoundError():
                return ConfigError(f"{self._where()} has no model {self.name!r}: {says}")
            case openai.APIStatusError():
                return ModelError(f"{self._where()} answered {error.status_code}: {says}")
            case openai.APIConnectionError():
                return ModelError(
                    f"cannot reach {self._where()}: {self._endpoint.told(str(error.__cause__ or error))}"
                )
            case ValueError() | RecursionError():
                return ModelError(f"{self._where()} sent no JSON: {says}")
        return ModelError(f"{self._where()} failed: {says}")


def _size(messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> int:
    """Return how many bytes of text a prompt has, without its pictures."""
    texts = [
        part.get("text", "") if isinstance(part, Mapping) else str(part)
        for message in messages
        for part in (
            message["content"] if isinstance(message.get("content"), list) else [message.get("content") or ""]
        )
    ]
    calls = [json.dumps(message["tool_calls"]) for message in messages if message.get("tool_calls")]
    return sum(len(text.encode("utf-8", "replace")) for text in [*texts, *calls, json.dumps(list(tools))])


def _has_pictures(messages: Sequence[Message]) -> bool:
    return any(
        isinstance(part, Mapping) and part.get("type") != "text"
        for message in messages
        if isinstance(message.get("content"), list)
        for part in message["content"]
    )
