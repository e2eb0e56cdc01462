"""Read a text of another library as a graph: `read(text)`, by its syntax tree alone."""

from __future__ import annotations

import ast
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff_viz.engine.trace import trace
from autodiff_viz.graph import limits
from autodiff_viz.graph.dtypes import FLOAT32
from autodiff_viz.graph.model import INPUT, Graph
from autodiff_viz.graph.problem import GraphError, Problem, known_text
from autodiff_viz.graph.syntax_tree import syntax_tree
from autodiff_viz.graph.text import listed
from autodiff_viz.language.parse import parse_with_spans
from autodiff_viz.reading import (
    array_functions,
    arrays,
    custom_rules,
    hips_autograd,
    indexing,
    jax_control,
    jax_custom_rules,
    jax_random,
    jax_transforms,
    jax_trees,
    linear_algebra,
    tensorflow_tapes,
    torch_autograd,
    torch_modules,
)
from autodiff_viz.reading.builder import Ref
from autodiff_viz.reading.interpreter import Break, Continue, Interpreter, Return
from autodiff_viz.reading.values import FLOATS, Array, Function, Native, Refused, arrays_in, leaves

_ = array_functions, hips_autograd, jax_control, jax_transforms, linear_algebra

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Change:
    """What became what: a line of the text, and a sentence."""

    line: int
    says: str


@dataclass(frozen=True)
class Reading:
    """A text that was read.

    Attributes:
      graph: what could be read of it.
      dialect: the library that it is written for: "jax", "torch", "tf", "numpy" or "formula".
      changes: what became what, by line.
      refused: what could not be read, with its place; empty if all was.
      lines: the lines of the text that each node comes from, by name.
    """

    graph: Graph
    dialect: str
    changes: tuple[Change, ...]
    refused: tuple[Problem, ...]
    lines: Mapping[str, tuple[int, ...]]
    dtype: str
    _answers: Any = None
    _values: Any = None

    def answers(self) -> dict[str, np.ndarray | None]:
        """Return the gradients that the text asks for, by what it differentiates by."""
        return self._answers()

    def values(self) -> dict[str, np.ndarray]:
        """Return the values of the names that the text assigns."""
        return self._values()


def read(text: str) -> Reading:
    """Read a text as a graph. Nothing of it runs.

    Returns:
      The reading; what could not be read is in `refused`, and the graph has what comes before it.
    """
    interpreter = Interpreter(dict(arrays.FUNCTIONS), {"numpy": arrays.METHODS, "jax": arrays.METHODS})
    indexing.install(interpreter)
    jax_random.install(interpreter)
    jax_transforms.install(interpreter)
    jax_trees.install(interpreter)
    torch_autograd.install(interpreter)
    custom_rules.install(interpreter)
    jax_custom_rules.install(interpreter)
    torch_modules.install(interpreter)
    tensorflow_tapes.install(interpreter)
    interpreter.library = "jax"
    refused: tuple[Problem, ...] = ()
    try:
        return _formula(text)
    except GraphError as error:
        not_formula = error.problems
    try:
        tree = _tree(text)
        if not _is_code(tree):
            raise GraphError(not_formula)
        interpreter.run(tree.body)
        if not interpreter.builder.drafts:
            _call_open(interpreter)
    except Refused as error:
        refused = (_problem(error),)
    except GraphError as error:
        refused = error.problems
    except (Return, Break, Continue):
        refused = (
            Problem("not-read", "A return, break or continue stands outside of a function or a loop."),
        )
    except Exception:
        # A fault of the reader is said as one, and what came before it is there all the same.
        line = interpreter.lines_now or 1
        logger.exception("a text could not be read, at line %d", line)
        message = f"Line {line} makes the reader fail: the fault is ours, not the text's."
        refused = (
            Problem("reader-fault", message, "Leave the line out, or write it another way.", line=line),
        )
    return _reading(interpreter, refused)


def _is_code(tree: ast.Module) -> bool:
    """Return whether a text uses Python beyond the formula language: its faults are then those of code."""
    beyond = (ast.Import, ast.ImportFrom, ast.ClassDef, ast.FunctionDef, ast.Attribute)
    return any(isinstance(node, beyond) for node in ast.walk(tree))


def _formula(text: str) -> Reading:
    """Read a text in the formula language.

    Raises:
      GraphError: it is not in that language.
    """
    graph, spans = parse_with_spans(known_text(text))
    lines = {name: (span.line,) for name, span in spans.items()}

    def answers() -> dict[str, np.ndarray | None]:
        traced = trace(graph)
        return {node.name: np.asarray(traced.gradient[node.name]) for node in graph.nodes if node.op == INPUT}

    def values() -> dict[str, np.ndarray]:
        return {name: np.asarray(value) for name, value in trace(graph).value.items()}

    return Reading(graph, "formula", (), (), lines, FLOAT32, answers, values)


def _call_open(r: Interpreter) -> None:
    """Call the last function that a text defines and does not call, with inputs for what it takes.

    Only of a text that makes no array: its function is then all that there is to see.
    """
    made = [value for value in r.scope.names.values() if isinstance(value, (Function, Native))]
    if not made:
        return
    function = made[-1]
    inner = function
    while isinstance(inner, Native) and inner.inner is not None:
        inner = inner.inner
    if not isinstance(inner, Function):
        return
    names = inner.parameters()
    needed = names[: len(names) - len(inner.defaults)]
    library = next((f for f in ("torch", "tf") if f in r.frameworks), "jax")
    inputs = [Array(r.builder.input(1.0, name), library) for name in needed]
    if library == "torch":
        for array in inputs:
            array.requires_grad = True
    line = inner.body.lineno if isinstance(inner.body, ast.expr) else inner.body[0].lineno
    if needed:
        r.say(line, f"the text gives no value for {listed(needed)}: each is 1.0 until you change it")
    r.call(function, inputs, {})


def _tree(text: str) -> ast.Module:
    if len(text) > limits.TEXT:
        raise Refused(f"The text has {len(text):,} characters; {limits.TEXT:,} are read.", "", "too-large")
    try:
        return syntax_tree(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None) or 1
        column = max((getattr(error, "offset", None) or 1) - 1, 0)
        message = f"This is not Python: {getattr(error, 'msg', error)}."
        raise GraphError(Problem("syntax", message, line=line, column=column)) from None


def _problem(error: Refused) -> Problem:
    at = error.at
    line, column = getattr(at, "lineno", None), getattr(at, "col_offset", None)
    return Problem(error.code, error.message, error.hint, line=line, column=column or 0 if line else None)


def _reading(r: Interpreter, refused: tuple[Problem, ...]) -> Reading:
    root = r.roots[-1] if r.roots else _last(r, r.builder.merged)
    graph, names = r.builder.graph(root)
    arrays_of_names = [leaf for value in r.scope.names.values() for leaf in arrays_in(value)]
    of_jax = [value for value in arrays_of_names if value.framework == "jax"]
    kinds = [value.dtype for value in of_jax or arrays_of_names if value.dtype in FLOATS]
    dtype = max(kinds, key=FLOATS.index) if kinds else "float32"
    lines = {names[n]: draft.lines for n, draft in enumerate(r.builder.drafts) if n in names}

    def answers() -> dict[str, np.ndarray | None]:
        found: dict[str, np.ndarray | None] = {}
        traces: dict[Any, Any] = {}  # by output: the derivatives by several arguments are those of one pass
        for request in r.requests:
            root, wrt = r.builder.resolved(request.root), r.builder.resolved(request.wrt)
            value = r.builder.resolved(request.value)
            refs = [ref for ref in (root, wrt, value) if isinstance(ref, Ref)]
            if request.wrt is None:
                found[request.name] = None
                continue
            for ref in refs:
                _refuse_draws(r, ref)
            key = (root, None if root is not None else value)
            if key not in traces or wrt.number not in traces[key][1]:
                together = [
                    r.builder.resolved(one.wrt)
                    for one in r.requests
                    if root is not None and one.root is not None and r.builder.resolved(one.root) == root
                ]
                if root is not None:
                    refs = [root, wrt, *(one for one in together if isinstance(one, Ref))]
                whole, their = r.builder.graph(root if root is not None else value, refs, only_read=True)
                traces[key] = trace(whole, dtype=dtype), their
            traced, their = traces[key]
            if root is None:  # made of several derivatives, such as a Jacobian
                found[request.name] = np.asarray(traced.value[their[value.number]])
                continue
            found[request.name] = np.asarray(traced.cotangent[their[wrt.number]])
        for tensor in {id(one): one for one in r.extra.get("tensors", [])}.values():
            label = r.extra["label", id(tensor)]
            entry = state.grads.get(id(tensor))
            if entry is None:
                if r.roots and tensor.leaf and tensor.requires_grad and label not in found:
                    found[label] = None
                continue
            total = 0
            for _, root, wrt in entry[1]:
                whole, their = r.builder.graph(root, [root])
                total = total + np.asarray(trace(whole, dtype=dtype).cotangent[their[wrt.number]])
            found[label] = total
        return found

    state = torch_autograd._autograd(r)

    def values() -> dict[str, np.ndarray]:
        traced = trace(graph, dtype=dtype)
        found: dict[str, np.ndarray] = {}
        for name, value in r.scope.names.items():
            for path, leaf in leaves(value):  # of a tuple, list or dictionary by its path: grads.w
                held = r.builder.resolved(leaf.held) if isinstance(leaf, Array) else None
                if isinstance(held, Ref) and held.number in names:
                    key = f"{name}.{path}" if path else name
                    found[key] = np.asarray(traced.value[names[held.number]])
        return found

    changes = tuple(Change(line, says) for line, says in r.changes)
    dialect = next((f for f in ("torch", "tf", "jax", "numpy") if f in r.frameworks), "jax")
    return Reading(graph, dialect, changes, refused, lines, dtype, answers, values)


def _refuse_draws(r: Interpreter, ref: Ref) -> None:
    """Refuse an answer that may depend on numbers which the text draws without a seed.

    Raises:
      GraphError: it reads such numbers.
    """
    drawn = r.extra.get("drawn", set()) & r.builder.ancestors(ref)
    if drawn:
        line = (r.builder.drafts[min(drawn)].lines or (None,))[-1]
        message = "This gradient depends on numbers that the text draws, and other ones each time."
        raise GraphError(Problem("drawn", message, "Write the numbers, or give a seed.", line=line, column=0))


def _last(r: Interpreter, gone: set[int]) -> Ref | None:
    numbers = [number for number in range(len(r.builder.drafts)) if number not in gone]
    return Ref(numbers[-1]) if numbers else None
