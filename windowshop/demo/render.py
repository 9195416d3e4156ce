"""Templates to pages."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined


def render(template: str, **context: Any) -> bytes:
    """Fill in a template of the package and return the page's bytes."""
    return _environment().get_template(template).render(context).encode()


def money(amount: float) -> str:
    """Write an amount of US dollars as a price tag does."""
    return f"${amount:,.2f}"


def slug(text: str) -> str:
    """Write a title as it stands in an address."""
    return "-".join(re.findall(r"[A-Za-z0-9]+", text))[:60].strip("-")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("windowshop.demo"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # the shops' own data keep their order, and adapters may lean on it
    environment.policies["json.dumps_kwargs"] = {"sort_keys": False}
    environment.filters["money"] = money
    environment.filters["slug"] = slug
    environment.filters["whole"] = lambda amount: f"{amount:,.2f}".split(".")[0]
    environment.filters["cents"] = lambda amount: f"{amount:.2f}".split(".")[1]
    return environment
