"""The pages that the wall itself answers with: no script, no link, nothing to load."""

from __future__ import annotations

from html import escape
from typing import Final

from windowshop.redaction import redact
from windowshop.wire import Decision

HEADERS: Final = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'; sandbox",
    "cache-control": "no-store",
}
MARK: Final = "windowshop"
"""The header that these pages have and no shop's; its value is the verdict."""

_PAGE = """<!doctype html>
<meta charset="utf-8">
<title>{title}</title>
<h1>{title}</h1>
<p>{text}</p>
<p>Rule: {rule} ({reason})</p>
<p>Address: {url}</p>
"""


def page(decision: Decision, instead: str | None, url: str) -> tuple[int, dict[str, str], bytes]:
    """Return status, headers and body of the answer to a request that stays here.

    With `instead` it is a redirect to there.
    """
    if decision.verdict == "intercept":
        status, title = 200, "Purchase intercepted"
        text = "This request would have led to a purchase. It was recorded, and nothing was sent to the shop."
    else:
        status, title = 403, "Refused"
        text = "This address may not be visited. Nothing was sent."
    body = _PAGE.format(
        title=title,
        text=text,
        rule=escape(decision.rule),
        reason=escape(decision.reason),
        url=escape(redact(url)),
    )
    headers = {**HEADERS, MARK: decision.verdict}
    if instead is not None:
        status, headers["location"] = 302, instead
    return status, headers, body.encode()
