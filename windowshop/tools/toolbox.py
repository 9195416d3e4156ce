"""The tools of ShoppingBench's agents: what each is called, takes and gives back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from windowshop.errors import PageError
from windowshop.goals.shoppingbench import Document
from windowshop.tools.catalogue import Catalogue, Search
from windowshop.tools.sandbox import Limits, run_python
from windowshop.tools.web import WebSearch

PAGE: Final = 10
PAGES: Final = 5
_RANGE = re.compile(r"\s*(\d+(?:\.\d+)?)?\s*-\s*(\d+(?:\.\d+)?)?\s*")
_SORTS: Final = ("priceasc", "pricedesc", "order", "default")


class Toolbox:
    """Run one agent's tool calls over a catalogue. `recommended` and `status` are what it has said so far.

    Nothing here can buy: recommending writes ids down. `python_execute` and `web_search` are there only
    where they were asked for.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        web: WebSearch | None = None,
        python: Limits | None = None,
    ) -> None:
        self.recommended: str | None = None
        self.status: str | None = None
        self._catalogue = catalogue
        self._web = web
        self._python = python

    @property
    def names(self) -> tuple[str, ...]:
        """Name the tools that this toolbox has."""
        extra = (("web_search",) if self._web else ()) + (("python_execute",) if self._python else ())
        return ("find_product", "view_product_information", "recommend_product", "terminate", *extra)

    def call(self, name: str, parameters: Mapping[str, Any]) -> Any:
        """Return what a tool gives back; a wrong call gives back the text of what was wrong with it.

        What the shop itself does (a block, a refusal, no answer) is not the agent's to mend, and is raised.
        """
        if name not in self.names:
            return f"there is no tool {name!r}; there are {', '.join(self.names)}"
        try:
            return getattr(self, f"_{name}")(**parameters)
        except TypeError:
            return f"{name} does not take these parameters: {', '.join(map(str, parameters)) or 'none'}"
        except (ValueError, PageError) as error:
            return f"{name}: {error}"

    def _find_product(
        self,
        q: str,
        page: int | str = 1,
        shop_id: str | None = None,
        price: str | None = None,
        sort: str | None = None,
        service: str | None = None,
    ) -> list[dict[str, Any]]:
        """Return one page of ten products; there are five pages, and nothing beyond."""
        number = int(page)
        if not 1 <= number <= PAGES:
            return []
        low, high = _bounds(price)
        search = Search(
            query=str(q),
            shop_id=str(shop_id) if shop_id else None,
            low=low,
            high=high,
            service=tuple(part.strip() for part in (service or "").split(",") if part.strip()),
            sort=sort if sort in _SORTS else "default",
        )
        found = self._catalogue.find(search)[(number - 1) * PAGE : number * PAGE]
        fields = {"product_id", "shop_id", "title", "price", "service", "sold_count"}
        return [product.model_dump(mode="json", include=fields) for product in found]

    def _view_product_information(self, product_ids: str) -> list[dict[str, Any]]:
        """Return what the products' pages say, without price and title."""
        fields = {"product_id", "short_description", "description", "sku_options", "attributes"}
        products: list[Document] = self._catalogue.view([each.strip() for each in product_ids.split(",")])
        return [product.model_dump(mode="json", include=fields) for product in products]

    def _recommend_product(self, product_ids: str) -> str:
        self.recommended = str(product_ids)
        return f"recommended: {product_ids}"

    def _terminate(self, status: str) -> str:
        if status not in ("success", "failure"):
            raise ValueError(f"status is success or failure, not {status!r}")
        self.status = status
        return f"ended: {status}"

    def _web_search(self, q: str, max_results: int | str = 5) -> list[dict[str, str]]:
        return self._web.search(str(q), int(max_results)) if self._web else []

    def _python_execute(self, code: str) -> dict[str, Any]:
        return run_python(str(code), self._python or Limits()).model_dump()


def _bounds(price: str | None) -> tuple[float | None, float | None]:
    """Return the two ends of "10-20", "10-" or "-20"."""
    if not price:
        return None, None
    match = _RANGE.fullmatch(price)
    if match is None:
        raise ValueError(f"price {price!r} is no range; write 10-20 or 10-")
    low, high = match.groups()
    return float(low) if low else None, float(high) if high else None
