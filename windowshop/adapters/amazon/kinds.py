"""Which kind of page Amazon sent: told by its structure, never by the words of one language."""

from __future__ import annotations

import re
from typing import Literal

from windowshop.adapters.amazon.sheet import Sheet

Kind = Literal["item", "results", "search", "captcha", "signin", "blocked", "not_found", "error", "other"]
StandIn = Literal["captcha", "blocked", "not_found", "error"]

_SMALL = 60_000
_CAPTCHA = (b"/errors/validateCaptcha", b"opfcaptcha", b"captchacharacters")
_WAF = (b"awsWafCookieDomainList", b"gokuProps", b"AwsWafIntegration", b"challenge.js")
_FAILED = re.compile(rb"cs_50\d|/500_503")
_GONE = re.compile(rb"cs_404|dogsofamazon|/error/[\w-]*/?title")
_OWN = tuple(
    mark % name
    for name in (b"productTitle", b"btAsinTitle")
    for mark in (b'"%s"', b"'%s'", b"id=%s")  # an element's id, not the style of one
)
_FAILED_MARKS = (b"cs_50", b"/500_503")
_GONE_MARKS = (b"cs_404", b"dogsofamazon", b"/error/")
_CODE = re.compile(rb"<title>\s*(50\d|404)\b")
_TITLES = ("productTitle", "btAsinTitle", "ebooksProductTitle")
_FRAMES = ("dp", "dp-container", "ppd", "ASIN", "buybox", "handleBuy", "acrPopover")
_SIGNIN = (
    "ap_login_form",
    "ap_signin_form",
    "ap_email",
    "ap_email_login",
    "ap_password",
    "auth-signin-button",
)
_LISTS = ("s-results-list-atf", "atfResults", "resultItems", "s-result-count", "noResultsTitle", "resultsCol")
_DECISIVE = "#productTitle,.s-main-slot"
_LIST_MARKS = (
    '[data-component-type="s-search-result"],[data-component-type="s-search-results"],'
    ".s-result-item[data-asin]"
)
_FRONT = ("gw-", "gwm-", "desktop-grid-", "desktop-banner")
_ROOT = re.compile(r"https?://www\.amazon\.[a-z.]{2,6}/(?:-/[a-z_A-Z]{2,5}/?)?(?:\?.*)?")


def kind_of(sheet: Sheet, status: int) -> Kind:
    """Classify a page that is the shop's own; `status` decides only where the page itself does not."""
    decisive = sheet.tree.css_first(_DECISIVE)
    if decisive is not None:
        return "item" if decisive.id else "results"
    if _is_item(sheet):
        return "item"
    if any(name in sheet.ids for name in _SIGNIN):
        return "signin"
    if any(name in sheet.ids for name in _LISTS) or sheet.tree.css_first(_LIST_MARKS) is not None:
        return "results"
    if status in (404, 410):
        return "not_found"
    if status >= 500:
        return "error"
    return "search" if _is_front(sheet) else "other"


def stand_in(body: bytes, status: int) -> StandIn | None:
    """Tell the pages that Amazon sends in place of a page: they are small and carry no shop around them.

    Their bytes tell, before there is a tree. A pattern is looked for only where a plain word of it stands,
    which is found a hundred times faster.
    """
    if len(body) >= _SMALL or any(mark in body for mark in _OWN):
        return None
    if any(mark in body for mark in _CAPTCHA):
        return "captcha"
    if any(mark in body for mark in _WAF):
        return "blocked"
    lowered = body.lower()
    titled = _CODE.match(lowered, max(0, lowered.find(b"<title>")))
    code = b"" if titled is None else titled.group(1)
    if code.startswith(b"50") or (any(m in lowered for m in _FAILED_MARKS) and _FAILED.search(lowered)):
        return "error"
    if code == b"404" or (any(mark in lowered for mark in _GONE_MARKS) and _GONE.search(lowered)):
        return "error" if status >= 500 else "not_found"
    return None


def _is_item(sheet: Sheet) -> bool:
    if any(name in sheet.ids for name in _TITLES):
        return True
    return "title" in sheet.ids and any(name in sheet.ids for name in _FRAMES)


def _is_front(sheet: Sheet) -> bool:
    if any(name.startswith(_FRONT) for name in sheet.ids):
        return True
    return _ROOT.fullmatch(sheet.canonical or "") is not None
