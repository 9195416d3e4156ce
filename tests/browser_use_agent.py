"""Somebody else's agent: browser-use, run in an environment of its own by test_guard_serve.py.

Takes the DevTools endpoint of a browser, the address of a model and a task; prints, as JSON, where it went.
"""

import asyncio
import json
import sys

from browser_use import Agent, BrowserSession, ChatOpenAI


async def main(endpoint: str, model: str, task: str) -> None:
    agent = Agent(
        task=task,
        llm=ChatOpenAI(model="scripted", base_url=model, api_key="sk-test"),
        browser_session=BrowserSession(cdp_url=endpoint),
        use_judge=False,
        use_vision=False,
        max_failures=2,
    )
    history = await agent.run(max_steps=6)
    print(json.dumps({"urls": history.urls(), "actions": history.action_names(), "errors": history.errors()}))


asyncio.run(main(*sys.argv[1:]))
