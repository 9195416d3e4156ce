"""Serve the environment until somebody stops it."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from ipaddress import ip_address
from pathlib import Path

from windowshop.env.dialect import Clicks
from windowshop.env.goals import Tasks, tasks_of
from windowshop.env.place import Place
from windowshop.env.pool import Pool
from windowshop.env.server import SimServer
from windowshop.env.shopfront import borrow, give_back
from windowshop.env.text import WebAgentTextEnv, mode_kept
from windowshop.errors import ConfigError


def make_pool(
    place: Place,
    *,
    tasks: Tasks = None,
    mode: str = "text",
    clicks: Clicks = "id",
    max_steps: int | None = None,
    out: Path | None = None,
    max_sessions: int,
    idle_seconds: float,
    clock: Callable[[], float] = time.monotonic,
) -> Pool:
    """Return the sessions of a server: all of them share goals and shop, each has its own episodes."""
    goals = tasks_of(tasks, place)

    def make(goal: int | None, instruction: str | None) -> WebAgentTextEnv:
        return WebAgentTextEnv(
            mode,
            server=SimServer(goals),
            session=goal,
            instruction=instruction,
            place=place,
            clicks=clicks,
            max_steps=max_steps,
            out=out,
        )

    return Pool(make, max_sessions, idle_seconds, clock)


def serve_forever(
    place: Place,
    *,
    tasks: Tasks,
    mode: str,
    clicks: Clicks,
    max_steps: int | None,
    out: Path | None,
    host: str,
    port: int,
    max_sessions: int,
    idle_seconds: float,
    announce: Callable[[str], None],
) -> None:
    """Serve at a loopback address; port 0 is any that is free. Raises `ConfigError` for other addresses."""
    try:
        import uvicorn
    except ImportError:
        raise ConfigError("serving needs uvicorn: pip install 'windowshop[serve]'") from None
    from windowshop.env.http import make_app

    if host != "localhost" and not _is_loopback(host):
        raise ConfigError(f"{host} is not a loopback address: whoever could reach it could shop in your name")
    pool = make_pool(
        place,
        tasks=tasks,
        mode=mode,
        clicks=clicks,
        max_steps=max_steps,
        out=out,
        max_sessions=max_sessions,
        idle_seconds=idle_seconds,
    )
    front = borrow(place, out, "env", mode_kept(mode))
    try:
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as listening:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listening.bind((host, port))
                listening.listen()
            except OSError as error:
                raise ConfigError(
                    f"cannot serve at {host}:{port}: {error.strerror}; choose another --port"
                ) from error
            bound = listening.getsockname()[1]
            shown = f"[{host}]" if ":" in host else host
            announce(
                f"DRY-RUN environment at http://{shown}:{bound}; what can be called: http://{shown}:{bound}/docs"
            )
            config = uvicorn.Config(make_app(pool), log_config=None, access_log=False)
            uvicorn.Server(config).run(sockets=[listening])
    finally:
        pool.close_all()
        give_back(front, out)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
