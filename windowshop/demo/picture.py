"""Pictures of products that do not exist."""

from __future__ import annotations

from hashlib import blake2b


def picture(name: str) -> bytes:
    """Draw a small SVG, the same for the same name."""
    hue = int.from_bytes(blake2b(name.encode(), digest_size=2).digest()) % 360
    size, tilt = 60 + hue % 40, hue % 23 - 11
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 320" width="320" height="320">'
        f'<rect width="320" height="320" fill="hsl({hue},30%,94%)"/>'
        f'<g transform="rotate({tilt} 160 160)"><rect x="{160 - size}" y="{150 - size}" width="{2 * size}" '
        f'height="{2 * size}" rx="{size // 3}" fill="hsl({hue},45%,60%)"/>'
        f'<circle cx="160" cy="150" r="{size // 2}" fill="hsl({(hue + 40) % 360},50%,78%)"/></g>'
        f'<ellipse cx="160" cy="{170 + size}" rx="{size}" ry="12" fill="hsl({hue},20%,80%)"/></svg>'
    ).encode()
