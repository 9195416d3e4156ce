"""matplotlib's drawing as SVG in a page: no style attributes, the page's own colours and fonts."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree

from windowshop.errors import ConfigError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, MUTED, GRID, PAPER = "#010101", "#020202", "#030303", "#040404"
"""Stand-ins, which become the page's own colours."""
SERIES: Final = tuple(f"#0500{number:02x}" for number in range(1, 9))
_NAMES = {INK: "ink", MUTED: "muted", GRID: "line", PAPER: "paper"} | {
    color: f"series-{number}" for number, color in enumerate(SERIES, 1)
}
_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_SETTINGS = {
    "svg.fonttype": "none",
    "svg.hashsalt": "windowshop",
    "text.parse_math": False,
    "font.size": 9,
    "text.color": INK,
    "axes.edgecolor": GRID,
    "axes.labelcolor": MUTED,
    "axes.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "xtick.color": MUTED,
    "ytick.color": INK,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "figure.facecolor": "none",
}


def new_figure(width: float, height: float) -> Figure:
    """Return an empty drawing of a size in inches; raise `ConfigError` without matplotlib."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise ConfigError("a report needs the extra report: pip install 'windowshop[report]'") from None
    matplotlib.rcParams.update(_SETTINGS)
    return Figure(figsize=(width, height), layout="constrained")


def to_svg(figure: Figure, name: str, says: str) -> str:
    """Return a drawing as an `svg` element; the same drawing gives the same bytes.

    `says` is what somebody who does not see it is told. Ids begin with `name`.
    """
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    ElementTree.register_namespace("", _SVG)
    ElementTree.register_namespace("xlink", _XLINK)
    root = ElementTree.fromstring(re.sub(r"<!DOCTYPE[^>]*>", "", out.getvalue()))
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{_SVG}}}metadata", f"{{{_SVG}}}style"):
                parent.remove(child)
    for element in root.iter():
        _plain(element, name)
    for size in ("width", "height"):
        root.attrib.pop(size, None)
    root.attrib |= {"role": "img", "aria-label": says, "class": "plot", "fill": "var(--ink)"}
    return re.sub(r">\s+<", "><", ElementTree.tostring(root, encoding="unicode"))


def _plain(element: ElementTree.Element, name: str) -> None:
    """Turn an element's style into attributes, and keep its ids apart from those of other drawings."""
    for rule in element.attrib.pop("style", "").split(";"):
        key, _, value = (part.strip() for part in rule.partition(":"))
        if key == "font":
            size = re.search(r"([\d.]+)px", value)
            element.set("font-size", size[1] if size else "9")
            if "bold" in value or " 700 " in f" {value} " or " 600 " in f" {value} ":
                element.set("font-weight", "600")
        elif key in ("fill", "stroke"):
            element.set(key, _color(value))
        elif key and key != "font-family":
            element.set(key, value)
    if element.tag == f"{{{_SVG}}}text" and "fill" not in element.attrib:
        element.set("fill", "var(--ink)")
    for key, value in element.attrib.items():
        if key == "id":
            element.set(key, f"{name}-{value}")
        elif "url(#" in value:
            element.set(key, value.replace("url(#", f"url(#{name}-"))
        elif key.endswith("href") and value.startswith("#"):
            element.set(key, f"#{name}-{value[1:]}")


def _color(value: str) -> str:
    named = _NAMES.get(value.lower())
    return f"var(--{named})" if named else value
