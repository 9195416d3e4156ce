"""The only door out: every action is reviewed and every request judged, in writing, before it happens."""

from __future__ import annotations

from datetime import UTC, datetime
from http import HTTPStatus
from urllib.parse import unquote_plus

from windowshop.actions import Action, Buy, Search
from windowshop.errors import FetchError, Refused
from windowshop.journal import Lines
from windowshop.redaction import holds_secret, redact
from windowshop.safety.address import joined
from windowshop.safety.layers import allow, refuse
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

    def __init__(self, policy: Policy, audit: Lines) -> None:
        self.policy = policy
        self.episode: str | None = None
        self._audit = audit

    def review(self, action: Action, view: View) -> Decision:
        """Return the verdict on an agent's action: a `Buy` is intercepted, all else only reads.

        Raises `Refused` for a search whose words carry a secret out.
        """
        decision = review(action)
        self._write("action", type(action).__name__, decision, item_id=view.item_id)
        if decision.verdict == "refuse":
            raise Refused(decision, "the words of a search")
        return decision

    def permits(self, url: str, method: str = "GET", resource: Resource = "document") -> Decision:
        """Return the verdict on one request of a browser, and write it down.

        Whatever the policy says, no page is asked for by an address that carries a secret out.
        """
        decision = self._judge(url, method, resource)
        if decision.allowed and resource == "document" and holds_secret(unquote_plus(url)):
            decision = refuse("request.secret", "the address holds a key or a password")
        self._write("request", _told(url), decision, method=method, resource=resource)
        return decision

    def fetch(self, request: Request, transport: Transport) -> Response:
        """Fetch a page, judging each hop before it is sent and the address where it landed.

        Raises `Refused` for a hop that the policy does not allow, and `FetchError` for a redirect loop.
        """
        url = request.url
        for _ in range(MAX_HOPS):
            self._require(url)
            response = self._let_out(url, transport)
            self._require_landed(url, response)
            onward = self._next(response)
            if onward is None:
                return response
            url = onward
        raise FetchError(f"more than {MAX_HOPS} redirects from {redact(request.url)}")

    def _next(self, response: Response) -> str | None:
        """Return where a response sends us on, if anywhere; it is judged before it is asked for."""
        location = response.headers.get("location")
        if response.status not in _REDIRECTS or location is None:
            return None
        onward = joined(response.url, location)
        if onward is None:
            raise FetchError(f"{redact(response.url)} redirects to what is no address")
        return onward

    def _require_landed(self, url: str, response: Response) -> None:
        """Judge where a transport landed, if that is not where it was sent."""
        if response.url != url:
            self._require(response.url)

    @property
    def digest(self) -> str:
        """Return the digest of the policy that is written with each verdict."""
        return self.policy.digest

    def _judge(self, url: str, method: str, resource: Resource) -> Decision:
        return judge(self.policy, url, method, resource)

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
            raise Refused(decision, _told(url))

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
                "policy": self.digest[:16],
                **more,
            }
        )


def review(action: Action) -> Decision:
    """Return the verdict on an action. Pure, but for the secrets of the environment."""
    if isinstance(action, Buy):
        reason = "recorded as a purchase intent; nothing is sent"
        return Decision(verdict="intercept", rule="action.buy", reason=reason)
    if isinstance(action, Search) and holds_secret(action.query):
        return refuse("action.secret", "the words hold a key or a password")
    return allow("action.read", "looks, never buys")


def _told(url: str) -> str:
    """Return an address as it is written down: without its query where a secret is spelled out there."""
    return redact(url.partition("?")[0] if holds_secret(unquote_plus(url)) else url)
