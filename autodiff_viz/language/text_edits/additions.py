"""Parse an expression that is added to a graph: it may read the graph's nodes, and its own are new."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable

from autodiff_viz.graph.model import INPUT, Graph
from autodiff_viz.graph.text.names import name_fault, quoted
from autodiff_viz.language.expressions.expression import Reader
from autodiff_viz.language.expressions.flatten import Namer, flatten
from autodiff_viz.language.parse import one_statement
from autodiff_viz.language.source.hints import did_you_mean, name_hint
from autodiff_viz.language.source.names import Names, target_of
from autodiff_viz.language.source.scanner import LogicalLine
from autodiff_viz.language.statements.statements import rooted
from autodiff_viz.ops.catalog import OPS

LETTERS = "xyzwuvpqrst"
"""Names for a number that is typed without one."""

EXAMPLE = "Write for example sin(x) * y."


class NodeNames(Names):
    """The names of a graph's nodes, for an expression without lines above it."""

    def check_use(self, line: LogicalLine, node: ast.Name) -> None:
        """Raise a GraphError where `node` names no node."""
        if node.id in self.defined:
            return
        op = name_hint(node.id, ()) if node.id in OPS else ""
        hint = op or did_you_mean(node.id, self.defined) or f"Add it first: {node.id} = 1.0."
        raise line.error(node, "unknown-name", f"There is no node {quoted(node.id)}.", hint)


def parse_addition(text: str, known: Iterable[str]) -> Graph:
    """Parse `expression` or `name = expression`; names of `known` are wires from the nodes that have them.

    Args:
      text: one line, such as `x * y` or `q = sin(x) + 1.0`.
      known: names of the graph's nodes; no new node has one of them.
    Returns:
      A piece for `graph.subgraph.graft`; its last node has the value of the expression.
    Raises:
      GraphError: it is not in the language, or reads a name that no node has; the problem marks the place.
    """
    taken = frozenset(known)
    line, statement = one_statement(text)
    target = target_of(statement)
    if target is not None:
        _check_free(line, target, taken)
    elif not isinstance(statement, ast.Expr):
        raise line.error(statement, "syntax", "One expression is needed here.", EXAMPLE)
    value = Reader(line, NodeNames(dict.fromkeys(taken, 1), set(taken))).read(statement.value)  # type: ignore[attr-defined]
    if target is None and isinstance(value, str):
        raise line.error(statement, "nothing-new", f"{value!r} is in the graph already.", EXAMPLE)
    tree = rooted(value, line.span(statement))
    free = (letter for letter in LETTERS if letter not in taken)
    name = target.id if target else next(free, None) if tree.op == INPUT else None
    return Graph(tuple(flatten(tree, name, Namer(taken | {name or ""}), {}, {})))


def _check_free(line: LogicalLine, target: ast.Name, taken: Container[str]) -> None:
    """Raise a GraphError where no new node may have this name."""
    if fault := name_fault(target.id):
        raise line.error(target, "name", f"The name {quoted(target.id)} {fault}.", "Choose another name.")
    if target.id in taken:
        hint = f"Choose another name, such as {target.id}_new."
        raise line.error(target, "name-taken", f"There is a node {target.id!r} already.", hint)
