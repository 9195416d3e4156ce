"""Manners, on a clock of the test's own: pauses, turns, and the rules for robots."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from windowshop.episodes import Spent, Task
from windowshop.errors import FetchError, RateLimited, Refused, ServerError, StorageError
from windowshop.runs.commons import Commons
from windowshop.runs.desk import Desk
from windowshop.runs.engines.calls import answer, remote
from windowshop.runs.folder import RunFolder
from windowshop.runs.limits import Limits
from windowshop.runs.plan import Plan
from windowshop.transports.blocks import Blocks
from windowshop.transports.hosts import KnownHosts
from windowshop.transports.pace import Pace
from windowshop.transports.politeness import Polite
from windowshop.transports.replay import Replay
from windowshop.wire import Request, Response

RULES = b"""
User-agent: *
Disallow: /cart
Disallow: /s?k=secret

User-agent: windowshop
Disallow: /gp/
Disallow: /s*page=99
"""


class Clock:
    """Time that passes only by sleeping."""

    def __init__(self) -> None:
        self.now = 1000.0

    def read(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def pace(self, delay: float = 3.0, jitter: float = 0.0) -> Pace:
        return Pace(delay, self.read, self.sleep, lambda: jitter)


class Shop:
    """Notes when each address was asked for, and how many were under way at once."""

    name = "shop"

    def __init__(self, clock: Clock, rules: bytes = b"", status: int = 200, takes: float = 0.0) -> None:
        self.clock = clock
        self.rules = rules
        self.status = status
        self.takes = takes
        self.asked: list[tuple[float, str]] = []
        self.under_way = 0
        self.most_at_once = 0
        self._lock = threading.Lock()

    def fetch(self, request: Request) -> Response:
        with self._lock:
            self.asked.append((self.clock.now, request.url))
            self.under_way += 1
            self.most_at_once = max(self.most_at_once, self.under_way)
        self.clock.sleep(self.takes)
        robots = request.url.endswith("/robots.txt")
        with self._lock:
            self.under_way -= 1
        return Response(
            url=request.url,
            status=self.status if robots else 200,
            body=self.rules if robots else b"<p>a page",
            transport="shop",
            at=datetime.now(UTC),
        )

    def urls(self) -> list[str]:
        return [url for _, url in self.asked]


def get(path: str, host: str = "www.shop.test") -> Request:
    return Request(url=f"https://{host}{path}")


def test_the_rules_are_read_once_a_host_before_the_first_page() -> None:
    shop = Shop(clock := Clock())
    polite = Polite(shop, KnownHosts(clock.pace()))
    for path in ("/s?k=kettle", "/dp/1"):
        polite.fetch(get(path))
    polite.fetch(get("/dp/1", "www.other.test"))
    assert shop.urls() == [
        "https://www.shop.test/robots.txt",
        "https://www.shop.test/s?k=kettle",
        "https://www.shop.test/dp/1",
        "https://www.other.test/robots.txt",
        "https://www.other.test/dp/1",
    ]


@pytest.mark.parametrize("path", ["/gp/product/1", "/s?k=kettle&page=99"])
def test_what_the_rules_close_to_us_is_refused_and_not_asked_for(path: str) -> None:
    shop = Shop(clock := Clock(), RULES)
    with pytest.raises(Refused) as raised:
        Polite(shop, KnownHosts(clock.pace())).fetch(get(path))
    assert raised.value.decision.rule == "robots"
    assert shop.urls() == ["https://www.shop.test/robots.txt"]


def test_rules_for_others_are_not_ours_where_there_are_some_for_us() -> None:
    shop = Shop(clock := Clock(), RULES)
    assert Polite(shop, KnownHosts(clock.pace())).fetch(get("/cart")).status == 200


def test_rules_for_all_are_ours_where_there_are_none_for_us() -> None:
    shop = Shop(clock := Clock(), b"User-agent: *\nDisallow: /cart\n")
    with pytest.raises(Refused):
        Polite(shop, KnownHosts(clock.pace())).fetch(get("/cart/view"))


@pytest.mark.parametrize("status", [404, 403, 410])
def test_no_rules_close_nothing(status: int) -> None:
    shop = Shop(clock := Clock(), b"User-agent: *\nDisallow: /", status)
    assert Polite(shop, KnownHosts(clock.pace())).fetch(get("/dp/1")).status == 200


@pytest.mark.parametrize(
    ("status", "error"), [(500, ServerError), (503, ServerError), (429, RateLimited), (302, FetchError)]
)
def test_rules_that_cannot_be_had_close_everything(status: int, error: type[Exception]) -> None:
    shop = Shop(clock := Clock(), b"", status)
    polite = Polite(shop, KnownHosts(clock.pace()))
    for _ in range(2):
        with pytest.raises(error):
            polite.fetch(get("/dp/1"))
    assert shop.urls() == ["https://www.shop.test/robots.txt"] * 2


def test_a_host_is_asked_again_only_after_the_pause() -> None:
    shop = Shop(clock := Clock(), takes=0.5)
    polite = Polite(shop, KnownHosts(clock.pace(delay=3.0)))
    for _ in range(3):
        polite.fetch(get("/dp/1"))
    assert [at for at, _ in shop.asked] == [1000.0, 1003.5, 1007.0, 1010.5]


def test_time_that_passed_otherwise_counts() -> None:
    shop = Shop(clock := Clock())
    polite = Polite(shop, KnownHosts(clock.pace(delay=3.0)))
    polite.fetch(get("/dp/1"))
    clock.sleep(100)
    polite.fetch(get("/dp/2"))
    assert [at for at, _ in shop.asked] == [1000.0, 1003.0, 1103.0]


def test_one_host_does_not_wait_for_another() -> None:
    shop = Shop(clock := Clock())
    polite = Polite(shop, KnownHosts(clock.pace(delay=3.0)))
    polite.fetch(get("/dp/1", "a.test"))
    polite.fetch(get("/dp/1", "b.test"))
    assert [at for at, _ in shop.asked] == [1000.0, 1003.0, 1003.0, 1006.0]


def test_a_longer_pause_that_the_rules_ask_for_is_kept() -> None:
    shop = Shop(clock := Clock(), b"User-agent: *\nCrawl-delay: 20\n")
    polite = Polite(shop, KnownHosts(clock.pace(delay=3.0)))
    polite.fetch(get("/dp/1"))
    polite.fetch(get("/dp/2"))
    assert [at for at, _ in shop.asked] == [1000.0, 1020.0, 1040.0]


def test_a_failure_is_followed_by_a_pause_as_well() -> None:
    clock = Clock()

    class Failing(Shop):
        def fetch(self, request: Request) -> Response:
            response = super().fetch(request)
            if "robots" not in request.url:
                raise ServerError("no")
            return response

    shop = Failing(clock)
    polite = Polite(shop, KnownHosts(clock.pace(delay=3.0)))
    for _ in range(2):
        with pytest.raises(ServerError):
            polite.fetch(get("/dp/1"))
    assert [at for at, _ in shop.asked] == [1000.0, 1003.0, 1006.0]


@given(some.lists(some.tuples(some.floats(0, 1), some.sampled_from("ab")), max_size=20))
def test_the_pause_is_never_shorter_and_at_most_half_as_long_again(turns: list[tuple[float, str]]) -> None:
    clock = Clock()
    lots = iter([lot for lot, _ in turns])
    pace = Pace(3.0, clock.read, clock.sleep, lambda: next(lots))
    begun: dict[str, float] = {}
    for _, host in turns:
        before = clock.now
        with pace.turn(host):
            if host in begun:
                assert clock.now - begun[host] >= 3.0 - 1e-9
                assert clock.now - before <= 4.5 + 1e-9
            begun[host] = clock.now


def test_threads_with_transports_of_their_own_take_turns() -> None:
    clock = Clock()
    shop = Shop(clock, takes=0.25)
    pace = clock.pace(delay=3.0)
    guests = [Polite(shop, KnownHosts(pace)) for _ in range(6)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda guest: guest.fetch(get("/dp/1")), guests))
    times = sorted(at for at, _ in shop.asked)
    assert len(times) == 12
    assert shop.most_at_once == 1
    assert all(later - earlier >= 3.25 for earlier, later in pairwise(times))


WORKER = """
import sys
from pathlib import Path
from windowshop.transports.pace import Pace
pace = Pace(0.05, ledger=Path(sys.argv[1]))
import time
for _ in range(4):
    with pace.turn("www.shop.test:443"):
        began = time.monotonic()
        time.sleep(0.01)
        print(began, time.monotonic(), flush=True)
"""


def test_processes_take_turns_by_a_ledger(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WORKER, str(tmp_path)]
    workers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    turns = []
    for worker in workers:
        said, _ = worker.communicate(timeout=60)
        assert worker.returncode == 0
        turns += [tuple(map(float, line.split())) for line in said.splitlines()]
    turns.sort()
    assert len(turns) == 12
    assert all(later[0] - earlier[1] >= 0.05 - 1e-3 for earlier, later in pairwise(turns))


def test_a_ledger_is_kept_and_what_it_cannot_know_is_left_out(tmp_path: Path) -> None:
    clock = Clock()
    pace = Pace(3.0, clock.read, clock.sleep, lambda: 0.0, tmp_path / "turns")
    with pace.turn("a/b:443"):
        clock.sleep(1.0)
    again = Pace(3.0, clock.read, clock.sleep, lambda: 0.0, tmp_path / "turns")
    with again.turn("a/b:443"):
        assert clock.now == 1004.0
    for written in ("9999999.0", "nonsense", ""):
        (tmp_path / "turns" / "a_b_443").write_text(written)
        fresh = Pace(3.0, clock.read, clock.sleep, lambda: 0.0, tmp_path / "turns")
        before = clock.now
        with fresh.turn("a/b:443"):
            assert clock.now == before, "a time of another start of the machine tells nothing"
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError), Pace(ledger=tmp_path / "file" / "x").turn("a"):
        raise AssertionError("there was no turn")


class Blocking(Shop):
    """Turns away the first so many, in its own way."""

    def __init__(self, clock: Clock, times: int, status: int, **headers: str) -> None:
        super().__init__(clock)
        self.times, self.as_status, self.headers = times, status, headers

    def fetch(self, request: Request) -> Response:
        response = super().fetch(request)
        if request.url.endswith("/robots.txt") or self.times == 0:
            return response
        self.times -= 1
        return response.model_copy(update={"status": self.as_status, "headers": self.headers})


@pytest.mark.parametrize(("status", "headers"), [(429, {}), (403, {}), (503, {"retry-after": "1"})])
def test_a_host_that_turns_us_away_is_asked_ever_later_and_then_no_more(
    status: int, headers: dict[str, str]
) -> None:
    shop = Blocking(clock := Clock(), 9, status, **headers)
    polite = Polite(shop, KnownHosts(clock.pace(delay=3.0), Blocks()))
    for _ in range(3):
        assert polite.fetch(get("/dp/1")).status == status
    with pytest.raises(RateLimited, match="turned us away 3 times in a row; it is left alone"):
        polite.fetch(get("/dp/1"))
    assert [at for at, _ in shop.asked] == [1000.0, 1003.0, 1006.0, 1015.0]
    assert polite.fetch(get("/dp/1", "www.other.test")).status == status


def test_a_host_that_serves_us_again_is_welcome_again() -> None:
    shop = Blocking(clock := Clock(), 2, 429)
    polite = Polite(shop, KnownHosts(clock.pace(delay=3.0), Blocks()))
    assert [polite.fetch(get("/dp/1")).status for _ in range(5)] == [429, 429, 200, 200, 200]
    assert [at for at, _ in shop.asked][-2:] == [1018.0, 1021.0]


def test_workers_that_share_their_blocks_stop_together() -> None:
    clock = Clock()
    shop, hosts = Blocking(clock, 99, 429), KnownHosts(clock.pace(delay=3.0), Blocks())
    guests = [Polite(shop, hosts) for _ in range(6)]

    def ask(guest: Polite) -> int:
        try:
            return guest.fetch(get("/dp/1")).status
        except RateLimited:
            return 0

    with ThreadPoolExecutor(6) as pool:
        statuses = list(pool.map(ask, guests))
    assert sorted(statuses) == [0, 0, 0, 429, 429, 429]


def test_guests_who_share_what_they_know_read_the_rules_once() -> None:
    shop, hosts = Shop(clock := Clock()), KnownHosts(clock.pace(delay=3.0))
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda guest: guest.fetch(get("/dp/1")), [Polite(shop, hosts) for _ in range(6)]))
    assert shop.urls().count("https://www.shop.test/robots.txt") == 1


def test_threads_that_share_one_read_the_rules_once() -> None:
    shop = Shop(clock := Clock())
    polite = Polite(shop, KnownHosts(clock.pace(delay=3.0)))
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda _: polite.fetch(get("/dp/1")), range(6)))
    assert shop.urls().count("https://www.shop.test/robots.txt") == 1


def test_workers_elsewhere_share_what_a_run_knows_of_a_host(tmp_path: Path) -> None:
    shop = Blocking(clock := Clock(), 99, 403)
    plan = Plan(tasks=(Task(id="0", instruction="a kettle"),), sites=("amazon",))
    hosts = KnownHosts(clock.pace(delay=3.0), Blocks())
    with (
        closing(RunFolder(tmp_path / "run", plan.settings(), plan.tasks)) as folder,
        closing(Commons(folder, Limits(), Spent(), Replay(None), hosts=hosts)) as commons,
    ):
        desks = [Desk(remote(lambda call: answer(commons, call)), Limits(), Limits()) for _ in range(2)]
        for number, desk in enumerate(desks):
            desk.begin(f"episode-{number}")
        first, second = (Polite(shop, desk.hosts) for desk in desks)
        assert [guest.fetch(get("/dp/1")).status for guest in (first, second, first)] == [403, 403, 403]
        with pytest.raises(RateLimited, match="turned us away 3 times in a row"):
            second.fetch(get("/dp/1"))
    assert [at for at, _ in shop.asked] == [1000.0, 1003.0, 1006.0, 1015.0]
    assert shop.urls().count("https://www.shop.test/robots.txt") == 1
