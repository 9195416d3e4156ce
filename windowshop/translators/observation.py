"""View -> Observation: the simulator's text in its modes, to the byte."""

from __future__ import annotations

from collections.abc import Sequence

from windowshop.translators.address import address
from windowshop.translators.clickables import available_actions
from windowshop.translators.layout import Node, layout, shown_rows
from windowshop.views import Mode, Observation, View


def render(view: View, mode: Mode = "text_rich") -> Observation:
    """Return what the agent reads and may do at this view."""
    nodes = layout(view)
    return Observation(
        text=render_text(view, nodes, mode),
        available_actions=available_actions(view, nodes),
        instruction=view.instruction,
        url=address(view),
        mode=mode,
        titles=_titles(view),
    )


def _titles(view: View) -> dict[str, str]:
    rows = view.listing.rows[shown_rows(view)] if view.listing and view.screen == "results" else ()
    return {row.item_id.lower(): row.title for row in rows if row.title}


def render_text(view: View, nodes: Sequence[Node], mode: Mode) -> str:
    """Return the observation text alone: ` [SEP] `-joined, a line per node, or the URL."""
    if mode == "url":
        return address(view)
    if mode == "text":
        return " [SEP] ".join(node.text.strip() for node in nodes)
    return _rich(view, nodes)


def _rich(view: View, nodes: Sequence[Node]) -> str:
    """Write a line per node; a selected option's notice is put before all that stands so far (rule a.1.5).

    An option counts as selected when its quoted text occurs anywhere in the URL (rule a.6).
    """
    url = address(view)
    lines: list[str] = []
    for text, kind, group in nodes:
        if kind == "refinement" and group == "selected":
            lines.append(f"[clicked button] {text} [clicked button_]")
        elif kind in ("button", "refinement"):
            lines.append(f"[button] {text} [button_]")
        elif kind == "label" and f'"{text}"' in url:
            lines.append(f"  [clicked button] {text} [clicked button_]")
            lines.insert(0, f"You have clicked {text}.")
        elif kind == "label":
            lines.append(f"  [button] {text} [button_]")
        elif kind == "link" and text in view.visited:
            lines.append(f"\n[clicked button] {text} [clicked button_]")
        elif kind == "link":
            lines.append(f"\n[button] {text} [button_]")
        else:
            lines.append(text)
    return "".join(f"{line}\n" for line in lines)
