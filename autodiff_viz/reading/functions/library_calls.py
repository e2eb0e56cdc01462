"""Call a library's function that is written in JAX: its program becomes nodes of the text's graph.

A function of a dialect is ordinary code in `jax.numpy`, with `jax.custom_jvp` where the library's slope
differs. Its values, dtypes and broadcasting are then JAX's, and it can be called alone and held against the
real library. What the library calls one thing is one group on the canvas, or one node where an op of ours is
the same.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autodiff_viz.engine.trace import precision
from autodiff_viz.functions.convert import Converter
from autodiff_viz.functions.equations import Value, constant
from autodiff_viz.functions.nodes import Draft, Nodes
from autodiff_viz.functions.nodes import Ref as Place
from autodiff_viz.graph import limits
from autodiff_viz.graph.dtypes import FLOAT32, FLOAT64
from autodiff_viz.graph.identity import identity, remembered
from autodiff_viz.graph.model import IDENTITY, INPUT, Rule
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.rule_kinds import FOLLOW, STOP
from autodiff_viz.ops.native import NativeOp
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import BOOL, FLOATS, INT, Array, Native, Path, Refused, Whole
from autodiff_viz.reading.nodes.builder import Builder, Frame, Held, Ref
from autodiff_viz.reading.nodes.costs import LibraryError, pay

KEPT = 256  # programs of functions, by the shapes and options that they are called with
TRACED = 200  # steps of the budget, for a function with shapes or options that were not met before

Shape = tuple[int, ...]


Prepare = Callable[[Reader, str, dict[str, Any]], None]


def jax_function(
    call: Callable[..., Any], without_slope: Sequence[str] = (), prepare: Prepare | None = None
) -> Callable[..., Any]:
    """Return a function of JAX arrays as the reading of a library's function.

    Args:
      call: its parameters are called as the library calls them. What is no array is an option, of which the
        program depends: a number, a string, a tuple, None.
      without_slope: arguments for which the library has no derivative, and raises an error.
      prepare: turns the arguments into arrays, of the reader, the function's name and the arguments.
    """
    signature = inspect.signature(call)

    def read(reader: Reader, *args: Any, **keywords: Any) -> Any:
        bound = arguments_of(call, args, keywords)
        if prepare is not None:
            prepare(reader, call.__name__, bound.arguments)
        for argument in without_slope:
            value = bound.arguments[argument]
            if isinstance(value, Array) and value.requires_grad:
                raise LibraryError(
                    f"The function '{call.__name__}' is not differentiable with respect to argument "
                    f"'{argument}'.",
                    f"Write {argument}.detach().",
                )
        return call_jax(reader, call, *bound.args, **bound.kwargs)

    first = inspect.Parameter("r", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    read.__signature__ = signature.replace(parameters=[first, *signature.parameters.values()])
    return read


def arguments_of(
    call: Callable[..., Any], args: Sequence[Any], keywords: dict[str, Any]
) -> inspect.BoundArguments:
    """Return the arguments of a call, with the defaults of those that are not given.

    Raises:
      Refused: the function does not take these.
    """
    signature = inspect.signature(call)
    try:
        bound = signature.bind(*args, **keywords)
    except TypeError as error:
        raise Refused(f"{call.__name__}() is read with {signature}: {error}.") from None
    bound.apply_defaults()
    return bound


def call_jax(reader: Reader, function: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Add the nodes of a function of JAX arrays as a group, and return its result: see `nodes_of`."""
    return nodes_of(reader, function, *args, _group=_name(function), **options)


def nodes_of(
    reader: Reader, function: Callable[..., Any], *args: Any, _group: str = "", **options: Any
) -> Any:
    """Add the nodes of a function of JAX arrays, and return its result.

    Args:
      _group: the name of the group that they are, if they are one of their own.
    Returns:
      An array, or a tuple of several.
    Raises:
      Refused: JAX refuses the call, or something in it is larger than a value of a graph may be.
    """
    leaves, structure = jax.tree.flatten((args, options), is_leaf=lambda one: one is None)
    arrays = [one for one in leaves if isinstance(one, Array)]
    rows = tuple(sorted({level for one in arrays for level in one.rows}))
    dtype = FLOAT64 if result_float(reader, arrays) == FLOAT64 else FLOAT32
    given = tuple(_kind(reader, one) if isinstance(one, Array) else _option(one, dtype) for one in leaves)
    return _made(reader, _group, _program(Call(function, given, structure, dtype, rows)), arrays, rows)


def _name(function: Callable[..., Any]) -> str:
    """Return what the library calls a function."""
    return function.__name__.strip("_")


def result_float(reader: Reader, arrays: Sequence[Array]) -> str:
    """Return the dtype of the floats that a function makes of arrays."""
    floats = [one for one in arrays if one.dtype in FLOATS]
    if any(one.framework == "torch" for one in floats):  # a tensor without axes counts less than others
        floats = [one for one in floats if reader.builder.shape(reader.held(one))] or floats
    usual = max((one.dtype for one in floats), key=FLOATS.index, default=reader.usual_float())
    if usual == FLOAT64 and not reader.wide and any(one.framework == "jax" for one in arrays):
        return FLOAT32  # JAX takes an array of NumPy in single precision unless it is told otherwise
    return usual


@dataclass(frozen=True)
class Kind:
    """What a program depends on of an array: its shape, its rows, and "float" or the name of its dtype.

    Of places that the text writes also their numbers.
    """

    shape: Shape
    dtype: str
    rows: tuple[int, ...]
    numbers: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Call:
    """A call of a function: everything that its program depends on."""

    function: Callable[..., Any]
    leaves: tuple[Any, ...]
    structure: Any
    dtype: str
    rows: tuple[int, ...]


_SAID: ContextVar[list[str] | None] = ContextVar("said", default=None)  # of the call that is being traced


def say(sentence: str) -> None:
    """Note what a library does in its own way: called by a function of JAX arrays while it is traced."""
    said = _SAID.get()
    if said is not None and sentence not in said:
        said.append(sentence)


@dataclass(frozen=True)
class Program:
    """Nodes of a call.

    Attributes:
      says: what is noted of the call.
      drafts: in order; the first are the arrays that it is called with.
      results: the place of each among them, with its dtype: "float" or its name.
      structure: of the results.
    """

    drafts: tuple[Draft, ...]
    results: tuple[tuple[int, str], ...]
    structure: Any
    says: tuple[str, ...] = ()


def _kind(reader: Reader, array: Array) -> Kind:
    shape = reader.builder.shape(reader.held(array))
    if shape is None:
        raise Refused("An array whose shape is not known cannot be read here.")
    dtype = "float" if array.dtype in FLOATS else "bool" if array.dtype == BOOL else _width(reader, array)
    places = None
    if (
        array.dtype == INT and array.is_constant and not array.rows
    ):  # which rows or classes: the program depends on them
        places = tuple(int(one) for one in np.asarray(array.held).ravel())
    return Kind(tuple(shape), dtype, array.rows, places)


def _width(reader: Reader, array: Array) -> str:
    """Return the name of a dtype of whole numbers; PyTorch and TensorFlow have them as 32 bits here."""
    usual = "int64" if array.framework == "numpy" or (array.framework == "jax" and reader.wide) else "int32"
    return getattr(array.dtype, "width", usual) if array.framework in ("jax", "numpy") else "int32"


NAMED = {
    FLOAT64: {"int": "int64", "float": "float64", "bool_": "bool"},
    FLOAT32: {
        "int": "int32", "int64": "int32", "uint64": "uint32", "float": "float32", "float64": "float32",
        "bool_": "bool",
    },
}  # fmt: skip
"""The dtypes that JAX makes of others, by its dtype of floats."""


def _option(value: Any, dtype: str) -> Any:
    """Return an option as data that can be compared.

    Raises:
      Refused: it is no number, string or None.
    """
    if isinstance(value, (Path, Native)):  # a dtype, which JAX takes by its name too
        name = value.name.rpartition(".")[2]
        return NAMED[dtype].get(name, name)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise Refused(f"An option is a number, a string or None, and this is {type(value).__name__.lower()}.")


def _identity(call: Call) -> Any:
    leaves = tuple(
        (one.shape, one.dtype, one.rows, one.numbers) if isinstance(one, Kind) else ("option", one)
        for one in call.leaves
    )
    return call.function, identity(leaves), call.structure, call.dtype, call.rows


@remembered(KEPT, _identity)
def _program(call: Call) -> Program:
    pay(TRACED)  # before JAX is asked
    said: list[str] = []
    outside = _SAID.set(said)
    try:
        with precision(call.dtype), jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):
            return replace(_traced(call), says=tuple(said))
    finally:
        _SAID.reset(outside)


REFUSALS = (
    TypeError,
    ValueError,
    IndexError,
    ArithmeticError,
    AssertionError,
    NotImplementedError,
    Warning,
)
"""What JAX raises of arguments that a function does not take."""


def _traced(call: Call) -> Program:
    kinds = [one for one in call.leaves if isinstance(one, Kind)]
    avals = [jax.ShapeDtypeStruct(one.shape, _dtype(one, call.dtype)) for one in kinds if one.numbers is None]

    def of_arrays(*arrays: Any) -> Any:
        left = iter(arrays)
        leaves = [
            _numbers(one)
            if isinstance(one, Kind) and one.numbers is not None
            else next(left)
            if isinstance(one, Kind)
            else one
            for one in call.leaves
        ]
        args, options = jax.tree.unflatten(call.structure, leaves)
        return call.function(*args, **options)

    moving = [one for one in kinds if one.numbers is None]
    function = of_arrays
    for level in reversed(call.rows):
        axes = [0 if level in one.rows else None for one in moving]
        function = jax.vmap(function, in_axes=tuple(axes))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # what a text may still call
            program, shape = jax.make_jaxpr(function, return_shape=True)(*avals)
    except REFUSALS as error:
        says = str(error).strip().splitlines()[0][:200]
        raise Refused(f"{_name(call.function)}() does not take these: {says}", "", "shape") from None
    _check_sizes(_name(call.function), program.jaxpr)
    return _converted(call, program, jax.tree.structure(shape), kinds, avals)


def _dtype(kind: Kind, usual: str) -> Any:
    return jax.dtypes.canonicalize_dtype(usual if kind.dtype == "float" else kind.dtype)


def _numbers(kind: Kind) -> np.ndarray:
    return np.asarray(kind.numbers, _dtype(kind, FLOAT32)).reshape(kind.shape)


def _check_sizes(name: str, jaxpr: Any) -> None:
    """Refuse a program with a value that is too large, before anything of it is computed."""
    for equation in _equations(jaxpr):
        for variable in equation.outvars:
            shape = getattr(variable.aval, "shape", ())
            if prod(shape) > limits.ELEMENTS or len(shape) > limits.RANK:
                raise Refused(
                    f"A value of {name}() has shape {list(shape)}: a graph holds at most {limits.ELEMENTS:,} "
                    f"elements on {limits.RANK} axes.",
                    "Use smaller arrays.",
                    "too-large",
                )


def _equations(jaxpr: Any) -> Iterator[Any]:
    for equation in jaxpr.eqns:
        yield equation
        for given in equation.params.values():
            for one in given if isinstance(given, (tuple, list)) else (given,):
                if hasattr(one, "eqns") or hasattr(one, "jaxpr"):
                    yield from _equations(getattr(one, "jaxpr", one))


def _converted(
    call: Call, program: Any, structure: Any, kinds: Sequence[Kind], avals: Sequence[Any]
) -> Program:
    name, nodes, values = _name(call.function), Nodes(), []
    places = iter([nodes.add(INPUT, (), one.shape) for one in kinds])
    moving = [place for place, one in zip(places, kinds, strict=True) if one.numbers is None]
    for aval, place in zip(avals, moving, strict=True):
        values.append(Value(tuple(aval.shape), aval.dtype, held=place))
    converter = Converter(nodes, jnp.dtype(call.dtype))
    converter.mapped = bool(call.rows)
    try:
        results = converter.run(program.jaxpr, [constant(one) for one in program.consts], values)
        held = [converter.held(one) for one in results]
    except GraphError as error:
        raise Refused(f"{name}() is not read with these: {error.problems[0].message}") from None
    held = [
        one if isinstance(one, Place) else nodes.add(IDENTITY, (one,), result.shape)
        for one, result in zip(held, results, strict=True)
    ]
    numbers = _read_by(nodes, held, len(kinds))
    order = {number: place for place, number in enumerate(numbers)}
    drafts = tuple(_moved(nodes.drafts[number], order) for number in numbers)
    if native := next((one.op.label for one in drafts if isinstance(one.op, NativeOp)), ""):
        raise Refused(f"{name}() is not read with these: it needs {native}, for which there is no op.")
    kept = ["float" if one.is_float else np.dtype(one.dtype).name for one in results]
    return Program(
        drafts, tuple((order[one.number], dtype) for one, dtype in zip(held, kept, strict=True)), structure
    )


def _read_by(nodes: Nodes, results: Sequence[Place], arguments: int) -> list[int]:
    """Return the numbers of the arguments and of all nodes that lead to the results."""
    reached, waiting = {*range(arguments)}, [one.number for one in results]
    while waiting:
        number = waiting.pop()
        if number not in reached:
            reached.add(number)
            waiting += [slot.number for slot in nodes.drafts[number].slots if isinstance(slot, Place)]
    return sorted(reached)


def _moved(draft: Draft, order: dict[int, int]) -> Draft:
    slots = tuple(Place(order[slot.number]) if isinstance(slot, Place) else slot for slot in draft.slots)
    return Draft(draft.op, slots, draft.params, draft.shape, (), draft.rule)


def _made(reader: Reader, name: str, program: Program, arrays: Sequence[Array], rows: tuple[int, ...]) -> Any:
    """Add the nodes of a program to the graph of the text, and return its results as arrays of the text."""
    for sentence in program.says:
        reader.say(reader.line, sentence)
    count = len(arrays)
    held: list[Held] = [reader.held(one) for one in arrays]
    needs = any(one.requires_grad for one in arrays)
    library = next((one.framework for one in arrays if one.framework != "numpy"), reader.library)
    usual = result_float(reader, arrays)
    ends = {place for place, dtype in program.results if dtype == "float"}
    in_graph = isinstance(reader.builder, Builder)
    # The frame stands for what the library calls one thing.
    frame = Frame(name, None) if name and len(program.drafts) > count + 1 and in_graph else None
    with reader.frame(frame) if frame is not None else nullcontext():
        for place in range(count, len(program.drafts)):
            draft = program.drafts[place]
            if draft.op == INPUT:  # an array of numbers that the function has
                held.append(draft.params["value"])
                continue
            if draft.op == IDENTITY and not isinstance(draft.slots[0], Place):  # the same for all arguments
                held.append(draft.slots[0])
                continue
            slots = [held[slot.number] if isinstance(slot, Place) else slot for slot in draft.slots]
            rule = draft.rule
            if rule.function is not None and in_graph:  # of wires, and not of numbers
                if not any(isinstance(slot, Ref) for slot in slots):
                    rule = Rule()
                slots = [slot if isinstance(slot, Ref) else reader.builder.input(slot, "") for slot in slots]
            if reader.no_grad and needs and place in ends:
                rule = Rule(STOP)
            if not in_graph and rule.kind != FOLLOW:  # of a pullback the values are needed
                rule, reader.builder.stopped = Rule(), True
            ref = reader.builder.add(draft.op, slots, None if rule.kind == FOLLOW else rule, **draft.params)
            if in_graph:
                reader.builder.drafts[ref.number].framework = library
            held.append(ref)
    traced = reader.staged
    for one in arrays:
        traced |= one.traced
    results = [
        Array(
            held[place],
            library,
            usual if dtype == "float" else BOOL if dtype == "bool" else _whole(library, dtype),
            requires_grad=dtype == "float" and needs and not reader.no_grad,
            leaf=dtype != "float" or not needs or bool(reader.no_grad),
            rows=rows,
            traced=traced,
        )
        for place, dtype in program.results
    ]
    if reader.handlers.lay_out is not None:
        for one in results:
            reader.handlers.lay_out(reader, "", arrays, one)
    return jax.tree.unflatten(program.structure, results)


def _whole(library: str, dtype: str) -> str:
    return Whole(dtype) if library in ("jax", "numpy") else INT
