"""Which kind of page Amazon sent: told by its structure, never by the words of one language."""

from __future__ import annotations

import re
from typing import Literal

from windowshop.adapters.amazon.sheet import Sheet

Kind = Literal["item", "results", "search", "captcha", "signin", "blocked", "not_found", "error", "other"]

_SMALL = 60_000
_CAPTCHA = (b"/errors/validateCaptcha", b"opfcaptcha", b"captchacharacters")
_WAF = (b"awsWafCookieDomainList", b"gokuProps", b"AwsWafIntegration", b"challenge.js")
_FAILED = re.compile(rb"cs_50\d|/500_503|<title>\s*50\d\b", re.IGNORECASE)
_GONE = re.compile(rb"cs_404|dogsofamazon|/error/[\w-]*/?title|<title>\s*404\b", re.IGNORECASE)
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
    """Classify one page; `status` decides only where the page itself does not."""
    if len(sheet.body) < _SMALL:
        kind = _small_kind(sheet.body, status)
        if kind is not None:
            return kind
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


def _small_kind(body: bytes, status: int) -> Kind | None:
    """Tell the pages that Amazon sends in place of a page: they are small and carry no shop around them."""
    if any(mark in body for mark in _CAPTCHA):
        return "captcha"
    if any(mark in body for mark in _WAF):
        return "blocked"
    if _FAILED.search(body):
        return "error"
    if _GONE.search(body):
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
