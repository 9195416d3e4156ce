"""The simulator's colour words, and what it does to option values with them."""

from __future__ import annotations

from typing import Final

COLORS: Final = tuple(
    """
    alabaster apricot aqua ash asphalt azure banana beige black blue blush bordeaux bronze brown
    burgundy camel camo caramel champagne charcoal cheetah chestnut chocolate christmas coffee cognac
    copper coral cranberry cream crystal dark denim eggplant elephant espresso fuchsia gold granite
    grape graphite grass gray green grey heather indigo ivory ivy khaki lavender lemon leopard light
    lilac lime magenta maroon mauve merlot midnight mint mocha multicolor mushroom mustard natural navy
    nude olive orange peach pewter pink plum purple rainbow red rose royal rust sand sapphire seashell
    silver skull slate steel stone stonewash sunflower tan taupe teal tiger turquoise violet walnut
    wheat white wine yellow
    """.split()  # noqa: SIM905 - a hundred quoted words are harder to read
)


def normalize_color(value: str) -> str:
    """Return the first colour word, in alphabetical order, that is a substring of `value`, else `value`.

    So "dark red" becomes "dark", and "standard" becomes "tan" (simulator rule d).
    """
    return next((color for color in COLORS if color in value), value)
