"""Who is told what passes the wall."""

from __future__ import annotations

from windowshop.transports.wall.asked import Asked
from windowshop.wire import Decision, Response


class Witness:
    """Told of each event before the client is answered; this one does nothing about it.

    Whatever it raises, the client is refused. It is called from the wall's own thread.
    """

    def intercept(self, asked: Asked, decision: Decision) -> None:
        """A purchase was asked for; it stays here."""

    def refuse(self, asked: Asked, decision: Decision) -> None:
        """A request was refused; it stays here."""

    def instead(self, asked: Asked) -> str | None:
        """Return where a client is sent instead of a page that was refused; it is judged in its turn."""
        return None

    def land(self, asked: Asked, response: Response) -> None:
        """A shop has answered a request that was let out."""

    def fail(self, url: str, reason: str) -> None:
        """A request was let out and no answer came."""
