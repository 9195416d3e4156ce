"""Pages in place of the one asked for: checks of who we are, listings gone, the shop's own failures."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser

from windowshop.adapters.markup import clean
from windowshop.locales import Locale
from windowshop.pages import Challenge, ErrorPage, NotFound

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
_SMALL = 100_000


def parse_challenge(tree: LexborHTMLParser, size: int, status: int, locale: Locale) -> Challenge | None:
    """Return the check that stands in place of a page without products, if it is one."""
    title = _title(tree)
    if tree.css_first(_CAPTCHA) is not None or _CAPTCHA_TITLE.search(title):
        return Challenge(site="ebay", locale=locale.code, reason="captcha")
    if _BLOCKED_TITLE.search(title) or tree.css_first(_BLOCKED) is not None:
        return Challenge(site="ebay", locale=locale.code, reason="blocked")
    if tree.css_first(_SIGNIN) is not None and (size < _SMALL or _SIGNIN_TITLE.search(title)):
        return Challenge(site="ebay", locale=locale.code, reason="signin")
    if status in (403, 429) or (size < _SMALL and _BLOCKED_TEXT.search(_notice(tree))):
        return Challenge(site="ebay", locale=locale.code, reason="blocked")
    return None


def parse_failure(tree: LexborHTMLParser, status: int, locale: Locale) -> ErrorPage | NotFound | None:
    """Return the shop's word that it failed or that the listing is gone, if the page is one."""
    notice = _notice(tree)
    if status >= 500 or _ERROR_TITLE.search(_title(tree)) or _ERROR_TEXT.search(notice):
        return ErrorPage(site="ebay", locale=locale.code)
    if status in (404, 410) or _GONE.search(notice) or _GONE.search(_title(tree)):
        return NotFound(site="ebay", locale=locale.code)
    return None


def _title(tree: LexborHTMLParser) -> str:
    node = tree.css_first("title")
    return "" if node is None else (clean(node.text()) or "")[:_LONGEST]


def _notice(tree: LexborHTMLParser) -> str:
    """Return what the page has to say: its headings and messages, and all of its text if that is short."""
    said = [clean(node.text()) or "" for node in tree.css(_NOTICE)[:12]]
    for whole in (tree.css_first("main, #mainContent"), tree.body):
        text = "" if whole is None else clean(whole.text()) or ""
        if len(text) <= _LONGEST:
            said.append(text)
    return " . ".join(text for text in said if len(text) <= _LONGEST)
