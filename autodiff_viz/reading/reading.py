"""Read a text of another library as a graph: `read(text)`, by its syntax tree alone."""

from __future__ import annotations

import ast
import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from autodiff_viz.engine.trace import trace
from autodiff_viz.export.footer import Footer, footer_in
from autodiff_viz.graph import limits
from autodiff_viz.graph.dtypes import FLOAT32, FLOAT64
from autodiff_viz.graph.model import GRAD, INPUT, Graph
from autodiff_viz.graph.problem import GraphError, Problem, known_text
from autodiff_viz.graph.shown import Shown
from autodiff_viz.graph.syntax_tree import syntax_tree
from autodiff_viz.graph.text import counted, listed, quoted
from autodiff_viz.language.parse import parse_with_spans
from autodiff_viz.reading import custom_rules, unread
from autodiff_viz.reading.functions import arrays, indexing, python_library
from autodiff_viz.reading.functions import einops as einops_functions
from autodiff_viz.reading.functions.corners import refuse_jumps, refuse_odd
from autodiff_viz.reading.functions.draws import Draws
from autodiff_viz.reading.jax import control as jax_control
from autodiff_viz.reading.jax import custom_rules as jax_custom_rules
from autodiff_viz.reading.jax import hips_autograd
from autodiff_viz.reading.jax import random as jax_random
from autodiff_viz.reading.jax import shapes as jax_shapes
from autodiff_viz.reading.jax import transforms as jax_transforms
from autodiff_viz.reading.jax import trees as jax_trees
from autodiff_viz.reading.language import blank
from autodiff_viz.reading.language import functions as python_functions
from autodiff_viz.reading.language import sets as python_sets
from autodiff_viz.reading.language.operators import as_written
from autodiff_viz.reading.language.reader import Break, Continue, Reader, Request, Return
from autodiff_viz.reading.language.several import Site, said, told_apart
from autodiff_viz.reading.language.values import (
    FLOATS,
    Array,
    Function,
    Native,
    Refused,
    Unknown,
    arrays_of,
)
from autodiff_viz.reading.named_values import Values, attribute, label, named_values, numbers_of
from autodiff_viz.reading.nodes.builder import Ref, TooLarge
from autodiff_viz.reading.nodes.costs import LONGEST, budget
from autodiff_viz.reading.nodes.evaluation import Evaluation
from autodiff_viz.reading.nodes.fusion import fused
from autodiff_viz.reading.notebooks import notebook_code
from autodiff_viz.reading.numpy import array_functions, linear_algebra
from autodiff_viz.reading.numpy import memory as numpy_memory
from autodiff_viz.reading.own_files import annotated, is_unedited, lines_of
from autodiff_viz.reading.tensorflow import keras as keras_layers
from autodiff_viz.reading.tensorflow import tapes as tensorflow_tapes
from autodiff_viz.reading.tensorflow import tensor_arrays
from autodiff_viz.reading.tensorflow.tensors import Dtypes
from autodiff_viz.reading.tensors import own_dtypes
from autodiff_viz.reading.tensors.torch_tensors import dtype_in_use
from autodiff_viz.reading.torch import autograd as torch_autograd
from autodiff_viz.reading.torch import distributions as torch_distributions
from autodiff_viz.reading.torch import modules as torch_modules
from autodiff_viz.reading.torch import optimizers as torch_optimizers
from autodiff_viz.reading.torch import structure as torch_structure
from autodiff_viz.reading.torch import training as torch_training

_ = array_functions, einops_functions, hips_autograd, jax_control, linear_algebra

_IMPORTS = re.compile(r"^[ \t]*(?:import|from)[ \t]", re.MULTILINE)  # \s would read on over empty lines

TOLD = 100  # refusals that are told, beside the last one
NAMED = 8  # unknown names that a sentence has

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Change:
    """What became what where code was read.

    Attributes:
      line: of the text, from 1; the first one, where several say the same.
      says: a sentence without its full stop.
      lines: all lines of which that is said.
      file: that they are in, if it is not the text that was given.
    """

    line: int
    says: str
    lines: tuple[int, ...] = ()
    file: str = ""

    def __str__(self) -> str:
        lines = [str(line) for line in self.lines or (self.line,)]
        where = f"{self.file}, " if self.file else ""
        return f"{where}line{'s' * (len(lines) > 1)} {listed(lines)}: {self.says}"


@dataclass(frozen=True, repr=False)
class Reading(Shown):
    """A text that was read.

    Attributes:
      graph: what could be read of it.
      dialect: the library that it is written for: "jax", "torch", "tf", "numpy" or "formula".
      changes: what became what, by line.
      refused: what could not be read, with its place; empty if all was. What needs it was not read either.
      lines: the lines of the text that each node comes from, by name, innermost first.
      dtype: in which its library computes it.
      statements, unread: how many statements the text has, and how many of them were not read. A function
        or a class is one.
      unknown: names that stand for nothing that is known at the end, since a statement was not read.
      unanswered: the first line that asks for a derivative, where no output of any was read; 0 else.
      compute_answers, compute_values: compute what `answers()` and `values()` return; None in a reading
        that is kept for its graph and its sentences alone.
    """

    graph: Graph
    dialect: str
    changes: tuple[Change, ...]
    refused: tuple[Problem, ...]
    lines: Mapping[str, tuple[int, ...]]
    dtype: str
    statements: int = 0
    unread: int = 0
    unknown: tuple[str, ...] = ()
    unanswered: int = 0
    compute_answers: Callable[[], dict[str, np.ndarray | None]] | None = field(
        default=None, repr=False, compare=False
    )
    compute_values: Callable[[], dict[str, np.ndarray | None]] | None = field(
        default=None, repr=False, compare=False
    )

    def __repr__(self) -> str:
        counts = [(len(self.graph.nodes), "node"), (len(self.changes), "change")]
        told = [*(counted(*each) for each in counts), *[f"{len(self.refused)} refused"] * bool(self.refused)]
        return f"<{type(self).__name__} of {self.dialect}: {', '.join(told)}>"

    @property
    def extent(self) -> str:
        """How much of the text was read, as a sentence; "" if all was."""
        if not self.unread:
            return ""
        read_of_all = f"{self.statements - self.unread:,} of {self.statements:,} statements were read"
        if not self.unknown:
            return f"{read_of_all}."
        names = [f"`{name}`" for name in self.unknown]
        these = "these names are" if len(names) > 1 else "this name is"
        return f"{read_of_all}; {these} unknown: {listed(names, NAMED)}."

    @property
    def about_output(self) -> str:
        """That the graph's output is none that the text differentiates, as a sentence; "" if it is one."""
        if not self.unanswered or self.graph.output is None:
            return ""
        return (
            f"What line {self.unanswered} differentiates was not read, so no gradient here is one that the "
            f"code asks for: the output is {quoted(self.graph.output)}, the last value that was read."
        )

    def answers(self) -> dict[str, np.ndarray | None]:
        """Return the gradients that the text asks for, by what it differentiates by.

        Returns:
          By the name of an argument, a leaf or a parameter, the array that the text's own library would
          give, NaN included (PyTorch and TensorFlow in the versions `functions.corners.VERSIONS`); None where
          it gives None. Of several derivatives by one name the name has the
          last one, as `.grad` is what stands there at the end; each has a key with its line too, "x (line
          4)" or "x.grad", and `changes` says so. `values()` has each by the name that the text gives it.
        Raises:
          GraphError: a gradient depends on numbers that the library draws, or cannot be computed. One that
            is asked for by a name which is unknown raises it too.
        """
        return self.compute_answers() if self.compute_answers else {}

    def values(self) -> dict[str, np.ndarray | None]:
        """Return the values of the names that the text assigns; parts of a list or dictionary by their path.

        An attribute is found as code writes it, `values()["x.grad"]`: None where `.grad` is None.

        Raises:
          GraphError: a value cannot be computed; asked for by a name which is unknown it raises it too.
        """
        return self.compute_values() if self.compute_values else {}


def read(text: str) -> Reading:
    """Read a text as a graph. Nothing of it runs.

    Args:
      text: a formula, or code of JAX, PyTorch, TensorFlow or NumPy; of a Jupyter notebook its code is read.
    Returns:
      The reading; what could not be read is in `refused`, and the graph has all that does not need it.
    Raises:
      GraphError: it is no text.
    """
    text = known_text(text)
    if text.lstrip("\ufeff \t\r\n").startswith("{"):
        text = notebook_code(text) or text
    with budget():
        reader, refused, extent = _interpreted(text)
        if isinstance(reader, Reading):
            return reader
    try:
        with budget():  # what was read is shown, however many steps it took
            made = reading_of_reader(reader, refused)
            return _with_footer(replace(made, statements=extent[0], unread=extent[1]), text)
    except Refused as error:
        raise GraphError(_problem(error, text)) from None
    except (RecursionError, MemoryError):
        raise GraphError(_problem(too_deep(), text)) from None
    except GraphError:
        raise
    except Exception as error:
        raise GraphError(_fault(text, reader.lines_now or 1)) from error


def reader_of_all() -> Reader:
    """Return a reader that knows the functions of all libraries."""
    reader = Reader(dict(arrays.FUNCTIONS), {"numpy": arrays.METHODS, "jax": arrays.METHODS})
    python_functions.install(reader)
    indexing.install(reader)
    jax_random.install(reader)
    jax_shapes.install(reader)
    jax_transforms.install(reader)
    jax_trees.install(reader)
    torch_autograd.install(reader)
    custom_rules.install(reader)
    jax_custom_rules.install(reader)
    torch_modules.install(reader)
    torch_optimizers.install(reader)
    torch_training.install(reader)
    torch_distributions.install(reader)
    tensorflow_tapes.install(reader)
    tensor_arrays.install(reader)
    keras_layers.install(reader)
    numpy_memory.install(reader)
    own_dtypes.install(reader)
    python_sets.install(reader)
    python_library.install(reader)
    blank.install(reader)
    unread.install(reader)
    reader.library = "jax"
    return reader


def _interpreted(text: str) -> tuple[Reader | Reading, tuple[Problem, ...], tuple[int, int]]:
    """Return the reader that has read a text, what could not be read, and how many statements it has.

    With these goes how many of them were not read. Of a formula its reading is returned.
    """
    reader = reader_of_all()
    not_formula: tuple[Problem, ...] = ()
    if not _IMPORTS.search(text):  # no formula imports anything
        try:
            return _formula(text), (), (0, 0)
        except GraphError as error:
            not_formula = error.problems
    ended: tuple[Problem, ...] = ()  # why reading has ended before the text does
    body: list[ast.stmt] = []
    done = 0
    try:
        tree = with_cells_of_marimo(_tree(text, reader))
        if not is_code(tree):
            raise GraphError(not_formula)
        reader.state(tensorflow_tapes.Feeds).scan(tree)
        body = tree.body
        for statement in body:
            reader.run([statement])
            done += 1
        if not reader.builder.drafts and not reader.unread.refused:
            _call_open(reader)
    except Refused as error:
        ended = (_problem(error, text),)
    except GraphError as error:
        ended = error.problems
    except (RecursionError, MemoryError):
        ended = (_problem(too_deep(), text, reader.lines_now or 1),)
    except (Return, Break, Continue):
        ended = (Problem("not-read", "A return, break or continue stands outside of a function or a loop."),)
    except Exception:
        # A fault of the reader is said as one, and what came before it is there all the same.
        ended = (_fault(text, reader.lines_now or 1),)
    if ended and done < len(body):
        unread.forget_rest(reader, body[done:])
    places = list(reader.unread.refused.items())[:TOLD]
    refused = [_problem(error, text, getattr(at, "lineno", None)) for at, error in places]
    refused = list(dict.fromkeys(refused))  # a line of a function that is called more than once
    # A statement of a block may have been refused before the block was.
    refused += [one for one in ended if one not in refused]
    refused.sort(key=lambda one: one.line or 0)
    return reader, tuple(refused), unread.extent(reader, body, done)


def _fault(text: str, line: int) -> Problem:
    """Log the exception that is being handled, and return what is said of it."""
    _log.exception("a text could not be read, at line %d", line)
    return Problem(
        "reader-fault",
        f"Line {line} makes the reader fail: the fault is ours, not the text's.",
        "Leave the line out, or write it another way.",
        line=line,
        column=0,
        end_column=_length(text, line),
    )


def _with_footer(reading: Reading, text: str) -> Reading:
    """Return the reading of a text, with what the footer of a file of ours adds."""
    footer = footer_in(text)
    if footer is None:
        return reading
    return _exported(reading, footer) if is_unedited(text, footer) else _edited(reading, footer)


def _edited(reading: Reading, footer: Footer) -> Reading:
    """Return the reading of a file of ours whose code has been edited since."""
    try:
        graph = annotated(reading.graph, footer, reading.dialect)
    except GraphError:
        return reading
    if graph == reading.graph:
        return reading
    says = "the code has been edited since it was exported: its formula adds groups, cuts, sliders, titles"
    return replace(reading, graph=graph, changes=(*reading.changes, Change(footer.line, says)))


def _exported(reading: Reading, footer: Footer) -> Reading:
    """Return the reading of a file of ours as the graph that it was written from.

    A graph is differentiated from ones. Where the file has other numbers for the cotangent of its output, the
    graph that was read multiplies by these, and stays.
    """
    if footer.seed is not None and not (np.asarray(footer.seed) == 1.0).all():
        return reading
    graph, dtype = footer.graph, footer.dtype
    says = "this file is as it was exported: the graph is the one that it was written from"
    made = replace(
        reading,
        graph=graph,
        changes=(Change(footer.line, says),),
        refused=(),
        lines=lines_of(graph, reading.lines),
        dtype=dtype,
    )
    if not reading.refused:
        return made

    def answers() -> dict[str, np.ndarray | None]:
        traced = trace(graph, dtype=dtype)
        return {node.name: np.asarray(traced.gradient[node.name]) for node in graph.nodes if node.op == INPUT}

    def values() -> dict[str, np.ndarray]:
        return {name: np.asarray(value) for name, value in trace(graph, dtype=dtype).value.items()}

    return replace(made, compute_answers=answers, compute_values=values)


def too_deep() -> Refused:
    """Return the refusal of what is nested deeper than Python lets us read."""
    return Refused(
        "Brackets, blocks or calls are nested too deep to be read here.",
        "Give parts of it names.",
        "too-large",
    )


def is_code(tree: ast.Module) -> bool:
    """Return whether a text is code: it uses Python beyond the formula language."""
    beyond = (ast.Import, ast.ImportFrom, ast.ClassDef, ast.Attribute)
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

    return Reading(graph, "formula", (), (), lines, FLOAT32, compute_answers=answers, compute_values=values)


def _call_open(reader: Reader) -> None:
    """Call the last function that a text defines and does not call, with inputs for what it takes.

    Only of a text that makes no array: its function is then all that there is to see.
    """
    made = [value for value in reader.scope.names.values() if isinstance(value, (Function, Native))]
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
    library = next((f for f in ("torch", "tf") if f in reader.frameworks), "jax")
    inputs = [Array(reader.builder.input(1.0, name), library) for name in needed]
    if library == "torch":
        for array in inputs:
            array.requires_grad = True
    line = inner.body.lineno if isinstance(inner.body, ast.expr) else inner.body[0].lineno
    if needed:
        reader.say(line, f"the text gives no value for {listed(needed)}: each is 1.0 until you change it")
    reader.call(function, inputs, {})


def with_indentation(text: str) -> tuple[str, list[int]]:
    """Return a text that has lost its indentation with that of its `with` blocks, and the lines of these.

    Pages that are copied without their layout lose it. A block then ends at the next empty line. A text in
    which any line is indented is left as it is.
    """
    lines = text.splitlines()
    if any(line[:1].isspace() and line.strip() for line in lines):
        return text, []
    begun: list[int] = []
    inside = 0
    for i, line in enumerate(lines):
        if not line.strip():
            inside = 0
        if inside > limits.NESTING:  # deeper than Python's own parser reads
            return text, []
        opens = line.startswith("with ") and line.rstrip().endswith(":")
        lines[i] = "    " * inside + line
        if opens:
            begun.append(i + 1)
            inside += 1
    return "\n".join(lines), begun


def with_cells_of_marimo(tree: ast.Module) -> ast.Module:
    """Return an app of marimo as the statements of its cells, in their order; else the tree itself."""
    imported = [alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names]
    if "marimo" not in imported:
        return tree
    body: list[ast.stmt] = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and [as_written(one) for one in node.decorator_list] == [
            "app.cell"
        ]:
            body += [one for one in node.body if not isinstance(one, ast.Return)]
        elif isinstance(node, (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)):
            body.append(node)
    return ast.Module([one for one in body if not (isinstance(one, ast.Expr) and _shows(one.value))], [])


def _shows(node: ast.expr) -> bool:
    """Return whether an expression is a call of marimo, such as `mo.md(...)`."""
    inside = False
    while isinstance(node, (ast.Call, ast.Attribute)):
        inside |= isinstance(node, ast.Attribute)
        node = node.func if isinstance(node, ast.Call) else node.value
    return inside and isinstance(node, ast.Name) and node.id in ("mo", "marimo")


def _tree(text: str, reader: Reader) -> ast.Module:
    if len(text) > LONGEST:
        raise Refused(f"The text has {len(text):,} characters; {LONGEST:,} are read.", "", "too-large")
    try:
        return syntax_tree(text)
    except IndentationError as error:
        mended, begun = with_indentation(text)
        if not begun:
            raise GraphError(_not_python(error)) from None
        try:
            tree = syntax_tree(mended)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise GraphError(_not_python(error)) from None
        for line in begun:
            reader.say(
                line,
                "the lines up to the next empty one are taken as this block: they had lost their indentation",
            )
        return tree
    except GraphError:
        raise  # too large for Python's parser
    except (RecursionError, MemoryError):  # of Python's own parser
        raise too_deep() from None
    except (SyntaxError, ValueError) as error:
        raise GraphError(_not_python(error)) from None


def _not_python(error: Exception) -> Problem:
    line = getattr(error, "lineno", None) or 1
    column = max((getattr(error, "offset", None) or 1) - 1, 0)
    ends = (getattr(error, "end_offset", None) or 0) - 1
    one_line = getattr(error, "end_lineno", line) == line
    says = f"This is not Python: {getattr(error, 'msg', error)}."
    end = ends if one_line and ends > column else column + 1
    return Problem("syntax", says, line=line, column=column, end_column=end)


def _problem(error: Refused, text: str, line: int | None = None) -> Problem:
    """Return what was refused with its place: the expression, or what of it stands in its first line."""
    at = error.at
    line = getattr(at, "lineno", line)
    if line is None:
        return Problem(error.code, error.message, error.hint)
    lines = text.splitlines()
    first = lines[line - 1] if line <= len(lines) else ""
    in_bytes = first.encode()  # as the syntax tree counts
    begin, end = (
        len(in_bytes[: getattr(at, name, None) or 0].decode(errors="ignore"))
        for name in ("col_offset", "end_col_offset")
    )
    if getattr(at, "end_lineno", line) != line:
        end = len(first.rstrip())
    return Problem(
        error.code, error.message, error.hint, line=line, column=begin, end_column=max(end, begin + 1)
    )


def _length(text: str, line: int) -> int:
    return len(text.split("\n")[line - 1].rstrip()) if line <= text.count("\n") + 1 else 0


def reading_of_reader(reader: Reader, refused: tuple[Problem, ...]) -> Reading:
    """Return what a reader has read as a reading: its graph, and what computes its numbers."""
    torch_structure.name_nodes(reader)
    root = (
        reader.roots[-1]
        if reader.roots
        else _last(reader, {*reader.builder.left_out, *reader.builder.merged, *reader.unread.nodes})
    )
    kept = reader.builder.ancestors(*_kept(reader))
    gone = reader.state(tensorflow_tapes.Variables).left_out - kept
    for number, draft in enumerate(
        reader.builder.drafts
    ):  # with what reads them: a comparison, a printed number
        if number not in kept and any(isinstance(slot, Ref) and slot.number in gone for slot in draft.slots):
            gone.add(number)
    reader.builder.left_out |= gone | (reader.unread.nodes - kept)
    asked = {ref.number for ref in (root, *_asked(reader)) if isinstance(ref, Ref)}
    again = reader.state(jax_transforms.Tracing).made
    graph, names = reader.builder.graph(
        root, fuse=lambda numbers: fused(reader.builder, numbers, asked, again)
    )
    arrays_of_names = arrays_of(reader.scope.names.values())
    of_jax = [value for value in arrays_of_names if value.framework == "jax"]
    kinds = [value.dtype for value in of_jax or arrays_of_names if value.dtype in FLOATS]
    kinds += reader.state(Dtypes).floats
    dtype = max([*kinds, dtype_in_use(reader)], key=FLOATS.index)
    if dtype == FLOAT64:
        own_dtypes.round_inputs(reader)
    lines = {names[n]: draft.lines for n, draft in enumerate(reader.builder.drafts) if n in names}

    grads = [node.name for node in graph.nodes if node.op == GRAD]
    if len(grads) > limits.GRADS:
        reader.say(
            next(iter(lines.get(grads[limits.GRADS], ())), 0),
            f"the text computes with more than {limits.GRADS} derivatives: the page runs no graph with "
            "so many, and answers() has the numbers all the same",
        )
    derivatives = _derivatives(reader)
    for places in derivatives.places():
        for line, says in said(places):
            reader.say(line, says)

    def answers() -> dict[str, np.ndarray | None]:
        with refusals_as_problems():  # whoever asks for them waits for them
            return asked_for()

    def asked_for() -> dict[str, np.ndarray | None]:
        found = _answers(reader, derivatives.last(), dtype)
        found.unknown, found.label_of = derivatives.unknown, partial(label, reader)
        for one in derivatives.each():
            try:
                found.update(_answers(reader, one, dtype))
            except GraphError:  # what cannot be given has no place among the answers
                continue
        return found

    def values() -> Values:
        with budget(), refusals_as_problems():
            named = named_values(reader)
        return Values(computed(named), value)

    def value(name: str) -> np.ndarray | None:
        with budget(), refusals_as_problems():
            one = attribute(reader, name)
        return None if one is None else computed({name: one})[name]

    def computed(named: dict[str, Any]) -> dict[str, np.ndarray]:
        evaluation = Evaluation(reader.builder, dtype, once=True)
        with refusals_as_problems():
            found = numbers_of(reader, named, evaluation)
        refuse_odd(reader.builder, evaluation.passes())
        return found

    by_sentence: dict[str, list[int]] = {}
    for line, says in reader.changes:
        by_sentence.setdefault(says, []).append(line)
    changes = tuple(Change(lines[0], says, tuple(lines)) for says, lines in by_sentence.items())
    dialect = next((f for f in ("torch", "tf", "jax", "numpy") if f in reader.frameworks), "jax")
    unknown = dict.fromkeys(name for name, value in reader.scope.names.items() if not reader.is_known(value))
    grads = {name for name, _, site in derivatives.of_torch if site.is_grad}
    unknown |= dict.fromkeys(
        f"{name}.grad" if name in grads else name for name in derivatives.unknown if name not in unknown
    )
    return Reading(
        graph,
        dialect,
        changes,
        refused,
        lines,
        dtype,
        unknown=tuple(unknown),
        unanswered=0 if reader.roots else reader.unread.differentiated,
        compute_answers=answers,
        compute_values=values,
    )


@contextmanager
def refusals_as_problems() -> Iterator[None]:
    """Raise what is refused after a text was read as a GraphError."""
    try:
        yield
    except Refused as error:
        raise GraphError(Problem(error.code, error.message, error.hint)) from None
    except TooLarge as error:
        raise GraphError(Problem("too-large", str(error))) from None


def _kept(reader: Reader) -> list[Ref]:
    """Return the nodes whose values or derivatives the text still names or asks for."""
    return [
        ref
        for ref in (*reader.roots[-1:], *_asked(reader), *(one.held for one in _arrays(reader)))
        if isinstance(ref, Ref)
    ]


def _asked(reader: Reader) -> list[Any]:
    """Return what the derivatives are made of that the text asks for."""
    last = {one.name: one for one in reader.requests}
    return [held for one in last.values() for held in (one.root, one.wrt, one.value)]


def answer(reader: Reader, request: Request, dtype: str) -> np.ndarray:
    """Return the derivative that a request asks for.

    Raises:
      GraphError: it depends on numbers that the library draws.
    """
    value = _derivative(reader, request, dtype)
    above = reader.builder.ancestors(*(ref for ref in (request.root, request.value) if isinstance(ref, Ref)))
    drawn = {number: one for number, one in reader.state(Draws).named.items() if number in above}
    if drawn:
        seeds = {number: reader.builder.drafts[number].params["seed"] for number in drawn}
        try:
            for number, seed in seeds.items():
                reader.builder.drafts[number].params["seed"] = seed + 7919
            other = _derivative(reader, request, dtype)
        finally:
            for number, seed in seeds.items():
                reader.builder.drafts[number].params["seed"] = seed
        if not np.array_equal(value, other, equal_nan=True):
            what, line = next(iter(drawn.values()))
            raise GraphError(
                Problem(
                    "drawn",
                    f"This gradient depends on numbers that {what} draws.",
                    "Write the numbers that were drawn in its place.",
                    line=line,
                    column=0,
                )
            )
    return value


def _derivative(reader: Reader, request: Request, dtype: str) -> np.ndarray:
    if request.root is None:  # made of several derivatives, such as a Jacobian
        return reader.builder.numbers(request.value, dtype)
    within = reader.builder.ancestors(request.root) | reader.builder.ancestors(request.wrt)
    part, names = reader.builder.within(request.root, within)
    traced = trace(part, dtype=dtype)
    numbers = {number: np.asarray(traced.value[name]) for number, name in names.items()}
    refuse_odd(reader.builder, [(request.root.number, numbers)])
    return np.asarray(traced.cotangent[names[request.wrt.number]])


@dataclass(frozen=True)
class _Derivatives:
    """What a text asks for: derivatives of PyTorch with their other names, and those of other libraries.

    Attributes:
      unknown: names of those that nobody knows, with the line that was not read.
      gone: identities of the tensors that nobody knows.
    """

    of_torch: Sequence[tuple[str, Array | None, Site]]
    aliases: Mapping[str, str]
    of_others: Sequence[Request]
    unknown: Mapping[str, int] = field(default_factory=dict)
    gone: frozenset[int] = frozenset()

    def places(self) -> list[list[tuple[str, Site]]]:
        """Return the names and places of all, of either kind."""
        return [
            [(name, site) for name, _, site in self.of_torch],
            [(one.name, one.site) for one in self.of_others],
        ]

    def last(self) -> _Derivatives:
        """Return the last one of each name."""
        return replace(
            self,
            of_torch=list({one[0]: one for one in self.of_torch if one[0] not in self.unknown}.values()),
            of_others=list(
                {one.name: one for one in self.of_others if one.name not in self.unknown}.values()
            ),
        )

    def each(self) -> Iterator[_Derivatives]:
        """Yield those whose name is that of several, under a name of its own."""
        of_torch, of_others = (told_apart(places, self.unknown) for places in self.places())
        for keys in of_torch.values():
            for key, i in keys.items():
                _, value, site = self.of_torch[i]
                if id(value) not in self.gone:
                    yield _Derivatives([(key, value, site)], {}, [])
        for keys in of_others.values():
            for key, i in keys.items():
                yield _Derivatives([], {}, [replace(self.of_others[i], name=key)])


def _derivatives(reader: Reader) -> _Derivatives:
    of_torch, aliases = torch_autograd.asked_for(reader)
    unknown = {}
    for name, value in reader.scope.names.items():
        if not reader.is_known(value):
            cause = value if isinstance(value, Unknown) else reader.unread.objects[id(value)][1]
            unknown[name] = cause.line
    last = {name: (one, site) for name, one, site in of_torch}
    last |= {one.name: (None, one.site) for one in reader.requests}
    for name, (one, site) in last.items():
        # A name has the derivative that is asked for last; where that was not read, it has none.
        unknown.pop(name, None)
        if not reader.is_known(one):
            unknown[name] = reader.unread.objects[id(one)][1].line
        elif not site.is_grad and (
            line := reader.unread.asks_again(name, site.lines[-1] if site.lines else 0)
        ):
            unknown[name] = line
    gone = frozenset(id(one) for _, one, _ in of_torch if not reader.is_known(one))
    return _Derivatives(of_torch, aliases, reader.requests, unknown, gone)


def _answers(reader: Reader, asked: _Derivatives, dtype: str) -> torch_autograd.Answers:
    """Return the numbers of what a text asks for.

    Raises:
      GraphError: they depend on numbers that its library draws, or jump at a corner.
    """

    def computed() -> torch_autograd.Answers:
        found = torch_autograd.answers(
            reader, {name: value for name, value, _ in asked.of_torch}, asked.aliases
        )
        others = _of_tapes if "tf" in reader.frameworks else _of_transforms
        found.update(
            {n: value for n, value in others(reader, asked.of_others, dtype).items() if n not in found}
        )
        return found

    result = computed()
    # JAX's second derivatives are those of the graph itself, at corners too.
    if reader.frameworks & {"torch", "tf"}:
        refuse_jumps(reader.builder, result, computed)
    return result


def _of_tapes(reader: Reader, asked: Iterable[Request], dtype: str) -> dict[str, np.ndarray | None]:
    return {one.name: None if one.wrt is None else answer(reader, one, dtype) for one in asked}


def _of_transforms(reader: Reader, asked: Iterable[Request], dtype: str) -> dict[str, np.ndarray | None]:
    found: dict[str, np.ndarray | None] = {}
    evaluation = Evaluation(reader.builder, dtype, once=True)
    for request in asked:
        root, wrt, value = (
            reader.builder.resolved(one) for one in (request.root, request.wrt, request.value)
        )
        if request.wrt is None:
            found[request.name] = None
            continue
        for ref in (root, wrt, value):
            if isinstance(ref, Ref):
                _refuse_draws(reader, ref)
        # What is made of several derivatives, such as a Jacobian, has no one output.
        found[request.name] = evaluation.value(value) if root is None else evaluation.cotangent(root, wrt)
    return found


def _refuse_draws(reader: Reader, ref: Ref) -> None:
    """Refuse an answer that may depend on numbers which the text draws without a seed.

    Raises:
      GraphError: it reads such numbers.
    """
    drawn = reader.state(Draws).unseeded & reader.builder.ancestors(ref)
    if drawn:
        line = (reader.builder.drafts[min(drawn)].lines or (None,))[-1]
        message = "This gradient depends on numbers that the text draws, and other ones each time."
        raise GraphError(Problem("drawn", message, "Write the numbers, or give a seed.", line=line, column=0))


def _arrays(reader: Reader) -> list[Array]:
    return [value for value in reader.scope.names.values() if isinstance(value, Array)]


def _last(reader: Reader, gone: set[int]) -> Ref | None:
    numbers = [number for number in range(len(reader.builder.drafts)) if number not in gone]
    return Ref(numbers[-1]) if numbers else None
