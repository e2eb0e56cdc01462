"""Recognise files that this program has exported, as long as their code is as it was written.

The footer of such a file says what graph it was written from. That graph is exported once more: only where
the code comes out the same, whatever its comments and its layout, is the file that graph.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from autodiff_viz.export.footer import Footer, footer_in
from autodiff_viz.export.notebooks import notebook_program, to_marimo
from autodiff_viz.export.python_source import program
from autodiff_viz.export.torch_source import torch_program
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.order import consumers
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.syntax_tree import syntax_tree

WRITERS: Mapping[str, tuple[Callable[[Graph, Any, str], str], ...]] = {
    "torch": (torch_program,),
    "marimo": (lambda graph, seed, dtype: to_marimo(graph, seed, dtype=dtype),),
    "jax": (program, notebook_program),
}
"""What may have written a file, by the first of these that it imports."""


def exported_from(text: str) -> Footer | None:
    """Return what a file of ours was written from; None if it is none, or its code has been edited."""
    footer = footer_in(text)
    if footer is None:
        return None
    try:
        tree = syntax_tree(text)
        given = _code(tree)
        library = next((name for name in WRITERS if name in _imported(tree)), None)
        for write in WRITERS.get(library or "", ()):
            if _code(syntax_tree(write(footer.graph, footer.seed, footer.dtype))) == given:
                return footer
    except (GraphError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return None


def _imported(tree: ast.Module) -> set[str]:
    imports = [node for node in tree.body if isinstance(node, ast.Import)]
    return {alias.name for node in imports for alias in node.names}


def _code(tree: ast.Module) -> str:
    """Return what a file computes. Texts that it shows name the versions that wrote it, which may be others."""
    body = tree.body
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        body = body[1:]
    return "\n".join(ast.dump(_Silent().visit(node)) for node in body)


class _Silent(ast.NodeTransformer):
    """Empty the texts that a marimo app shows."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if ast.unparse(node.func) == "mo.md" and all(isinstance(one, ast.Constant) for one in node.args):
            return ast.Call(node.func, [], [])
        return self.generic_visit(node)


def lines_of(graph: Graph, known: Mapping[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
    """Return the lines that nodes come from: of one without a name in the code those of what reads it."""
    lines: dict[str, tuple[int, ...]] = {}
    uses = consumers(graph)

    def found(name: str) -> tuple[int, ...]:
        waiting, seen = [name], {name}
        while waiting:
            one = waiting.pop(0)
            if known.get(one):
                return known[one]
            new = [user for user, _ in uses[one] if user not in seen]
            seen.update(new)
            waiting += new
        return ()

    for node in graph.nodes:
        lines[node.name] = found(node.name)
    return {name: at for name, at in lines.items() if at}
