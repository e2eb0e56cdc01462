"""Convert the op records' LaTeX to MathML, which browsers draw."""

from __future__ import annotations

import re
from html import unescape
from xml.etree.ElementTree import tostring

from latex2mathml.converter import convert_to_element

from autodiff_viz.graph.identity import remembered

REMEMBERED = 4096  # equations; they contain names and literals but no numbers of a trace

_NESTED = re.compile(r"\\text\{([^{}]*)\\text\{([^{}]*)\}([^{}]*)\}")  # a parameter within a text


@remembered(REMEMBERED, lambda latex: latex)
def mathml(latex: str) -> str:
    """Return the equation as MathML, a well-formed XML text in which all text is escaped; "" for "".

    Args:
      latex: LaTeX of `ops/latex.py`. Two things that the library does not read are rewritten first: text
        commands inside each other, and line breaks, which the browser finds itself.
    """
    if not latex:
        return ""
    tree = convert_to_element(_NESTED.sub(r"\\text{\1\2\3}", latex.replace(r"\allowbreak", "")))
    for element in tree.iter():  # the library writes signs as entities, which `tostring` would escape
        element.text = element.text and unescape(element.text)
    return tostring(tree, "unicode")
