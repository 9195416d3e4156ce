"""Take out of a page what tells who was looking at it, and leave the page as it was otherwise.

The bytes are edited, not the parsed tree: a page that could not be read must stay as broken as it came.
"""

from __future__ import annotations

import re
from collections.abc import Callable, ItemsView, Iterable, Iterator
from typing import NamedTuple

_WHO = ("customer", "user", "buyer", "member", "account", "login", "visitor", "device", "request")
_WHAT = ("id", "-id", "_id", "name", "-name", "_name", "guid")
_PRIVATE = (
    b"csrf", b"token", b"session", b"ubid", b"nonce", b"secret", b"passw", b"cookie", b"signature",
    b"email", b"e-mail", b"zipcode", b"zip_code", b"postal", b"postcode", b"phone", b"firstname",
    b"first_name", b"lastname", b"last_name", b"fullname", b"full_name", b"familyname", b"nickname",
    b"deliverto", b"deliver-to", b"deliveryaddress", b"deliverylocation", b"deliveryzip", b"shipto",
    b"ship-to", b"ipaddr", b"latitude", b"longitude", b"at-main", b"x-main", b"sess-at", b"ue_sid",
    b"ue_id", b"ue_furl",
    *((who + what).encode() for who in _WHO for what in _WHAT),
)  # fmt: skip
"""What stands in the name of a value that tells who is looking, in lower case."""
_QUOTE = rb"(?:\\{0,3}[\"']|&quot;|&\#34;|&\#x22;|&\#39;)"
_RULES = tuple(
    re.compile(pattern, re.IGNORECASE | re.VERBOSE)
    for pattern in (
        # an e-mail address; what ends like a file (image@2x.png) is none
        rb"(?<![\w.+-])(?P<gone>[\w.+-]{1,64}(?:@|%40|&\#64;|\\u0040)(?:[a-z0-9-]{1,63}\.){1,4}"
        rb"(?!(?:png|jpe?g|gif|webp|svg|js|css|mjs|html?|min|map)\b)[a-z]{2,12})\b",
        # the shape of an Amazon session, browser or order number
        rb"(?<![\w-])(?P<gone>\d{3}-\d{7}-\d{7})(?![\w-])",
        # a signed token
        rb"(?P<gone>\beyJ[\w-]{10,}\.[\w-]+\.[\w-]*)",
    )
)
_SAID_OF = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # "sessionId": "...", csrfToken = '...', data-token="...", from the private word on
        rb"[\w.$-]{0,40}" + _QUOTE + rb"?\s{0,3}[:=]\s{0,3}"
        rb"(?:" + _QUOTE + rb"(?P<gone>[^\"'<>\\\n]{1,4000}?)" + _QUOTE + rb"|(?P<bare>\d{4,}))",
        # ?session-id=..., a line of cookies
        rb"[\w.-]{0,40}(?:=|%3D)(?P<gone>[^&\"'<>\s;,()\\]{3,2000})",
    )
)
_FORM_TAG = re.compile(rb"<(?:input|meta|button|form)\b[^>]{1,8000}>", re.IGNORECASE)
_NAME_OF_TAG = re.compile(
    rb"\s(?:name|id|property|http-equiv)\s*=\s*[\"']?(?P<name>[^\"'>\s]+)", re.IGNORECASE
)
_VALUE = re.compile(rb"\s(?:value|content)\s*=\s*(?:\"(?P<gone>[^\"]+)\"|'(?P<bare>[^']+)')", re.IGNORECASE)
_PERSONAL = re.compile(
    rb"nav-link-accountList|nav-link-yourAccount|nav-signin-t|nav-global-location|glow-|GLUX|"
    rb"contextualIngressPt|delivery-?address|deliver-to|ship-?to-?insert|shipto|ddmDeliveryLocation|"
    rb"customer-?name|user-name|gh-u[gn]\b|gh-eb-u|gh-ident|gh-user|greeting",
    re.IGNORECASE,
)
_OPENING = re.compile(rb"<([a-z][a-z0-9]*)\b[^>]*\s(?:id|class|data-testid)\s*=[^>]*", re.IGNORECASE)
_TEXT = re.compile(rb">(?P<gone>[^<>]*[^<>\s][^<>]*)<")
_SPOKEN = re.compile(rb"\s(?:aria-label|title|alt)\s*=\s*\"(?P<gone>[^\"]+)\"", re.IGNORECASE)
_GREETING = re.compile(
    r"[>\"'](?:\s|&nbsp;){0,20}(?:hello|hallo|hi|hey|bonjour|hola|ciao|buongiorno|olá|oi|hej|cześć|witaj|"
    r"merhaba|dag|welcome back|deliver(?:ing)? to|liefern (?:an|nach)|livraison à|livrer à|enviar a|"
    r"spedire a|invia a|consegna a|bezorgen (?:in|bij)|leverera till|dostarcz do)[,.!]?(?:\s|&nbsp;){1,4}"
    r"(?P<gone>[^<>\"'{}]{1,60}?)(?:\s|&nbsp;)*[<\"']".encode(),
    re.IGNORECASE,
)
_SCRIPT = re.compile(rb"<script\b(?P<head>[^>]*)>(?P<gone>.*?)</script", re.IGNORECASE | re.DOTALL)
_ADDRESS = re.compile(rb"(?<![\w.])(?P<gone>(?:\d{1,3}\.){3}\d{1,3})(?![\w.])")
_NAME = re.compile(r"[^\W\d_][\w'’-]{2,30}(?: [^\W\d_][\w'’-]{1,30})?")
_NUMBERED = re.compile(rb"(?<![\w-])\w*\d[\w-]{3,9}(?![\w-])")
_LONGEST_PART = 40_000
_LONGEST_TAG = 2_000


class Edit(NamedTuple):
    """Bytes to write in place of others. A `sure` one is a secret wherever it stands."""

    start: int
    end: int
    text: bytes
    sure: bool


def scrub(body: bytes, same: Callable[[bytes], bool]) -> bytes:
    """Return a page without e-mail, tokens, session ids, the reader's name and place, and their scripts.

    What is only likely to be private goes where `same` says of the edited page that it is read as before.
    """
    edits = list(_edits(body))
    sure = [edit for edit in edits if edit.sure]
    likely = _greatest([edit for edit in edits if not edit.sure])
    for part in (likely, sorted(edit for edit in edits if not edit.sure and edit not in likely)):
        sure = _add(body, sure, part, same)
    return _applied(body, sure)


def _add(body: bytes, done: list[Edit], more: list[Edit], same: Callable[[bytes], bool]) -> list[Edit]:
    """Add as many edits as leave the page the same; halves are tried where all do not."""
    if not more or same(_applied(body, [*done, *more])):
        return [*done, *more]
    if len(more) == 1:
        return done
    half = len(more) // 2
    return _add(body, _add(body, done, more[:half], same), more[half:], same)


def _applied(body: bytes, edits: Iterable[Edit]) -> bytes:
    """Make the edits; of two that overlap, the one that begins first and is longest."""
    parts, at = [], 0
    for edit in sorted(edits, key=lambda edit: (edit.start, -edit.end)):
        if edit.start >= at:
            parts += [body[at : edit.start], edit.text]
            at = edit.end
    return b"".join([*parts, body[at:]])


def _greatest(edits: list[Edit]) -> list[Edit]:
    """Return the edits that stand in no other one."""
    found: list[Edit] = []
    for edit in sorted(edits, key=lambda edit: (edit.start, -edit.end)):
        if not found or edit.start >= found[-1].end:
            found.append(edit)
    return found


def _edits(body: bytes) -> Iterator[Edit]:
    secrets = [edit for rule in _RULES for edit in _found(rule, body, 0, True)]
    secrets += (edit for place in _private_places(body.lower()) for edit in _said_of(body, place))
    for tag in _FORM_TAG.finditer(body):
        names = b" ".join(_NAME_OF_TAG.findall(tag.group())).lower()
        if any(word in names for word in _PRIVATE):
            secrets += _found(_VALUE, tag.group(), tag.start(), True)
    personal = [edit for start, tag in _personal_parts(body) for edit in _of_person(body, start, tag)]
    greetings = list(_found(_GREETING, body, 0, False))
    yield from secrets
    yield from personal
    yield from greetings
    yield from _found(_ADDRESS, body, 0, False)
    words = _learned(body, personal, greetings)
    if words:
        again = rb"(?<![\w-])(?P<gone>" + b"|".join(map(re.escape, sorted(words))) + rb")(?![\w-])"
        yield from _found(re.compile(again), body, 0, False)
    starts = sorted(edit.start for edit in secrets)
    for script in _SCRIPT.finditer(body):
        if any(script.start("gone") <= start < script.end("gone") for start in starts):
            yield Edit(*script.span("gone"), b"", False)


def _private_places(lower: bytes) -> Iterator[int]:
    """Yield where a private word ends; a plain search for each is tenfold faster than one for all."""
    for word in _PRIVATE:
        at = lower.find(word)
        while at >= 0:
            yield at + len(word)
            at = lower.find(word, at + len(word))


def _said_of(body: bytes, place: int) -> Iterator[Edit]:
    for rule in _SAID_OF:
        match = rule.match(body, place)
        if match is not None:
            yield _edit(match, 0, True)


def _found(rule: re.Pattern[bytes], body: bytes, offset: int, sure: bool) -> Iterator[Edit]:
    return (_edit(match, offset, sure) for match in rule.finditer(body))


def _edit(match: re.Match[bytes], offset: int, sure: bool) -> Edit:
    name = "gone" if match.group("gone") is not None else "bare"
    start, end = match.span(name)
    return Edit(offset + start, offset + end, _stand_in(match.group(name)), sure)


def _stand_in(text: bytes) -> bytes:
    """Return what says nothing in the shape of what was there, so that scripts and forms stay well-formed."""
    if text.isdigit() or re.fullmatch(rb"[\d.-]+", text):
        return re.sub(rb"\d", b"0", text)
    return b"scrubbed"


def _personal_parts(body: bytes) -> ItemsView[int, bytes]:
    """Return where the elements begin whose names say that they speak to a person, and their tags."""
    found: dict[int, bytes] = {}
    for mark in _PERSONAL.finditer(body):
        start = body.rfind(b"<", max(0, mark.start() - _LONGEST_TAG), mark.start())
        opening = _OPENING.match(body, start) if start >= 0 else None
        if opening is not None and opening.end() >= mark.end():
            found[start] = opening.group(1)
    return found.items()


def _of_person(body: bytes, start: int, tag: bytes) -> Iterator[Edit]:
    """Yield what an element says to the person who is signed in, or where they live."""
    part = body[start : _end_of(body, start, tag)]
    for rule in (_TEXT, _SPOKEN):
        yield from _found(rule, part, start, False)


def _end_of(body: bytes, start: int, tag: bytes) -> int:
    """Return where an element ends; one that does not soon is taken for its opening tag and first text."""
    depth = 0
    nested = re.compile(rb"<(/?)" + tag + rb"\b[^>]*?(/?)>", re.IGNORECASE)
    for match in nested.finditer(body, start, start + _LONGEST_PART):
        depth += -1 if match.group(1) else 0 if match.group(2) else 1
        if depth <= 0:
            return match.end()
    first = body.find(b"<", body.find(b">", start))
    return first + 1 if first >= 0 else len(body)


def _learned(body: bytes, personal: Iterable[Edit], greetings: Iterable[Edit]) -> set[bytes]:
    """Return the names that the page greets and the postcodes that it delivers to, to find them elsewhere."""
    names = {body[edit.start : edit.end].decode("utf-8", "replace").strip() for edit in greetings}
    words = {name.encode() for name in names if _NAME.fullmatch(name) and name[0].isupper()}
    return words | {
        word for edit in personal for word in _NUMBERED.findall(body[edit.start : edit.end]) if len(word) >= 4
    }
