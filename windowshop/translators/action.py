"""Action string -> Action, by the simulator's grammar and routing."""

from __future__ import annotations

import re

from windowshop.actions import (
    Action,
    BackToSearch,
    Buy,
    ChooseOption,
    NextPage,
    OpenItem,
    OpenTab,
    PrevPage,
    Search,
)
from windowshop.errors import MalformedAction, UnavailableAction
from windowshop.translators.address import page_name
from windowshop.translators.clickables import clickables
from windowshop.translators.layout import TABS
from windowshop.translators.refinements import parse_refinement
from windowshop.views import View

_GRAMMAR = re.compile(r"(.+)\[(.+)\]")


def parse(text: str, view: View) -> Action:
    """Return the action that `text` means on this view (simulator rules b.1 to b.3 and c.1).

    Raises `MalformedAction` for a string outside the grammar and `UnavailableAction` for a click on
    something that is not there; the simulator answers both with an unchanged page.
    """
    refinement = parse_refinement(text, view) if view.extended else None
    if refinement is not None:
        return refinement
    match = _GRAMMAR.match(text)
    name, argument = match.groups() if match else (text, "")
    argument = argument.lower()
    if name == "search" and argument:
        return Search(query=argument)
    if name != "click" or not argument:
        raise MalformedAction(f"not an action: {text!r}; write search[words] or click[name]")
    element = clickables(view).get(argument)
    if element is None or argument == "search":
        raise UnavailableAction(f"nothing called {argument!r} can be clicked here")
    return _route(argument, element.kind, element.text, element.group, view)


def _route(name: str, kind: str, text: str, group: str, view: View) -> Action:
    """Route by name first, then by element, as the simulator's server does (rule b.2)."""
    if name == "buy now":
        return Buy()
    if name == "back to search":
        return BackToSearch()
    if name == "next >" and page_name(view) == "search_results":
        return NextPage()
    if name == "< prev":
        return PrevPage()
    if name in TABS:
        return OpenTab(tab=name)
    if kind == "link":
        return OpenItem(item_id=text)
    return ChooseOption(group=group, value=text)
