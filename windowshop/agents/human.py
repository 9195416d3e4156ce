"""A person at the terminal, who sees what an agent sees."""

from __future__ import annotations

import click

from windowshop.terminal import printable
from windowshop.views import Observation


class HumanAgent:
    """Show the observation and the numbered valid actions; take a number or an action in full."""

    def act(self, observation: Observation) -> str:
        """Ask the person; raise `KeyboardInterrupt` when they leave, so that the run can go on later."""
        click.echo(f"\n{printable(observation.text)}", err=True)
        actions = observation.valid_actions
        for number, action in enumerate(actions, 1):
            click.echo(f"{number:3} {printable(action)}", err=True)
        while True:
            answer = _ask("action")
            if not answer.isdecimal():
                return answer
            if 1 <= int(answer) <= len(actions):
                chosen = actions[int(answer) - 1]
                if chosen != "search[<words>]":
                    return chosen
                return f"search[{_ask('search for')}]"
            click.echo(f"there is no number {answer}", err=True)


def _ask(what: str) -> str:
    try:
        answer: str = click.prompt(what, err=True)
    except click.Abort:
        raise KeyboardInterrupt from None
    return answer
