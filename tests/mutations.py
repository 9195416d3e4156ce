"""Ways to break a page, each a pure function of the page, of chance and of another page."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from itertools import pairwise

Mutation = Callable[[bytes, random.Random, bytes], bytes]

AIMS = (
    b"dimensionToAsinMap variationValues variation_values dimensions variationDisplayLabels "
    b"selectedVariationValues selected_variation_values asinVariationValues asin_variation_values "
    b"dimensionValuesDisplayData sortedDimValuesForAllDims indexInDimList defaultAsin "
    b"dimensionValueState data-asin data-index data-component-type data-a-state data-initiallyselected "
    b"data-defaultasin data-dp-url productTitle canonical desktop_buybox_group_1 displayPrice "
    b"priceAmount currencySymbol totalResultCount acrPopover acrCustomerReviewText a-offscreen "
    b"a-price-whole a-price-range feature-bullets productDescription landingImage review-star-rating "
    b"review-body application/ld+json selectMenus menuItemMap variationsMap variationCombinations "
    b"itmVarModel menuItemValueIds matchingVariationIds outOfStock valueId valueName displayName "
    b"displayLabel selectedValueId binModel textSpans itemVariationsMap menuModels quantity price "
    b"value currency text offers @type @graph name itemListElement aggregateRating ratingValue "
    b"reviewCount brand sku image availability itemCondition x-price-primary x-price-approx "
    b"ux-textspans desc_ifr og:url s-item__price s-item__title s-item__link s-card__price "
    b"srp-controls__count-heading srp-results data-viewport data-listingid href src title aria-label "
    b"aria-disabled selectboxlabel listbox__option option selected content charset "
).split()
"""Words near which an adapter reads: a mutation that lands there is worth a hundred that do not."""

VALUES = (
    7, -1, 0, 1.5, 10**400, True, None, "", "7", " ", "\ud800", "²", "٣٫٥", "1" * 5000, [], {}, [None],
    [[]], [1, "a", None, {}], {"": None}, {"a": {"a": []}}, {"0": 0}, {"-1": "B000000000"}, "B000000000",
    "_", "0_x",
)  # fmt: skip
LITERALS = (
    *map(json.dumps, VALUES), "NaN", "Infinity", "-Infinity", "1e999", "-0", "undefined", "{", "]", "",
)  # fmt: skip
CHARSETS = (
    "utf-16", "utf-32", "utf-7", "utf-8-sig", "shift_jis", "iso-2022-jp", "hz", "big5", "cp037", "idna",
    "punycode", "unicode_escape", "raw_unicode_escape", "rot13", "hex", "base64", "zip", "bz2", "uu",
    "undefined", "mbcs", "x-user-defined", "windows-1252", "latin-1", "koi8-r", "none", "..", "utf_8_\x00",
    "é",
)  # fmt: skip
ODDITIES = (
    "\x00", "\ud800", "&#xD800;", "&#0;", "&#x110000;", "\ufeff", "\u202e", "\U000e0041", "²", "½", "٣",
    "１２", "9" * 400, "$1e999", "$-5", "$.", "$1.2.3", "$,", "1,2,3", "$" * 500, "[SEP]", "[button]", "]",
    "[", "\n\n", "</script>", "<!--", "-->", "<![CDATA[", "<script>", "<textarea>", "<plaintext>", "<svg>",
    "<template>", "<select>", "'", '"', "\\",
)  # fmt: skip
ESCAPES = (
    rb"\ud800", rb"\udc00\ud800", rb"\u0000", rb"\u202e", rb"\u2028", rb"\n", rb"\x", b"\\", rb"\u12",
    rb"\u003c/script\u003e", rb"\"", b"\n", b"&#xD800;", b"&quot;", b"&lt;b&gt;", b"/", b"A" * 100_000,
)  # fmt: skip
_TAG = re.compile(rb"<[a-zA-Z][^<>]{0,400}>")
_ATTRIBUTE = re.compile(rb"""(?<=\s)[\w:-]{1,40}=(?:"[^"]{0,9000}"|'[^']{0,9000}')""")
_KEY = re.compile(r'"\s*:\s*')
_NUMBER = re.compile(rb"\d+")
_STRING = re.compile(rb'"[^"\\\n<>]{1,80}"')
_NEAR = 30_000
_DECODER = json.JSONDecoder()


def cut(page: bytes, dice: random.Random, other: bytes) -> bytes:
    """Lose the end, the beginning or a piece of the middle."""
    first, last = sorted((_place(page, dice), _place(page, dice)))
    return dice.choice((page[:first], page[first:], page[:first] + page[last:], page[first:last]))


def shuffle(page: bytes, dice: random.Random, other: bytes) -> bytes:
    blocks = _blocks(page, dice)
    dice.shuffle(blocks)
    return b"".join(blocks)


def double(page: bytes, dice: random.Random, other: bytes) -> bytes:
    blocks = _blocks(page, dice)
    for _ in range(dice.choice((1, 2, 5))):
        blocks.insert(dice.randrange(len(blocks) + 1), dice.choice(blocks))
    return b"".join(blocks)


def delete(page: bytes, dice: random.Random, other: bytes) -> bytes:
    return b"".join(block for block in _blocks(page, dice) if dice.random() < 0.8)


def splice(page: bytes, dice: random.Random, other: bytes) -> bytes:
    """Go on with another page from some point."""
    return page[: _place(page, dice)] + other[_place(other, dice) :]


def mislabel(page: bytes, dice: random.Random, other: bytes) -> bytes:
    """Say that the page is in a charset that it is not in."""
    label = dice.choice(CHARSETS)
    spoiled = page + b"\xff" if dice.random() < 0.7 else page
    return f'<meta charset="{label}">'.encode() + spoiled


def recode(page: bytes, dice: random.Random, other: bytes) -> bytes:
    """Send the page in another charset than it says."""
    codec = dice.choice(
        ("utf-16", "utf-16-be", "utf-32", "utf-8-sig", "cp1252", "shift_jis", "cp037", "utf-7")
    )
    return page.decode("utf-8", "replace").encode(codec, "replace")


def scramble(page: bytes, dice: random.Random, other: bytes) -> bytes:
    """Overwrite runs of bytes with noise."""
    body = bytearray(page)
    for _ in range(dice.choice((1, 10, 100))):
        at = _place(page, dice)
        noise = dice.randbytes(dice.choice((1, 2, 16, 300)))
        body[at : at + len(noise)] = noise
    return bytes(body)


def nest(page: bytes, dice: random.Random, other: bytes) -> bytes:
    """Open many elements and close few of them."""
    tag = dice.choice(
        (b"<div>", b"<b>", b"<table><tr><td>", b"<ul><li>", b"<span class=a-price>", b"<form>", b"<svg>")
    )
    depth = dice.choice((50, 500, 3_000, 10_000, 30_000, 100_000))
    closing = b"</div>" * dice.choice((0, 0, depth))
    return _insert(page, _place(page, dice), tag * depth + closing)


def bloat(page: bytes, dice: random.Random, other: bytes) -> bytes:
    """Give an element a huge attribute, or very many."""
    size = dice.choice((1_000, 50_000, 1_000_000))
    found = list(_TAG.finditer(page, _place(page, dice)))[:20]
    at = dice.choice(found).end() - 1 if found else 0
    return _insert(page, at, dice.choice((
        b' title="' + b"A" * size + b'"',
        b' class="' + b"a " * (size // 2) + b'"',
        b' href="/dp/' + b"%41" * (size // 3) + b'"',
        b' data-x="' + b"$1," * (size // 3) + b'"',
        b" ".join(b"d%d=1" % number for number in range(size // 100)).join((b" ", b"")),
    )))  # fmt: skip


def swap_attribute(page: bytes, dice: random.Random, other: bytes) -> bytes:
    """Change what attributes say."""
    for _ in range(dice.choice((1, 5, 30))):
        found = _ATTRIBUTE.search(page, _place(page, dice))
        if found is not None:
            name = found.group().partition(b"=")[0]
            value = _bytes(dice.choice((dice.choice(ODDITIES), str(dice.choice(VALUES)))))
            page = page[: found.start()] + name + b'="' + value + b'"' + page[found.end() :]
    return page


def sprinkle(page: bytes, dice: random.Random, other: bytes) -> bytes:
    """Strew marks and signs that mean something to a parser."""
    for _ in range(dice.choice((1, 5, 30))):
        page = _insert(page, _place(page, dice), _bytes(dice.choice(ODDITIES)))
    return page


def renumber(page: bytes, dice: random.Random, other: bytes) -> bytes:
    """Change numbers."""
    for _ in range(dice.choice((1, 5, 30))):
        found = _NUMBER.search(page, _place(page, dice))
        if found is not None:
            number = _bytes(
                dice.choice(("", "0", "-1", "²", "٣", "1e999", "9" * 400, "9" * 5000, "NaN", "1.2.3", "_"))
            )
            page = page[: found.start()] + number + page[found.end() :]
    return page


def unbrace(page: bytes, dice: random.Random, other: bytes) -> bytes:
    """Lose or change some of the brackets and quotes that embedded data is held together by."""
    body = bytearray(page)
    for _ in range(dice.choice((1, 5, 30))):
        sign = dice.choice(b'{}[]",:')
        at = body.find(sign, _place(page, dice))
        if at >= 0:
            body[at : at + 1] = dice.choice((b"", b"{", b"[", b"]", b"}", b'"', b"\\", b",", b"null"))
    return bytes(body)


def retype(page: bytes, dice: random.Random, other: bytes) -> bytes:
    """Put a value of another type behind keys of embedded data."""
    text = page.decode("latin-1")
    for _ in range(dice.choice((1, 3, 10))):
        key = _KEY.search(text, _place(page, dice))
        if key is None:
            continue
        try:
            end = _DECODER.raw_decode(text, key.end())[1]
        except (ValueError, RecursionError):
            continue
        inside = text[key.end() : end]
        wrapped = (f"[{inside}]", f'{{"a":{inside}}}', json.dumps(inside), inside + inside)
        value = dice.choice((dice.choice(LITERALS), dice.choice(wrapped)))
        text = text[: key.end()] + value + text[end:]
    return text.encode("latin-1", "replace")


def respell(page: bytes, dice: random.Random, other: bytes) -> bytes:
    """Write into strings of embedded data what only an escape can bring there."""
    for _ in range(dice.choice((1, 5, 30))):
        found = _STRING.search(page, _place(page, dice))
        if found is not None:
            page = _insert(page, dice.choice((found.start() + 1, found.end() - 1)), dice.choice(ESCAPES))
    return page


def deepen(page: bytes, dice: random.Random, other: bytes) -> bytes:
    """Nest embedded data deeper than a decoder can follow."""
    key = re.compile(rb'"\s*:\s*').search(page, _place(page, dice))
    depth = dice.choice((100, 2_000, 100_000))
    return _insert(page, key.end() if key else 0, dice.choice((b"[", b'{"a":', b"[{}, ")) * depth)


MUTATIONS: tuple[Mutation, ...] = (
    cut, shuffle, double, delete, splice, mislabel, recode, scramble, nest, bloat, swap_attribute, sprinkle,
    renumber, renumber, unbrace, unbrace, retype, retype, retype, respell, respell, deepen,
)  # fmt: skip


def _place(page: bytes, dice: random.Random) -> int:
    """Return a place in the page, mostly one just behind a word that an adapter looks for."""
    anywhere = dice.randrange(len(page) + 1)
    if dice.random() < 0.3:
        return anywhere
    words = dice.choices(AIMS, k=8)
    finds = [page.find(word, anywhere, anywhere + _NEAR) for word in words]
    finds.append(page.find(words[0]))
    near = [(found, word) for found, word in zip(finds, (*words, words[0]), strict=True) if found >= 0]
    if not near:
        return anywhere
    found, word = dice.choice(near)
    return min(len(page), found + len(word) + dice.choice((0, 0, 0, 40)))


def _blocks(page: bytes, dice: random.Random) -> list[bytes]:
    """Cut the page into some pieces, each of which begins with a tag where there is one near."""
    ends = {page.find(b"<", _place(page, dice)) for _ in range(dice.choice((3, 10, 40)))}
    marks = [0, *sorted(end for end in ends if end > 0), len(page)]
    return [page[first:last] for first, last in pairwise(marks)]


def _insert(page: bytes, at: int, piece: bytes) -> bytes:
    return page[:at] + piece + page[at:]


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
