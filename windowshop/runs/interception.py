"""What somebody else's agent would have bought: the request that was held back, and the page it came from."""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from collections.abc import Mapping
from datetime import datetime
from urllib.parse import parse_qsl, urlencode, urlsplit

from loguru import logger

from windowshop.adapters import Site
from windowshop.errors import PageError
from windowshop.frozen import Frozen
from windowshop.pages import ItemPage, Page, ResultsPage, Tile
from windowshop.purchase import PurchaseIntent
from windowshop.redaction import redact
from windowshop.safety.intercept import intend
from windowshop.translators.choice import find_variant
from windowshop.translators.product import load_product
from windowshop.transports.wall import Asked
from windowshop.views import View
from windowshop.wire import Decision, Response

REMEMBERED = 64
_QUANTITY = ("quantity", "qty", "Quantity.1", "items[0.base][quantity]")
_SOME = re.compile(r"[1-9][0-9]{0,3}")
_WARES = re.compile(r"(?i).*(?:asin|offer|quantity|qty).*|item(?:id)?|iid|var")
"""What in an address says which goods, and how many; all else may be a person's own."""


class Interception(Frozen):
    """One line of the `purchases.jsonl` of `windowshop guard serve`.

    `fields` names what the request carried, without the values, which may be a person's own; `url` has those
    that say which goods. `intent` is what
    would have been bought, as far as the page says from which it was asked; None where it does not say.
    """

    format: int = 1
    dry_run: bool = True
    at: datetime
    method: str
    url: str
    rule: str
    reason: str
    fields: tuple[str, ...] = ()
    intent: PurchaseIntent | None = None


class Landed(Frozen):
    """A page that an agent has seen. `page` is None where it could not be read."""

    url: str
    digest: str
    page: Page | None = None


class Landings:
    """Remember the last pages that were visited, so that a purchase can be laid to one of them."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._seen: OrderedDict[str, Response] = OrderedDict()

    def add(self, response: Response) -> None:
        """Note a page; it is read when it is needed."""
        self._seen[response.url] = response
        self._seen.move_to_end(response.url)
        if len(self._seen) > REMEMBERED:
            self._seen.popitem(last=False)

    def behind(self, asked: Asked) -> Landed | None:
        """Return the page that a request came from.

        It is the one that the request names, else the last one of the item that it is about, else the last
        one visited.
        """
        named = (asked.page or "").partition("#")[0]
        response = (
            self._seen.get(named) or self._of_its_item(asked) or next(reversed(self._seen.values()), None)
        )
        if response is None:
            return None
        digest = hashlib.sha256(response.body).hexdigest()
        try:
            return Landed(url=response.url, digest=digest, page=self._site.parse(response))
        except PageError:
            return Landed(url=response.url, digest=digest)
        except Exception as error:  # a purchase is written down whatever its page does to an adapter
            logger.opt(exception=error).error("{} broke its adapter", redact(response.url))
            return Landed(url=response.url, digest=digest)

    def _of_its_item(self, asked: Asked) -> Response | None:
        about = {*_fields(asked).values(), *_segments(asked.url)}
        return next((one for one in reversed(self._seen.values()) if _last(one.url) in about), None)


def interception(
    asked: Asked, decision: Decision, landed: Landed | None, *, session: str, at: datetime
) -> Interception:
    """Return the record of a request that would have led to a purchase. Pure."""
    fields = _fields(asked)
    return Interception(
        at=at,
        method=asked.method,
        url=redact(_of_wares(asked.url)),
        rule=decision.rule,
        reason=decision.reason,
        fields=tuple(fields),
        intent=None if landed is None else _intent(landed, asked, fields, session, at),
    )


def _intent(
    landed: Landed, asked: Asked, fields: Mapping[str, str], session: str, at: datetime
) -> PurchaseIntent | None:
    page = landed.page
    intent: PurchaseIntent | None
    if isinstance(page, ItemPage):
        intent = _of_item(page, landed, session, at)
    elif isinstance(page, ResultsPage):
        values = {*fields.values(), *_segments(asked.url)}
        tile = next((tile for tile in page.tiles if tile.item_id in values), None)
        intent = None if tile is None else _of_tile(tile, page, landed, session, at)
    else:
        intent = None
    quantity = next((fields[name] for name in _QUANTITY if _SOME.fullmatch(fields.get(name, ""))), None)
    if intent is None or quantity is None:
        return intent
    return intent.model_copy(update={"quantity": int(quantity)})


def _of_item(page: ItemPage, landed: Landed, session: str, at: datetime) -> PurchaseIntent:
    selected = {group.name: value.text for group in page.options for value in group.values if value.selected}
    return intend(
        View(instruction="", item_id=page.item_id, product=load_product(page)),
        episode=session,
        site=page.site,
        selected=selected,
        variant=find_variant(page, selected),
        url=landed.url,
        page_digest=landed.digest,
        at=at,
    )


def _of_tile(tile: Tile, page: ResultsPage, landed: Landed, session: str, at: datetime) -> PurchaseIntent:
    return PurchaseIntent(
        episode=session,
        site=page.site,
        locale=page.locale,
        item_id=tile.item_id,
        title=tile.title,
        options={},
        chosen={},
        unit_price=tile.price,
        currency=tile.price.currency if tile.price else None,
        url=landed.url,
        page_digest=landed.digest,
        at=at,
    )


def _fields(asked: Asked) -> dict[str, str]:
    pairs = parse_qsl(urlsplit(asked.url).query, keep_blank_values=True)
    if asked.type.partition(";")[0].strip().lower() == "application/x-www-form-urlencoded":
        pairs += parse_qsl(asked.body.decode("utf-8", "replace"), keep_blank_values=True)
    return dict(pairs)


def _segments(url: str) -> list[str]:
    return urlsplit(url).path.split("/")


def _last(url: str) -> str:
    """Return the last part of a path; an item's own page ends with its id."""
    return _segments(url)[-1]


def _of_wares(url: str) -> str:
    """Return an address with no more of its query than what says which goods."""
    parts = urlsplit(url)
    kept = [(name, value) for name, value in parse_qsl(parts.query) if _WARES.fullmatch(name)]
    return parts._replace(query=urlencode(kept), fragment="").geturl()
