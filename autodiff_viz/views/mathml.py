"""Equations as browsers draw them: MathML from the LaTeX of the op records."""

from __future__ import annotations

import re
from html import unescape
from xml.etree.ElementTree import tostring

from latex2mathml.converter import convert_to_element

from autodiff_viz.graph.identity import remembered

REMEMBERED = 4096  # equations; names and literals are part of them, numbers of a trace are not

_NESTED = re.compile(r"\\text\{([^{}]*)\\text\{([^{}]*)\}([^{}]*)\}")  # a parameter put into words


@remembered(REMEMBERED, lambda latex: latex)
def mathml(latex: str) -> str:
    """The equation as MathML, a well-formed XML text in which all text is escaped; "" of "".

    Args:
      latex: what `ops/latex.py` makes; the library reads all of it but words within words, and breaks of
        lines, which the browser finds itself.
    """
    if not latex:
        return ""
    tree = convert_to_element(_NESTED.sub(r"\\text{\1\2\3}", latex.replace(r"\allowbreak", "")))
    for element in tree.iter():  # the library writes signs as entities, for a text that is not escaped
        element.text = element.text and unescape(element.text)
    return tostring(tree, "unicode")
