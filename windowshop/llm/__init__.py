"""Talk to models: any OpenAI-compatible endpoint, named by environment, with prices and a budget.

    from windowshop.llm import Budget, ChatModel, PriceTable

    budget = Budget(max_cost=2.0, max_tokens=200_000)               # shared by all who are given it
    model = ChatModel("gpt-4o", prices=PriceTable.load(path), budget=budget)
    reply = model.complete([{"role": "user", "content": "Hello"}], temperature=0.0, seed=42, max_tokens=1000)
    reply.text, reply.tool_calls, reply.prompt_tokens, reply.cost, reply.raw

Messages and tools are plain mappings in the chat-completions format. A picture is a part of a message:

    {"role": "user", "content": [{"type": "text", "text": "What is this?"}, picture(png_bytes)]}

The endpoint is `WINDOWSHOP_LLM_BASE_URL` with the key `WINDOWSHOP_LLM_API_KEY`, or else `OPENAI_BASE_URL`
with `OPENAI_API_KEY`. A key is never written down: not in a message, a repr, an error or a reply's `raw`.

What `complete` raises: `ModelError` where the endpoint did not deliver (after retries), `BudgetSpent` before
a call that would pass a limit, `ConfigError` for the user's slips (no key, a wrong key, an unknown model, the
missing extra `llm`, a cost limit for a model without a price).
"""

from windowshop.llm.budget import Budget
from windowshop.llm.model import ChatModel, picture
from windowshop.llm.prices import Price, PriceTable
from windowshop.llm.reply import Reply, ToolCall

__all__ = ["Budget", "ChatModel", "Price", "PriceTable", "Reply", "ToolCall", "picture"]
