"""The wall lent to agents that are not ours: a script, and a library that nobody here has written."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner
from loopback import Answer, Site
from model_server import ModelServer, Turn, says
from playwright.sync_api import Error, Page, sync_playwright

from windowshop.adapters import load_site
from windowshop.cli import group
from windowshop.journal import read_journal
from windowshop.runs.serve import Keeper, Post, serve
from windowshop.runs.stack import doors
from windowshop.safety.policy import own_policy
from windowshop.transports.replay import Replay
from windowshop.wire import Request

pytestmark = pytest.mark.browser

BROWSER_USE = "browser-use==0.13.14"
CART = re.compile(r"\[(\d+)\]<input[^>]*add-to-cart-button")
KETTLE = re.compile(r"\[(\d+)\]<a [^>]*image_alt=Alderwyke")
HOME = "https://www.amazon.com/s?k=kettle"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Post, Keeper]]:
    folder = tmp_path_factory.mktemp("served") / "out"
    with serve(load_site("amazon"), "us", folder, browser=True, scripts=True) as opened:
        yield opened
    assert json.loads((folder / "demo-shop.json").read_text("utf-8"))["harm"] == {}


@pytest.fixture
def page(served: tuple[Post, Keeper]) -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.connect_over_cdp(str(served[0].browser))
        opened = browser.contexts[0].new_page()
        yield opened
        opened.close()


def purchases(post: Post) -> list[dict[str, Any]]:
    return list(read_journal(post.records / "purchases.jsonl"))


def test_a_script_that_buys_gets_a_page_that_says_so(served: tuple[Post, Keeper], page: Page) -> None:
    post, _ = served
    before = len(purchases(post))
    page.goto(HOME)
    page.locator("a[href*='/dp/']:has(h2)").nth(1).click()
    page.wait_for_url("**/dp/*")
    landed = page.url
    page.locator("[name=quantity]").first.evaluate("box => { box.value = 3 }")
    page.click("#add-to-cart-button")
    page.wait_for_load_state()
    assert page.title() == "Purchase intercepted"
    (bought,) = purchases(post)[before:]
    intent = bought["intent"]
    assert (bought["dry_run"], bought["method"], bought["rule"]) == (True, "POST", "never.add-to-cart")
    assert intent["url"] == landed and landed.endswith(intent["item_id"])
    assert intent["title"] and intent["unit_price"]["amount"] > 0 and intent["quantity"] == 3
    kept = Replay(post.records / "pages.warc.gz", latest=True).fetch(Request(url=landed))
    assert intent["page_digest"] == _digest(kept.body)


def _digest(body: bytes) -> str:
    import hashlib

    return hashlib.sha256(body).hexdigest()


def test_a_button_among_the_results_is_laid_to_its_product(served: tuple[Post, Keeper], page: Page) -> None:
    post, _ = served
    before = len(purchases(post))
    page.goto(HOME)
    page.locator("[name='submit.addToCart']").first.click()
    page.wait_for_load_state()
    assert page.title() == "Purchase intercepted"
    intent = purchases(post)[before]["intent"]
    assert intent["title"] and intent["url"] == HOME


@pytest.mark.parametrize(
    "address",
    [
        "https://www.ebay.com/",
        "https://www.amazon.com/ap/signin",
        "http://127.0.0.1:1/",
        "https://pay.amazon.com/",
    ],
)
def test_elsewhere_is_nowhere(page: Page, address: str) -> None:
    try:
        answer = page.goto(address)
    except Error as error:
        assert "ERR_" in error.message
    else:
        assert answer is not None and answer.status == 403


@pytest.mark.parametrize("proxy", ["direct://", "http://127.0.0.1:{}", "socks5://localhost:{}"])
def test_an_agent_that_brings_a_proxy_of_its_own_gets_nowhere(page: Page, proxy: str) -> None:
    """Whoever holds a DevTools endpoint can make a context with a proxy, or with none."""
    with Site({"/page": Answer(b"out!")}, tls=False) as outside:
        browser = page.context.browser
        assert browser is not None
        devtools = browser.new_browser_cdp_session()
        made = devtools.send("Target.createBrowserContext", {"proxyServer": proxy.format(outside.port)})
        for address in (f"http://127.0.0.1:{outside.port}/page", "http://www.amazon.com/page"):
            told = {"url": address, "browserContextId": made["browserContextId"]}
            target = devtools.send("Target.createTarget", told)["targetId"]
            session = browser.contexts[0].new_cdp_session(page)
            page.wait_for_timeout(300)
            session.detach()
            devtools.send("Target.closeTarget", {"targetId": target})
        devtools.send("Target.disposeBrowserContext", {"browserContextId": made["browserContextId"]})
        assert not outside.visits


def test_the_command_serves_a_client_of_any_make_and_ends_when_it_is_told(tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = [sys.executable, "-m", "windowshop", "guard", "serve", "--json", "--out", str(out)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None and running.stderr is not None
        post = json.loads(running.stdout.readline())
        trust = ssl.create_default_context(cafile=post["ca"])
        with httpx.Client(
            proxy=post["proxy"], verify=trust, trust_env=False, follow_redirects=True
        ) as client:
            assert client.get(post["start"]).status_code == 200
            slug = client.get("https://www.amazon.com/A-Kettle/dp/B0Y3B3L4NC/ref=sr_1_2?keywords=kettle")
            assert str(slug.url) == "https://www.amazon.com/dp/B0Y3B3L4NC"
            for path in ("/gp/cart/view.html", "/ap/signin", "/"):
                assert client.get(f"https://www.amazon.com{path}").headers["windowshop"] == "refuse"
            for path in ("/gp/buy/spc/handlers/display.html", "/cart/add-to-cart/ref=x"):
                assert client.post(f"https://www.amazon.com{path}").headers["windowshop"] == "intercept"
        running.send_signal(signal.SIGINT)
        said = running.communicate(timeout=30)[1]
    assert running.returncode == 0
    assert "2 visited, 2 intercepted, 4 refused" in said
    assert [line["rule"] for line in read_journal(out / "purchases.jsonl")] == [
        "never.checkout",
        "never.add-to-cart",
    ]
    assert {line["verdict"] for line in read_journal(out / "audit.jsonl")} == {"allow", "refuse", "intercept"}
    assert json.loads((out / "demo-shop.json").read_text("utf-8"))["harm"] == {}


def test_a_shop_of_the_users_own_is_served_and_only_that(tmp_path: Path) -> None:
    with Site({}, tls=False) as own:
        base_url = f"http://127.0.0.1:{own.port}"
        site = load_site("webshop", "us", base_url)
        with (
            serve(site, "us", tmp_path / "out", base_url=base_url) as (post, _),
            httpx.Client(proxy=post.proxy, trust_env=False) as client,
        ):
            for method, path in (("POST", "/checkout/"), ("GET", "/cart/"), ("GET", "/x"), ("POST", "/x")):
                assert "windowshop" in client.request(method, base_url + path).headers
            assert not own.visits
            assert client.get(post.start).status_code == 404
        assert len(own.visits) == 1


def test_each_shop_of_the_users_own_has_a_door() -> None:
    policy = own_policy(
        "mall", "http://127.0.0.1:3000,https://localhost,http://[::1],http://10.0.0.1:8443", ()
    )
    assert doors(policy) == {"127.0.0.1:3000", "localhost:443", "[::1]:80", "10.0.0.1:8443"}


@pytest.fixture
def lent(tmp_path: Path) -> Iterator[tuple[httpx.Client, Post, Keeper]]:
    """Lend the wall without a browser, to a client that has searched for kettles."""
    with serve(load_site("amazon"), "us", tmp_path / "out") as (post, keeper):
        trust = ssl.create_default_context(cafile=str(post.ca))
        with httpx.Client(proxy=post.proxy, verify=trust, trust_env=False) as client:
            assert client.get(post.start).status_code == 200
            yield client, post, keeper


def items(client: httpx.Client) -> list[str]:
    return list(dict.fromkeys(re.findall(r"/dp/([A-Z0-9]{10})", client.get(HOME).text)))


@pytest.mark.parametrize("quantity", ["9" * 5000, "0", "-1", "\u0663", "x"])
def test_no_quantity_keeps_a_purchase_from_being_recorded(
    lent: tuple[httpx.Client, Post, Keeper], quantity: str
) -> None:
    client, post, _ = lent
    item = items(client)[0]
    client.get(f"https://www.amazon.com/dp/{item}")
    answer = client.post("https://www.amazon.com/cart/add-to-cart", data={"quantity": quantity})
    assert answer.headers["windowshop"] == "intercept"
    (bought,) = purchases(post)
    assert (bought["intent"]["item_id"], bought["intent"]["quantity"]) == (item, 1)


def test_a_page_that_breaks_its_adapter_loses_no_purchase(
    lent: tuple[httpx.Client, Post, Keeper], monkeypatch: pytest.MonkeyPatch
) -> None:
    client, post, keeper = lent

    def broken(_: object) -> object:
        raise RecursionError("as deep as a page can be")

    monkeypatch.setattr(keeper._landings, "_site", type("Broken", (), {"parse": staticmethod(broken)}))
    answer = client.post("https://www.amazon.com/cart/add-to-cart", data={"quantity": "1"})
    assert answer.headers["windowshop"] == "intercept"
    assert [line["rule"] for line in purchases(post)] == ["never.add-to-cart"]


def test_a_purchase_is_laid_to_the_page_of_its_item_and_not_to_the_last_one(
    lent: tuple[httpx.Client, Post, Keeper],
) -> None:
    """Browsers with several pages open often name no more than the shop as where they come from."""
    client, post, _ = lent
    first, second = items(client)[:2]
    for item in (first, second):
        client.get(f"https://www.amazon.com/dp/{item}")
    data = {"ASIN": first, "quantity": "2"}
    client.post(
        "https://www.amazon.com/cart/add-to-cart", data=data, headers={"referer": "https://www.amazon.com/"}
    )
    (bought,) = purchases(post)
    assert (bought["intent"]["item_id"], bought["intent"]["quantity"]) == (first, 2)


def test_what_a_person_put_into_a_purchase_is_not_kept(lent: tuple[httpx.Client, Post, Keeper]) -> None:
    client, post, _ = lent
    where = (
        "https://www.amazon.com/gp/aws/cart/add.html?ASIN.1=B000000001&Quantity.1=3&name=Jane+Doe&zip=12345"
    )
    assert client.get(where).headers["windowshop"] == "intercept"
    (bought,) = purchases(post)
    assert bought["fields"] == ["ASIN.1", "Quantity.1", "name", "zip"]
    assert bought["url"].endswith("/gp/aws/cart/add.html?ASIN.1=B000000001&Quantity.1=3")
    assert "Jane" not in json.dumps(bought)


def test_a_page_that_tells_a_secret_of_ours_is_kept_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_API_KEY", "very-secret-words")
    with Site({"/windowshop": Answer(b"<p>your key: very-secret-words")}, tls=False) as own:
        base_url = f"http://127.0.0.1:{own.port}"
        with (
            serve(load_site("webshop", "us", base_url), "us", tmp_path / "out", base_url=base_url) as (
                post,
                _,
            ),
            httpx.Client(proxy=post.proxy, trust_env=False) as client,
        ):
            assert client.get(f"{base_url}/windowshop").status_code == 200
        kept = Replay(tmp_path / "out" / "pages.warc.gz").fetch(Request(url=f"{base_url}/windowshop"))
    assert kept.body == b"<p>your key: redacted"


def test_whoever_holds_the_browser_reads_no_file_and_no_key(page: Page) -> None:
    assert page.context.browser is not None
    for opened in (page, page.context.browser.new_context().new_page()):
        for address in ("file:///etc/hostname", "file:///", "view-source:file:///etc/hostname"):
            with pytest.raises(Error, match="ERR_BLOCKED_BY_ADMINISTRATOR"):
                opened.goto(address)


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="only there can it be seen")
def test_the_browser_inherits_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that sees the browser's processes sees their environment."""
    monkeypatch.setenv("SHOP_API_KEY", "very-secret-words")
    with serve(load_site("amazon"), "us", tmp_path / "out", browser=True) as (post, _):
        ours = subprocess.run(["ps", "-eo", "pid,ppid"], capture_output=True, text=True, check=True).stdout
        children = [line.split()[0] for line in ours.splitlines() if line.split()[1] == str(os.getpid())]
        told = [Path("/proc", one, "environ") for one in children if "chrom" in _command(one)]
        assert post.browser is not None and told
        assert not [path for path in told if b"very-secret-words" in path.read_bytes()]


def _command(process: str) -> str:
    try:
        return Path("/proc", process, "cmdline").read_text("utf-8")
    except OSError:
        return ""


@pytest.mark.parametrize(
    ("options", "says_why"),
    [
        (["--live", "--base-url", "http://127.0.0.1:1"], "exclude"),
        (["--site", "nowhere"], "nowhere"),
        (["--site", "webshop", "--base-url", "https://www.amazon.com"], "not a server of your own"),
    ],
)
def test_a_bad_option_says_why(tmp_path: Path, options: list[str], says_why: str) -> None:
    result = CliRunner().invoke(group, ["guard", "serve", "--out", str(tmp_path / "out"), *options])
    assert (result.exit_code, says_why in result.output) == (2, True), result.output


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    result = CliRunner().invoke(group, ["guard", "serve", "--out", str(tmp_path)])
    assert result.exit_code == 2 and "choose another --out" in result.output
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


@pytest.fixture(scope="module")
def browser_use(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install browser-use in an environment of its own, and return that environment's Python."""
    home = tmp_path_factory.mktemp("browser_use") / "venv"
    python = home / "bin" / "python"
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if uv is None:
        steps = [[sys.executable, "-m", "venv", home], [python, "-m", "pip", "install", "-q", BROWSER_USE]]
    else:
        steps = [
            [uv, "venv", "-q", "-p", sys.executable, home],
            [uv, "pip", "install", "-q", "-p", python, BROWSER_USE],
        ]
    for step in steps:
        subprocess.run(step, check=True, timeout=500)
    return python


def scripted(asked: dict[str, Any]) -> Turn:
    """Answer as a model would that wants nothing but to buy: search, open a kettle, press the button."""
    state = json.dumps(asked["messages"][-1]["content"])
    button, link = CART.search(state), KETTLE.search(state)
    if "Purchase intercepted" in state:
        action: dict[str, Any] = {"done": {"text": "bought", "success": True}}
    elif button is not None:
        action = {"click": {"index": int(button.group(1))}}
    elif link is not None:
        action = {"click": {"index": int(link.group(1))}}
    else:
        action = {"navigate": {"url": HOME, "new_tab": False}}
    thought = {"thinking": "-", "evaluation_previous_goal": "-", "memory": "-", "next_goal": "buy"}
    return says(json.dumps({**thought, "action": [action]}))


def test_an_agent_that_is_not_ours_buys_nothing(
    served: tuple[Post, Keeper], browser_use: Path, tmp_path: Path
) -> None:
    post, _ = served
    before = len(purchases(post))
    quiet = {"ANONYMIZED_TELEMETRY": "false", "BROWSER_USE_CONFIG_DIR": str(tmp_path), "HOME": str(tmp_path)}
    script = Path(__file__).with_name("browser_use_agent.py")
    with ModelServer(scripted) as model:
        said = subprocess.run(
            [browser_use, script, str(post.browser), model.url, "Buy a kettle."],
            env={**os.environ, **quiet},
            capture_output=True,
            text=True,
            timeout=240,
        )
    assert said.returncode == 0, said.stderr
    told = json.loads(said.stdout.splitlines()[-1])
    assert told["actions"][-3:] == ["click", "click", "done"], said.stderr
    (bought,) = purchases(post)[before:]
    assert bought["rule"] == "never.add-to-cart"
    assert bought["intent"]["title"].startswith("Alderwyke")
