"""Let a hostile shop on this machine try every way out of the browser, and say what became of each."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Literal

from windowshop.adapters import load_site
from windowshop.demo.hostile_shop import HostileShop
from windowshop.demo.hostile_vectors import VECTORS, Vector
from windowshop.frozen import Frozen
from windowshop.safety.policy import judge, policy_for
from windowshop.transports.last_hop import LastHop
from windowshop.transports.tour import Stop, tour, tour_unguarded
from windowshop.transports.wall import Asked, Wall, Witness
from windowshop.wire import Decision, Resource

Way = Literal["no guard", "scripts", "no scripts"]
WAYS: tuple[Way, ...] = ("no guard", "scripts", "no scripts")


class Outcome(Frozen):
    """What became of one vector: `reached` is what arrived, `layer` what stopped it, `rule` by which rule.

    `layer` is "wall" or "route", or "browser" where nothing was ever asked.
    """

    vector: str
    threat: str
    way: Way
    reached: str | None = None
    layer: Literal["wall", "route", "browser"] | None = None
    rule: str | None = None


class _Observed(Witness):
    """Judge as the guard does, and remember which vector was stopped by what."""

    def __init__(self, shop: HostileShop) -> None:
        self.wall: dict[str, str] = {}
        self.routes: dict[str, str] = {}
        self._shop = shop
        self._policy = policy_for("amazon", "us", tuple(load_site("amazon").readable), scripts=True)
        self._lock = threading.Lock()
        self.hosts = self._policy.hosts | self._policy.assets

    def permits(self, url: str, method: str, resource: Resource) -> Decision:
        return judge(self._policy, url, method, resource)

    def permits_route(self, url: str, method: str, resource: Resource) -> Decision:
        """Answer a route of the browser; what it stops never comes to the wall."""
        decision = self.permits(url, method, resource)
        if not decision.allowed:
            self._note(self.routes, url, decision)
        return decision

    def intercept(self, asked: Asked, decision: Decision) -> None:
        self.refuse(asked, decision)

    def refuse(self, asked: Asked, decision: Decision) -> None:
        self._note(self.wall, asked.url, decision)

    def _note(self, stopped: dict[str, str], url: str, decision: Decision) -> None:
        vector = self._shop.vector_of(url)
        if vector is not None:
            with self._lock:
                stopped.setdefault(vector.name, decision.rule)


def run_vectors(vectors: Iterable[Vector] = VECTORS, ways: Iterable[Way] = WAYS) -> list[Outcome]:
    """Run each vector in each way, and return what became of it, in this order."""
    outcomes: list[Outcome] = []
    with HostileShop(vectors) as shop:
        host, port = shop.address
        last_hop = LastHop(host=host, port=port, ca_pem=shop.ca_pem)
        chosen = shop.vectors
        stops = [Stop(shop.page_of(vector), vector.act) for vector in chosen]
        for way in ways:
            shop.forget()
            observed = _Observed(shop)
            if way == "no guard":
                tour_unguarded(stops, last_hop)
            else:
                with Wall(observed.permits, observed.hosts, last_hop, observed) as wall:
                    tour(stops, wall, observed.permits_route if way == "no scripts" else None)
            outcomes += [_outcome(vector, way, shop, observed) for vector in chosen]
            outcomes += [
                Outcome(vector=name, threat="-", way=way, reached=what)
                for name, what in shop.reached.items()
                if way != "no guard" and name not in {vector.name for vector in chosen}
            ]
    return outcomes


def short() -> list[Vector]:
    """Return the vectors that are tried before every live session."""
    return [vector for vector in VECTORS if vector.short]


def leaks(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Return what reached the shop although the guard stood before it."""
    return [outcome for outcome in outcomes if outcome.way != "no guard" and outcome.reached is not None]


def _outcome(vector: Vector, way: Way, shop: HostileShop, observed: _Observed) -> Outcome:
    made = Outcome(vector=vector.name, threat=vector.threat, way=way, reached=shop.reached.get(vector.name))
    if made.reached is not None:
        return made
    for layer, stopped in (("wall", observed.wall), ("route", observed.routes)):
        if vector.name in stopped:
            return made.model_copy(update={"layer": layer, "rule": stopped[vector.name]})
    return made.model_copy(update={"layer": "browser"})
