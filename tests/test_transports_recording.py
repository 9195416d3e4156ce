"""Recording and replay: whole pages after a kill, no secrets, no socket, and nothing lost in silence."""

from __future__ import annotations

import gzip
import io
import os
import resource
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
import warcio.cli
from hypothesis import given, settings
from hypothesis import strategies as some
from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from windowshop.errors import ConfigError, ReplayMiss, ServerError, StorageError
from windowshop.transports.recording import PAGES, Recorder, Recording
from windowshop.transports.replay import Replay, canonical
from windowshop.transports.retry import Retrying
from windowshop.transports.warc import members
from windowshop.wire import Request, Response

AT = datetime(2026, 5, 4, 3, 2, 1, 123456, tzinfo=UTC)
KETTLES = "https://www.shop.test/s?k=kettle&page=2"


def page(body: bytes = b"<p>a kettle", url: str = KETTLES, **more: object) -> Response:
    fields = {"status": 200, "headers": {"content-type": "text/html"}, "transport": "http", "at": AT}
    return Response(url=url, body=body, **{**fields, "seconds": 0.25, **more})


def record(path: Path, *pages: Response) -> None:
    with Recorder(path) as recorder:
        for one in pages:
            recorder.append(Request(url=one.url), one)


def check(path: Path) -> None:
    """Let warcio's own checker verify every digest."""
    with pytest.raises(SystemExit) as exit:
        warcio.cli.main(args=["check", str(path)])
    assert not exit.value.code


def served(path: Path, url: str = KETTLES) -> bytes:
    return Replay(path).fetch(Request(url=url)).body


def test_a_page_comes_back_as_it_was(tmp_path: Path) -> None:
    kept = page(transport="browser", credits=5.0, status=404)
    record(tmp_path / PAGES, kept)
    assert Replay(tmp_path).fetch(Request(url=KETTLES)) == kept.model_copy(update={"replayed": True})


@settings(max_examples=60, deadline=None)
@given(
    body=some.binary(max_size=5000),
    status=some.integers(100, 599),
    words=some.text(some.characters(codec="ascii", categories=["L", "N", "P"]), min_size=1, max_size=40),
)
def test_any_bytes_come_back_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, body: bytes, status: int, words: str
) -> None:
    path = tmp_path_factory.mktemp("any") / PAGES
    kept = page(body, status=status, headers={"x-words": words})
    record(path, kept)
    assert Replay(path).fetch(Request(url=KETTLES)) == kept.model_copy(update={"replayed": True})
    check(path)


def test_any_warc_tool_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / PAGES
    record(path, page(), page(b"<p>a teapot", "https://www.shop.test/dp/1"))
    check(path)
    with path.open("rb") as file:
        records = [
            (one.rec_type, one.rec_headers.get_header("WARC-Target-URI")) for one in ArchiveIterator(file)
        ]
    assert records == [
        ("warcinfo", None),
        ("response", KETTLES),
        ("request", KETTLES),
        ("response", "https://www.shop.test/dp/1"),
        ("request", "https://www.shop.test/dp/1"),
    ]


def test_transport_time_and_seconds_are_in_the_headers(tmp_path: Path) -> None:
    record(tmp_path / PAGES, page(transport="scraperapi", credits=10.0))
    with (tmp_path / PAGES).open("rb") as file:
        headers = next(one.rec_headers for one in ArchiveIterator(file) if one.rec_type == "response")
    assert headers.get_header("WARC-Date") == "2026-05-04T03:02:01.123456Z"
    assert headers.get_header("Windowshop-Transport") == "scraperapi"
    assert headers.get_header("Windowshop-Seconds") == "0.250"
    assert headers.get_header("Windowshop-Credits") == "10"


def test_the_address_asked_for_finds_a_page_that_landed_elsewhere(tmp_path: Path) -> None:
    landed = page(url="https://www.shop.test/dp/B1")
    with Recorder(tmp_path / PAGES) as recorder:
        recorder.append(Request(url="https://www.shop.test/old/B1"), landed)
    response = Replay(tmp_path).fetch(Request(url="https://www.shop.test/old/B1"))
    assert response.url == "https://www.shop.test/dp/B1"


def test_captures_of_one_address_come_in_order_and_the_last_repeats(tmp_path: Path) -> None:
    record(tmp_path / PAGES, page(b"one"), page(b"two"))
    replay = Replay(tmp_path)
    assert [replay.fetch(Request(url=KETTLES)).body for _ in range(4)] == [b"one", b"two", b"two", b"two"]


def test_the_order_of_parameters_does_not_matter_and_their_values_do(tmp_path: Path) -> None:
    record(tmp_path / PAGES, page())
    assert served(tmp_path, "https://WWW.shop.test/s?page=2&k=kettle") == b"<p>a kettle"
    for other in ("?page=2", "?k=kettle&page=3", "?k=kettle&k=kettle&page=2", "?k=&page=2", ""):
        with pytest.raises(ReplayMiss):
            served(tmp_path, f"https://www.shop.test/s{other}")


@given(some.lists(some.tuples(some.text(max_size=5), some.text(max_size=5)), max_size=5), some.randoms())
def test_a_key_is_one_for_every_order(pairs: list[tuple[str, str]], random: object) -> None:
    from urllib.parse import urlencode

    mixed = list(pairs)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    one, other = (canonical(f"https://shop.test/s?{urlencode(some)}") for some in (pairs, mixed))
    assert one == other == canonical(one)


def test_a_miss_names_the_nearest(tmp_path: Path) -> None:
    near = [f"https://www.shop.test/s?k=kettle&page={number}" for number in (1, 2, 3)]
    record(tmp_path / PAGES, *(page(url=url) for url in [*near, "https://www.shop.test/dp/B000000001"]))
    with pytest.raises(ReplayMiss) as raised:
        served(tmp_path, "https://www.shop.test/s?k=kettle&page=9&api_key=canary")
    assert set(raised.value.nearest) == set(near)
    assert "canary" not in str(raised.value)


def test_replay_opens_no_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record(tmp_path / PAGES, page())

    def forbidden(*args: object, **more: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", forbidden)
    monkeypatch.setattr(socket, "getaddrinfo", forbidden)
    replay = Replay(tmp_path)
    assert replay.fetch(Request(url=KETTLES)).replayed
    with pytest.raises(ReplayMiss):
        replay.fetch(Request(url="https://www.shop.test/other"))


def test_several_recordings_in_a_folder_are_one(tmp_path: Path) -> None:
    record(tmp_path / "a" / PAGES, page(b"one"))
    record(tmp_path / "b" / PAGES, page(b"two"), page(url="https://www.shop.test/dp/1"))
    replay = Replay(tmp_path)
    assert [replay.fetch(Request(url=KETTLES)).body for _ in range(2)] == [b"one", b"two"]
    assert replay.fetch(Request(url="https://www.shop.test/dp/1")).status == 200


def test_no_recording_is_the_users_slip(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no recording"):
        Replay(tmp_path)
    (tmp_path / "plain.warc").write_bytes(b"WARC/1.1\r\n\r\n")
    with pytest.raises(ConfigError, match="recompress"):
        Replay(tmp_path / "plain.warc")


def test_another_tools_recording_is_replayed_decoded(tmp_path: Path) -> None:
    path = tmp_path / "theirs.warc.gz"
    answered = StatusAndHeaders(
        "200 OK",
        [("Content-Type", "text/html"), ("Content-Encoding", "gzip"), ("Set-Cookie", "sid=canary")],
        protocol="HTTP/1.1",
    )
    packed = gzip.compress(b"<p>a kettle")
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        writer.write_record(
            writer.create_warc_record(
                KETTLES, "response", io.BytesIO(packed), len(packed), http_headers=answered
            )
        )
    response = Replay(path).fetch(Request(url=KETTLES))
    assert response.body == b"<p>a kettle"
    assert response.headers == {"content-type": "text/html"}
    assert response.transport == "warc"


def test_secrets_are_left_out(tmp_path: Path) -> None:
    secret = "canary0451"
    url = f"https://www.shop.test/s?api_key={secret}&k=kettle&token={secret}#session-id={secret}"
    headers = {
        name: secret
        for name in (
            "set-cookie",
            "Cookie",
            "Authorization",
            "proxy-authorization",
            "x-api-key",
            "x-session-id",
        )
    }
    headers["location"] = f"https://me:{secret}@www.shop.test/landed?apikey={secret}&k=kettle"
    with Recorder(tmp_path / PAGES) as recorder:
        recorder.append(Request(url=url), page(url=f"{url}&landed=1", headers=headers))
    everything = gzip.decompress((tmp_path / PAGES).read_bytes())
    assert secret.encode() not in everything
    assert b"k=kettle" in everything
    assert served(tmp_path, url) == b"<p>a kettle"


def test_failed_attempts_are_not_recorded(tmp_path: Path) -> None:
    class Flaky:
        name = "flaky"
        left = 2

        def fetch(self, request: Request) -> Response:
            self.left -= 1
            return page(status=500) if self.left > 0 else page()

    class Broken:
        name = "broken"

        def fetch(self, request: Request) -> Response:
            raise ServerError("no")

    with Recorder(tmp_path / PAGES) as recorder:
        Recording(Retrying(Flaky(), sleep=lambda _: None), recorder).fetch(Request(url=KETTLES))
        with pytest.raises(ServerError):
            Recording(Retrying(Broken(), sleep=lambda _: None), recorder).fetch(Request(url=KETTLES))
    replay = Replay(tmp_path)
    assert [replay.fetch(Request(url=KETTLES)).status for _ in range(2)] == [200, 200]
    with (tmp_path / PAGES).open("rb") as file:
        assert [one.rec_type for one in ArchiveIterator(file)] == ["warcinfo", "response", "request"]


def test_a_screenshot_stays_out(tmp_path: Path) -> None:
    picture = os.urandom(50_000)
    record(tmp_path / PAGES, page(screenshot=picture))
    assert (tmp_path / PAGES).stat().st_size < 5000
    assert Replay(tmp_path).fetch(Request(url=KETTLES)).screenshot is None


def test_wherever_it_is_torn_whole_pages_stay_and_the_rest_is_set_aside(tmp_path: Path) -> None:
    whole = tmp_path / "whole.warc.gz"
    ends = [0]
    with Recorder(whole) as recorder:
        ends.append(whole.stat().st_size)
        for number in range(3):
            recorder.append(Request(url=KETTLES), page(b"%d" % number * 300))
            ends.append(whole.stat().st_size)
    data = whole.read_bytes()
    for cut in range(1, len(data), 29):
        torn = tmp_path / str(cut) / PAGES
        torn.parent.mkdir()
        torn.write_bytes(data[:cut])
        survivors = sum(end <= cut for end in ends[2:])
        if survivors:
            replay = Replay(torn)
            bodies = [replay.fetch(Request(url=KETTLES)).body for _ in range(survivors)]
            assert bodies == [b"%d" % number * 300 for number in range(survivors)]
        record(torn, page(b"after"))
        check(torn)
        replay = Replay(torn)
        seen = [replay.fetch(Request(url=KETTLES)).body for _ in range(5)]
        assert b"after" in seen
        aside = torn.with_name(f"{PAGES}.torn")
        kept = aside.read_bytes() if aside.exists() else b""
        assert data[:cut].endswith(kept)
        assert torn.read_bytes().startswith(data[: cut - len(kept)])


def test_bytes_that_rot_in_the_middle_are_set_aside_not_dropped(tmp_path: Path) -> None:
    path = tmp_path / PAGES
    record(path, page(b"one"))
    sound = path.stat().st_size
    record(path, page(b"two"), page(b"three"))
    data = bytearray(path.read_bytes())
    data[sound + 40] ^= 0xFF
    path.write_bytes(data)
    assert served(path) == b"one"
    record(path, page(b"four"))
    assert (tmp_path / f"{PAGES}.torn").read_bytes() == bytes(data[sound:])
    check(path)


def test_a_damaged_page_is_named_and_the_others_are_served(tmp_path: Path) -> None:
    path = tmp_path / PAGES
    other = "https://www.shop.test/dp/1"
    record(path, page(os.urandom(90_000)))
    end = path.stat().st_size
    record(path, page(b"whole", other))
    data = bytearray(path.read_bytes())
    data[end // 2] ^= 0xFF
    path.write_bytes(data)
    assert served(path, other) == b"whole"
    with pytest.raises(StorageError, match="is damaged at byte"):
        served(path)


def test_a_member_says_how_long_it_is(tmp_path: Path) -> None:
    path = tmp_path / PAGES
    record(path, page(b"one" * 9000), page(b"two"))
    assert list(members(path, skim=True)) == list(members(path))


def test_a_second_tear_does_not_overwrite_the_first(tmp_path: Path) -> None:
    path, aside = tmp_path / PAGES, tmp_path / f"{PAGES}.torn"
    for tail in (b"\x1f\x8bfirst", b"\x1f\x8bsecond"):
        record(path, page())
        with path.open("ab") as file:
            file.write(tail)
    record(path, page())
    assert aside.read_bytes() == b"\x1f\x8bfirst\x1f\x8bsecond"


ENDLESS_RECORDER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from windowshop.transports.recording import Recorder
from windowshop.wire import Request, Response
recorder = Recorder(Path(sys.argv[1]))
number = 0
while True:
    url = f"https://www.shop.test/dp/{number}"
    body = (b"%d " % number) * 20_000
    page = Response(url=url, status=200, body=body, transport="x", at=datetime.now(UTC))
    recorder.append(Request(url=url), page)
    print(number, flush=True)
    number += 1
"""


def test_kill_9_loses_at_most_the_page_in_flight(tmp_path: Path) -> None:
    path = tmp_path / PAGES
    with subprocess.Popen(
        [sys.executable, "-c", ENDLESS_RECORDER, str(path)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        while process.stdout.readline().strip() != "9":
            continue
        process.send_signal(signal.SIGKILL)
    replay = Replay(path)
    for number in range(10):
        response = replay.fetch(Request(url=f"https://www.shop.test/dp/{number}"))
        assert response.body == (b"%d " % number) * 20_000
    record(path, page())
    check(path)


def test_threads_may_share_a_recorder(tmp_path: Path) -> None:
    with Recorder(tmp_path / PAGES) as recorder, ThreadPoolExecutor(8) as pool:
        urls = [f"https://www.shop.test/dp/{number}" for number in range(40)]
        list(pool.map(lambda url: recorder.append(Request(url=url), page(url.encode() * 99, url)), urls))
    check(tmp_path / PAGES)
    replay = Replay(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        bodies = list(pool.map(lambda url: replay.fetch(Request(url=url)).body, urls))
    assert bodies == [url.encode() * 99 for url in urls]


def test_a_full_disk_is_a_storage_error_and_tears_nothing(tmp_path: Path) -> None:
    path = tmp_path / PAGES
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with Recorder(path) as recorder:
        recorder.append(Request(url=KETTLES), page(b"one"))
        size = path.stat().st_size
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 500, hard))
        try:
            with pytest.raises(StorageError):
                recorder.append(Request(url=KETTLES), page(os.urandom(5000)))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert path.stat().st_size == size
        recorder.append(Request(url=KETTLES), page(b"two"))
    check(path)
    assert served(path) == b"one"


def test_a_folder_that_cannot_be_written_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StorageError):
        Recorder(tmp_path / "file" / PAGES)
