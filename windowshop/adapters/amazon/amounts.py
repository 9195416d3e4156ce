"""The nodes in which Amazon prints an amount of money."""

from __future__ import annotations

from selectolax.lexbor import LexborNode

from windowshop.adapters.markup import clean


def price_text(node: LexborNode) -> str | None:
    """Return one amount as printed: read aloud, or whole and fraction apart, or plain text.

    Since 2022 the text for screen readers may be blank, and a saved page may part the visible digits.
    """
    spoken = node.css_first(".a-offscreen")
    text = clean(spoken.text()) if spoken is not None else None
    if text and any(character.isdigit() for character in text):
        return text
    whole = node.css_first(".a-price-whole,.sx-price-whole")
    if whole is None:
        return clean(node.text(separator=" "))
    fraction = node.css_first(".a-price-fraction,.sx-price-fractional")
    symbol = node.css_first(".a-price-symbol,.sx-price-currency")
    digits = "".join(whole.text().split())
    cents = clean(fraction.text()) if fraction is not None else None
    mark = "" if digits[-1:] in (".", ",") else "."
    amount = f"{digits}{mark}{cents}" if cents else digits.rstrip(".,")
    return f"{clean(symbol.text()) or ''}{amount}" if symbol is not None else amount
