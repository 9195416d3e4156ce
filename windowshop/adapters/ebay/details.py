"""What an item page says of the thing itself: name, condition, seller, specifics, place in the catalogue."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import parse_qs

from selectolax.lexbor import LexborNode

from windowshop.adapters.ebay.addresses import is_description, split_address
from windowshop.adapters.ebay.sheet import Sheet
from windowshop.adapters.ebay.visible import visible
from windowshop.adapters.ebay.wording import bare_page_title, bare_title
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
_RATING = ".ux-summary__start--rating, .reviews-star-rating, .ebay-review-start-rating, .ebay-star-rating"
_RATING_COUNT = ".ux-summary__count, .reviews-total, .ebay-reviews-count, #_rvwlnk, .prodreview"
_REVIEW = ("name", "reviewBody")
_RATED = re.compile(r"([0-5](?:[.,]\d+)?)\s*(?:out of|von|sur|su|de|van|na|/)\s*5", re.I)


def read_title(sheet: Sheet) -> str | None:
    """Return the title shown, else the one in the structured data, else the page's own."""
    for heading in sheet.headings:
        attributes = heading.attrs
        classes = attributes.get("class") or ""
        if "x-item-title" in classes:
            bold = [node.text() for node in heading.css(".ux-textspans--BOLD")]
            return bare_title("".join(bold) if bold else visible(heading))
        if attributes.get("id") == "itemTitle" or any(name in classes for name in _OLD_TITLES):
            return bare_title(visible(heading))
    for stated in (sheet.typed("Product").get("name"), sheet.meta("og:title")):
        if isinstance(stated, str) and (title := bare_page_title(stated)):
            return title
    head = sheet.tree.css_first("title")
    return None if head is None else bare_page_title(head.text())


def read_condition(sheet: Sheet) -> str | None:
    """Return the condition in the page's own words."""
    part = sheet.part("x-item-condition", "d-item-condition")
    node = sheet.first(part, ".x-item-condition-text, .d-item-condition-text") or part
    shown = visible(sheet.first(node, ".ux-textspans") or node)
    return shown or next((text for old in sheet.old(_OLD_CONDITION) if (text := visible(old))), None)


def read_seller(sheet: Sheet) -> str | None:
    """Return the seller as shown, else as the description's address names him."""
    card = sheet.part("x-sellercard-atf", "ux-seller-section__item--seller", "x-about-this-seller")
    links = [] if card is None else card.css(_SELLER)
    for link in [*links, *sheet.old(_OLD_SELLER)]:
        if link.attrs.get("aria-hidden") == "true":
            continue
        name = visible(link)
        if name and not re.fullmatch(r"[\d.,() ]+", name):
            return name
    named = parse_qs(split_address(description_url(sheet)).query).get("seller")
    return named[0] if named else None


def read_specifics(sheet: Sheet) -> dict[str, str]:
    """Return the item specifics in page order, as shown before any "Read more"."""
    found: dict[str, str] = {}
    section = sheet.part("x-about-this-item") or sheet.tree.css_first(".ux-layout-section--features")
    for label, value in _pairs(section) if section is not None else _old_pairs(sheet):
        if label and value:
            found.setdefault(label.rstrip(": "), value)
    return found


def read_brand(sheet: Sheet, specifics: dict[str, str]) -> str | None:
    """Return the brand: a specific of that name, else the structured data's."""
    for label, value in specifics.items():
        if _BRAND.match(label):
            return value
    stated = sheet.typed("Product").get("brand")
    name = stated.get("name") if isinstance(stated, dict) else stated
    if isinstance(name, str):
        return clean(name)
    marked = sheet.old("[itemprop=brand]")
    return clean(marked[0].attributes.get("content") or marked[0].text()) if marked else None


def read_breadcrumbs(sheet: Sheet) -> tuple[str, ...]:
    """Return the categories from the widest down: not the shop's name, not the product's own page."""
    listed = sheet.typed("BreadcrumbList").get("itemListElement")
    crumbs: list[tuple[str | None, str]] = []
    if isinstance(listed, list):
        for entry in listed:
            if isinstance(entry, dict) and isinstance(entry.get("name"), str):
                crumbs.append((clean(entry["name"]), str(entry.get("item") or "")))
    else:
        for link in sheet.tree.css(_CRUMBS):
            crumbs.append((visible(link), link.attributes.get("href") or ""))
    return tuple(
        dict.fromkeys(
            name
            for name, address in crumbs
            if name and "/p/" not in address and split_address(address).path not in ("", "/")
        )
    )


def read_rating(sheet: Sheet) -> tuple[float | None, int | None]:
    """Return the product's stars and how many rated it; a seller's feedback is not that."""
    section = sheet.part("x-reviews", "x-star-rating", "x-product-reviews")
    scope = section or (sheet.tree.body if sheet.is_old else None)
    node = sheet.first(scope, _RATING)
    if node is None:
        return None, None
    words = [node.attributes.get(name) or "" for name in ("title", "aria-label", "content")]
    text = clean(node.text()) or ""
    rated = next((found.group(1) for word in [*words, text] if (found := _RATED.search(word))), None)
    rating = parse_number(rated or text, "," if "," in (rated or text) else ".")
    counted = sheet.first(scope, _RATING_COUNT)
    count = None if counted is None else parse_number(clean(counted.text()) or "", sheet.locale.decimal)
    if not rating or rating > 5 or count == 0:
        return None, None
    return rating, None if count is None else int(count)


def read_reviews(sheet: Sheet) -> tuple[Review, ...]:
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


def read_image(sheet: Sheet) -> str | None:
    """Return the address of the main picture."""
    stated = sheet.typed("Product").get("image")
    first = stated[0] if isinstance(stated, list) and stated else stated
    for address in (first, sheet.meta("og:image")):
        if isinstance(address, str) and address.startswith("https://"):
            return address
    marked = sheet.old("#icImg, [itemprop=image]")
    return marked[0].attributes.get("src") if marked else None


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
