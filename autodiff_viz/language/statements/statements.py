"""Read statements to a graph: assignments, `with` blocks by indentation, and `return`."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace

from autodiff_viz.graph import limits
from autodiff_viz.graph.model import IDENTITY, INPUT, Graph, Node, params
from autodiff_viz.graph.problem import Correction, GraphError, Problem
from autodiff_viz.language.expressions.expression import Reader
from autodiff_viz.language.expressions.fills import FILLS
from autodiff_viz.language.expressions.flatten import Namer, flatten
from autodiff_viz.language.expressions.tree import Applied, Operand
from autodiff_viz.language.source.caret import Span, writing
from autodiff_viz.language.source.corrections import assignments, free_letter, removed
from autodiff_viz.language.source.hints import FUNCTIONS, LAMBDA
from autodiff_viz.language.source.names import Names, target_of
from autodiff_viz.language.source.scanner import LogicalLine, Source
from autodiff_viz.language.source.syntax import first_word, is_head
from autodiff_viz.language.statements import frames
from autodiff_viz.language.statements.positions import read_positions

_NO_STATEMENT = {
    ast.AugAssign: "A name is assigned once: write y = x + 1.0 with a new name.",
    ast.AnnAssign: "Leave the type out: x = 1.0.",
    ast.Assign: "One name stands left of one =: y = sin(x).",
}


SHOWN = 60  # characters of a line that a button shows


@dataclass(frozen=True, slots=True)
class Block:
    """Lines of one indentation.

    Attributes:
      width: columns of indentation.
      around: names of the regions and groups that hold the lines.
    """

    width: int
    around: tuple[str, ...]


class Program:
    """Builder of a graph from the statements of a text; mistakes go to `problems`, one per statement."""

    def __init__(self, source: Source, names: Names, problems: list[Problem]):
        self.spans: dict[str, Span] = {}
        self.heads: dict[str, list[int]] = {}  # lines that begin a frame, by its name
        self._source, self._names, self._problems = source, names, problems
        self._positions = read_positions(source, problems)
        self._fresh: Namer | None = None
        self._nodes: list[Node] = []
        self._cuts = 0
        self._drafts: frames.Drafts = {}
        self._output: str | None = None
        self._returned: int | None = None
        self._blocks = [Block(source.lines[0].width if source.lines else 0, ())]
        self._head: tuple[LogicalLine, tuple[str, ...]] | None = None
        self._skipped: int | None = None  # width of a line whose block is skipped, being not in the language

    def add(self, line: LogicalLine, statements: list[ast.stmt] | None) -> None:
        """Read one line; `statements` is None where it could not be parsed."""
        if self._skipped is not None and line.width > self._skipped:
            self._names.forgive(line)
            return
        self._skipped = None
        try:
            around = self._around(line)
            if statements is None:
                self._skip(line, around)
            for statement in statements or ():
                self._statement(line, statement, around)
        except GraphError as error:
            self._problems.extend(error.problems)
            self._names.forgive(line)

    def graph(self) -> Graph:
        """Return the graph. It is meaningless when there are problems."""
        if self._head is not None:
            self._problems.extend(_empty(self._head[0]).problems)
        known = {node.name for node in self._nodes} | self._names.broken
        regions, groups = frames.finish(self._drafts, known, self._source.text, self._problems)
        return Graph(tuple(self._nodes), regions, self._output, groups)

    def _around(self, line: LogicalLine) -> tuple[str, ...]:
        """Return the frames around a line, from its indentation."""
        head, self._head = self._head, None
        if line.width > self._blocks[-1].width:
            around = head[1] if head else self._blocks[-1].around
            self._blocks.append(Block(line.width, around))
            if head is None:
                hint = "Only lines inside a with block are indented."
                raise line.error(line.whole(), "indentation", "This line is indented too far.", hint)
            return around
        if head is not None:
            self._problems.extend(_empty(head[0]).problems)
        while line.width < self._blocks[-1].width and len(self._blocks) > 1:
            self._blocks.pop()
        if line.width != self._blocks[-1].width:
            message = "The indentation fits no line above."
            raise line.error(line.whole(), "indentation", message, "Begin it below the line it belongs to.")
        return self._blocks[-1].around

    def _skip(self, line: LogicalLine, around: tuple[str, ...]) -> None:
        """Recover after a line that is not in the language: go on where its block ends."""
        if is_head(line):
            self._head = line, around
        elif line.text.endswith(":"):
            self._skipped = line.width

    def _statement(self, line: LogicalLine, statement: ast.stmt, around: tuple[str, ...]) -> None:
        if self._returned is not None:
            message = f"Nothing comes after the return in line {self._returned}."
            raise line.error(statement, "after-return", message, "Move the return to the end.")
        if (target := target_of(statement)) is not None:
            self._assign(line, statement, target, around)
        elif isinstance(statement, ast.With):
            self._block(line, statement, around)
        elif isinstance(statement, ast.Return):
            self._return(line, statement)
        elif not (around and _does_nothing(statement)):
            raise _not_a_line(line, statement, self._names)

    def _assign(
        self, line: LogicalLine, statement: ast.stmt, target: ast.Name, around: tuple[str, ...]
    ) -> None:
        self._names.check_target(line, target)
        if isinstance(given := statement.value, ast.Lambda):  # type: ignore[attr-defined]
            args = line.piece(given)[len("lambda") :].partition(":")[0].strip()
            better = f"{target.id}({args}) = {line.piece(given.body)}"
            message, hint = "A lambda is no value of the graph.", f"A function is written {better}. {LAMBDA}"
            correction = writing(line.span(statement), better)
            raise line.error(given, "not-in-language", message, hint, correction)
        try:
            value = Reader(line, self._names).read(statement.value)  # type: ignore[attr-defined]
        except GraphError:
            self._names.broken.add(target.id)
            raise
        tree = replace(rooted(value, line.span(statement)), span=line.span(statement))
        self._fresh = self._fresh or Namer(self._names.assigned)
        nodes = flatten(tree, target.id, self._fresh, self._positions, self.spans)
        self._nodes.extend(nodes)
        if len(self._nodes) > limits.NODES:
            message = f"The graph has more than {limits.NODES} nodes."
            raise line.error(statement, "too-many-nodes", message, "Split the graph in two.")
        self._cuts += sum(node.cut for node in nodes)
        if self._cuts > limits.CUTS:
            message = f"The graph has more than {limits.CUTS} cuts."
            raise line.error(statement, "too-many-cuts", message, "Remove some.")
        for name in around:
            self._drafts[name].nodes.update(node.name for node in nodes)
        self._names.defined.add(target.id)
        self._output = target.id

    def _block(self, line: LogicalLine, statement: ast.With, around: tuple[str, ...]) -> None:
        head = is_head(line)
        if head:
            self._head = line, around  # so that the lines inside are read even after a faulty head
        outer, around = around, frames.read_heads(line, statement, around, self._drafts)
        for name in around[len(outer) :]:
            self.heads.setdefault(name, []).append(line.number + statement.lineno - 1)
        if head:
            self._head = line, around
            return
        for inner in statement.body:
            self._statement(line, inner, around)

    def _return(self, line: LogicalLine, statement: ast.Return) -> None:
        if not isinstance(statement.value, ast.Name):
            hint, correction = "Give the expression a name on a line above.", None
            if statement.value is not None and not isinstance(statement.value, ast.Tuple):
                span, value = line.span(statement), line.piece(statement.value)
                correction = writing(span, f"{free_letter(self._names.assigned)} = {value}")
                hint = f"{correction.label}."
            raise line.error(statement, "return", "After return comes one name.", hint, correction)
        self._names.check_use(line, statement.value)
        self._output, self._returned = statement.value.id, line.number


def rooted(value: Operand, span: Span) -> Applied:
    """Convert the right side of an assignment to a node.

    A literal becomes an input, a bare name an identity.
    """
    if not isinstance(value, Applied):
        bare = Applied(IDENTITY, (value,), (), span, IDENTITY)
        return bare if value is None or isinstance(value, str) else _as_input(bare)
    marked = value.cut or value.muted  # no segment ends at an input, and an input cannot be muted
    wraps = value.op == IDENTITY and value.stem != IDENTITY and not marked
    constant = wraps and not isinstance(value.operands[0], (Applied, str, type(None)))
    return _as_input(value) if constant else value


def _as_input(tree: Applied) -> Applied:
    """Convert a wrapped literal to an input: `x = stop_gradient(10.0)` sets the rule of an input."""
    literal, *alternative = tree.operands
    return replace(tree, op=INPUT, operands=tuple(alternative), params=params(value=literal))


def _does_nothing(statement: ast.stmt) -> bool:
    """Return whether the statement is `pass` or a lone `...`, the placeholders of a block's lines."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return statement.value.value is Ellipsis
    return isinstance(statement, ast.Pass)


def _not_a_line(line: LogicalLine, statement: ast.stmt, names: Names) -> GraphError:
    if not isinstance(statement, ast.Expr):
        hint = _NO_STATEMENT.get(type(statement), "A line is name = expression.")
        message = f"A line that begins with {first_word(line)!r} is not one of the language."
        if isinstance(statement, tuple(_NO_STATEMENT)):
            message = "This is not an assignment of one name."
        return line.error(
            statement, "not-in-language", message, hint, assignments(line, statement, names.assigned)
        )
    value = statement.value
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        return line.error(
            statement, "not-in-language", "Formulas do not have text here.", "Begin a note with #."
        )
    called = value.func.id if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) else ""
    if called == "print":
        message = "Formulas do not have print: every value is shown."
        return line.error(statement, "not-in-language", message, "Leave the line out.", removed(line))
    if (
        isinstance(value, ast.Compare)
        and isinstance(value.ops[0], ast.Eq)
        and isinstance(value.left, ast.Name)
    ):
        better = f"{value.left.id} = {line.piece(value.comparators[0])}"
        message = "Two signs = compare; one gives a name its value."
        return line.error(statement, "not-in-language", message, f"Write {better}.", better)
    known = isinstance(value, (ast.BinOp, ast.Subscript, ast.Name)) or called in (*FUNCTIONS, *FILLS)
    if not known and not isinstance(value, ast.Constant):
        try:  # a better message than "no name": x := 1.0, __import__("os")
            Reader(line, Names()).read(value)
        except GraphError as error:
            return error
    begins = f"{free_letter(names.assigned)} = "
    span = line.span(statement)
    shown = f"{begins}{line.piece(value)}"
    label = f"Write {shown}" if len(shown) <= SHOWN else f"Write {begins}before it"
    correction = Correction(label, span.line, span.column, span.line, span.column, begins)
    hint = f"Write {begins}before it."
    return line.error(statement, "no-name", "This expression has no name.", hint, correction)


def _empty(head: LogicalLine) -> GraphError:
    return head.error(
        head.whole(), "indentation", "This block is empty.", "Indent the lines that belong to it."
    )
