"""A chat-completions server on this machine that answers from a script, over real HTTP.

    with ModelServer([says("hello"), calls("click", {"target": "b01"}), limited(0.01)]) as server:
        monkeypatch.setenv("WINDOWSHOP_LLM_BASE_URL", server.url)
        monkeypatch.setenv("WINDOWSHOP_LLM_API_KEY", "sk-test")
        ...
        server.asked[0].body["messages"]         # what each request carried, in order; `.headers` too

A script is a list of answers, one a request, or a function of the request's body (a dict) that returns the
answer, for callers that ask in no fixed order. After the end of a list every request is answered 500 (not to
be tried again). An answer is one JSON object, or a stream of events where the request asks for that.

Answers: `says(text)`, `calls(name, arguments)`, `fails(status)`, `limited(seconds)` (429 with Retry-After),
`sends(bytes)` (malformed, whatever), `SILENT` (never answers), `DRIPS` (a body that never ends), `HANGS_UP`.
Usage is `usage=(prompt, completion)`, None to leave it out, or any JSON value for a lie.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

DEFAULT_USAGE = (100, 10)


@dataclass(frozen=True)
class Turn:
    """One answer; `message` is a chat message, or None where `body` is sent as it is."""

    message: dict[str, Any] | None = None
    usage: Any = DEFAULT_USAGE
    finish: str = "stop"
    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    manner: str = "answers"


SILENT = Turn(manner="silent")
DRIPS = Turn(manner="drips")
HANGS_UP = Turn(manner="hangs up")


def says(text: str, usage: Any = DEFAULT_USAGE, finish: str = "stop") -> Turn:
    return Turn({"role": "assistant", "content": text}, usage, finish)


def calls(name: str, arguments: dict[str, Any] | str, usage: Any = DEFAULT_USAGE) -> Turn:
    """Call a tool; arguments given as a string are sent as they are, JSON or not."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    call = {"id": "call_1", "type": "function", "function": {"name": name, "arguments": text}}
    return Turn({"role": "assistant", "content": None, "tool_calls": [call]}, usage, "tool_calls")


def fails(status: int, message: str = "it failed", **headers: str) -> Turn:
    """Answer an error; `x_should_retry="false"` keeps a client of ours from trying again."""
    error = {"error": {"message": message, "type": "error", "param": None, "code": None}}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Turn(status=status, body=json.dumps(error).encode(), headers=named)


def limited(seconds: float) -> Turn:
    return fails(429, "slow down", retry_after=str(seconds))


def sends(body: bytes, status: int = 200, type: str = "application/json") -> Turn:
    return Turn(status=status, body=body, headers={"content-type": type})


@dataclass(frozen=True)
class Asked:
    """One request as it came in."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


class ModelServer:
    """Serve a script at `url` until the `with` block ends."""

    def __init__(self, script: Sequence[Turn] | Callable[[dict[str, Any]], Turn]) -> None:
        self.asked: list[Asked] = []
        self.closing = threading.Event()
        self._script = script
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.owner = self  # type: ignore[attr-defined]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def answer(self, asked: Asked) -> Turn:
        with self._lock:
            number = len(self.asked)
            self.asked.append(asked)
        if callable(self._script):
            return self._script(asked.body)
        if number < len(self._script):
            return self._script[number]
        return fails(500, f"the script ended after {len(self._script)} answers", x_should_retry="false")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _usage(turn: Turn) -> Any:
    if not isinstance(turn.usage, tuple):
        return turn.usage
    prompt, completion = turn.usage
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def _completion(turn: Turn, model: str) -> bytes:
    choice = {"index": 0, "message": turn.message, "finish_reason": turn.finish}
    whole = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [choice],
    }
    return json.dumps(whole if turn.usage is None else {**whole, "usage": _usage(turn)}).encode()


def _events(turn: Turn, model: str) -> list[bytes]:
    """Return the answer as server-sent events: the role, the words one by one, the end, the usage."""
    message = turn.message or {}
    words = (message.get("content") or "").split(" ")
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": word if number == 0 else f" {word}"} for number, word in enumerate(words)]
    for number, call in enumerate(message.get("tool_calls") or []):
        function = call["function"]
        begun = {**call, "index": number, "function": {"name": function["name"], "arguments": ""}}
        halves = function["arguments"][:5], function["arguments"][5:]
        deltas += [{"tool_calls": [begun]}]
        deltas += [{"tool_calls": [{"index": number, "function": {"arguments": half}}]} for half in halves]
    whole = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": model}
    chunks = [{**whole, "choices": [{"index": 0, "delta": d, "finish_reason": None}]} for d in deltas]
    chunks.append({**whole, "choices": [{"index": 0, "delta": {}, "finish_reason": turn.finish}]})
    if turn.usage is not None:
        chunks.append({**whole, "choices": [], "usage": _usage(turn)})
    return [*(b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks), b"data: [DONE]\n\n"]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        owner: ModelServer = self.server.owner  # type: ignore[attr-defined]
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        headers = {name.lower(): value for name, value in self.headers.items()}
        turn = owner.answer(Asked(self.path, headers, body))
        self.close_connection = True
        if turn.manner == "silent":
            owner.closing.wait()
        elif turn.manner == "drips":
            self._drip(owner.closing)
        elif turn.message is None and turn.manner == "answers":
            self._send(turn.status, turn.body, {"content-type": "application/json", **turn.headers})
        elif turn.message is not None and body.get("stream"):
            events = b"".join(_events(turn, body["model"]))
            self._send(turn.status, events, {"content-type": "text/event-stream", **turn.headers})
        elif turn.message is not None:
            whole = _completion(turn, body.get("model", ""))
            self._send(turn.status, whole, {"content-type": "application/json", **turn.headers})

    def _send(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _drip(self, closing: threading.Event) -> None:
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        try:
            while not closing.wait(0.01):
                self.wfile.write(b" ")
        except OSError:
            return

    def log_message(self, format: str, *args: object) -> None:
        """The requests are kept; nothing is printed."""
