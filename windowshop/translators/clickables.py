"""What can be clicked on a view, in the simulator's order, and what each name stands for."""

from __future__ import annotations

from collections.abc import Sequence

from windowshop.translators.layout import Node, layout, shown_rows
from windowshop.views import AvailableActions, View


def clickables(view: View, nodes: Sequence[Node] | None = None) -> dict[str, Node]:
    """Return name -> element: buttons first, then product links, then options; refinements, if any, last.

    A name that occurs again keeps its first place and takes the last element (simulator rule b.1), so of
    two groups with the same value only the last can be set.
    """
    found = layout(view) if nodes is None else nodes
    names = {node.text.lower(): node for node in found if node.kind == "button"}
    if view.screen == "results" and view.listing is not None:
        rows = view.listing.rows[shown_rows(view)]
        names.update((row.item_id.lower(), Node(row.item_id, "link")) for row in rows)
    if view.screen == "item" and view.product is not None:
        for group, values in view.product.options:
            names.update((value, Node(value, "label", group)) for value in values)
    names.update((node.text, node) for node in found if node.kind == "refinement")
    return names


def available_actions(view: View, nodes: Sequence[Node] | None = None) -> AvailableActions:
    """Return the simulator's available actions; only the index page has a search bar."""
    return AvailableActions(has_search_bar=view.screen == "search", clickables=tuple(clickables(view, nodes)))
