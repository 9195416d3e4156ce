"""What an item page says of the thing itself: name, condition, seller, specifics, place in the catalogue."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from urllib.parse import parse_qs

from selectolax.lexbor import LexborNode

from windowshop.adapters.ebay.addresses import is_description, split_address
from windowshop.adapters.ebay.sheet import Sheet, in_old
from windowshop.adapters.ebay.visible import visible
from windowshop.adapters.ebay.wording import bare_page_title, bare_title
from windowshop.adapters.fields import UNSAID, Field, Settled, Source, once
from windowshop.adapters.markup import clean
from windowshop.adapters.money import parse_number
from windowshop.pages import Review

_OLD_TITLES = ("it-ttl", "itemTitle", "vi-is1-titleH1", "vi-it-itHd")
_SELLER = (
    ".x-sellercard-atf__about-seller-item--seller-name a, .x-sellercard-atf__info__about-seller a, "
    ".x-sellercard-atf__info a, a"
)
_OLD_SELLER = ".mbg-nw, #mbgLink, a[href*='/usr/'], a[href*='ViewFeedback&userid=']"
_OLD_CONDITION = ".d-item-condition-text, #vi-itm-cond, .condText, .vi-is1-condText, [itemprop=itemCondition]"
_PAIR = ".ux-labels-values__labels, .ux-labels-values__values, .ux-textspans, .hide, button"
_OLD_ROWS = ".itemAttr td.attrLabels, #viTabs_0_is td.attrLabels, .attrLabels"
_CRUMBS = (
    "nav.breadcrumbs > ul > li > a, .breadcrumbs ol > li > a, #vi-VR-brumb-lnkLst [itemprop=item], "
    ".bc-w a, ul.in > li > a"
)
_BRAND = re.compile(r"^(?:brand|marke|marque|marca|merk|marka|ブランド|品牌)$", re.I)
_STARS = ".ux-summary__start--rating, .reviews-star-rating, .ebay-review-start-rating, .ebay-star-rating"
_STAR_COUNT = ".ux-summary__count, .reviews-total, .ebay-reviews-count, #_rvwlnk, .prodreview"
_REVIEW = ("name", "reviewBody")
_RATED = re.compile(r"([0-5](?:[.,]\d+)?)\s*(?:out of|von|sur|su|de|van|na|/)\s*5", re.I)


def _title(sheet: Sheet) -> str | Settled | None:
    for heading in sheet.headings:
        if "x-item-title" in (heading.attrs.get("class") or ""):
            bold = [node.text() for node in heading.css(".ux-textspans--BOLD")]
            return bare_title("".join(bold) if bold else visible(heading)) or UNSAID
    return None


def _old_title(sheet: Sheet) -> str | Settled | None:
    for heading in sheet.headings:
        classes = heading.attrs.get("class") or ""
        if heading.attrs.get("id") == "itemTitle" or any(name in classes for name in _OLD_TITLES):
            return bare_title(visible(heading)) or UNSAID
    return None


def _of_page(stated: object) -> str | None:
    return bare_page_title(stated) if isinstance(stated, str) else None


def _head_title(sheet: Sheet) -> str | None:
    head = sheet.tree.css_first("title")
    return None if head is None else bare_page_title(head.text())


def _condition(sheet: Sheet) -> str | None:
    part = sheet.part("x-item-condition", "d-item-condition")
    node = sheet.first(part, ".x-item-condition-text, .d-item-condition-text") or part
    return visible(sheet.first(node, ".ux-textspans") or node)


def _seller(sheet: Sheet) -> str | None:
    card = sheet.part("x-sellercard-atf", "ux-seller-section__item--seller", "x-about-this-seller")
    links = [] if card is None else card.css(_SELLER)
    return next((name for link in links if (name := _name_in(sheet, link))), None)


def _name_in(_: Sheet, link: LexborNode) -> str | None:
    """Return the name that a link shows, if it is no count of feedback."""
    if link.attrs.get("aria-hidden") == "true":
        return None
    name = visible(link)
    return None if name is None or re.fullmatch(r"[\d.,() ]+", name) else name


def _seller_in_address(sheet: Sheet) -> str | None:
    named = parse_qs(split_address(description_url(sheet)).query).get("seller")
    return named[0] if named else None


def _section(sheet: Sheet) -> LexborNode | None:
    return sheet.part("x-about-this-item") or sheet.tree.css_first(".ux-layout-section--features")


def _specifics(sheet: Sheet) -> dict[str, str] | Settled:
    """Read the section of specifics; where there is one, older tables on the page are of something else."""
    section = once(sheet, _section)
    return {} if section is None else _table(_pairs(section)) or UNSAID


def _old_specifics(sheet: Sheet) -> dict[str, str]:
    return _table(_old_pairs(sheet))


def _table(pairs: Iterator[tuple[str | None, str | None]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for label, value in pairs:
        if label and value:
            found.setdefault(label.rstrip(": "), value)
    return found


def _specific_brand(sheet: Sheet) -> str | None:
    specifics = SPECIFICS.value(sheet) or {}
    return next((value for label, value in specifics.items() if _BRAND.match(label)), None)


def _linked_brand(sheet: Sheet) -> str | Settled | None:
    stated = sheet.typed("Product").get("brand")
    name = stated.get("name") if isinstance(stated, dict) else stated
    return (clean(name) or UNSAID) if isinstance(name, str) else None


def _marked_brand(sheet: Sheet) -> str | None:
    marked = next(sheet.old("[itemprop=brand]"), None)
    return None if marked is None else clean(marked.attributes.get("content") or marked.text())


def _linked_crumbs(sheet: Sheet) -> tuple[str, ...] | Settled | None:
    listed = sheet.typed("BreadcrumbList").get("itemListElement")
    if not isinstance(listed, list):
        return None
    named = [entry for entry in listed if isinstance(entry, dict) and isinstance(entry.get("name"), str)]
    return _categories((clean(entry["name"]), str(entry.get("item") or "")) for entry in named) or UNSAID


def _shown_crumbs(sheet: Sheet) -> tuple[str, ...]:
    links = sheet.tree.css(_CRUMBS)
    return _categories((visible(link), link.attributes.get("href") or "") for link in links)


def _categories(crumbs: Iterable[tuple[str | None, str]]) -> tuple[str, ...]:
    """Return the categories from the widest down: not the shop's name, not the product's own page."""
    return tuple(
        dict.fromkeys(
            name
            for name, address in crumbs
            if name and "/p/" not in address and split_address(address).path not in ("", "/")
        )
    )


def _rated(sheet: Sheet) -> tuple[float | None, int | None]:
    """Return the product's stars and how many rated it; a seller's feedback is not that."""
    section = sheet.part("x-reviews", "x-star-rating", "x-product-reviews")
    scope = section or (sheet.tree.body if sheet.is_old else None)
    node = sheet.first(scope, _STARS)
    if node is None:
        return None, None
    words = [node.attributes.get(name) or "" for name in ("title", "aria-label", "content")]
    text = clean(node.text()) or ""
    rated = next((found.group(1) for word in [*words, text] if (found := _RATED.search(word))), None)
    rating = parse_number(rated or text, "," if "," in (rated or text) else ".")
    counted = sheet.first(scope, _STAR_COUNT)
    count = None if counted is None else parse_number(clean(counted.text()) or "", sheet.locale.decimal)
    if not rating or rating > 5 or count == 0:
        return None, None
    return rating, None if count is None else int(count)


def _reviews(sheet: Sheet) -> tuple[Review, ...]:
    """Return the reviews of the product that the structured data print on this page."""
    stated = sheet.typed("Product").get("review")
    found = []
    for entry in stated if isinstance(stated, list) else []:
        if not isinstance(entry, dict):
            continue
        rated = entry.get("reviewRating")
        score = rated.get("ratingValue") if isinstance(rated, dict) else None
        title, body = (clean(word) if isinstance(word := entry.get(key), str) else None for key in _REVIEW)
        found.append(
            Review(title=title, score=parse_number(score) if isinstance(score, str) else None, body=body)
        )
    return tuple(found)


def _linked_image(sheet: Sheet) -> str | None:
    stated = sheet.typed("Product").get("image")
    return _secure(stated[0] if isinstance(stated, list) and stated else stated)


def _secure(address: object) -> str | None:
    return address if isinstance(address, str) and address.startswith("https://") else None


def _old_image(sheet: Sheet) -> str | None:
    marked = next(sheet.old("#icImg, [itemprop=image]"), None)
    return None if marked is None else marked.attributes.get("src")


def description_url(sheet: Sheet) -> str | None:
    """Return the address of the frame that holds the seller's description."""
    for frame in sheet.frames:
        address = frame.attributes.get("src") or ""
        if is_description(address):
            return address
    return None


def _pairs(section: LexborNode) -> Iterator[tuple[str | None, str | None]]:
    """Yield labels and values; what follows a "Read more" button repeats the value in full."""
    label: str | None = None
    texts: list[str] = []
    is_label = is_over = False
    for node in section.css(_PAIR):
        classes = (node.attrs.get("class") or "").split()
        if "ux-textspans" in classes:
            if not is_over:
                texts.append(node.text(deep=False))
        elif "ux-labels-values__values" in classes:
            label, texts, is_label, is_over = clean("".join(texts)), [], False, False
        elif "ux-labels-values__labels" in classes:
            if not is_label:
                yield label, clean("".join(texts))
            texts, is_label, is_over = [], True, False
        else:
            is_over = True
    yield label, clean("".join(texts))


def _old_pairs(sheet: Sheet) -> Iterator[tuple[str | None, str | None]]:
    for cell in sheet.old(_OLD_ROWS):
        following = cell.next
        while following is not None and following.tag != "td":
            following = following.next
        if following is not None:
            for part in following.css("#readFull, a, .g-hdn"):
                part.decompose()
            yield clean(cell.text()), clean(following.text())


TITLE: Field[Sheet] = Field(
    "title",
    (
        Source("title", "h1.x-item-title__mainTitle", _title),
        Source("older title", "h1#itemTitle, h1.it-ttl, h1.vi-it-itHd", _old_title),
        Source("JSON-LD", "Product $.name", lambda sheet: _of_page(sheet.typed("Product").get("name"))),
        Source("Open Graph", 'meta[property="og:title"]', lambda sheet: _of_page(sheet.meta("og:title"))),
        Source("head", "title", _head_title),
    ),
)
CONDITION: Field[Sheet] = Field(
    "condition",
    (
        Source("condition", '[data-testid="x-item-condition"] .ux-textspans', _condition),
        in_old("older condition", _OLD_CONDITION, lambda _, node: visible(node)),
    ),
)
SELLER: Field[Sheet] = Field(
    "seller",
    (
        Source("seller card", '[data-testid="x-sellercard-atf"] a', _seller),
        in_old("older link", _OLD_SELLER, _name_in),
        Source("description", "seller= of iframe[src*=ebaydesc]", _seller_in_address),
    ),
)
SPECIFICS: Field[Sheet] = Field(
    "specifics",
    (
        Source("section", '[data-testid="x-about-this-item"] .ux-labels-values', _specifics),
        Source("older table", _OLD_ROWS, _old_specifics),
    ),
)
BRAND: Field[Sheet] = Field(
    "brand",
    (
        Source("specifics", "the brand among the specifics", _specific_brand),
        Source("JSON-LD", "Product $.brand", _linked_brand),
        Source("microdata", "[itemprop=brand]", _marked_brand),
    ),
)
BREADCRUMBS: Field[Sheet] = Field(
    "breadcrumbs",
    (
        Source("JSON-LD", "BreadcrumbList $.itemListElement", _linked_crumbs),
        Source("shown", _CRUMBS, _shown_crumbs),
    ),
)
RATING: Field[Sheet] = Field("rating", (Source("stars", _STARS, lambda sheet: once(sheet, _rated)[0]),))
REVIEW_COUNT: Field[Sheet] = Field(
    "review_count", (Source("beside the stars", _STAR_COUNT, lambda sheet: once(sheet, _rated)[1]),)
)
REVIEWS: Field[Sheet] = Field("reviews", (Source("JSON-LD", "Product $.review", _reviews),))
IMAGE: Field[Sheet] = Field(
    "image",
    (
        Source("JSON-LD", "Product $.image", _linked_image),
        Source("Open Graph", 'meta[property="og:image"]', lambda sheet: _secure(sheet.meta("og:image"))),
        Source("older picture", "#icImg, [itemprop=image]", _old_image),
    ),
)
