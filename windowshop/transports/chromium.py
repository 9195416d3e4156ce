"""Which Chromium there is, and how it is told to keep to itself."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from windowshop.errors import ConfigError
from windowshop.transports.last_hop import LastHop
from windowshop.transports.wall import HOST, Wall

BROWSER = "WINDOWSHOP_BROWSER"
_WALL = "wall.invalid"
_NAMES = ("chromium", "google-chrome", "google-chrome-stable", "chromium-browser")
_USUAL = {
    "linux": ("/usr/bin/chromium", "/opt/google/chrome/chrome", "/snap/bin/chromium"),
    "darwin": (
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
        "~/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    ),
    "win32": (
        "C:/Program Files/Google/Chrome/Application/chrome.exe",
        "C:/Program Files (x86)/Google/Chrome/Application/chrome.exe",
        "~/AppData/Local/Google/Chrome/Application/chrome.exe",
        "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
    ),
}
_PLAYWRIGHT = {
    "linux": ("~/.cache/ms-playwright", "chromium-*/chrome-linux*/chrome"),
    "darwin": ("~/Library/Caches/ms-playwright", "chromium-*/chrome-mac*/*.app/Contents/MacOS/*"),
    "win32": ("~/AppData/Local/ms-playwright", "chromium-*/chrome-win*/chrome.exe"),
}
QUIET = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-quic",
    # Only the last such flag counts, so it names what Playwright turns off as well. Reporting sends POSTs
    # (NEL, CSP and other reports) that neither routes nor the DevTools protocol see.
    "--disable-features=Reporting,NetworkErrorLogging,AvoidUnnecessaryBeforeUnloadCheckSync,"
    "DestroyProfileOnBrowserClose,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,LensOverlay,MediaRouter,"
    "PaintHolding,ThirdPartyStoragePartitioning,AvoidCorsURLLoaderRestartOnRedirect,OptimizationHints,"
    "NetworkTimeServiceQuerying,AimEnabled,PreconnectToSearch,Prerender2,SpeculationRulesPrefetchFuture",
    "--disable-sync",
    "--dns-prefetch-disable",
    "--no-first-run",
    "--no-pings",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
)


class Chromium(NamedTuple):
    """A browser that starts. Windows browsers do not tell their version without opening a window."""

    path: str
    version: str | None

    def __str__(self) -> str:
        return f"{self.version} ({self.path})" if self.version else self.path


def find_browser() -> Chromium | None:
    """Return the first Chromium that starts: $WINDOWSHOP_BROWSER, the system's, or Playwright's own.

    Raises `ConfigError` where the variable names something that is none.
    """
    named = os.environ.get(BROWSER)
    if named:
        chosen = _started(named)
        if chosen is None:
            raise ConfigError(f"{BROWSER} is {named!r}, which does not start as a Chromium")
        return chosen
    return next((found for path in _candidates() if (found := _started(path)) is not None), None)


def flags(wall: Wall) -> list[str]:
    """Return the command-line flags that leave Chromium no way out but the wall, and no talk of its own.

    The wall goes by a name of its own, and no other name or address is known: where the proxy is passed by,
    nothing is reached. One key is trusted, the wall's.
    """
    return [
        *QUIET,
        f"--proxy-server=http://{_WALL}:{wall.port}",
        "--proxy-bypass-list=<-loopback>",
        f"--host-resolver-rules=MAP {_WALL} {HOST}:{wall.port}, MAP * ~NOTFOUND",
        f"--ignore-certificate-errors-spki-list={wall.key_digest}",
    ]


def direct_flags(last_hop: LastHop) -> list[str]:
    """Return the flags of a browser with no guard, whose whole web is one server on this machine.

    It shows what the guard is for: every host leads to `last_hop`, whose one key is trusted.
    """
    return [
        "--disable-background-networking",
        "--disable-component-update",
        "--no-proxy-server",
        f"--host-resolver-rules=MAP * {last_hop.host}:{last_hop.port}, EXCLUDE {last_hop.host}",
        f"--ignore-certificate-errors-spki-list={last_hop.key_digest(last_hop.host)}",
    ]


def may_use_sandbox() -> bool:
    """Say whether Chromium's sandbox can be on; it refuses to run as root with it."""
    return not hasattr(os, "geteuid") or os.geteuid() != 0


def _candidates() -> Iterator[str]:
    for name in _NAMES:
        found = shutil.which(name)
        if found is not None:
            yield found
    yield from (str(Path(path).expanduser()) for path in _USUAL.get(sys.platform, ()))
    folder, pattern = _PLAYWRIGHT.get(sys.platform, _PLAYWRIGHT["linux"])
    own = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or folder).expanduser()
    yield from (str(path) for path in sorted(own.glob(pattern), reverse=True))


def _started(path: str) -> Chromium | None:
    if not Path(path).is_file():
        return None
    if sys.platform == "win32":
        return Chromium(path, None)
    try:
        said = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    version = said.stdout.strip()
    return Chromium(path, version) if re.search("chrom|edge", version, re.IGNORECASE) else None
