"""The only door out: every action is reviewed and every request judged, in writing, before it happens."""

from __future__ import annotations

from datetime import UTC, datetime
from http import HTTPStatus

import ada_url

from windowshop.actions import Action, Buy
from windowshop.errors import FetchError, Refused
from windowshop.journal import Journal
from windowshop.redaction import redact
from windowshop.safety.policy import Policy, judge
from windowshop.views import View
from windowshop.wire import Decision, Request, Resource, Response, Transport

MAX_HOPS = 5
_REDIRECTS = frozenset(
    {
        HTTPStatus.MOVED_PERMANENTLY,
        HTTPStatus.FOUND,
        HTTPStatus.SEE_OTHER,
        HTTPStatus.TEMPORARY_REDIRECT,
        HTTPStatus.PERMANENT_REDIRECT,
    }
)


class Guard:
    """Hold a policy and a journal; let out only what the policy allows.

    The journal line of a verdict is written before the verdict takes effect. There is no switch. `episode`
    names the one in whose line each verdict is written.
    """

    def __init__(self, policy: Policy, audit: Journal) -> None:
        self.policy = policy
        self.episode: str | None = None
        self._audit = audit

    def review(self, action: Action, view: View) -> Decision:
        """Return the verdict on an agent's action: a `Buy` is intercepted, all else only reads."""
        if isinstance(action, Buy):
            decision = Decision(
                verdict="intercept",
                rule="action.buy",
                reason="recorded as a purchase intent; nothing is sent",
            )
        else:
            decision = Decision(verdict="allow", rule="action.read", reason="looks, never buys")
        self._write("action", type(action).__name__, decision, item_id=view.item_id)
        return decision

    def permits(self, url: str, method: str = "GET", resource: Resource = "document") -> Decision:
        """Return the verdict on one request of a browser, and write it down."""
        decision = judge(self.policy, url, method, resource)
        self._write("request", redact(url), decision, method=method, resource=resource)
        return decision

    def fetch(self, request: Request, transport: Transport) -> Response:
        """Fetch a page, judging each hop before it is sent and the address where it landed.

        Raises `Refused` for a hop that the policy does not allow, and `FetchError` for a redirect loop.
        """
        url = request.url
        for _ in range(MAX_HOPS):
            self._require(url)
            response = self._let_out(url, transport)
            if response.url != url:
                self._require(response.url)
            location = response.headers.get("location")
            if response.status not in _REDIRECTS or location is None:
                return response
            url = ada_url.join_url(response.url, location)
        raise FetchError(f"more than {MAX_HOPS} redirects from {request.url}")

    def _let_out(self, url: str, transport: Transport) -> Response:
        """Fetch one hop; a refusal from behind the guard (robots.txt, for one) is written down too."""
        try:
            return transport.fetch(Request(url=url))
        except Refused as refused:
            self._write("request", redact(refused.url), refused.decision)
            raise

    def _require(self, url: str) -> None:
        decision = self.permits(url)
        if not decision.allowed:
            raise Refused(decision, redact(url))

    def _write(self, what: str, name: str, decision: Decision, **more: str | None) -> None:
        self._audit.append(
            {
                "format": 1,
                "at": datetime.now(UTC).isoformat(),
                "episode": self.episode,
                "what": what,
                "name": name,
                "verdict": decision.verdict,
                "rule": decision.rule,
                "reason": decision.reason,
                "policy": self.policy.digest[:16],
                **more,
            }
        )
