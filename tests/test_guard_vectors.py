"""Every way out of the browser that we know of, in the installed Chromium: with the guard, and without."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from click.testing import CliRunner

from windowshop.cli import group
from windowshop.demo.hostile_shop import STRAY, HostileShop
from windowshop.demo.hostile_vectors import VECTORS, Vector
from windowshop.errors import Leak
from windowshop.runs import hostile
from windowshop.runs.hostile import Outcome, leaks, run_vectors, short
from windowshop.runs.selftest import selftest
from windowshop.transports import chromium, profile
from windowshop.transports.last_hop import LastHop
from windowshop.transports.tour import Stop, tour_unguarded
from windowshop.transports.wall.checkpoint import Checkpoint, Ruling
from windowshop.wire import Decision, Resource

pytestmark = pytest.mark.browser

SHY = {"rules to prefetch", "rules to prerender", "federated sign-in"}
"""Not every Chromium does these, even where nothing stops it."""


FLAGS = {"ping", "reporting api", "network error log", "webrtc stun", "webtransport"} | SHY
"""What the browser's own flags may keep from ever being asked."""


PARTS = 6
"""The tour of all vectors is cut into parts, so that several workers can share it."""


@pytest.mark.parametrize("part", range(PARTS))
def test_every_vector_reaches_the_shop_without_the_guard_and_none_with_it(part: int) -> None:
    """The wall alone stops pages with scripts; without scripts, routes are asked first."""
    vectors = VECTORS[part::PARTS]
    outcomes = run_vectors(vectors)
    assert leaks(outcomes) == []
    unguarded, scripts, none = (
        {outcome.vector: outcome for outcome in outcomes if outcome.way == way} for way in hostile.WAYS
    )
    assert set(unguarded) == set(scripts) == set(none) == {vector.name for vector in vectors}
    assert {name for name, outcome in unguarded.items() if outcome.reached is None} <= SHY
    assert {name for name, outcome in scripts.items() if outcome.layer == "browser"} <= FLAGS
    for name in none.keys() & {"redirected page", "image, second hop", "download"}:
        assert none[name].layer == "wall", name
    for name in none.keys() & {"link", "form", "frame", "meta refresh", "image"}:
        assert none[name].layer == "route", name
    assert {none[vector.name].layer for vector in vectors if vector.scripted} == {"browser"}
    assert "form" not in scripts or scripts["form"].rule == "never.checkout"


def named(*names: str) -> list[Vector]:
    return [vector for vector in VECTORS if vector.name in names]


def without_a_judge(patch: pytest.MonkeyPatch) -> None:
    allow = Decision(verdict="allow", rule="-", reason="-")
    patch.setattr(Checkpoint, "judge", lambda *_: Ruling(allow))


def without_webrtc_flags(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(chromium, "QUIET", [flag for flag in chromium.QUIET if "webrtc" not in flag])
    patch.setitem(profile._PREFERENCES, "webrtc", {})


def without_proxy_for_loopback_and_names(patch: pytest.MonkeyPatch) -> None:
    """Either of the two is enough; both must be gone for a page to reach this machine's own ports."""
    flags = chromium.flags

    def loose(wall: chromium.Wall) -> list[str]:
        kept = [flag for flag in flags(wall) if "proxy-bypass" not in flag and "resolver-rules" not in flag]
        return [flag.replace("wall.invalid", "127.0.0.1") for flag in kept]

    patch.setattr(hostile, "tour", hostile.tour)
    patch.setattr("windowshop.transports.tour.flags", loose)


@pytest.mark.parametrize(
    ("switch_off", "vector"),
    [
        (without_a_judge, "beacon on leaving"),
        (without_a_judge, "redirected page"),
        (without_webrtc_flags, "webrtc stun"),
        (without_proxy_for_loopback_and_names, "fetch on this machine"),
    ],
)
def test_with_a_layer_switched_off_something_does_reach_the_shop(
    monkeypatch: pytest.MonkeyPatch, switch_off: Callable[[pytest.MonkeyPatch], None], vector: str
) -> None:
    switch_off(monkeypatch)
    assert leaks(run_vectors(named(vector), ["scripts"]))


def test_routes_alone_are_no_wall() -> None:
    """Even without scripts: the second hop of a redirect is never shown to them."""

    def refuse(url: str, method: str, resource: Resource) -> Decision:
        return Decision(verdict="refuse" if "/gp/" in url else "allow", rule="-", reason="-")

    with HostileShop(named("redirected page", "image, second hop", "image")) as shop:
        host, port = shop.address
        stops = [Stop(shop.page_of(vector), vector.act) for vector in shop.vectors]
        tour_unguarded(stops, LastHop(host=host, port=port, ca_pem=shop.ca_pem), refuse)
        assert set(shop.reached) - {STRAY} == {"redirected page", "image, second hop"}


def test_a_window_without_opener_gets_nowhere_while_all_is_closing() -> None:
    """It once did, one time in sixty, while its context closed: routes end before the requests do."""
    restless = (
        'w=\'<script>setInterval(()=>fetch("https://www.amazon.com@T",{method:"POST",mode:"no-cors",'
        "keepalive:true}),150)<\\/script>';"
        "open(URL.createObjectURL(new Blob([w],{type:'text/html'})),'_blank','noopener')"
    )
    vector = Vector(name="restless", threat="D8", body=f"<script>{restless}</script>", scripted=True)
    assert leaks(run_vectors([vector] * 60, ["scripts"])) == []
    assert run_vectors([vector], ["no guard"])[0].reached is not None


def test_the_command_prints_each_vector_and_way() -> None:
    result = CliRunner().invoke(group, ["guard", "test", "--short", "--json"])
    assert result.exit_code == 0, result.output
    lines = [Outcome.model_validate(json.loads(line)) for line in result.output.splitlines()]
    assert {(line.vector, line.way) for line in lines} == {
        (vector.name, way) for vector in short() for way in hostile.WAYS
    }


def test_a_leak_is_exit_code_4_and_stops_a_live_session(monkeypatch: pytest.MonkeyPatch) -> None:
    without_a_judge(monkeypatch)
    monkeypatch.setattr(hostile, "short", lambda: named("form", "shared worker"))
    result = CliRunner().invoke(group, ["guard", "test", "--short"])
    assert result.exit_code == Leak.exit_code == 4
    assert "LEAK  form (scripts)" in result.output


def test_the_canary_sees_a_leak(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hostile, "short", lambda: named("link", "webrtc stun"))
    holds, says = selftest("browser")
    assert holds and "2 ways out" in says
    without_webrtc_flags(monkeypatch)
    holds, says = selftest("browser")
    assert not holds and "webrtc stun" in says
