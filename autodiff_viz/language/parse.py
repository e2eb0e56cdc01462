"""Parse formula text, a small subset of Python. The text is parsed and walked, never run."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace
from types import MappingProxyType

from autodiff_viz.graph import limits
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.model import INPUT, Graph, Lambda, Literal, Node
from autodiff_viz.graph.problem import GraphError, Problem, known_text
from autodiff_viz.graph.text import name_fault, quoted
from autodiff_viz.language.corrections import new_name
from autodiff_viz.language.expression_tree import Namer, flatten
from autodiff_viz.language.literals import read_literal
from autodiff_viz.language.loops import uncalled
from autodiff_viz.language.reader import Reader
from autodiff_viz.language.scanner import LogicalLine, Places, Span, scan
from autodiff_viz.language.statements import Program, rooted
from autodiff_viz.language.suggestions import did_you_mean, name_hint
from autodiff_viz.language.syntax import Names, OpenNames, announce, parse_line, parsed_lines, target_of
from autodiff_viz.language.unroll import unrolled
from autodiff_viz.ops.catalog import OPS

REMEMBERED, SHORT = 128, 10_000  # texts in the LRU cache; greatest number of characters of one


def parse(text: str, previous: Graph | None = None) -> Graph:
    """Parse a formula text.

    Args:
      text: lines `name = expression`, blocks `with checkpoint("region"):` and `with group("name"):`, and
        `return name`.
      previous: the graph before the text was edited; nodes whose op is the same keep their positions in it.
    Returns:
      The graph. It may have structural problems that text can express, such as an empty slot.
    Raises:
      GraphError: something is not in the language; `problems` has every mistake (up to 50), each with its
        line, column, a row of carets and a hint.
    """
    return parse_with_spans(known_text(text), previous)[0]


def parse_with_spans(text: str, previous: Graph | None = None) -> tuple[Graph, dict[str, Span]]:
    """Parse as `parse` does; also return the span of each node in the text, by node name.

    The span of a named node is its whole line, `y = sin(x)`; that of a step inside an expression is the
    sub-expression.
    """
    graph, places = _memoised(text)
    return placed_as(graph, previous) if previous else graph, dict(places.spans)


def placed_as(graph: Graph, previous: Graph) -> Graph:
    """Return the graph with the positions that its nodes have in the graph before its text was edited.

    A text that replaces most nodes is another graph, which is laid out by itself.
    """
    if replaces(graph, previous):
        return graph
    before = previous.by_name
    return replace(graph, nodes=tuple([_placed(node, before.get(node.name)) for node in graph.nodes]))


def replaces(graph: Graph, previous: Graph) -> bool:
    """Return whether fewer than half of the nodes stay: one graph has taken the other's place.

    A node stays if its name and its op do. The number in "add_1" says nothing of what it adds, so of a node
    that its author has not named the wires count too.
    """
    before = previous.by_name
    common = [(node, before[node.name]) for node in graph.nodes if node.name in before]
    stay = sum(
        one.op == other.op and (one.wires == other.wires or one.name.rpartition("_")[0] != one.op)
        for one, other in common
    )
    return 2 * stay < max(len(graph.nodes), len(previous.nodes))


def places_in(text: str) -> Places:
    """Return where a text has the nodes and the frames of its graph.

    Raises:
      GraphError: as `parse`.
    """
    return _memoised(text)[1]


def _memoised(text: str) -> tuple[Graph, Places]:
    return _short(text) if len(text) <= SHORT else _read(text, Names())


@remembered(REMEMBERED, lambda text: text)
def _short(text: str) -> tuple[Graph, Places]:
    """Memoise `_read`, since each edit reads the author's text several times."""
    return _read(text, Names())


def _placed(node: Node, before: Node | None) -> Node:
    """Give a node the position of the one of its name `before`, where the text has none."""
    # Another op is another node under an old name: it does not belong where the old one was put.
    if before is None or node.position is not None or before.op != node.op:
        return node
    # Where nothing has changed, the old node itself is returned, with its caches.
    if before.content == node.content and before.cut is node.cut:
        return before
    return node if before.position is None else replace(node, position=before.position)


def parse_piece(text: str) -> Graph:
    """Parse lines that may use names which they do not assign.

    These are wires from outside the piece, and stay in its slots as names.
    """
    return _read(text, OpenNames())[0]


def _read(text: str, names: Names) -> tuple[Graph, Places]:
    source, problems = scan(text), []
    names.room -= len(text)
    program = Program(source, names, problems)
    parsed = parsed_lines(source.lines, problems)
    lines = unrolled(parsed, problems)
    announce(lines, names)
    for line, statements in lines:
        if len(problems) >= limits.PROBLEMS:
            break
        program.add(line, statements)
    graph = program.graph()
    if not problems and not graph.nodes:
        problems += uncalled(parsed)
    if problems:
        once = {(_place(problem), problem.code): problem for problem in reversed(problems[: limits.PROBLEMS])}
        raise GraphError(sorted(once.values(), key=_place))  # copies of a line have one mistake
    return graph, Places(MappingProxyType(program.spans), MappingProxyType(program.heads))


def parse_lambda(text: str) -> Lambda:
    """Parse one lambda, such as `lambda v: clip(v, -1.0, 1.0)`.

    Raises:
      GraphError: it is no lambda of the language.
    """
    line, node = _one_expression(text)
    return Reader(line, Names()).read_lambda(node)


def parse_literal(text: str) -> Literal:
    """Parse one number or tensor, such as `[[1.0, 2.0], [3.0, 4.0]]`.

    Raises:
      GraphError: it is neither, or exceeds a limit.
    """
    line, node = _one_expression(text)
    return read_literal(line, node)


def one_statement(text: str) -> tuple[LogicalLine, ast.stmt]:
    """Return the only line of a text, and the only statement of that line.

    Raises:
      GraphError: there is none, or more than one.
    """
    lines = scan(text).lines
    if len(lines) != 1:
        raise GraphError(Problem("syntax", "One expression is needed here."))
    statements = parse_line(lines[0])
    if len(statements) != 1:
        raise lines[0].error(lines[0].whole(), "syntax", "One expression is needed here.")
    return lines[0], statements[0]


def _one_expression(text: str) -> tuple[LogicalLine, ast.expr]:
    line, statement = one_statement(text)
    if not isinstance(statement, ast.Expr):
        raise line.error(line.whole(), "syntax", "One expression is needed here, without a name.")
    return line, statement.value


def _place(problem: Problem) -> tuple[int, int]:
    return problem.line or 0, problem.column or 0


# Additions: an expression that reads the nodes of a graph, and makes new ones.


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
        if fault := name_fault(target.id):
            message = f"The name {quoted(target.id)} {fault}."
            raise line.error(target, "name", message, "Choose another name.")
        if target.id in taken:
            message, hint = f"There is a node {target.id!r} already.", new_name(target.id, taken)
            raise line.error(target, "name-taken", message, f"Choose another name, such as {hint}.")
    elif not isinstance(statement, ast.Expr):
        raise line.error(statement, "syntax", "One expression is needed here.", EXAMPLE)
    value = Reader(line, NodeNames(dict.fromkeys(taken, 1), set(taken))).read(statement.value)  # type: ignore[attr-defined]
    if target is None and isinstance(value, str):
        raise line.error(statement, "nothing-new", f"{value!r} is in the graph already.", EXAMPLE)
    tree = rooted(value, line.span(statement))
    free = (letter for letter in LETTERS if letter not in taken)
    name = target.id if target else next(free, None) if tree.op == INPUT else None
    return Graph(tuple(flatten(tree, name, Namer(taken | {name or ""}), {}, {})))
