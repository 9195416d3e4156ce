"""What an item page says about the product itself, apart from its price and its choices."""

from __future__ import annotations

import re
from urllib.parse import unquote

from selectolax.lexbor import LexborNode

from windowshop.adapters.amazon.sheet import Sheet
from windowshop.adapters.markup import clean, json_at, text_of
from windowshop.adapters.money import parse_count, parse_number
from windowshop.pages import Review

_TITLES = ("productTitle", "ebooksProductTitle", "btAsinTitle", "title", "title_feature_div")
_BULLETS = (
    "feature-bullets", "featurebullets_feature_div", "productFactsDesktopExpander",
    "productFactsDesktop_feature_div", "productFactsMobileExpander", "feature-bullets-btf",
    "feature-bullets_feature_div",
)  # fmt: skip
_DESCRIPTIONS = (
    "productDescription", "bookDescription_feature_div", "productDescription_feature_div",
    "dpx-product-description_feature_div", "aplus_feature_div",
    "dpx-aplus-product-description_feature_div", "aplus",
)  # fmt: skip
_TABLES = (
    "productOverview_feature_div", "prodDetails", "detailBullets_feature_div", "productFactsDesktopExpander",
    "technicalSpecifications_feature_div", "tech", "detail-bullets", "productDetailsTable",
)  # fmt: skip
_IMAGES = ("landingImage", "imgBlkFront", "ebooksImgBlkFront", "main-image", "main-image-0", "prodImage")
_BRAND_WORDS = (
    "brand(?: name)?|marke|marca|marque|merk|varumärke|marka|ブランド(?:名)?|品牌|브랜드|"
    "العلامة التجارية|ब्रांड"
)
_BRAND_KEY = re.compile(_BRAND_WORDS, re.IGNORECASE)
_NAMED = re.compile(rf"(?:{_BRAND_WORDS})\s*[:：]\s*(.+)", re.IGNORECASE)
_VISIT = re.compile(
    r"visit the (.+) store|besuchen? (?:sie )?den (.+)[- ]store|visite[rz] la boutique (?:de )?(.+)|"
    r"visitar? la (?:tienda|store) de (.+)|visita lo store di (.+)|bezoek de (.+)[- ](?:winkel|store)|"
    r"besök (.+)[- ]butiken|besök butiken (?:för )?(.+)|odwiedź sklep (?:marki )?(.+)|"
    r"(.+?) (?:store['’]u|mağazasını) ziyaret edin|visite a loja (?:da |de )?(.+)|"
    r"(.+?)のストアを表示|(?:造訪|访问|訪問|查看) ?(.+?) ?(?:商店|的?品牌旗舰店|店铺)|"
    r"(?:قم ب)?زيارة متجر (.+)|(.+) 스토어 방문하기|(.+) स्टोर पर जाएं",
    re.IGNORECASE,
)
_SHOP = re.compile(r"/stores/([^/]+)/page/")
_MAX_REVIEWS = 5
_LONGEST_LINE = 200


def title(sheet: Sheet) -> str | None:
    """Return the product's name, without what stands around it."""
    for node in sheet.every(*_TITLES):
        found = text_of(node) or clean(node.attributes.get("value"))
        if found:
            return found
    return None


def rating(sheet: Sheet) -> float | None:
    """Return the average of the stars."""
    for node in sheet.every("acrPopover", "averageCustomerReviews", "averageCustomerReviews_feature_div"):
        icon = node.css_first(".a-icon-alt")
        score = _score(node.attributes.get("title") or (icon.text() if icon is not None else None))
        if score is not None:
            return score
    return None


def review_count(sheet: Sheet) -> int | None:
    """Return how many people rated the product."""
    node = sheet.first("acrCustomerReviewText")
    if node is None:
        medley = sheet.first("reviewsMedley", "customerReviews", "customer-reviews_feature_div")
        node = None if medley is None else medley.css_first('[data-hook="total-review-count"]')
    if node is None:
        return None
    return parse_count(node.attributes.get("aria-label")) or parse_count(node.text())


def brand(sheet: Sheet, facts: dict[str, str]) -> str | None:
    """Return the brand that the page names under the title or in its tables; a book has none."""
    node = sheet.first("bylineInfo", "brand", "bylineInfo_feature_div", "brandByline_feature_div")
    line = text_of(node)
    if node is not None and line:
        if node.css_first(".author,.contributorNameID") is not None:
            return None
        named = _NAMED.fullmatch(line[:_LONGEST_LINE]) or _VISIT.fullmatch(line[:_LONGEST_LINE])
        if named is not None:
            return next(group for group in named.groups() if group).strip()
    listed = next((value for key, value in facts.items() if _BRAND_KEY.fullmatch(key)), None)
    if listed is not None:
        return listed
    shop = _SHOP.search((node.attributes.get("href") or "") if node is not None else "")
    if shop is not None and line and unquote(shop.group(1)).lower() in line.lower():
        return unquote(shop.group(1))
    return line if node is not None and node.id in ("bylineInfo", "brand") else None


def bullets(sheet: Sheet) -> tuple[str, ...]:
    """Return the lines of "About this item"."""
    for node in sheet.every(*_BULLETS):
        lines = [text_of(item) for item in node.css("li") if not _hidden(item)]
        found = tuple(line for line in lines if line)
        if found:
            return found
    return ()


def description(sheet: Sheet) -> str | None:
    """Return the seller's text, else the manufacturer's."""
    for node in sheet.every(*_DESCRIPTIONS):
        found = text_of(node, " ")
        if found:
            return found
    return None


def breadcrumbs(sheet: Sheet) -> tuple[str, ...]:
    """Return the categories that lead to the item; a link back to a search is none of them."""
    node = sheet.first("wayfinding-breadcrumbs_feature_div", "wayfinding-breadcrumbs_container")
    if node is None:
        return ()
    links = [link for link in node.css("li a") if link.id != "breadcrumb-back-link"]
    return tuple(text for link in links if (text := text_of(link)) and not text.startswith("‹"))


def facts(sheet: Sheet) -> dict[str, str]:
    """Return the tables and lists of product details as one, the first mention of a name first."""
    found: dict[str, str] = {}
    for section in sheet.every(*_TABLES):
        for row in section.css("tr,li,.product-facts-detail"):
            pair = _pair(row)
            if pair is not None:
                found.setdefault(*pair)
    return found


def reviews(sheet: Sheet) -> tuple[Review, ...]:
    """Return the first few reviews printed on the page."""
    names = [name for name in sheet.ids if name.startswith("customer_review")]
    return tuple(_review(sheet.ids[name]) for name in names[:_MAX_REVIEWS])


def image(sheet: Sheet) -> str | None:
    """Return the address of the main picture."""
    for node in sheet.every(*_IMAGES):
        attributes = node.attributes
        address = attributes.get("data-old-hires") or attributes.get("src") or ""
        if address.startswith("http"):
            return address
        sizes = json_at(attributes.get("data-a-dynamic-image") or "")
        if isinstance(sizes, dict) and sizes:
            return str(next(iter(sizes)))
    return None


def _hidden(node: LexborNode) -> bool:
    return "aok-hidden" in (node.attributes.get("class") or "") or node.id == "replacementPartsFitmentBullet"


def _pair(row: LexborNode) -> tuple[str, str] | None:
    """Split one row of details into name and value; a row that holds stars is not one."""
    if row.css_first(".a-icon-alt,table,ul") is not None:
        return None
    cells = row.css("th,td") if row.tag == "tr" else row.css(".a-text-bold,b,.a-fixed-left-grid-col")
    name = text_of(cells[0]) if cells else None
    if name is None:
        return None
    whole = text_of(cells[1]) if len(cells) > 1 else (text_of(row) or "").removeprefix(name)
    key, value = name.strip(" :："), clean((whole or "").lstrip(" :："))
    return (key, value) if key and value else None


def _review(node: LexborNode) -> Review:
    stars = node.css_first(".review-rating,[data-hook*=review-star-rating]")
    body = node.css_first(".review-text-content,[data-hook=review-body],[data-hook=reviewText]")
    spoken = text_of(stars)
    heading = text_of(node.css_first(".review-title,[data-hook=review-title],[data-hook=reviewTitle]")) or ""
    return Review(
        title=clean(heading.removeprefix(spoken or "")), score=_score(spoken), body=text_of(body, " ")
    )


def _score(text: str | None) -> float | None:
    """Read a number of stars; in some languages the highest possible score comes first."""
    numbers = [parse_number(part) for part in re.findall(r"\d+(?:[.,٫]\d+)?", text or "")]
    scores = [number for number in numbers if number is not None and 0 < number <= 5]
    if not scores:
        return None
    return scores[1] if len(scores) > 1 and scores[0] == 5 else scores[0]
