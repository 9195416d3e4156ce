"""Secrets and people: what a run leaves behind holds neither keys nor whoever was signed in."""

from __future__ import annotations

import gzip
import io
import json
import logging
import traceback
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote_plus

import click
import pytest
from click.testing import CliRunner
from loguru import logger
from loopback import Answer, Site, Visit

from windowshop.adapters import load_site
from windowshop.cli import group
from windowshop.demo import Shop
from windowshop.errors import Refused, WindowshopError
from windowshop.journal import Journal, line_of
from windowshop.redaction import holds_secret, own_secrets, redact, without_own_secrets
from windowshop.runs.scrub import scrub
from windowshop.safety.guard import Guard
from windowshop.safety.policy import policy_for
from windowshop.terminal import cell, plain_cell, printable
from windowshop.transports.recording import PAGES, Recorder, Recording
from windowshop.transports.retry import Retrying
from windowshop.transports.scraperapi import API_KEY, ScraperApiTransport
from windowshop.transports.signed_in import is_signed_in
from windowshop.wire import Request, Response

CANARY = "canary+0451/key="
COOKIE = "cookie-canary-7788"
ITEM = "https://www.amazon.com/dp/B000000001"


@pytest.fixture
def canary(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv(API_KEY, CANARY)
    monkeypatch.setenv("OPENAI_API_KEY", "model-canary-1234")
    return CANARY


def commands(
    command: click.Command, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from commands(inner, (*path, name))


def test_no_option_takes_a_key_a_session_or_a_browser() -> None:
    """A key on the command line is read by everyone on the machine; a session is somebody's account."""
    words = ("key", "token", "secret", "password", "cookie", "session", "storage", "profile", "cdp", "attach")
    found = [
        (" ".join(path), name)
        for path, command in commands(group)
        for option in command.params
        if isinstance(option, click.Option)
        for name in option.opts
        if name.startswith("--")
        and not (option.is_flag or option.count)
        and any(word in name for word in words)
    ]
    # a limit on tokens or sessions is none, nor is where `guard serve` offers a browser of its own
    known = ("--max-", "--tokens", "--cdp-port")
    assert [one for one in found if not one[1].startswith(known) and not one[1].endswith("-tokens")] == []


def test_no_setting_opens_the_guard(tmp_path: Path) -> None:
    for table in ("run", "guard"):
        for line in ("dry_run = false", "guard = false", 'hosts = ["evil.test"]', "unsafe = true"):
            settings = tmp_path / "settings.toml"
            settings.write_text(f"[{table}]\n{line}\n")
            done = CliRunner().invoke(
                group, ["--config", str(settings), "run", "x", "--out", str(tmp_path / "run")]
            )
            assert done.exit_code == 2, (line, done.output)
            assert not (tmp_path / "run").exists()
    for name, value in (("WINDOWSHOP_RUN_DRY_RUN", "false"), ("WINDOWSHOP_RUN_NO_DRY_RUN", "1")):
        done = CliRunner().invoke(
            group, ["run", "x", "--limit", "x", "--out", str(tmp_path / "run")], env={name: value}
        )
        assert done.exit_code == 2


def everything_in(folder: Path) -> bytes:
    """Return every byte under a folder, names too, unpacked where it is packed."""
    found = []
    for path in sorted(folder.rglob("*")):
        found.append(str(path).encode())
        if path.is_file():
            data = path.read_bytes()
            found.append(data)
            if path.suffix == ".gz":
                with gzip.open(io.BytesIO(data)) as unpacked:
                    found.append(unpacked.read())
    return b"\n".join(found)


class Service:
    """ScraperAPI's side: it tells the key back, sets cookies, and fails when it is told to."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []

    def __call__(self, visit: Visit) -> Answer:
        told = {"set-cookie": f"session-id={COOKIE}", "x-api-key": CANARY, "x-auth-token": CANARY}
        if self.answers:
            return self.answers.pop(0)
        return Answer(b"<html><title>Amazon.com</title>a kettle</html>", headers=told)


@pytest.mark.parametrize("status", [200, 401, 403, 404, 429, 500])
def test_no_secret_is_in_anything_that_a_run_leaves_behind(tmp_path: Path, canary: str, status: int) -> None:
    service = Service()
    if status != 200:
        service.answers = [Answer(f"your api_key={CANARY} failed".encode(), status)] * 3
    log = io.StringIO()
    sink = logger.add(log, level="TRACE", backtrace=True, diagnose=False)
    handler = logging.StreamHandler(log)
    logging.getLogger().addHandler(handler)
    previous = logging.getLogger().level
    logging.getLogger().setLevel(logging.DEBUG)
    try:
        with Site({"/": service}, tls=False) as stub, Journal(tmp_path / "audit.jsonl") as audit:
            live = ScraperApiTransport(api_endpoint=f"http://127.0.0.1:{stub.port}", timeout=5)
            guard = Guard(policy_for("amazon", "us", tuple(load_site("amazon").readable)), audit)
            with Recorder(tmp_path / PAGES) as recorder:
                stack = Recording(Retrying(live, sleep=lambda seconds: None), recorder)
                try:
                    guard.fetch(Request(url=ITEM), stack)
                except WindowshopError as error:
                    text = "".join(traceback.format_exception(error))
                    (tmp_path / "error.txt").write_text(f"{text}\n{error!r}\n{error.args!r}")
                audit.append({"said": f"the agent says {canary} and {quote_plus(canary)}"})
    finally:
        logger.remove(sink)
        logging.getLogger().removeHandler(handler)
        logging.getLogger().setLevel(previous)
    (tmp_path / "log.txt").write_text(log.getvalue())
    left = everything_in(tmp_path)
    assert len(left) > 300
    for secret in (CANARY, quote_plus(CANARY), COOKIE, "model-canary-1234"):
        assert secret.encode() not in left


@pytest.mark.parametrize("transport", ["http"])
def test_a_run_of_the_command_line_leaves_no_secret_either(
    tmp_path: Path, canary: str, transport: str
) -> None:
    script = tmp_path / "script.txt"
    script.write_text(f"search[kettle]\nsearch[{canary}]\nclick[buy now]\n")
    run = tmp_path / "run"
    done = CliRunner().invoke(
        group,
        ["run", "a kettle", "--transport", transport, "--agent", f"scripted:{script}", "--out", str(run)],
    )
    assert done.exit_code == 4, done.output
    assert "refused" in done.output
    left = everything_in(run)
    assert b"kettle" in left
    assert canary.encode() not in left + done.output.encode()
    assert quote_plus(canary).encode() not in left


def test_the_secrets_of_the_environment_are_known_by_their_names(monkeypatch: pytest.MonkeyPatch) -> None:
    environment = {
        "A_API_KEY": "0123456789",
        "GITHUB_TOKEN": "abcdefghij",
        "DB_PASSWORD": "short",
        "HOME": "/home/nobody",
    }
    assert own_secrets(environment) == {"0123456789", "abcdefghij"}
    monkeypatch.setenv("MY_SECRET", 'a"b\\c + d')
    assert without_own_secrets('x a"b\\c + d y') == "x redacted y"
    assert line_of({"x": 'a"b\\c + d'}) == b'{"x":"redacted"}'
    assert redact("https://me:pw@x.test/?api_key=1&q=2") == "https://x.test/?api_key=redacted&q=2"


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("sk-0123456789abcdef0123", True),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.x", True),
        ("AKIAIOSFODNN7EXAMPLE", True),
        ("ghp_0123456789abcdefghij0123", True),
        ("-----BEGIN RSA PRIVATE KEY-----", True),
        ("a risk-free ask-me-anything kettle with a long name", False),
        ("sk-ii facial treatment essence 230 ml", False),
        ("men's t-shirt, eye-catching, size xl", False),
    ],
)
def test_what_looks_like_a_key(text: str, is_one: bool) -> None:
    assert holds_secret(text) is is_one


SIGNED_IN = [
    b'<a id="nav-item-signout" href="/x">Not Ann? Sign out</a>',
    b"<a href='https://www.amazon.de/gp/flex/sign-out.html?x=1'>Abmelden</a>",
    b'{"customerId":"A1R694BJHDH1CG"}',
    b'{"isSignedIn": true}',
]
SIGNED_OUT = [
    b'{"customerId":""}',
    b'{"isSignedIn":false,"customerID":null}',
    b'<a href="https://www.amazon.com/ap/signin?x">Hello, sign in</a>',
    b'{"SIGN_OUT":{"url":"https://signin.ebay.com/ws/eBayISAPI.dll?SignIn&lgout=1"}}',
]


@pytest.mark.parametrize("body", SIGNED_IN)
def test_a_page_of_somebody_signed_in_is_not_recorded(tmp_path: Path, body: bytes) -> None:
    class Shop:
        name = "shop"

        def fetch(self, request: Request) -> Response:
            page = b"<html>" + body + b"</html>"
            return Response(url=request.url, status=200, body=page, transport="shop", at=datetime.now(UTC))

    with Recorder(tmp_path / PAGES) as recorder:
        before = (tmp_path / PAGES).stat().st_size
        with pytest.raises(Refused, match=r"record\.signed-in"):
            Recording(Shop(), recorder).fetch(Request(url=ITEM))
        assert (tmp_path / PAGES).stat().st_size == before


@pytest.mark.parametrize("body", SIGNED_OUT)
def test_a_page_of_nobody_is(body: bytes) -> None:
    assert not is_signed_in(body)


def test_few_real_pages_were_saved_by_somebody_signed_in(shared: Path) -> None:
    pages = [gzip.decompress(path.read_bytes()) for path in (shared / "pages").rglob("*.html.gz")]
    found = [page for page in pages if is_signed_in(page)]
    assert 0 < len(found) < len(pages) / 8
    assert all(b"sign-out" in page or b"signout" in page or b'"customerI' in page for page in found)


def test_the_demo_shops_pages_are_nobodys() -> None:
    from windowshop.demo.answer import Visit as Asked

    with Shop(hostile=True) as shop:
        for host, path in (("www.amazon.com", "/s"), ("www.ebay.com", "/sch/i.html")):
            words = {"k": "kettle", "_nkw": "kettle"}
            page = shop.answer(Asked(method="GET", host=host, path=path, params=words))
            assert len(page.body) > 1000
            assert not is_signed_in(page.body)


PERSON = b"""<html><header id="gh"><span class="gh-ug">Hi <b>Wilhelmina Quarterstaff</b>!</span></header>
<div id="nav-global-location-slot"><span>Deliver to Wilhelmina</span> <span>Springfield 62704</span></div>
<a href="mailto:wilhelmina@example.org">x</a><input name="csrf-token" value="canary-csrf">
<script>var x = {"sessionId":"130-7654321-1234567","phoneNumber":"+1 555 010 9999"};
var y = {"at-main":"Atza|canary"};</script>
<p>A kettle for the whole family.</p></html>"""


def test_names_addresses_tokens_and_numbers_are_scrubbed() -> None:
    kept = scrub(PERSON, lambda edited: b"A kettle for the whole family." in edited)
    gone = (
        b"Wilhelmina",
        b"62704",
        b"example.org",
        b"canary-csrf",
        b"130-7654321",
        b"010 9999",
        b"Atza|canary",
    )
    assert [secret for secret in gone if secret in kept] == []
    assert b"A kettle for the whole family." in kept


EVIL = "\x1b]0;owned\x07\x1b[31mred\x1b[0m\r\u202egnp.exe\x9b2J\u200b"


def test_page_text_drives_no_terminal() -> None:
    shown = printable(EVIL)
    assert not {
        sign for sign in shown if ord(sign) < 32 or 0x7F <= ord(sign) < 0xA0 or sign in "\u202e\u200b"
    }
    assert "red" in shown


@pytest.mark.parametrize(
    "text", ['=HYPERLINK("http://x")', "+cmd|x", "@SUM(1)", "-1+cmd", "\t=1", "\r=1", "-"]
)
def test_page_text_computes_nothing_in_a_spreadsheet(text: str) -> None:
    assert cell(text) == f"'{text}"
    assert plain_cell(str(cell(text))) == text


def test_numbers_and_words_stay_what_they_are_in_a_spreadsheet() -> None:
    for value in ("-1.5", "+3", "a=b", "", "'quoted", 7, None):
        assert cell(value) == value
    assert plain_cell("'quoted") == "'quoted"


def test_what_guard_check_is_asked_cannot_drive_the_terminal_either() -> None:
    done = CliRunner().invoke(group, ["guard", "check", f"https://x.test/{EVIL}?api_key={CANARY}"])
    assert done.exit_code == 4
    assert "\x1b" not in done.stdout
    assert CANARY not in done.stdout
    told = CliRunner().invoke(group, ["guard", "check", "--json", f"https://x.test/{EVIL}"])
    assert json.loads(told.stdout)["rule"] == "url.characters"
