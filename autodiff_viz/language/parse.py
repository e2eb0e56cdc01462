"""Parse formula text, a small subset of Python. The text is parsed and walked, never run."""

from __future__ import annotations

import ast
from dataclasses import replace
from types import MappingProxyType

from autodiff_viz.graph import limits
from autodiff_viz.graph.checks.argument_types import known_text
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.model import Graph, Lambda, Literal, Node
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.language.expressions.expression import Reader
from autodiff_viz.language.expressions.literal import read_literal
from autodiff_viz.language.source.caret import Places, Span
from autodiff_viz.language.source.names import Names, OpenNames
from autodiff_viz.language.source.scanner import LogicalLine, scan
from autodiff_viz.language.source.syntax import announce, parse_line, parsed_lines
from autodiff_viz.language.statements.statements import Program
from autodiff_viz.language.unrolling.functions import uncalled
from autodiff_viz.language.unrolling.unroll import unrolled

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
    return _placed(graph, previous) if previous else graph, dict(places.spans)


def places_in(text: str) -> Places:
    """Return where a text has the nodes and the frames of its graph.

    Raises:
      GraphError: as `parse`.
    """
    return _memoised(text)[1]


def _memoised(text: str) -> tuple[Graph, Places]:
    return _short(text) if len(text) <= SHORT else _read(text, Names())


def _key(text: str) -> str:
    return text


@remembered(REMEMBERED, _key)
def _short(text: str) -> tuple[Graph, Places]:
    """Memoise `_read`, since each edit reads the author's text several times."""
    return _read(text, Names())


def _placed(graph: Graph, previous: Graph) -> Graph:
    """Give nodes their positions in `previous`, where the text has none."""
    nodes = tuple([_placed_node(node, previous.by_name.get(node.name)) for node in graph.nodes])
    return replace(graph, nodes=nodes)


def _placed_node(node: Node, before: Node | None) -> Node:
    """Return the old node itself where nothing has changed, with its caches.

    Another op is another node under an old name: it does not belong where the old one was put.
    """
    if before is None or node.position is not None or before.op != node.op:
        return node
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
