"""Make a graph of a live model of PyTorch and a call of it: `from_torch(model, *inputs)`.

Its source is read as any text is, and nothing of it runs: hooks, checkpoints, `detach` and functions with a
derivative of their own stay what they are. The reader gets the live values in the place of statements that
would make them: a text could not say the numbers of parameters, nor what a program has done to an object
since it was made, and each place in a message would be one in a text that nobody has written.
"""

from __future__ import annotations

import ast
import inspect
import logging
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from autodiff_viz.graph.problem import GraphError, Problem, kind_of
from autodiff_viz.reading.functions.arrays import shape_of
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import FLOATS, Array, Function, Refused
from autodiff_viz.reading.live.comparison import ModelCheck, check_of, run_of
from autodiff_viz.reading.live.objects import Live
from autodiff_viz.reading.live.sources import LINES, Sources
from autodiff_viz.reading.nodes.costs import LibraryError, budget
from autodiff_viz.reading.reading import Change, Reading, reader_of_all, reading_of_reader, too_deep
from autodiff_viz.reading.tensors.torch_memory import info
from autodiff_viz.reading.tensors.torch_tensors import Draws
from autodiff_viz.reading.torch.passes import Autograd
from autodiff_viz.reading.torch.structure import labels

_log = logging.getLogger(__name__)


@dataclass(frozen=True, repr=False)
class ModelReading(Reading):
    """A live model that was read, as a `Reading` of a text is.

    Attributes:
      graph, dialect, changes, refused, lines, dtype, statements, unread, unknown, unanswered,
        compute_answers, compute_values: as of `Reading`. Lines are those of the files that the classes stand
        in. What is refused is only shown, as by print(): all else `from_torch` raises.
      files: the file of each of the lines that a node comes from, by the node's name.
      check: the comparison with PyTorch's own run; None if none was asked for.
    """

    files: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    check: ModelCheck | None = None


def from_torch(
    model: Callable[..., Any], *inputs: Any, sum_output: bool = False, check: bool = False, **keywords: Any
) -> ModelReading:
    """Make the graph of a live PyTorch model, or of a function that calls some, for these inputs.

    The source of its classes and functions is read and does not run. So what exporters drop stays: hooks,
    checkpoints, `detach`, functions with a derivative of their own. Parameters and buffers have their present
    numbers, a layer its present settings and mode. What is returned is differentiated, as `backward()` does,
    unless the function calls `backward()` itself. `answers()` then has the gradients by the names that
    PyTorch has for them, "fc.weight"; gradients that stand in `.grad` before are not added.

    Args:
      model: a module or a function, whose source is in a file or in a cell of a notebook.
      *inputs: what it is called with: tensors, numbers, lists of them.
      sum_output: whether the sum of an output is differentiated that is no single number, as
        `output.sum().backward()` does.
      check: whether to run the model and its backward pass in PyTorch too, and compare; gradients, buffers,
        attributes of modules and random numbers are put back after it.
      **keywords: what it is called with by keyword.
    Returns:
      The reading. Its graph has at most 65,536 numbers in a tensor; `check` prints what was compared.
    Raises:
      GraphError: something cannot be read; its problem has the file and the line. The output is no single
        number, PyTorch would refuse the call, or it is too large.
    """
    torch = sys.modules.get("torch")  # whoever has a model has imported it; it is no dependency of ours
    if torch is None:
        message = "PyTorch is not imported in this program, so there is no model of it."
        raise GraphError(Problem("no-torch", message, "A function of JAX goes to from_function(f, x)."))
    if not callable(model) or isinstance(model, type):
        found = "a class" if isinstance(model, type) else kind_of(model)
        message = f"A model or a function of PyTorch is needed; found {found}."
        raise GraphError(Problem("not-a-function", message, "Write from_torch(model, x), with a model made."))
    reader = reader_of_all()
    sources = Sources()
    with budget():
        try:
            live = Live(reader, reader_of_all(), torch, sources)
            output = _called(live, model, inputs, keywords, sum_output)
        except Refused as refused:
            # What is unknown is so since something that is only shown was refused before.
            problems = [*_shown(reader, sources), _problem(refused, sources, reader.lines_now)]
            raise GraphError(problems) from None
        except GraphError:
            raise
        except (RecursionError, MemoryError):
            raise GraphError(_problem(too_deep(), sources, reader.lines_now)) from None
        except Exception as error:  # a fault of ours is said as one
            _log.exception("a model could not be read, at line %d", reader.lines_now)
            fault = Refused(
                "This makes the reader fail: the fault is ours, not the model's.", "", "reader-fault"
            )
            raise GraphError(_problem(fault, sources, reader.lines_now)) from error
    with budget():
        try:
            made = reading_of_reader(reader, tuple(_shown(reader, sources)))
        except Refused as refused:
            raise GraphError(_problem(refused, sources, reader.lines_now)) from None
    plain = {each.name: getattr(made, each.name) for each in fields(Reading)}
    places = {name: [sources.place(line) for line in lines] for name, lines in made.lines.items()}
    plain["lines"] = {name: tuple(line for _, line in at) for name, at in places.items()}
    plain["changes"] = tuple(_change(one, sources) for one in made.changes)
    plain["compute_answers"] = _with_places(made.answers, sources)
    plain["compute_values"] = _with_places(made.values, sources)
    reading = ModelReading(
        **plain, files={name: tuple(file for file, _ in at) for name, at in places.items()}
    )
    return (
        replace(reading, check=_check(live, reading, output, model, inputs, keywords)) if check else reading
    )


def _called(
    live: Live, model: Any, inputs: tuple, keywords: dict[str, Any], sum_output: bool
) -> Array | None:
    """Read the call and its backward pass; return what is differentiated, None if the call does it itself."""
    reader, torch = live.reader, live.torch
    reader.frameworks.add("torch")
    default = str(torch.get_default_dtype()).rpartition(".")[2]
    reader.state(Draws).default = default
    reader.state(Draws).wide |= default == "float64"
    if torch.is_autocast_enabled("cpu"):
        raise Refused("autocast is on here, which is not read.", "Call from_torch outside of its block.")
    reader.no_grad = int(not torch.is_grad_enabled())
    names = _argument_names(model, len(inputs))
    function = live.value(model, "model")
    args = [live.value(one, name) for one, name in zip(inputs, names, strict=True)]
    named = {key: live.value(one, key) for key, one in keywords.items()}
    reader.scope.names |= {**dict(zip(names, args, strict=True)), **named, "model": function}
    if isinstance(function, Function) and isinstance(function.body, ast.expr):
        # A lambda has no statement, whose line its nodes would have.
        reader.lines, reader.builder.lines = [function.body.lineno], (function.body.lineno,)
    value = reader.call(function, args, named)
    live.check_memory()
    if reader.state(Autograd).ran:
        return None
    if not isinstance(value, Array):
        found = "None" if value is None else kind_of(value)
        inside = f" of {len(value)}" if isinstance(value, (tuple, list, dict)) else ""
        raise Refused(
            f"The call returns {found}{inside}, and a tensor is what backward() is called of.",
            "Give a function that returns the tensor: from_torch(lambda x: model(x)[1], x).",
            "no-output",
        )
    shape = shape_of(reader, value)
    if shape != () and sum_output:
        value = reader.call(reader.attribute(value, "sum", ast.Constant(0)), [], {})
    elif any(size != 1 for size in shape):
        raise LibraryError(
            f"grad can be implicitly created only for scalar outputs; this one has the shape {list(shape)}.",
            "Write sum_output=True, or give a function that returns the loss: "
            "from_torch(lambda x, y: loss(model(x), y), x, y).",
            "not-scalar",
        )
    reader.scope.names["output"] = reader.named(value, "output")
    reader.methods["torch"]["backward"](reader, value)
    live.check_memory()
    return value


def _argument_names(model: Any, count: int) -> list[str]:
    """Return the names of positional arguments: those of `forward`, or of the function."""
    try:
        known = inspect.signature(getattr(model, "forward", model)).parameters.values()
    except (TypeError, ValueError):
        known = ()
    names = [one.name for one in known if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    return (names + [f"x_{i}" for i in range(len(names), count)])[:count]


# Places.

_LINE = re.compile(r"\bline (\d{7,})\b")  # of a file that is not the first


def _problem(refused: Refused, sources: Sources, last: int) -> Problem:
    """Return what was refused, with its place in the program's own file."""
    at = getattr(refused.at, "lineno", None) or last
    file, line = sources.place(at)
    message, hint = (_in_words(text, sources) for text in (refused.message, refused.hint))
    if not file or not line:
        return Problem(refused.code, message, hint)
    text = sources.text(at)
    begin, end = (getattr(refused.at, name, None) for name in ("col_offset", "end_col_offset"))
    if getattr(refused.at, "end_lineno", at) != at:
        end = None
    begin = len(text) - len(text.lstrip()) if begin is None else begin
    first = len(text.encode()[:begin].decode(errors="ignore"))
    last_column = len(text.rstrip()) if end is None else len(text.encode()[:end].decode(errors="ignore"))
    caret = f"{text}\n{' ' * first}{'^' * max(last_column - first, 1)}"
    return Problem(
        refused.code,
        message,
        hint,
        line=line,
        column=first,
        end_column=max(last_column, first + 1),
        caret=caret,
        file=file,
    )


def _shown(reader: Reader, sources: Sources) -> list[Problem]:
    """Return what was refused of what is only shown, as by print(), while all else is read."""
    return [_problem(error, sources, at.lineno) for at, error in reader.unread.refused.items()]


def _in_words(text: str, sources: Sources) -> str:
    """Return a sentence of the reader whose lines are those of files."""

    def said(found: re.Match) -> str:
        file, line = sources.place(int(found[1]))
        return f"line {line} of {file}"

    return _LINE.sub(said, text)


def _change(change: Change, sources: Sources) -> Change:
    file, line = sources.place(change.line)
    lines = tuple(sources.place(one)[1] for one in change.lines if one // LINES == change.line // LINES)
    return Change(line, _in_words(change.says, sources), lines, file)


def _with_places(compute: Callable[[], Any], sources: Sources) -> Callable[[], Any]:
    """Return what computes answers, and says lines of files where it cannot."""

    def computed() -> Any:
        try:
            return compute()
        except GraphError as error:
            raise GraphError(
                replace(
                    one,
                    message=_in_words(one.message, sources),
                    hint="Draw them before the call, and give them to it."
                    if one.code == "drawn"
                    else one.hint,
                    line=sources.place(one.line)[1] if one.line else None,
                    file=sources.place(one.line)[0] if one.line else "",
                )
                for one in error.problems
            ) from None

    return computed


# The comparison with PyTorch.


def _check(
    live: Live,
    reading: ModelReading,
    output: Array | None,
    model: Any,
    inputs: tuple,
    keywords: dict[str, Any],
) -> ModelCheck:
    """Return PyTorch's value and gradients beside those of the reading."""

    def call() -> Any:
        value = model(*inputs, **keywords)
        if output is None:
            return None
        return value.sum()  # also of one number in brackets

    value, gradients = run_of(live.torch, call, [one for one, _ in live.tensors], live.modules)
    answers, names = reading.answers(), labels(live.reader)[0]
    beside = {}
    for tensor, array in live.tensors:
        name = names.get(array, info(live.reader, array).label)
        if tensor.requires_grad and name:
            kind = str(tensor.dtype).rpartition(".")[2]
            beside[name] = (gradients[id(tensor)], answers.get(name), kind)
    kinds = [kind for *_, kind in beside.values() if kind in FLOATS]
    ours = None if output is None else reading.values()["output"].sum()
    # A value is as exact as the least exact of what it is computed from.
    kind = min(kinds, key=FLOATS.index, default="float32")
    return check_of(live.torch.__version__, (value, ours), beside, kind)
