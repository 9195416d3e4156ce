"""The throw-away profile of a browser: nothing is foreseen, kept, filled in, downloaded or permitted."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any, Final

_BLOCKED: Final = 2
_PREFERENCES: Final[dict[str, Any]] = {
    "alternate_error_pages": {"enabled": False},
    "autofill": {"credit_card_enabled": False, "profile_enabled": False},
    "credentials_enable_service": False,
    "download": {"prompt_for_download": False},
    "download_restrictions": 3,
    "net": {"network_prediction_options": _BLOCKED},
    "payments": {"can_make_payment_enabled": False},
    "policy": {"url_blocklist": ["file://*"]},
    "profile": {
        "password_manager_enabled": False,
        "default_content_setting_values": {
            name: _BLOCKED
            for name in (
                "automatic_downloads",
                "clipboard",
                "geolocation",
                "media_stream_camera",
                "media_stream_mic",
                "midi_sysex",
                "notifications",
                "payment_handler",
                "popups",
                "sensors",
                "serial_guard",
                "usb_guard",
            )
        },
    },
    "safebrowsing": {"enabled": False},
    "search": {"suggest_enabled": False},
    "signin": {"allowed": False},
    "translate": {"enabled": False},
    "webrtc": {
        "ip_handling_policy": "disable_non_proxied_udp",
        "multiple_routes_enabled": False,
        "nonproxied_udp_enabled": False,
    },
}


def lay_out(folder: Path, scripts: bool = True) -> Path:
    """Write a fresh profile into an empty folder and return it; without `scripts`, no page may run any."""
    preferences = copy.deepcopy(_PREFERENCES)
    if not scripts:
        preferences["profile"]["default_content_setting_values"]["javascript"] = _BLOCKED
    home = folder / "Default"
    home.mkdir(parents=True)
    (home / "Preferences").write_text(json.dumps(preferences), encoding="utf-8")
    return folder
