"""Report a user's mistake as data, so that a page can mark its place, and check what public functions get."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from operator import index
from typing import Any, NamedTuple

from autodiff_viz.graph import limits
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.text import quoted


class Correction(NamedTuple):
    """A replacement of a piece of the formula text that mends a problem.

    Attributes:
      label: what it does, as the text of a button.
      line, column, end_line, end_column: the piece, empty for an insertion. Lines count from 1, columns
        from 0.
      text: what takes its place.
    """

    label: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str


@dataclass(frozen=True, slots=True)
class Problem:
    """One user error: its place, what was found, what was needed and how to mend it.

    Attributes:
      code: short stable identifier, such as "cycle"; tests and pages branch on it.
      message: what was found and what was needed, in one or two plain sentences.
      hint: how to mend it; empty when the message already says so.
      node: name of the node it is about, if any.
      slot: input slot of that node, counted from 0, if any.
      path: node names along which the problem runs (a cycle, a path that leaves a region).
      line, column, end_column: place in the formula text; lines count from 1, columns from 0.
      caret: the line of text with a row of carets below it, for a monospaced font.
      correction: a replacement in the text that mends it, if there is one.
      file: that the place is in, if it is not the text that was given.
    """

    code: str
    message: str
    hint: str = ""
    node: str | None = None
    slot: int | None = None
    path: tuple[str, ...] = ()
    line: int | None = None
    column: int | None = None
    end_column: int | None = None
    caret: str = ""
    correction: Correction | None = None
    file: str = ""

    def __str__(self) -> str:
        line = "" if self.line is None else f"line {self.line}"
        column = "" if self.line is None or self.column is None else f"column {self.column + 1}"
        where = ", ".join(filter(None, (self.file, line, column)))
        parts = [f"{where}: {self.message}" if where else self.message, self.caret, self.hint]
        return "\n".join(part for part in parts if part)


class GraphError(ValueError):
    """Raised where no graph can be returned; its `problems` say why."""

    def __init__(self, problems: Problem | Iterable[Problem]):
        self.problems: tuple[Problem, ...] = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


# Arguments of public functions: a graph, a text or a whole number is needed.


def known_graph(graph: Any) -> Graph:
    """Return `graph` if it is a `Graph`.

    Raises:
      GraphError: code "not-a-graph", for anything else, such as the text of a graph.
    """
    if isinstance(graph, Graph):
        return graph
    hint = "parse(text) makes a graph of formula text; from_json and from_link read one."
    raise GraphError(Problem("not-a-graph", f"A graph is needed; found {kind_of(graph)}.", hint))


def without_natives(graph: Graph, form: str, own: bool = False) -> Graph:
    """Return `graph` if every op has a name that can be written down.

    Args:
      form: what it is written as, such as "a link".
      own: whether the ops of a lab of one's own, which have a name there alone, are refused as well.
    Raises:
      GraphError: code "native-op", for each node whose op is a function of this process.
    """
    natives = [node for node in graph.nodes if (node.is_own if own else node.is_native)][: limits.PROBLEMS]
    problems = []
    for node in natives:
        message = (
            f"{quoted(node.name)} is {quoted(str(node.op))} of JAX, for which there is no op: this node has "
            f"a function of this process, so the graph cannot be written as {form}."
        )
        hint = "trace, what explains a trace, and av.lab on your own machine take it as it is."
        problems.append(Problem("native-op", message, hint, node=node.name))
    if problems:
        raise GraphError(problems)
    return graph


def known_text(text: Any) -> str:
    """Return `text` if it is a `str`.

    Raises:
      GraphError: code "not-a-text", for anything else, such as bytes or parsed JSON.
    """
    if isinstance(text, str):
        return text
    hint = "Decode bytes; show(graph) and to_json(graph) make texts of a graph."
    raise GraphError(Problem("not-a-text", f"A text is needed; found {kind_of(text)}.", hint))


def whole_number(name: str, given: Any, least: int, most: int) -> int:
    """Return an integer of Python, NumPy or JAX from `least` to `most`; `name` is its name in messages.

    Raises:
      GraphError: `given` is not such an integer.
    """
    try:
        number = None if isinstance(given, bool) else index(given)
    except TypeError:
        number = None
    if number is None or not least <= number <= most:
        message = f"The {name} must be a whole number from {least:,} to {most:,}; found {quoted(given)}."
        raise GraphError(Problem("bad-number", message))
    return number


def kind_of(value: object) -> str:
    """Name the type of a value for a message: "a str", "an int"."""
    name = type(value).__name__
    return "None" if value is None else f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"
