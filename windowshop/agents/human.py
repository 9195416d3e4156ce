"""A person at the terminal, who sees what an agent sees."""

from __future__ import annotations

import click

from windowshop.errors import AgentError
from windowshop.views import Observation


class HumanAgent:
    """Show the observation and the numbered valid actions; take a number or an action in full."""

    def act(self, observation: Observation) -> str:
        """Ask the person; raise `AgentError` when they close the input."""
        click.echo(f"\n{observation.text}", err=True)
        actions = observation.valid_actions
        for number, action in enumerate(actions, 1):
            click.echo(f"{number:3} {action}", err=True)
        while True:
            try:
                answer: str = click.prompt("action", err=True)
            except click.Abort:
                raise AgentError("the person left") from None
            if not answer.isdecimal():
                return answer
            if 1 <= int(answer) <= len(actions):
                chosen = actions[int(answer) - 1]
                if chosen != "search[<words>]":
                    return chosen
                return f"search[{click.prompt('search for', err=True)}]"
            click.echo(f"there is no number {answer}", err=True)
