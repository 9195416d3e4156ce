"""Pages on this machine alone: who may ask, and how a server of ours is run."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from windowshop.errors import ConfigError

HOST = "127.0.0.1"
_HEADERS = (
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
)


def import_starlette() -> None:
    """Raise `ConfigError` naming the extra where the server is missing."""
    try:
        import starlette
        import uvicorn
    except ImportError:
        raise ConfigError("pages are served by the extra serve: pip install 'windowshop[serve]'") from None
    del starlette, uvicorn


def guarded(app: Any) -> Any:
    """Let in whoever asks for this machine by its own name, and changes only from our own pages."""
    from starlette.responses import PlainTextResponse

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        host = headers.get(b"host", "")
        origin = headers.get(b"origin")
        if urlsplit(f"//{host}").hostname not in (HOST, "localhost"):
            await PlainTextResponse("ask for 127.0.0.1", 403)(scope, receive, send)
            return
        if scope["method"] not in ("GET", "HEAD") and (origin is None or urlsplit(origin).netloc != host):
            await PlainTextResponse("answers are taken from this server's own pages alone", 403)(
                scope, receive, send
            )
            return

        async def send_guarded(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_HEADERS]
            await send(message)

        await app(scope, receive, send_guarded)

    return answer


def serve(app: Any, port: int, tell: Callable[[str], None]) -> None:
    """Serve an application on 127.0.0.1 until an interrupt; `tell` is given the address once it is open.

    Raises `ConfigError` where the port is taken.
    """
    import uvicorn

    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
    except OSError as error:
        listening.close()
        raise ConfigError(
            f"port {port} cannot be had ({error.strerror}); choose another with --port"
        ) from error
    listening.listen()
    tell(f"http://{HOST}:{listening.getsockname()[1]}/")
    config = uvicorn.Config(
        app, log_level="warning", lifespan="off", access_log=False, timeout_graceful_shutdown=2
    )
    try:
        uvicorn.Server(config).run(sockets=[listening])
    except KeyboardInterrupt:
        pass
    finally:
        listening.close()


def screenshot_file(run: Path, name: str, known: Sequence[str]) -> Path | None:
    """Return a run's screenshot by its file name, if a step has it."""
    wanted = f"screenshots/{name}"
    return run / wanted if wanted in known and (run / wanted).is_file() else None
