"""What an item page says about the product itself, apart from its price and its choices."""

from __future__ import annotations

import re
from urllib.parse import unquote

from selectolax.lexbor import LexborNode

from windowshop.adapters.amazon.sheet import Sheet, under_ids
from windowshop.adapters.fields import UNSAID, Field, Settled, Source, merged, once
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
_STARS = ("acrPopover", "averageCustomerReviews", "averageCustomerReviews_feature_div")
_MEDLEYS = ("reviewsMedley", "customerReviews", "customer-reviews_feature_div")
_BYLINES = ("bylineInfo", "brand", "bylineInfo_feature_div", "brandByline_feature_div")
_CRUMBS = ("wayfinding-breadcrumbs_feature_div", "wayfinding-breadcrumbs_container")
_ROW = "tr,li,.product-facts-detail"
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


def _name(_: Sheet, node: LexborNode) -> str | None:
    return text_of(node) or clean(node.attributes.get("value"))


def _stars(_: Sheet, node: LexborNode) -> float | None:
    icon = node.css_first(".a-icon-alt")
    return _score(node.attributes.get("title") or (icon.text() if icon is not None else None))


def _count(node: LexborNode | None) -> int | None:
    if node is None:
        return None
    return parse_count(node.attributes.get("aria-label")) or parse_count(node.text())


def _counted_below(sheet: Sheet) -> int | None:
    """Return the count that stands over the reviews; the one beside the stars may only say "1.2K"."""
    medley = sheet.first(*_MEDLEYS)
    return None if medley is None else _count(medley.css_first('[data-hook="total-review-count"]'))


def _byline(sheet: Sheet) -> tuple[LexborNode | None, str | None]:
    node = sheet.first(*_BYLINES)
    return node, text_of(node)


def _of_a_book(sheet: Sheet) -> Settled | None:
    """Settle that there is no brand where the line names authors."""
    node, line = once(sheet, _byline)
    return UNSAID if node is not None and line and node.css_first(".author,.contributorNameID") else None


def _named_in_line(sheet: Sheet) -> str | None:
    line = (once(sheet, _byline)[1] or "")[:_LONGEST_LINE]
    named = _NAMED.fullmatch(line) or _VISIT.fullmatch(line)
    return None if named is None else next(group for group in named.groups() if group).strip()


def _listed_brand(sheet: Sheet) -> str | None:
    facts = SPECIFICS.value(sheet) or {}
    return next((value for key, value in facts.items() if _BRAND_KEY.fullmatch(key)), None)


def _shop_brand(sheet: Sheet) -> str | None:
    node, line = once(sheet, _byline)
    shop = _SHOP.search((node.attributes.get("href") or "") if node is not None else "")
    name = None if shop is None else unquote(shop.group(1))
    return name if name and line and name.lower() in line.lower() else None


def _whole_line(sheet: Sheet) -> str | None:
    node, line = once(sheet, _byline)
    return line if node is not None and node.id in ("bylineInfo", "brand") else None


def _lines(_: Sheet, node: LexborNode) -> tuple[str, ...]:
    lines = (text_of(item) for item in node.css("li") if not _hidden(item))
    return tuple(line for line in lines if line)


def _prose(_: Sheet, node: LexborNode) -> str | None:
    return text_of(node, " ")


def _categories(_: Sheet, node: LexborNode) -> tuple[str, ...]:
    """Return the categories that lead to the item; a link back to a search is none of them."""
    links = [link for link in node.css("li a") if link.id != "breadcrumb-back-link"]
    return tuple(text for link in links if (text := text_of(link)) and not text.startswith("‹"))


def _rows(name: str) -> Source[Sheet]:
    def answer(sheet: Sheet) -> dict[str, str]:
        found: dict[str, str] = {}
        for section in sheet.every(name):
            for row in section.css(_ROW):
                pair = _pair(row)
                if pair is not None:
                    found.setdefault(*pair)
        return found

    return Source(f"#{name}", f"#{name} {_ROW}", answer)


def _reviews(sheet: Sheet) -> tuple[Review, ...]:
    names = [name for name in sheet.ids if name.startswith("customer_review")]
    return tuple(_review(sheet.ids[name]) for name in names[:_MAX_REVIEWS])


def _picture(_: Sheet, node: LexborNode) -> str | None:
    attributes = node.attributes
    address = attributes.get("data-old-hires") or attributes.get("src") or ""
    if address.startswith("http"):
        return address
    sizes = json_at(attributes.get("data-a-dynamic-image") or "")
    return str(next(iter(sizes))) if isinstance(sizes, dict) and sizes else None


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


_TABLE_SOURCES = tuple(map(_rows, _TABLES))
SPECIFICS: Field[Sheet] = Field("specifics", _TABLE_SOURCES, lambda sheet: merged(_TABLE_SOURCES, sheet))
TITLE: Field[Sheet] = Field("title", under_ids(_TITLES, _name))
RATING: Field[Sheet] = Field("rating", under_ids(_STARS, _stars, ".a-icon-alt"))
REVIEW_COUNT: Field[Sheet] = Field(
    "review_count",
    (
        Source(
            "#acrCustomerReviewText",
            "#acrCustomerReviewText",
            lambda sheet: _count(sheet.first("acrCustomerReviewText")),
        ),
        Source("over the reviews", '[data-hook="total-review-count"]', _counted_below),
    ),
)
BRAND: Field[Sheet] = Field(
    "brand",
    (
        Source("authors of a book", "#bylineInfo .author", _of_a_book),
        Source("byline", ", ".join(f"#{name}" for name in _BYLINES), _named_in_line),
        Source("details", "the brand among the specifics", _listed_brand),
        Source("store", '#bylineInfo[href*="/stores/"]', _shop_brand),
        Source("whole byline", "#bylineInfo, #brand", _whole_line),
    ),
)
BULLETS: Field[Sheet] = Field("bullets", under_ids(_BULLETS, _lines, "li"))
DESCRIPTION: Field[Sheet] = Field("description", under_ids(_DESCRIPTIONS, _prose))
BREADCRUMBS: Field[Sheet] = Field("breadcrumbs", under_ids(_CRUMBS, _categories, "li a"))
REVIEWS: Field[Sheet] = Field("reviews", (Source("printed", "[id^=customer_review]", _reviews),))
IMAGE: Field[Sheet] = Field("image", under_ids(_IMAGES, _picture))
