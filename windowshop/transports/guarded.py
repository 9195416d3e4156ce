"""A Chromium for somebody else's agent: driven over a DevTools port, with no way out but the wall."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self

from windowshop.errors import ConfigError
from windowshop.redaction import own_secrets
from windowshop.transports.chromium import find_browser, flags, may_use_sandbox
from windowshop.transports.profile import lay_out
from windowshop.transports.wall import HOST, Wall

_PATIENCE = 45.0
_OURS = (
    "--disable-extensions",
    "--no-default-browser-check",
    "--password-store=basic",
    "--use-mock-keychain",
    "--remote-debugging-port=0",
)


class GuardedBrowser:
    """Run Chromium behind a wall for as long as a `with` block; `endpoint` is where an agent connects.

    Whoever drives it can open pages and run scripts in them, and can name another proxy: nothing but the wall
    has a name that this browser knows. `scripts` is whether pages may run theirs.
    """

    def __init__(self, wall: Wall, scripts: bool = True, window: bool = False) -> None:
        self._wall = wall
        self._scripts = scripts
        self._window = window

    def __enter__(self) -> Self:
        """Start it; raise `ConfigError` where there is none or it does not start."""
        found = find_browser()
        if found is None:
            raise ConfigError("no Chromium found; see: windowshop doctor")
        self._folder = TemporaryDirectory(prefix="windowshop-", ignore_cleanup_errors=True)
        profile = lay_out(Path(self._folder.name), self._scripts)
        arguments = [
            found.path,
            *flags(self._wall),
            *_OURS,
            *(() if self._window else ("--headless=new",)),
            *(() if may_use_sandbox() else ("--no-sandbox",)),
            f"--user-data-dir={profile}",
            "about:blank",
        ]
        self._process = subprocess.Popen(
            arguments,
            env={name: value for name, value in os.environ.items() if value not in own_secrets()},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            self.endpoint = f"http://{HOST}:{self._port(profile / 'DevToolsActivePort')}"
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the browser, and what it has kept."""
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()

    def _port(self, told: Path) -> int:
        """Wait for the file in which Chromium says where it listens."""
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until and self._process.poll() is None:
            lines = told.read_text("utf-8").splitlines() if told.exists() else []
            if len(lines) > 1:
                return int(lines[0])
            time.sleep(0.05)
        raise ConfigError("Chromium does not start; see: windowshop doctor")
