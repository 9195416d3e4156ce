"""The simulator's side of the closed loop: the demo's catalogue as WebShop would load it, without any page.

The rules of its loader are written down here a second time, on purpose. Session and renderer are windowshop's
own, fed as `windowshop conformance` feeds them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from windowshop.actions import Buy, Navigation, ToItem, ToResults
from windowshop.demo import catalogue
from windowshop.demo.product import Product as Goods
from windowshop.demo.ranking import listing, ranking
from windowshop.errors import ActionError
from windowshop.runs.session import advance
from windowshop.translators.action import parse
from windowshop.views import Listing, Product, Row, View

DIFFERENCES = frozenset(
    {
        "buying",
        "choosing an option",
        "description",
        "features",
        "item id",
        "magic first words",
        "price not shown",
        "rating",
        "reviews",
        "sponsored tiles",
    }
)
"""What the demo's shops show otherwise than the simulator, by the names of docs/design/parity.md."""

Record = dict[str, Any]
REWARD = 0.75


def records(site: str) -> dict[str, Record]:
    """Return the demo's products as the simulator's product file has them, by the shop's id."""
    return {_id(goods, site): _record(goods, _id(goods, site)) for goods in catalogue()}


def _id(goods: Goods, site: str) -> str:
    return goods.asin if site == "amazon" else goods.listing_id


def _record(goods: Goods, item_id: str) -> Record:
    prices = sorted({variant.price for variant in goods.variants if variant.price is not None})
    return {
        "asin": item_id,
        "name": goods.title,
        "query": goods.query,
        "full_description": goods.description or "",
        "small_description": list(goods.bullets),
        "pricing": "".join(f"${price:,.2f}" for price in (*prices[:1], *prices[1:][-1:])),
        "customization_options": {
            choice.name: [{"value": value} for value in choice.values] for choice in goods.choices
        },
        "goods": goods,
    }


def load(found: Sequence[Record], longest_id: int | None) -> dict[str, Product]:
    """Load a product file by the simulator's rules; ids of more than `longest_id` signs are dropped."""
    products: dict[str, Product] = {}
    for record in found:
        item_id = record["asin"]
        if item_id == "nan" or item_id in products or (longest_id is not None and len(item_id) > longest_id):
            continue
        options: dict[str, tuple[str, ...]] = {}
        for name, contents in record["customization_options"].items():
            values = (content["value"].strip().replace("/", " | ").lower() for content in contents or ())
            if contents is not None:
                options[name.lower()] = tuple(values)
        bullets = record["small_description"]
        products[item_id] = Product(
            item_id=item_id,
            title=record["name"],
            price=pricing(record["pricing"]),
            options=tuple(options.items()),
            description=record["full_description"],
            bullets=tuple(bullets) if isinstance(bullets, list) else (bullets,),
        )
    return products


def pricing(raw: str) -> str:
    """Print a price string of the product file as the simulator shows it."""
    if not raw:
        return "$100.0"
    amounts = [float(re.sub(r"[^\d.]", "", piece)) for piece in raw.split("$")[1:]]
    return f"${amounts[0]}" if len(amounts) == 1 else f"${amounts[0]} to ${amounts[1]}"


class Simulator:
    """WebShop over `found`, differing from itself in what `differences` names and in nothing else."""

    def __init__(
        self, site: str, found: Mapping[str, Record], view: View, differences: frozenset[str]
    ) -> None:
        self.view = view
        self._site = site
        self._differences = differences
        self._goods: dict[str, Goods] = {item_id: record["goods"] for item_id, record in found.items()}
        self._products = load(list(found.values()), None if self._has("item id") else 10)
        self._pages_read: tuple[str, int] = ("", 0)
        self._standing: dict[str, str] = {}

    def step(self, text: str) -> None:
        """Do one action; what is malformed or not available changes nothing."""
        try:
            action = parse(text, self.view)
        except ActionError:
            return
        if isinstance(action, Buy) and not self._has("buying"):
            self.view = self.view.model_copy(update={"reward": REWARD})
        before = self.view
        after = advance(before.model_copy(update={"listing": None}), action)
        if not isinstance(after, View):
            after = advance(self._visit(before, after), action, arrived=True)
        assert isinstance(after, View)
        self.view = self._as_shown(before, after)

    def _has(self, difference: str) -> bool:
        return difference in self._differences

    def _visit(self, view: View, navigation: Navigation) -> View:
        match navigation:
            case ToResults(query=query):
                found = self._search(query)
                rows = tuple(self._row(item_id) for item_id in found if item_id in self._products)
                known = Listing(query=query, rows=rows[:50], total=min(50, len(rows)))
                return view.model_copy(update={"listing": known})
            case ToItem(item_id=item_id):
                self._standing = self._selected_on_arrival(item_id)
                return view.model_copy(update={"product": self._product(item_id)})
        raise TypeError(f"the simulator has no {navigation!r}")

    def _search(self, query: str) -> list[str]:
        first, _, rest = query.partition(" ")
        if first == "<q>" and not self._has("magic first words"):
            return [item_id for item_id, goods in self._goods.items() if goods.query == rest]
        return [_id(goods, self._site) for goods in ranking().find(query)]

    def _row(self, item_id: str) -> Row:
        product = self._products[item_id]
        return Row(
            item_id=item_id,
            title=product.title,
            price=self._price(item_id, self._selected_on_arrival(item_id)),
        )

    def _product(self, item_id: str) -> Product:
        """Return a product with what the shop's page adds to the simulator's record, or lacks."""
        product, goods = self._products[item_id], self._goods[item_id]
        is_amazon = self._site == "amazon"
        changes: dict[str, object] = {"price": self._price(item_id, self._standing)}
        if self._has("rating") and is_amazon:
            changes["rating"] = repr(goods.rating)
        if self._has("reviews") and is_amazon:
            changes["reviews"] = tuple((one.title, repr(one.stars), one.body) for one in goods.opinions)
        if self._has("features") and not is_amazon:
            changes["bullets"] = ()
        if self._has("description") and not is_amazon and product.description:
            frame = (product.title, product.description, *product.bullets, "More from this seller")
            changes["description"] = " ".join(frame)
        return product.model_copy(update=changes)

    def _as_shown(self, before: View, after: View) -> View:
        if after.screen == "search":
            self._pages_read = ("", 0)
        if after.screen == "results":
            after = after.model_copy(update={"listing": self._listing(after)})
        if after.options != before.options and after.options and self._has("choosing an option"):
            assert after.product is not None and after.item_id is not None
            changed = next(name for name, value in after.options.items() if before.options.get(name) != value)
            price = self._choose(after.item_id, changed, after.options)
            after = after.model_copy(update={"product": after.product.model_copy(update={"price": price})})
        return after

    # sponsored tiles: they stand among the others, and the header counts at least what was seen

    def _listing(self, view: View) -> Listing | None:
        found, query = view.listing, " ".join(view.keywords or ())
        is_magic = query.startswith("<q> ") and not self._has("magic first words")
        if found is None or is_magic or not self._has("sponsored tiles"):
            return found
        # Amazon's address keeps no run of blanks, and the adverts go by the address
        asked = " ".join(query.split()) if self._site == "amazon" else query
        shop = listing(asked, 1)
        pages = [
            [_id(place.product, self._site) for place in listing(asked, number).places]
            for number in range(1, shop.pages + 1)
        ]
        read = self._pages_read[1] if self._pages_read[0] == query else 1
        if len(_once(pages[:read])) < 10 * (view.page or 0):
            read = min(read + 1, len(pages))
        self._pages_read = (query, read)
        seen = _once(pages[:read])
        total = max(min(50, shop.total), len(seen))
        return Listing(
            query=query, rows=tuple(self._row(one) for one in seen if one in self._products), total=total
        )

    # choosing an option: the price of the chosen variant, which Amazon has chosen one of on arrival

    def _selected_on_arrival(self, item_id: str) -> dict[str, str]:
        return dict(self._goods[item_id].chosen) if self._site == "amazon" else {}

    def _choose(self, item_id: str, changed: str, options: Mapping[str, str]) -> str:
        """Choose in the shop; where it does not have the combination Amazon goes to the next that it has."""
        goods = self._goods[item_id]
        names = {choice.name.lower(): choice.name for choice in goods.choices}
        chosen = {names[name]: value for name, value in options.items()}
        name = names[changed]
        self._standing |= {name: chosen[name]}
        if goods.only(self._standing) is not None:
            return self._price(item_id, self._standing)
        near = [variant for variant in goods.variants if variant.matches(chosen)]
        if not near:
            return "N/A"
        if self._site == "amazon":
            default = next(variant for variant in goods.variants if variant.matches({name: chosen[name]}))
            self._standing = dict((default if default in near else near[0]).options)
        return self._price(item_id, self._standing)

    def _price(self, item_id: str, selected: Mapping[str, str]) -> str:
        """Return the price that the shop shows when `selected` is chosen; on Amazon none if sold out."""
        goods = self._goods[item_id]
        if not self._has("choosing an option"):
            return self._products[item_id].price
        chosen = dict(selected) if len(selected) == len(goods.choices) or self._site == "amazon" else {}
        open_ones = [variant for variant in goods.variants if variant.matches(chosen)]
        only = goods.only(chosen)
        if only is not None and self._site == "amazon" and only.stock == 0:
            open_ones = []
        prices = sorted({variant.price for variant in open_ones if variant.price is not None})
        if not prices:
            return "N/A" if self._has("price not shown") else "$100.0"
        return pricing("".join(f"${price}" for price in (*prices[:1], *prices[1:][-1:])))


def _once(pages: Sequence[Sequence[str]]) -> list[str]:
    return list(dict.fromkeys(item_id for page in pages for item_id in page))[:50]
