"""Templates to pages that ask nothing of the network: all is inside, and a policy says so."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, pass_eval_context
from jinja2.nodes import EvalContext
from markupsafe import Markup, escape

from windowshop.scoring.statistics import Interval
from windowshop.terminal import printable

NOTHING, MINUS = "–", "\N{MINUS SIGN}"


def render(
    template: str,
    scripts: Sequence[str] = (),
    connects: bool = False,
    style_address: str | None = None,
    **context: Any,
) -> str:
    """Fill in a template of the package.

    Every value is escaped. The page's policy allows the package's own style and `scripts` by their digests,
    pictures from the page and its folder, and nothing else; with `connects` also its own server. With
    `style_address` the style is not in the page but in a file of its folder.
    """
    style = resource("style.css")
    code = "\n".join(map(resource, scripts))
    return (
        _environment()
        .get_template(template)
        .render(
            style=Markup(style),
            script=Markup(code),
            policy=policy(None if style_address else style, code, connects),
            style_address=style_address,
            **context,
        )
    )


def policy(style: str | None, script: str, connects: bool) -> str:
    """Return the content security policy of a page; its style is None where it is in the folder."""
    rules = {
        "default-src": "'none'",
        "style-src": "'self' file:" if style is None else _digest(style),
        "img-src": "data: 'self' file:" if not connects else "data: 'self'",
        "base-uri": "'none'",
        "form-action": "'self'" if connects else "'none'",
    }
    if script:
        rules["script-src"] = _digest(script)
    if connects:
        rules["connect-src"] = "'self'"
    return "; ".join(f"{name} {value}" for name, value in rules.items())


@cache
def resource(name: str) -> str:
    """Return a style or a script of the package."""
    return files("windowshop.report").joinpath("templates", name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def number(value: float | None, digits: int = 1) -> str:
    """Write a figure; a dash where it is not known."""
    return NOTHING if value is None else f"{value:,.{digits}f}".replace("-", MINUS)


def interval(value: Interval | Mapping[str, float | None], digits: int = 1) -> str:
    """Write an interval; nothing where it is not known."""
    low, high = (value.low, value.high) if isinstance(value, Interval) else (value["low"], value["high"])
    return "" if low is None or high is None else f"{number(low, digits)} to {number(high, digits)}"


def size(count: float) -> str:
    """Write a number of bytes."""
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"


def seconds(value: float) -> str:
    """Write a time."""
    if value < 60:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest:02d} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"


@pass_eval_context
def said(context: EvalContext, value: object) -> Markup:
    """Write what a shop or an agent wrote: without control marks, and with its direction kept to itself."""
    return Markup("<bdi>{}</bdi>").format(escape(printable(str(value))))


def _calm(value: object) -> object:
    """Take control marks out of every text that a template prints."""
    return printable(value) if type(value) is str else value


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("windowshop.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_calm,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for function in (number, interval, size, seconds, said):
        environment.filters[function.__name__] = function
    return environment
