"""Describe how a valid text is read where Python would read it otherwise, and what in it has no effect."""

from __future__ import annotations

import ast
import re

from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.scanner import DEFINITION, scan
from autodiff_viz.language.syntax import parsed_lines

POWER = "^ is read as power; Python writes it **."

_MAY_HAVE = re.compile(rf"\^|^[ \t]*def\b|^[ \t]*{DEFINITION.pattern}", re.MULTILINE | re.ASCII)


def readings(text: str) -> tuple[str, ...]:
    """Return sentences: about ^, about f(x) = ..., and about functions that nothing calls."""
    if not _MAY_HAVE.search(text):
        return ()  # most texts, which are not parsed for this
    try:
        lines = parsed_lines(scan(text).lines, [])
    except GraphError:
        return ()
    trees = [(line, statement) for line, statements in lines for statement in statements or ()]
    functions = {tree.name: (line, tree) for line, tree in trees if isinstance(tree, ast.FunctionDef)}
    called = {
        node.func.id
        for _, tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    defined = next((one for one in functions.items() if DEFINITION.match(one[1][0].text)), None)
    sentences = [POWER] if any(any(line.powers) for line, _ in lines) else []
    if defined:
        head = defined[1][1]
        call = f"{head.name}({', '.join(argument.arg for argument in head.args.args)})"
        sentences.append(f"{call} = ... is read as a function; Python writes def {call}: return ...")
    sentences += [f"Nothing calls {name} yet." for name in functions if name not in called]
    return tuple(sentences)
