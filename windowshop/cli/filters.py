"""The filters that every listing of episodes has."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click


def filters(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add --site, --agent, --task, --outcome and --episode to a verb, which is given them as `which`."""

    @click.option("--site", help="Only this site's.")
    @click.option("--agent", help="Only this agent's.")
    @click.option("--task", help="Only this task's, by its id.")
    @click.option("--outcome", help="Only those that ended so (a beginning: blocked, budget:run).")
    @click.option("--episode", help="Only this episode (a name or its beginning).")
    @functools.wraps(function)
    def wrapped(*args: Any, **options: Any) -> Any:
        from windowshop.runs.status import Which

        which = Which(**{name: options.pop(name) for name in Which.model_fields})
        return function(*args, which=which, **options)

    return wrapped
