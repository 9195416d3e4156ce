"""An answer that came as a stream of events, put together."""

from __future__ import annotations

import json


def join_stream(body: bytes) -> object:
    """Return the chat completion that server-sent events add up to; a plain JSON answer as it is.

    Raises `ValueError` for events that are no JSON, or no pieces of a chat completion.
    """
    from openai.lib.streaming.chat import ChatCompletionStreamState
    from openai.types.chat import ChatCompletionChunk

    events = [line[5:].strip() for line in body.decode("utf-8").splitlines() if line.startswith("data:")]
    if not events:
        return json.loads(body)
    state: ChatCompletionStreamState[None] = ChatCompletionStreamState()
    for event in events:
        if event == "[DONE]":
            break
        chunk = json.loads(event)
        if isinstance(chunk, dict) and chunk.get("error"):
            return chunk
        state.handle_chunk(ChatCompletionChunk.model_validate(chunk))
    return state.current_completion_snapshot.model_dump(mode="json", exclude_none=True)
