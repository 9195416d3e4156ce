"""The environment over HTTP: as described, for this machine alone, and for many at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
import uvicorn
from env_policy import PLAN, choose
from hypothesis import HealthCheck, settings

from windowshop.env.http import make_app
from windowshop.env.openapi import describe
from windowshop.env.place import Place
from windowshop.env.pool import Pool
from windowshop.env.serving import make_pool, serve_forever
from windowshop.errors import BudgetSpent, ConfigError
from windowshop.journal import read_journal

MANY = 64


@contextmanager
def serving(pool: Pool) -> Iterator[str]:
    """Serve in a thread of this process, at a free port."""
    server = uvicorn.Server(uvicorn.Config(make_app(pool), port=0, log_config=None, lifespan="on"))
    up = threading.Event()
    startup = server.startup

    async def started(sockets: Any = None) -> None:
        await startup(sockets)
        up.set()

    server.startup = started  # type: ignore[method-assign]
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        assert up.wait(30)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        pool.close_all()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    out = tmp_path_factory.mktemp("served") / "run"
    tasks = ["i need a red shirt", "i need a kettle"]
    with serving(make_pool(Place(), tasks=tasks, out=out, max_sessions=1000, idle_seconds=3600)) as url:
        yield url


@pytest.fixture
def client(address: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=address, trust_env=False, timeout=60) as one:
        yield one


DESCRIBED = schemathesis.openapi.from_dict(describe())


@DESCRIBED.parametrize()
@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_the_server_is_as_described(case: schemathesis.Case, address: str) -> None:
    case.call_and_validate(base_url=address)


def test_the_description_is_served(client: httpx.Client) -> None:
    assert client.get("/openapi.json").json() == describe()


def test_agentgyms_calls_are_answered(client: httpx.Client) -> None:
    assert client.get("/").json() == "ok"
    number = client.post("/create").json()
    assert number in client.get("/list_envs").json()
    first, nothing = client.post("/reset", json={"env_idx": number, "session_id": 1}).json()
    assert nothing is None
    assert first == "WebShop [SEP] Instruction: [SEP] i need a kettle [SEP] Search"
    look = {"params": {"env_idx": number}}
    assert client.get("/observation", **look).json() == first
    assert client.get("/instruction_text", **look).json() == "Instruction: i need a kettle"
    assert client.get("/available_actions", **look).json() == {
        "has_search_bar": True,
        "clickables": ["search"],
    }
    step = client.post("/step", json={"env_idx": number, "action": "search[kettle]"}).json()
    assert step == {
        "state": client.get("/observation", **look).json(),
        "reward": 0.0,
        "done": False,
        "info": None,
    }
    state = client.get("/state", **look).json()
    assert state["url"] == "http://127.0.0.1:3000/search_results/1/kettle/1"
    assert state["html"].startswith("<!DOCTYPE html>") and "product-link" in state["html"]
    item = client.get("/available_actions", **look).json()["clickables"][-1]
    client.post("/step", json={"env_idx": number, "action": f"click[{item}]"})
    end = client.post("/step", json={"env_idx": number, "action": "click[buy now]"}).json()
    assert end["done"] and end["info"]["outcome"] == "intercepted"
    assert end["info"]["purchase"]["item_id"].lower() == item and end["info"]["purchase"]["dry_run"]
    assert client.post("/close", json={"env_idx": number}).json() == {"closed": True}
    assert client.post("/close", json={"env_idx": number}).json() == {"closed": False}
    assert client.get("/observation", **look).status_code == 404


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        ({"host": "shop.evil.test"}, b"{}", 403),
        ({"origin": "https://evil.test", "content-type": "application/json"}, b"{}", 403),
        ({"origin": "http://[evil", "content-type": "application/json"}, b"{}", 403),
        ({"content-type": "text/plain"}, b'{"session_id": 1}', 415),
        ({"content-type": "application/json"}, b'{"session_id": 1', 422),
        ({"content-type": "application/json"}, b'{"unheard_of": 1}', 422),
        ({"content-type": "application/json"}, b'{"session_id": 99}', 404),
        ({"content-type": "application/json"}, b" " * (1 << 21), 413),
    ],
)
def test_what_a_web_page_could_send_opens_no_session(
    client: httpx.Client, headers: dict[str, str], body: bytes, status: int
) -> None:
    before = client.get("/list_envs").json()
    answer = client.post("/create", headers=headers, content=body)
    assert answer.status_code == status and answer.json()["detail"]
    assert client.get("/list_envs").json() == before


def test_many_sessions_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    pool = make_pool(
        Place(), tasks=["i need a shirt"], out=tmp_path / "run", max_sessions=MANY, idle_seconds=60
    )

    def shop(address: str, shift: int) -> list[str]:
        with httpx.Client(base_url=address, trust_env=False, timeout=120) as client:
            number = client.post("/create").raise_for_status().json()
            open_together.wait(60)
            seen = []
            for step in range(shift, len(PLAN)):
                look = client.get("/available_actions", params={"env_idx": number}).raise_for_status().json()
                action = choose(step, look["clickables"] or ["nothing"])
                answer = client.post("/step", json={"env_idx": number, "action": action})
                seen.append(answer.raise_for_status().json()["state"])
            return seen

    open_together = threading.Barrier(MANY)
    with serving(pool) as url, ThreadPoolExecutor(MANY) as clients:
        seen = list(clients.map(lambda place: shop(url, 14 * (place % 2)), range(MANY)))
        assert httpx.post(f"{url}/create", trust_env=False).status_code == 429
    assert seen == seen[:2] * (MANY // 2)
    assert seen[0] != seen[1] and seen[0][-1].startswith("Thank you")
    bought = {record["episode"] for record in read_journal(tmp_path / "run/purchases.jsonl")}
    assert len(bought) == MANY


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_session_that_nobody_uses_is_closed() -> None:
    clock = Clock()
    made = make_pool(Place(), tasks=["i need a shirt"], max_sessions=1, idle_seconds=60, clock=clock)
    first = made.create()
    clock.now = 59
    with made.lend(first), pytest.raises(BudgetSpent):
        made.create()
    clock.now = 118
    assert made.numbers() == [first]
    clock.now = 180
    second = made.create()
    assert made.numbers() == [second]
    with pytest.raises(ConfigError, match="idle"), made.lend(first):
        pass
    made.close_all()


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.7", "example.org", "::"])
def test_nobody_else_is_let_in(host: str) -> None:
    options: dict[str, Any] = {"tasks": None, "mode": "text", "clicks": "id", "max_steps": None, "out": None}
    with pytest.raises(ConfigError, match="loopback"):
        serve_forever(
            Place(), **options, host=host, port=0, max_sessions=1, idle_seconds=1, announce=lambda text: None
        )


def test_the_page_for_people_needs_nothing_from_elsewhere(client: httpx.Client) -> None:
    page = client.get("/docs").text
    assert "/available_actions" in page and "http" not in page.replace("HTTP", "")
