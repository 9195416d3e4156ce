"""Pages in place of the one asked for: checks of who we are, listings gone, the shop's own failures."""

from __future__ import annotations

import re
from html import unescape
from typing import Literal

from selectolax.lexbor import LexborHTMLParser

from windowshop.adapters.markup import clean
from windowshop.locales import Locale
from windowshop.pages import Challenge, ErrorPage, NotFound

Titled = Literal["captcha", "blocked"]

_CAPTCHA = (
    "#captcha_form, form[action*=captcha], .g-recaptcha, .h-captcha, #captchaFrame, iframe[src*=captcha], "
    "#areaTitle form[name=captcha], #px-captcha"
)
_SIGNIN = (
    "#signin-form, #SignInForm, form[action*='signin.ebay'], input#userid, input#pass, "
    "#signin-continue-btn, input[type=password]"
)
_BLOCKED = "#destForm, input#_chlghost, input#_crefId"
_BLOCKED_TITLE = re.compile(
    r"pardon our interruption|access denied|checking your browser|zugriff verweigert|accès refusé|"
    r"accesso negato|acceso denegado|toegang geweigerd|odmowa dostępu|robot check|just a moment",
    re.I,
)
_BLOCKED_TEXT = re.compile(
    r"checking your browser before you access|you don['’]t have permission to access|"
    r"unusual (?:traffic|activity)|prüfen ihren browser",
    re.I,
)
_CAPTCHA_TITLE = re.compile(
    r"security measure|sicherheitsmaßnahme|mesure de sécurité|misura di sicurezza|medida de seguridad|"
    r"beveiligingsmaatregel|środek bezpieczeństwa|verify yourself",
    re.I,
)
_SIGNIN_TITLE = re.compile(
    r"sign in|log ?in\b|einloggen|anmelden|connectez|identifi|connexion|accedi|iniciar sesión|inicia sesión|"
    r"identifícate|inloggen|zaloguj|サインイン",
    re.I,
)
_ERROR_TITLE = re.compile(
    r"^error page|^fehlerseite|page d['’]erreur|pagina di errore|página de error|foutpagina|strona błędu|"
    r"service unavailable|internal server error|^(?:5\d\d)\b|bad gateway|gateway time-?out",
    re.I,
)
_ERROR_TEXT = re.compile(
    r"something went wrong on our end|internal server error|service (?:is )?(?:temporarily )?unavailable|"
    r"we['’]re having trouble|technical difficult|tut uns leid[^.]{0,40}problem|"
    r"un problème est survenu|si è verificato un problema|se ha producido un (?:problema|error)",
    re.I,
)
_GONE = re.compile(
    r"we looked everywhere|this page is missing|page not found|invalid item|this listing is unavailable|"
    r"(?:page|listing|item)[^.]{0,60}(?:is(?:n['’]t| not| no longer) available|(?:has been|was) removed|"
    r"not found|does(?:n['’]t| not) exist|(?:was|has) ended|is invalid|may have (?:expired|been removed))|"
    r"wir haben überall (?:gesucht|nachgesehen)|(?:angebot|artikel|seite)[^.]{0,60}"
    r"(?:nicht (?:mehr )?(?:verfügbar|gefunden|vorhanden)|beendet|entfernt)|(?:page|annonce|objet)[^.]{0,60}"
    r"(?:introuvable|n['’]est plus disponible|n['’]existe pas|retirée?|terminée?)|"
    r"(?:pagina|inserzione|oggetto)[^.]{0,60}(?:non (?:è (?:più )?disponibile|trovat|esiste)|rimoss|scadut)|"
    r"(?:página|anuncio|artículo)[^.]{0,60}(?:no (?:está disponible|se encuentra|existe)|ya no está|eliminad|"
    r"finaliz)|(?:pagina|advertentie|object)[^.]{0,60}(?:niet (?:meer )?(?:beschikbaar|gevonden)|verwijderd|"
    r"beëindigd)|(?:strona|oferta|przedmiot)[^.]{0,60}(?:nie (?:została znaleziona|istnieje|jest (?:już )?"
    r"dostępn)|usunięt)",
    re.I,
)
_NOTICE = (
    "h1, h2, .error-header, .error-header__headline, .page-notice, .ux-message, .d-statusmessage, .sml-co, "
    "#errorTxt, .errorTxt, .msgTextAlign, [class*=nodestar-item-card-details__banner], .status--container"
)
_LONGEST = 1_500
_LONGEST_RAW = 30_000
_SMALL = 100_000
_HEAD = 8_192
_TITLE = re.compile(rb"<title[^>]{0,100}>([^<]{1,200})<")
_OWN = (
    *(b"x-item-title", b"itemTitle", b"srp-controls", b"/itm/", b"ViewItem"),
    *(b'name="_nkw"', b"name='_nkw'", b"name=_nkw", b"satitle"),
)


def titled_check(body: bytes) -> Titled | None:
    """Say which check a page is by its title, before there is a tree; nothing of the shop is around one.

    What blocks us may hold a captcha too: that is for its forms to say.
    """
    found = None if len(body) >= _SMALL else _TITLE.search(body, 0, _HEAD)
    titled = None if found is None else _titled(unescape(found.group(1).decode("utf-8", "replace")))
    if titled is None or any(mark in body for mark in _OWN):
        return None
    return None if titled == "blocked" and b"captcha" in body else titled


def parse_stand_in(
    tree: LexborHTMLParser, body: bytes, status: int, locale: Locale
) -> Challenge | ErrorPage | NotFound | None:
    """Return what stands in place of a page without products: a check of us, a failure, a listing gone.

    Words and marks that a shop's ordinary page may carry count on a small page alone.
    """
    title, small = _title(tree), len(body) < _SMALL
    reason = _reason(tree, body, title, small)
    if reason is not None:
        return Challenge(site="ebay", locale=locale.code, reason=reason)
    notice = _notice(tree)
    if status in (403, 429) or (small and _BLOCKED_TEXT.search(notice)):
        return Challenge(site="ebay", locale=locale.code, reason="blocked")
    if status >= 500 or _ERROR_TITLE.search(title) or _ERROR_TEXT.search(notice):
        return ErrorPage(site="ebay", locale=locale.code)
    if status in (404, 410) or _GONE.search(notice) or _GONE.search(title):
        return NotFound(site="ebay", locale=locale.code)
    return None


def _reason(
    tree: LexborHTMLParser, body: bytes, title: str, small: bool
) -> Literal["captcha", "signin", "blocked"] | None:
    """Say which check a page is by its forms and its title."""
    titled = _titled(title)
    if titled == "captcha" or (b"captcha" in body and tree.css_first(_CAPTCHA) is not None):
        return "captcha"
    if titled == "blocked" or tree.css_first(_BLOCKED) is not None:
        return "blocked"
    if (small or _SIGNIN_TITLE.search(title)) and tree.css_first(_SIGNIN) is not None:
        return "signin"
    return None


def _titled(title: str) -> Titled | None:
    if _CAPTCHA_TITLE.search(title):
        return "captcha"
    return "blocked" if _BLOCKED_TITLE.search(title) else None


def _title(tree: LexborHTMLParser) -> str:
    node = tree.css_first("title")
    return "" if node is None else (clean(node.text()) or "")[:_LONGEST]


def _notice(tree: LexborHTMLParser) -> str:
    """Return what the page has to say: its headings and messages, and all of its text if that is short."""
    nodes = (*tree.css(_NOTICE)[:12], tree.css_first("main, #mainContent"), tree.body)
    raw = ("" if node is None else node.text() for node in nodes)
    said = (clean(text) or "" for text in raw if len(text) <= _LONGEST_RAW)
    return " . ".join(dict.fromkeys(text for text in said if len(text) <= _LONGEST))
