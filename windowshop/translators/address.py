"""The address at which the simulator would stand, from which its page kind and option marks follow."""

from __future__ import annotations

import json
from typing import Literal

from windowshop.views import View

BASE = "http://127.0.0.1:3000"
PageName = Literal["search_results", "item_page", "item_sub_page", "done"]
_PAGE_NAMES: tuple[PageName, ...] = ("search_results", "item_page", "item_sub_page", "done")


def address(view: View) -> str:
    """Return the simulator's URL for a view: nothing percent-encoded (simulator rule a.7)."""
    keywords = "+".join(view.keywords or ())
    if view.screen == "search":
        return f"{BASE}/{view.session}"
    if view.screen == "results":
        return f"{BASE}/search_results/{view.session}/{keywords}/{view.page}"
    if view.screen == "item":
        options = json.dumps(view.options)
        return f"{BASE}/item_page/{view.session}/{view.item_id}/{keywords}/{view.page}/{options}"
    if view.screen == "sub":
        tab = (view.tab or "").capitalize()
        return (
            f"{BASE}/item_sub_page/{view.session}/{view.item_id}/{keywords}/{view.page}/{tab}/{view.options}"
        )
    return f"{BASE}/done/{view.session}/{view.item_id}/{view.options}"


def page_name(view: View) -> PageName | None:
    """Return the page kind as the simulator finds it: by substring of the URL, in its fixed order.

    Keywords that contain one of the names misroute `< prev`, there as here (simulator rule b.4).
    """
    url = address(view)
    return next((name for name in _PAGE_NAMES if name in url), None)
