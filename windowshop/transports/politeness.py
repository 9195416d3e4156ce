"""Manners: each request in its turn, and only what the host's rules let a robot read."""

from __future__ import annotations

from http import HTTPStatus
from urllib.parse import urlsplit, urlunsplit

from protego import Protego

from windowshop.errors import FetchError, RateLimited, Refused
from windowshop.transports.blocks import pause_after, require_welcome
from windowshop.transports.hosts import Hosts
from windowshop.transports.identity import ROBOT
from windowshop.transports.permits import Permits, require
from windowshop.transports.retry import failure_of
from windowshop.wire import Decision, Request, Response, Transport


class Polite:
    """Fetch as a good guest does: in its turn, and only what robots.txt lets a `windowshop` read.

    The rules are fetched once a host for all who share `hosts`, through the same transport and in a turn of
    their own, after `permits` was asked. Where a host has no rules (4xx) everything may be read; where they
    cannot be had, nothing: the failure is raised instead. A host that says 429, 403 or "come back later" is
    asked at ever longer intervals, and after `MOST_BLOCKS` such answers in a row no more.
    """

    def __init__(
        self,
        transport: Transport,
        hosts: Hosts,
        permits: Permits | None = None,
    ) -> None:
        self.name = transport.name
        self._transport = transport
        self._hosts = hosts
        self._permits = permits
        self._rules: dict[str, Protego] = {}

    def fetch(self, request: Request) -> Response:
        """Fetch in turn.

        Raises `Refused` by the rule "robots" for what the host closes to robots, and `RateLimited` where it
        has turned us away too often.
        """
        host = urlsplit(request.url).netloc
        require_welcome(host, self._hosts.blocks(host))
        rules = self._rules_of(request.url, host)
        if not rules.can_fetch(request.url, ROBOT):
            reason = f"the robots.txt of {host} closes this address to robots"
            raise Refused(Decision(verdict="refuse", rule="robots", reason=reason), request.url)
        pause = max(rules.crawl_delay(ROBOT) or 0.0, pause_after(self._hosts.blocks(host)))
        with self._hosts.turn(host, at_least=pause):
            require_welcome(host, self._hosts.blocks(host))
            response = self._transport.fetch(request)
        is_limited = isinstance(failure_of(response), RateLimited)
        self._hosts.note_answer(host, is_limited or response.status == HTTPStatus.FORBIDDEN)
        return response

    def _rules_of(self, url: str, host: str) -> Protego:
        if host not in self._rules:
            told = self._hosts.rules(host)
            if told is None:
                told = self._ask_for_rules(
                    urlunsplit((urlsplit(url).scheme, host, "/robots.txt", "", "")), host
                )
            self._rules[host] = Protego.parse(told)
        return self._rules[host]

    def _ask_for_rules(self, address: str, host: str) -> str:
        """Read the rules in a turn of their own, unless somebody else has done so meanwhile."""
        with self._hosts.turn(host):
            told = self._hosts.rules(host)
            if told is None:
                if self._permits is not None:
                    require(self._permits, address)
                told = _read_rules(self._transport.fetch(Request(url=address)))
                self._hosts.keep_rules(host, told)
        return told


def _read_rules(response: Response) -> str:
    """Read a robots.txt; raise `FetchError` for an answer that leaves the rules unknown (RFC 9309, 2.3.1)."""
    failure = failure_of(response)
    if failure is not None:
        raise failure
    if response.status >= HTTPStatus.BAD_REQUEST:
        return ""
    if response.status != HTTPStatus.OK:
        raise FetchError(f"no rules for robots: {response.status} at {response.url}")
    return response.body.decode("utf-8", "replace")
