"""List the words of the page with one sentence each, for hover, focus and tap, and for the page of words."""

from __future__ import annotations

import re
from html import escape, unescape

GLOSSARY = {
    "value": "What a node computes in the forward pass.",
    "cotangent": "The orange number at a node: how fast the output moves when this node moves, as far as "
    "stops and other rules let it through. For a loss it is the gradient.",
    "gradient": "The cotangent that arrives at an input or a parameter: what training uses.",
    "seed": "The number at the output with which the way back begins: 1, unless you set another.",
    "stop": "A stop lets values through and no gradient.",
    "twins": "Two graphs with equal values and other gradients.",
    "NaN": "What 0 \u00b7 \u221e and 0/0 give: no number. A sum or a product with NaN is NaN; "
    "a where that takes its other branch is not.",
    "pullback": "The backward step of a node: it takes the cotangent that arrives at the node and gives "
    "what each of its wires passes back.",
    "arriving cotangent": "The sum of what all readers of this node pass back to it.",
    "passes": "A node multiplies what arrives by its own slope and passes that on down its wire: its part "
    "of the cotangent at the wire's other end.",
    "rule": "What a node passes on in place of JAX's own derivative, whatever the truth is: stop, rewrite, "
    "scale, a declared pullback, another expression.",
    "residual": "An array that the forward pass keeps, since the backward pass needs it.",
    "run": "One computation of a node: in the forward pass, or again in the backward pass at a "
    "checkpoint, unless JAX drops it, since no derivative needs it.",
    "checkpoint": "A region of nodes whose results are not kept, unless its policy says so: the backward "
    "pass computes again those that it needs.",
    "live": "In memory after a step: computed already, and still needed by a later step.",
    "norm": "The length of a tensor: the root of the sum of the squares of its elements. Bars and wires "
    "of tensors show it.",
    "thickness": "The size of what a wire passes, by its square root: the thickest wire passes most, the "
    "thinnest 1/400 of that or less.",
    "tangent": "How fast a node moves when the inputs move in a given direction: what forward mode "
    "carries to the output.",
    "Jacobian": "All derivatives of the elements of one node by those of another: a row for each element "
    "of the first, a column for each of the second.",
    "kept": "Held in memory from the forward pass until the backward pass reads it.",
    "computed again": "Run once more in the backward pass, since the result was not kept.",
    "loss scale": "A number by which the seed is multiplied in 16 bits, so that small cotangents do not "
    "become 0. Gradients are divided by it at the end.",
    "local derivative": "How fast a node moves when one node that it reads moves and the others stand still.",
    "path": "One way from a node to the output. It brings the product of the local derivatives on it.",
    "parameter": "An input that training moves: a little against its gradient, again and again.",
    "grad node": "A node that holds a gradient, as a value among others, so that it has a gradient too.",
    "segment": "A part of the graph between two cuts, with one pullback for all of it.",
    "curl": "How much arrows go round in a circle: 0 where they are the gradient of some function.",
    "cut": "Where one segment ends and another begins; what crosses it on the way back is one array.",
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


_VERBATIM = re.compile(r"`[^`]*`|\[[^][]*\]\([^()]*\)|(?<!\*)\*[^*]+\*(?!\*)")
"""Code, links and titles in italics in Markdown, in which no word is meant."""


def explained(text: str, once: set[str] | None = None) -> str:
    """Return plain text as HTML with the first of each word marked, for `web/base/term.js` to explain.

    Args:
      once: words that are marked already, which are not marked again; those of this text are added.
    """
    once = set() if once is None else once

    def marked(match: re.Match[str]) -> str:
        word = _KEYS[match[1].lower()]
        if word in once:
            return escape(match[0])
        once.add(word)
        about = f'data-term="{escape(word)}" tabindex="0" aria-description="{escape(GLOSSARY[word])}"'
        return f"<dfn {about}>{escape(match[0])}</dfn>"

    parts, end = [], 0
    for match in _WORD.finditer(text):
        parts += [escape(text[end : match.start()]), marked(match)]
        end = match.end()
    return "".join([*parts, escape(text[end:])])


def words_in(markdown: str) -> tuple[str, ...]:
    """Return the words of the glossary that stand in Markdown, in their order there."""
    text = _VERBATIM.sub("", markdown)
    return tuple(dict.fromkeys(_KEYS[match[1].lower()] for match in _WORD.finditer(text)))


def explained_html(html: str, once: set[str]) -> str:
    """Return HTML with the words in its text marked; its tags stay as they are."""
    parts = re.split(r"(<[^<>]*>)", html)
    return "".join(part if i % 2 else explained(unescape(part), once) for i, part in enumerate(parts))
