"""The words that eBay's own interface puts around what we read, in every language it speaks."""

from __future__ import annotations

import re

from windowshop.adapters.markup import clean

_BEFORE = (
    "new listing", "neues angebot", "neu eingestellt", "nouvelle annonce", "nouvel objet", "nuova inserzione",
    "nuovo annuncio", "nuevo anuncio", "anuncio nuevo", "nueva publicación", "nuevo listado",
    "nieuwe aanbieding", "nieuwe advertentie", "nieuwe vermelding", "nowa oferta", "nowe ogłoszenie",
    "新規出品", "新刊登", "新上架",
    "details about", "details zu", "détails sur", "dettagli su", "detalles acerca de", "details over",
    "szczegóły dotyczące",
)  # fmt: skip
_AFTER = (
    "opens in a new window or tab", "opens in a new window", "opens in new window or tab",
    "opens in a new tab",
    "wird in neuem fenster oder tab geöffnet", "wird in einem neuen fenster oder tab geöffnet",
    "wird in einem neuen fenster geöffnet", "wird in neuem fenster geöffnet",
    "la page s'ouvre dans une nouvelle fenêtre ou un nouvel onglet",
    "la page s'ouvre dans une nouvelle fenêtre",
    "s'ouvre dans une nouvelle fenêtre ou un nouvel onglet", "s'ouvre dans une nouvelle fenêtre",
    "si apre in una nuova finestra o scheda", "si apre in una nuova finestra",
    "si aprirà in una nuova finestra o scheda", "si aprirà in una nuova finestra",
    "se abre en una ventana nueva o en una pestaña nueva", "se abre en una nueva ventana o pestaña",
    "se abre en una ventana o pestaña nueva", "se abre en una ventana nueva", "se abre en una nueva ventana",
    "wordt in een nieuw venster of op een nieuw tabblad geopend",
    "wordt in een nieuw venster of tabblad geopend", "wordt in nieuw venster of tabblad geopend",
    "wordt geopend in een nieuw venster of tabblad", "opent in een nieuw venster of tabblad",
    "otwiera się w nowym oknie lub na nowej karcie", "otwiera się w nowym oknie lub karcie",
    "otworzy się w nowym oknie lub na nowej karcie", "otwiera się w nowym oknie",
    "新しいウィンドウまたはタブに表示されます", "在新窗口或选项卡中打开", "在新視窗或分頁中開啟",
    "show original title", "originaltitel anzeigen", "afficher le titre original",
    "afficher le titre d'origine", "mostra titolo originale", "mostra il titolo originale",
    "mostrar título original", "ver título original", "oorspronkelijke titel weergeven",
    "pokaż oryginalny tytuł",
)  # fmt: skip
_FITMENT = re.compile(
    r"\s*\((?:for|für|passend für|fits|pour|compatible avec|per|compatibile con|para|compatible con|voor|"
    r"geschikt voor|dla|pasuje do|se adapta a)\s?:\s[^()]*(?:\([^()]*\)[^()]*)*\)$",
    re.I,
)
_LONGEST = 1_000
_LAYERS = 6
_SITE_NAME = re.compile(r"(?:\s+[0-9]{12,14})?\s*\|\s*eBay(?:\.[a-z.]+| [A-Z]{2})?\s*$")
_GONE = (
    "out of stock", "sold out", "nicht vorrätig", "nicht auf lager", "nicht verfügbar", "ausverkauft",
    "en rupture de stock", "rupture de stock", "en rupture", "épuisé", "non disponible", "non disponibile",
    "esaurito", "agotado", "sin existencias", "niet op voorraad", "niet beschikbaar", "uitverkocht",
    "niedostępny", "niedostępna", "niedostępne", "brak w magazynie", "wyprzedane", "在庫切れ", "缺貨", "缺货",
)  # fmt: skip
_OUT_OF_STOCK = re.compile(rf"\s*[\[(](?:{'|'.join(_GONE)})[\])]\s*$", re.I)
_ENDED = re.compile(
    rf"\b(?:{'|'.join(_GONE)})\b|"
    r"\b(?:listing|item|auction|bidding)\b[^.]{0,40}\b(?:ended|sold|removed)\b|no longer available|"
    r"^\s*ended\b|(?:angebot|auktion|artikel)[^.]{0,60}(?:beendet|verkauft|nicht mehr verfügbar|entfernt)|"
    r"(?:annonce|objet|vente|enchère)[^.]{0,60}(?:terminée?|vendue?|retirée?|plus disponible)|"
    r"(?:inserzione|oggetto|asta)[^.]{0,60}(?:terminat|scadut|chius|venduto|non è più disponibile|rimoss)|"
    r"(?:anuncio|artículo|subasta)[^.]{0,60}(?:finaliz|terminad|vendid|ya no está disponible|eliminad)|"
    r"(?:advertentie|object|veiling|aanbieding)[^.]{0,60}(?:beëindigd|verkocht|niet meer beschikbaar)|"
    r"(?:oferta|aukcja|przedmiot|licytacja)[^.]{0,60}(?:zakończ|sprzedan|nie jest już dostępn|usunięt)",
    re.I,
)
_CHOOSE = re.compile(
    r"^[-–\s]*(?:please\s+)?(?:select|choose|auswählen|bitte (?:aus)?wählen|wählen|sélectionn|choisi|"
    r"seleziona|scegli|seleccion|elige|elegir|selecteer|selecteren|kies|wybierz|選択)",
    re.I,
)


def bare_title(text: str | None) -> str | None:
    """Strip from a title what the interface adds: "New listing", "(For: ...)", "opens in a new window"."""
    title = clean(text)
    for _ in range(_LAYERS if title and len(title) < _LONGEST else 0):
        if not title:
            return None
        lowered = title.lower().replace("’", "'")
        if lowered.startswith(_BEFORE):
            phrase = next(phrase for phrase in _BEFORE if lowered.startswith(phrase))
            rest = title[len(phrase) :]
            if rest[:1].isalpha() and phrase[-1].isascii():
                return title
            title = rest.lstrip(" :|-–")
        elif lowered.rstrip(" )").endswith(_AFTER):
            lowered = lowered.rstrip(" )")
            phrase = next(phrase for phrase in _AFTER if lowered.endswith(phrase))
            title = title[: len(lowered) - len(phrase)].rstrip(" (-–")
        elif title.endswith(")") and (bare := _FITMENT.sub("", title)) != title:
            title = bare
        else:
            break
    return title or None


def bare_page_title(text: str | None) -> str | None:
    """Strip the site's name (and a product code before it) from a page's own title."""
    return bare_title(_SITE_NAME.sub("", (clean(text) or "")[:_LONGEST]))


def bare_option(text: str | None) -> str | None:
    """Strip "(Out Of Stock)" from an option's value."""
    value = (clean(text) or "")[:_LONGEST] or None
    return clean(_OUT_OF_STOCK.sub("", value)) if value and value[-1] in ")]" else value


def says_out_of_stock(text: str | None) -> bool:
    """Say whether an option's label ends in "(Out Of Stock)"."""
    return _OUT_OF_STOCK.search((clean(text) or "")[:_LONGEST]) is not None


def says_choose(text: str | None) -> bool:
    """Say whether a label asks for a choice ("- Select -") instead of naming a value."""
    return _CHOOSE.search(clean(text) or "") is not None


def says_ended(text: str | None) -> bool:
    """Say whether a status message says that the listing is over or sold out."""
    return text is not None and _ENDED.search(text[:_LONGEST]) is not None
