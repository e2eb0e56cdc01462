"""Turn the documents' Python into programs that compare each result with the comment beside it."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCUMENTS = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
TEXT = "\n".join(document.read_text("utf-8") for document in DOCUMENTS)
BLOCKS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
FORMULAS = tuple(block for block in BLOCKS if "import" not in block)
PROGRAMS = tuple(block for block in BLOCKS if "import" in block)

_BEGINNING = """
import numpy
from autodiff_viz import *

def holds(found, expected, line):
    if isinstance(expected, (int, float, list)):
        assert numpy.shape(found) == numpy.shape(expected), (line, found)
        assert numpy.allclose(found, expected, rtol=1e-5, atol=1e-6), (line, found)
    else:
        assert found == expected, (line, found)

"""


def program(block: str) -> str:
    """The block as a program that fails where an expression is not what its comment begins with.

    A comment that begins with a number, a list, a text or a record, as Python writes them, is a claim about
    the expression before it; any other is prose.
    """
    claims, made = claimed(block), []
    for statement in ast.parse(block).body:
        text = ast.get_source_segment(block, statement)
        claim = claims.get(statement.end_lineno)
        made.append(f"holds({text}, {claim}, {text!r})" if claim else text)
    return _BEGINNING + "\n".join(made) + "\n"


def claimed(block: str) -> dict[int, str]:
    """What comments claim, by line."""
    comments = {
        token.start[0]: token.string.lstrip("# ")
        for token in tokenize.generate_tokens(io.StringIO(block).readline)
        if token.type == tokenize.COMMENT
    }
    found = {line: _literal(text) for line, text in comments.items()}
    return {line: text for line, text in found.items() if text}


def _literal(comment: str) -> str:
    """The literal or record that a comment begins with, up to a colon or its end; "" when it is prose."""
    for text in (comment, comment.split(": ")[0]):
        try:
            tree = ast.parse(text, mode="eval").body
        except SyntaxError:
            continue
        record = isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name)
        if record or isinstance(tree, ast.Constant | ast.UnaryOp | ast.List | ast.Tuple):
            return text
    return ""
