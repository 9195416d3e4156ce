"""The text of an element as a person sees it: without what the interface hides or adds."""

from __future__ import annotations

from selectolax.lexbor import LexborNode

from windowshop.adapters.markup import clean

_UNSEEN_TAGS = frozenset({"script", "style", "noscript", "template", "button", "svg", "s", "del", "strike"})
_UNSEEN_CLASSES = frozenset(
    {
        "clipped", "hide", "g-hdn", "gh-ar-hdn", "u-dspn", "sr-only", "LIGHT_HIGHLIGHT", "newly",
        "s-card__new-listing", "STRIKETHROUGH", "stk-thr", "ux-textspans--STRIKETHROUGH", "infotip",
        "ux-expandable-textual-display-block-inline__control",
    }
)  # fmt: skip


def visible(node: LexborNode | None, also_unseen: frozenset[str] = frozenset()) -> str | None:
    """Return the cleaned text that shows; `also_unseen` are classes and tags to leave out besides."""
    if node is None:
        return None
    only = node.first_child
    if only is None or (only.is_text_node and only.next is None):
        return clean(node.text(deep=False))
    texts: list[str] = []
    waiting: list[LexborNode | None] = [only]
    while waiting:
        child = waiting.pop()
        if child is None:
            continue
        waiting.append(child.next)
        tag = child.tag or "-"
        if tag == "-text":
            texts.append(child.text(deep=False))
        elif tag[0] != "-" and tag not in _UNSEEN_TAGS and tag not in also_unseen:
            attributes = child.attrs
            classes = (attributes.get("class") or "").split()
            seen = _UNSEEN_CLASSES.isdisjoint(classes) and also_unseen.isdisjoint(classes)
            if seen and "hidden" not in attributes:
                waiting.append(child.first_child)
    return clean("".join(texts))
