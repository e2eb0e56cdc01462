"""List the words of the page with one sentence each, for hover, focus and tap, and for the page of words."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape

GLOSSARY = {
    "value": "What a node computes in the forward pass.",
    "cotangent": "Cotangent of a node: how fast the output moves when this node moves, as far as stops "
    "and other rules let it through. For a loss it is the gradient.",
    "gradient": "The cotangent that arrives at an input or a parameter: what training uses.",
    "seed": "The cotangent with which the backward pass begins, at the output: 1, unless you set another.",
    "pullback": "The backward step of a node: it takes the cotangent that arrives at the node and gives "
    "what each of its wires passes back.",
    "arriving cotangent": "The sum of what all readers of this node pass back to it.",
    "passes": "What a node gives back down one of its wires: its part of the cotangent at the wire's "
    "other end.",
    "rule": "What a node does with the gradient in place of JAX's own derivative: stop, rewrite, scale, a "
    "declared pullback, or backward as another expression.",
    "residual": "An array that the forward pass keeps, since the backward pass needs it.",
    "run": "One computation of a node: in the forward pass, or once more in the backward pass if it is "
    "checkpointed.",
    "checkpoint": "A region of nodes whose results are not kept, unless its policy says so: the backward "
    "pass computes again those that it needs.",
    "live": "In memory after a step: computed already, and still needed by a later step.",
    "norm": "The length of a tensor: the root of the sum of the squares of its elements. Bars and wires "
    "of tensors show it.",
    "tangent": "How fast a node moves when the inputs move in a given direction: what forward mode "
    "carries to the output.",
    "Jacobian": "All derivatives of the elements of one node by those of another: a row for each element "
    "of the first, a column for each of the second.",
    "segment": "A part of the graph between two cuts, with one pullback for all of it.",
}
"""Each word, in the form in which the page has it, with its sentence."""

_NOT_AFTER = {"rule": ("chain ",), "passes": ("the ", "both ")}
"""By word, what stands before another word that is written like it: the chain rule, the two passes."""

_FORMS = (
    "".join(f"(?<!{re.escape(before)})" for before in _NOT_AFTER.get(word, ())) + f"(?:{re.escape(word)})"
    for word in sorted(GLOSSARY, key=len, reverse=True)
)
_WORD = re.compile(rf"\b({'|'.join(_FORMS)})(?:s|es)?\b", re.IGNORECASE)
_KEYS = {word.lower(): word for word in GLOSSARY}


_VERBATIM = re.compile(r"`[^`]*`|\[[^]]*\]\([^)]*\)|(?<!\*)\*[^*]+\*(?!\*)")
"""Code, links and titles in italics in Markdown, in which no word is marked."""


def explained(text: str) -> str:
    """Return plain text as HTML with the first of each word marked, for `ui/web/term.js` to explain."""
    return _marked(text, set(), escape)


def explained_markdown(*texts: str) -> tuple[str, ...]:
    """Return Markdown texts with the first of each word in all of them marked by HTML, as by `explained`."""
    once: set[str] = set()
    return tuple(_explained_markdown(text, once) for text in texts)


def _explained_markdown(text: str, once: set[str]) -> str:
    parts, end = [], 0
    for match in _VERBATIM.finditer(text):
        parts += [_marked(text[end : match.start()], once, str), match[0]]
        end = match.end()
    return "".join([*parts, _marked(text[end:], once, str)])


def _marked(text: str, once: set[str], write: Callable[[str], str]) -> str:
    """Return text with the first of each word marked, except those that `once` has; all else by `write`."""

    def marked(match: re.Match[str]) -> str:
        word = _KEYS[match[1].lower()]
        if word in once:
            return write(match[0])
        once.add(word)
        about = f'data-term="{escape(word)}" tabindex="0" aria-description="{escape(GLOSSARY[word])}"'
        return f"<dfn {about}>{write(match[0])}</dfn>"

    parts, end = [], 0
    for match in _WORD.finditer(text):
        parts += [write(text[end : match.start()]), marked(match)]
        end = match.end()
    return "".join([*parts, write(text[end:])])
