"""How items are clicked: by id, as in the text environment, or by title, as the trained baselines do."""

from __future__ import annotations

from typing import Literal

from windowshop.errors import ConfigError
from windowshop.translators.layout import shown_rows
from windowshop.views import AvailableActions, Observation, View

Clicks = Literal["id", "title"]
_CLICK, _PREFIX = "click[", "item - "


def known(clicks: Clicks) -> Clicks:
    """Return the dialect; raise `ConfigError` where there is none of that name."""
    if clicks not in ("id", "title"):
        raise ConfigError(f"clicks {clicks!r}: id or title")
    return clicks


def titles(view: View) -> dict[str, str]:
    """Return lower-cased id -> name by title, for the products on view.

    Of products with the same title the first stands under the title alone and each other has its id put
    behind it, so that every one can be opened. A product without a title has no name but its id.
    """
    names: dict[str, str] = {}
    if view.screen == "results" and view.listing is not None:
        for row in view.listing.rows[shown_rows(view)]:
            item_id, title = row.item_id.lower(), row.title.lower()
            if title and item_id not in names:
                name = f"{_PREFIX}{title}"
                names[item_id] = f"{name} ({item_id})" if name in names.values() else name
    return names


def speak(observation: Observation, view: View, clicks: Clicks) -> Observation:
    """Return the observation with its clickables in the dialect."""
    if clicks == "id":
        return observation
    named = titles(view)
    actions = observation.available_actions
    clickables = tuple(named.get(name, name) for name in actions.clickables)
    return observation.model_copy(
        update={
            "available_actions": AvailableActions(
                has_search_bar=actions.has_search_bar, clickables=clickables
            )
        }
    )


def understand(action: str, view: View, clicks: Clicks) -> str:
    """Return the action by id that is meant; ids are understood in either dialect.

    The title is what stands between `click[item - ` and the last sign, as in the baselines: it may
    hold brackets, which the simulator's grammar does not allow.
    """
    if clicks == "id" or not action.startswith(_CLICK + _PREFIX) or not action.endswith("]"):
        return action
    wanted = action[len(_CLICK) : -1].lower()
    found = next((item_id for item_id, name in titles(view).items() if name == wanted), None)
    return action if found is None else f"{_CLICK}{found}]"
