"""Screenshots made small enough to stand in a page."""

from __future__ import annotations

import base64
import io
from pathlib import Path

from windowshop.errors import ConfigError, StorageError

WIDTH = 900
_QUALITY = 62
_TALL = 1.6


def small_picture(path: Path) -> bytes | None:
    """Return a screenshot as WebP, at most `WIDTH` wide, cut where it is very tall; None where it is gone.

    Raises `ConfigError` without Pillow.
    """
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError:
        raise ConfigError("a report needs the extra report: pip install 'windowshop[report]'") from None
    try:
        with Image.open(path) as opened:
            picture = opened.convert("RGB")
    except FileNotFoundError:
        return None
    except UnidentifiedImageError as error:
        raise StorageError(f"{path} is no picture: {error}") from error
    picture = picture.crop((0, 0, picture.width, min(picture.height, int(picture.width * _TALL))))
    if picture.width > WIDTH:
        picture = picture.resize(
            (WIDTH, round(picture.height * WIDTH / picture.width)), Image.Resampling.LANCZOS
        )
    out = io.BytesIO()
    picture.save(out, "WEBP", quality=_QUALITY, method=4)
    return out.getvalue()


def data_address(picture: bytes) -> str:
    """Return a picture as an address that holds it."""
    return f"data:image/webp;base64,{base64.b64encode(picture).decode()}"
