"""An agent in another program, or behind an address: good ones, and all the ways in which one can fail."""

from __future__ import annotations

import json
import os
import select
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from loopback import Answer, Endless, HangUp, Site, Visit

from windowshop.agents import AgentSettings, load_agent
from windowshop.agents.process import MAX_LINE, ProcessAgent
from windowshop.errors import AgentError, ConfigError
from windowshop.views import AvailableActions, Observation

PYTHON = shlex.quote(sys.executable)
ECHO = """
import json, sys
for line in sys.stdin:
    told = json.loads(line)
    words = f"{told['step']} {told['decision']} {told['observation'][:9]}"
    print(json.dumps({"action": f"search[{words}]"}), flush=True)
"""


def seeing(text: str = "é \u2028 page") -> Observation:
    return Observation(
        text=text,
        available_actions=AvailableActions(has_search_bar=False, clickables=("b01", "buy now")),
        instruction="a red lamp",
        url="u",
        mode="text_rich",
        titles={"b01": "Lamp"},
        decision="no-op",
        note="why",
    )


@pytest.fixture
def program(tmp_path: Path) -> Iterator[object]:
    """Return a function that makes an agent of a Python program."""
    running: list[ProcessAgent] = []

    def start(source: str, timeout: float = 20.0) -> ProcessAgent:
        path = tmp_path / "agent.py"
        path.write_text(source)
        command = f"cmd: {PYTHON} {shlex.quote(str(path))}"
        agent = load_agent(command, settings=AgentSettings(timeout=timeout))
        assert isinstance(agent, ProcessAgent)
        running.append(agent)
        return agent

    yield start
    for agent in running:
        agent.close()


def test_a_program_is_told_all_and_its_action_is_taken(program) -> None:  # type: ignore[no-untyped-def]
    agent = program(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    print(json.dumps({'action': json.dumps(json.loads(line), sort_keys=True)}), flush=True)"
    )
    agent.reset("a red lamp")
    told = json.loads(agent.act(seeing()))
    assert told == {
        "step": 0,
        "instruction": "a red lamp",
        "observation": "é \u2028 page",
        "available_actions": {"has_search_bar": False, "clickables": ["b01", "buy now"]},
        "titles": {"b01": "Lamp"},
        "url": "u",
        "decision": "no-op",
        "note": "why",
    }


def test_one_program_answers_for_all_episodes_however_long_a_page_is(program) -> None:  # type: ignore[no-untyped-def]
    agent = program("import os\nme = os.getpid()\n" + ECHO.replace('"search[', '"search[{me} '))
    seen = []
    for _ in range(2):
        agent.reset("x")
        seen += [agent.act(seeing("page " + "x" * 1_000_000)) for _ in range(2)]
    pids = {action.split()[0] for action in seen}
    assert len(pids) == 1
    assert [action.split()[1] for action in seen] == ["0", "1", "0", "1"]


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("import sys; sys.exit('the model is not there')", "exit code 1; it said: the model is not there"),
        ("import os; os.kill(os.getpid(), 9)", "was killed by signal 9"),
        ("print('Loading...', flush=True); input()", "answered 'Loading...', not JSON"),
        ("print('[]', flush=True); input()", 'no text under "action"'),
        ("print('{\"action\": 5}', flush=True); input()", 'no text under "action"'),
        ("print('\\xff\\x00', flush=True); input()", "not JSON"),
        ("input(); print('x' * 3_000_000, flush=True); input()", f"a line of more than {MAX_LINE} bytes"),
        ("import sys, os; os.close(1); sys.stdin.read()", "closed its output"),
        ("pass", "ended with exit code 0"),
    ],
)
def test_a_program_that_fails_ends_the_episode_and_says_how(program, source: str, says: str) -> None:  # type: ignore[no-untyped-def]
    agent = program(source)
    for _ in range(2):
        with pytest.raises(AgentError) as caught:
            agent.act(seeing("x" * 200_000))
        assert says in str(caught.value)


def test_a_program_that_hangs_is_stopped_with_all_that_it_started(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "life")
    life = os.open(tmp_path / "life", os.O_RDONLY | os.O_NONBLOCK)
    script = tmp_path / "agent.sh"
    script.write_text('(echo up; exec sleep 300) > "$1" &\necho still thinking >&2\nwait\n')
    command = shlex.join(["sh", str(script), str(tmp_path / "life")])
    agent = load_agent(f"cmd: {command}", settings=AgentSettings(timeout=1.0))
    says = "did not answer within 1 s and was stopped; it said: still thinking"
    with pytest.raises(AgentError, match=says):
        agent.act(seeing("x" * 200_000))
    assert os.read(life, 10) == b"up\n"
    assert select.select([life], [], [], 30)[0], "what the program started is still alive"
    assert os.read(life, 10) == b""
    os.close(life)


def test_a_program_that_failed_is_started_anew(program, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    mark = tmp_path / "mark"
    agent = program(
        f"import pathlib, sys\nmark = pathlib.Path({str(mark)!r})\n"
        f"if not mark.exists():\n    mark.touch()\n    sys.exit(3)\n{ECHO}"
    )
    with pytest.raises(AgentError, match="exit code 3"):
        agent.act(seeing())
    agent.reset("x")
    assert agent.act(seeing("page")) == "search[0 no-op page]"


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("cmd: ", "no program"),
        ("cmd: 'unclosed", "cannot read the command"),
        ("http://", "names no host"),
        ("http://me:secret@127.0.0.1/act", "no password or key"),
        ("http://127.0.0.1/act?api_key=secret", "no password or key"),
    ],
)
def test_a_bad_spec_says_how_to_mend_it(spec: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says) as caught:
        load_agent(spec)
    assert "secret" not in str(caught.value)


def test_a_program_that_cannot_be_started_is_the_users_slip(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot start '/does/not/exist': there is no such program"):
        load_agent("cmd: /does/not/exist --fast")
    (tmp_path / "agent").write_bytes(b"\x7fELF, but no program")
    (tmp_path / "agent").chmod(0o755)
    agent = load_agent(f"cmd: {tmp_path}/agent --fast")
    with pytest.raises(ConfigError, match=r"cannot start .*agent --fast: Exec format error"):
        agent.act(seeing())


def _bad(_: Visit) -> Answer:
    raise HangUp


def _endless(_: Visit) -> Answer:
    raise Endless


def test_an_agent_behind_an_address_is_asked_and_its_failures_are_named() -> None:
    late = 0.3
    with Site({}, tls=False) as site:
        closing = site.closing

        def silent(_: Visit) -> Answer:
            closing.wait()
            return Answer()

        site.pages.update(
            {
                "/act": Answer(b'{"action": "click[b01]"}'),
                "/html": Answer(b"<html>"),
                "/broken": Answer(b"out of memory", 500),
                "/moved": Answer(b"", 302, {"location": "/act"}),
                "/bad": _bad,
                "/endless": _endless,
                "/silent": silent,
                "/long": Answer(b" " * 2_000_000),
            }
        )
        base = f"http://127.0.0.1:{site.port}"
        assert load_agent(f"{base}/act").act(seeing()) == "click[b01]"
        assert [visit.method for visit in site.visits] == ["POST"]
        expected = {
            "/html": "answered '<html>', not JSON",
            "/broken": "answered 500: out of memory",
            "/moved": "answered 302",
            "/bad": "cannot be asked: ",
            "/endless": f"did not finish its answer within {late:g} s",
            "/silent": f"did not answer within {late:g} s",
            "/long": "sent more than 1000000 bytes",
        }
        for path, text in expected.items():
            agent = load_agent(base + path, settings=AgentSettings(timeout=late))
            with pytest.raises(AgentError) as caught:
                agent.act(seeing())
            assert f"{base}{path} {text}" in str(caught.value)
    with pytest.raises(AgentError, match=r"cannot be asked: .*refused"):
        load_agent(f"{base}/act").act(seeing())
