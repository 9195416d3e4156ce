"""The door to a shop of the user's own: reads as any guard, and lets declared forms through."""

from __future__ import annotations

from pathlib import Path

from windowshop.errors import Refused
from windowshop.journal import Lines
from windowshop.redaction import redact
from windowshop.safety import approval
from windowshop.safety.guard import Guard
from windowshop.safety.layers import refuse
from windowshop.safety.sandbox import SandboxPolicy, judge_post, judge_sandbox
from windowshop.sandbox import SandboxPost, Submits
from windowshop.wire import Decision, Request, Resource, Response, Transport


class SandboxGuard(Guard):
    """Hold the policy of one shop of the user's own.

    Where the shop's owner wants it so, and with a `terminal`, every form waits for a person's word there; it
    can turn a yes into a no, and never a no into a yes.
    """

    def __init__(self, policy: SandboxPolicy, audit: Lines, terminal: Path | None = None) -> None:
        super().__init__(policy.reading, audit)
        self.sandbox = policy
        self._terminal = terminal or (approval.TERMINAL if policy.shop.confirm else None)

    @property
    def digest(self) -> str:
        """Return the digest of the policy that is written with each verdict."""
        return self.sandbox.digest

    def submit(self, post: SandboxPost, shop: Submits, transport: Transport) -> Response:
        """Submit a form, and follow by reading to where the shop sends us on; each step is judged first.

        Raises `Refused` for a form or a hop that is not allowed.
        """
        decision = judge_post(self.sandbox, post)
        if decision.allowed and self._terminal is not None:
            what = f"Submit {post.form} to {redact(post.url)}?"
            if not approval.is_approved(what, self._terminal):
                decision = refuse("approval", "nobody said yes at the terminal")
        names = ",".join(name for name, _ in post.fields)
        self._write("submit", redact(post.url), decision, method="POST", form=post.form, fields=names)
        if not decision.allowed:
            raise Refused(decision, redact(post.url))
        response = shop.submit(post)
        self._require_landed(post.url, response)
        onward = self._next(response)
        return response if onward is None else self.fetch(Request(url=onward), transport)

    def _judge(self, url: str, method: str, resource: Resource) -> Decision:
        return judge_sandbox(self.sandbox, url, method, resource)
