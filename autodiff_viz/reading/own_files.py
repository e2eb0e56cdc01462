"""Identify files that this program has exported.

The footer of such a file says what graph it was written from. That graph is exported once more: only where
the code comes out the same, whatever its comments and its layout, is the file that graph. Of a file whose
code has been edited the code counts, and the footer adds what no code says, each where it still fits.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from autodiff_viz.engine.trace import trace_part
from autodiff_viz.export.footer import Footer
from autodiff_viz.export.notebooks import notebook_program, to_marimo
from autodiff_viz.export.python_source import program
from autodiff_viz.export.torch_source import torch_program
from autodiff_viz.graph.frames import frame_problems
from autodiff_viz.graph.model import INPUT, Graph, Group, Node, Params, Region, Rule, params
from autodiff_viz.graph.order import consumers
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.syntax_tree import syntax_tree

WRITERS: Mapping[str, tuple[Callable[[Graph, Any, str], str], ...]] = {
    "torch": (torch_program,),
    "marimo": (lambda graph, seed, dtype: to_marimo(graph, seed, dtype=dtype),),
    "jax": (program, notebook_program),
}
"""What may have written a file, by the first of these that it imports."""


def is_unedited(text: str, footer: Footer) -> bool:
    """Return whether the code of a file is what its footer is written out as."""
    try:
        tree = syntax_tree(text)
    except GraphError:  # too large for Python's parser
        return _to_the_letter(text, footer)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    try:
        given = _code(tree)
        library = next((name for name in WRITERS if name in _imported(tree)), None)
        for write in WRITERS.get(library or "", ()):
            if _code(syntax_tree(write(footer.graph, footer.seed, footer.dtype))) == given:
                return True
    except (GraphError, SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return False


def _to_the_letter(text: str, footer: Footer) -> bool:
    """Return whether a file that is not parsed is what its footer is written out as, with its comments."""
    for write in (write for writers in WRITERS.values() for write in writers):
        code = write(footer.graph, footer.seed, footer.dtype)
        if text.startswith(code):
            rest = text[len(code) :].splitlines()
            return all(not line or line.startswith("#") for line in rest)
    return False


def _imported(tree: ast.Module) -> set[str]:
    imports = [node for node in tree.body if isinstance(node, ast.Import)]
    return {alias.name for node in imports for alias in node.names}


def _code(tree: ast.Module) -> str:
    """Return what a file computes. The texts that it shows name versions, which may be others by now."""
    body = tree.body
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        body = body[1:]
    return "\n".join(ast.dump(_Silent().visit(node)) for node in body)


class _Silent(ast.NodeTransformer):
    """Empty the texts that a marimo app shows."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        called = node.func
        shows = isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name)
        if (
            shows
            and (called.value.id, called.attr) == ("mo", "md")
            and all(isinstance(one, ast.Constant) for one in node.args)
        ):
            return ast.Call(node.func, [], [])
        return self.generic_visit(node)


def annotated(graph: Graph, footer: Footer, dialect: str) -> Graph:
    """Return the graph of an edited file with what its footer says beside the code.

    These are parameters and ranges of inputs, cuts, groups, titles of regions, and for PyTorch, which has
    none, their policies. None changes a number: an input keeps the value of the code, and is drawn only where
    the draw gives this value.
    """
    regions = [_titled(region, footer.graph, graph, dialect) for region in graph.regions]
    if len({region.name for region in regions}) == len(regions):
        graph = replace(graph, regions=tuple(regions))
    known = footer.graph.by_name
    nodes = [
        _annotated(node, known[node.name], footer.dtype) if node.name in known else node
        for node in graph.nodes
    ]
    groups: tuple[Group, ...] = ()
    titles = {region.name for region in graph.regions}
    for group in footer.graph.groups:
        inside = group.nodes & graph.by_name.keys()
        wider = replace(graph, groups=(*groups, replace(group, nodes=inside)))
        if inside and group.name not in titles and not any(frame_problems(wider)):
            groups = wider.groups
    return replace(graph, nodes=tuple(nodes), groups=groups or graph.groups)


def _titled(region: Region, footer: Graph, graph: Graph, dialect: str) -> Region:
    """Return a region with the title that the footer has for the same nodes."""
    names = graph.by_name.keys()
    was = next((one for one in footer.regions if one.nodes & names == region.nodes), None)
    if was is None:
        return region
    given = was if dialect == "torch" else region
    return Region(was.name, region.nodes, given.policy, given.saved & region.nodes)


def _annotated(node: Node, was: Node, dtype: str) -> Node:
    if node.op == INPUT == was.op:
        return replace(node, params=_input(node, was, dtype))
    return replace(node, cut=was.cut and was.op == node.op)


def _input(node: Node, was: Node, dtype: str) -> Params:
    """Return the parameters of an input of the footer with the value of the code."""
    value = node.param("value")
    if value is None:
        return node.params
    if was.param("value") is None:
        drawn = trace_part(Graph((replace(was, rule=Rule()),)), dtype=dtype).value[was.name]
        same = np.shape(value) == drawn.shape and np.array_equal(np.asarray(value, drawn.dtype), drawn)
        return was.params if same else node.params
    ends = {key: was.param(key) for key in ("low", "high")}
    inside = (
        isinstance(value, (int, float)) and None not in ends.values() and ends["low"] <= value <= ends["high"]
    )
    return params(value=value, trainable=was.param("trainable"), **(ends if inside else {}))


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
