"""Make a graph of a JAX function and its arguments: `from_function(f, *args)`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autodiff_viz.functions.convert import Converter
from autodiff_viz.functions.equations import Value, constant
from autodiff_viz.functions.nodes import Nodes, Ref, word
from autodiff_viz.graph import limits
from autodiff_viz.graph.dtypes import DTYPES, FLOAT32
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, Problem, kind_of
from autodiff_viz.graph.text import listed, quoted

EXACT = 2**24
"""Whole numbers up to this one are floats in float32 too."""

_SEQUENCES = (dict, list, tuple)


def from_function(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Graph:
    """Make the graph of any JAX function, as it computes for these arguments.

    Arrays and floats become inputs with their numbers, named like the arguments; what is inside a dict, a
    list or a module is named by its path, and is a parameter if the container is the first argument or a
    module. Other arguments (a Python int or bool, a string, None) are part of the function.
    Branches are those that the arguments take; loops of up to 32 steps are written out. Functions with a
    rule of their own, checkpoints, stops, named scopes and functions under `jit` are kept as rules, regions,
    stops and groups. A primitive that no op stands for becomes a node with JAX's own function: `trace`, what
    explains a trace, and `lab` take it, and a formula, a link and a JSON document cannot hold it.

    Args:
      function: of JAX arrays; also a module that is called, whose arrays are parameters then.
      *args: what it is called with.
      **kwargs: the same, by keyword.
    Returns:
      The graph. Its output is the first array that the function returns. A graph has no dtype: give that of
      the function to `trace` if it is not float32.
    Raises:
      GraphError: JAX cannot trace the function with these arguments; or it has more nodes, larger arrays or
        another kind of number than a graph can have.
    Source: jax.make_jaxpr, https://docs.jax.dev/en/latest/jaxpr.html
    """
    if not callable(function):
        message = f"A function is needed; found {kind_of(function)}."
        raise GraphError(Problem("not-a-function", message, "Write from_function(f, x, y)."))
    given = _Given(function, args, kwargs)
    program = _traced(given)
    kinds = [each.aval.dtype for each in program.jaxpr.invars] + [
        variable.aval.dtype
        for equation in program.jaxpr.eqns
        for variable in equation.outvars
        if hasattr(variable.aval, "dtype")
    ]
    usual = max((kind for kind in kinds if kind.name in DTYPES), key=lambda kind: kind.itemsize, default=None)
    usual = jnp.dtype(FLOAT32) if usual is None else usual
    nodes = Nodes()
    converter = Converter(nodes, usual)
    converter.constant_names = _closure_names(function)
    arguments, kept = [], []
    for path, array, variable in zip(given.paths, given.arrays, program.jaxpr.invars, strict=True):
        value = Value(tuple(variable.aval.shape), variable.aval.dtype, numbers=array)
        if value.is_float or _is_whole(array):
            value.held = nodes.input(np.asarray(array), path.name, path.is_parameter and value.is_float)
            kept += [value.held] if value.is_float else []
        elif jnp.issubdtype(value.dtype, jnp.complexfloating):
            message = f"{quoted(path.name)} has dtype {value.dtype}; the nodes of a graph hold floats."
            raise GraphError(Problem("bad-input", message, "Give its real and its imaginary part."))
        else:
            value.constant = True  # a key of random numbers, say
        arguments.append(value)
    results = converter.run(program.jaxpr, [constant(each) for each in program.consts], arguments)
    floats = sorted(
        (each for each in results if each.is_float or each.is_bool), key=lambda each: each.is_bool
    )
    outputs = [(converter.held(each), each.shape) for each in floats]
    outputs = [
        held if isinstance(held, Ref) else nodes.add("identity", (held,), shape) for held, shape in outputs
    ]
    if not outputs:
        message = f"The function returns {listed([str(each.dtype) for each in results]) or 'nothing'}."
        raise GraphError(Problem("no-output", message, "A graph differentiates a float: return one first."))
    if converter.unreversed:
        _check_reverse(given)
    root = nodes.drafts[outputs[0].number]
    if not root.hint:
        root.hint = word(getattr(function, "__name__", "").strip("<>").replace("lambda", "")) or "output"
    return nodes.graph(outputs, kept)


class _Path:
    """Where an argument's array is: the argument, and the keys inside it."""

    def __init__(self, argument: str, keys: tuple[Any, ...], is_parameter: bool):
        self.is_parameter = is_parameter
        inside = [str(getattr(key, "key", getattr(key, "idx", getattr(key, "name", key)))) for key in keys]
        inside = [each for each in inside if each not in ("value", "raw_value")]  # of a flax variable
        text = "_".join(inside)
        self.name = word(argument if not text else f"{argument}_{text}" if text[0].isdigit() else text) or "x"


class _Given:
    """The arguments of a call: the arrays among them, by path, and the rest as a part of the function."""

    def __init__(self, function: Callable[..., Any], args: tuple, kwargs: dict[str, Any]):
        of_arrays = [each for each in jax.tree.leaves(function) if _is_array(each)]
        self._bound = bool(of_arrays)  # a module with arrays of its own
        self._function, whole = function, ((function, *args) if self._bound else args)
        names = _argument_names(function, args, self._bound)
        leaves, self._tree = jax.tree_util.tree_flatten_with_path((whole, kwargs))
        self.arrays: list[Any] = []
        self.paths: list[_Path] = []
        self._rest: list[Any] = []
        for keys, leaf in leaves:
            of_kwargs, first = keys[0].idx == 1, keys[1]
            place = None if of_kwargs else first.idx
            container = kwargs[first.key] if of_kwargs else whole[place]
            module = not isinstance(container, _SEQUENCES)
            is_parameter = len(keys) > 2 and (place == 0 or module)
            # A float of a module is a setting, as of a dropout; one of a dict is a number like the others.
            setting = isinstance(leaf, float) and any(isinstance(k, jax.tree_util.GetAttrKey) for k in keys)
            if setting or not _is_array(leaf):
                self._rest.append(leaf)
                continue
            name = first.key if of_kwargs else names[place]
            self.paths.append(_Path(name, keys[2:], is_parameter))
            self.arrays.append(leaf if isinstance(leaf, jax.Array) else jnp.asarray(leaf))
            self._rest.append(_HOLE)
            _check_size(self.arrays[-1], self.paths[-1].name)

    def __call__(self, *arrays: Any) -> Any:
        """Call the function with these arrays in the places of its own."""
        given: Iterator[Any] = iter(arrays)
        leaves = [next(given) if each is _HOLE else each for each in self._rest]
        args, kwargs = jax.tree.unflatten(self._tree, leaves)
        result = args[0](*args[1:], **kwargs) if self._bound else self._function(*args, **kwargs)
        return [each for each in jax.tree.leaves(result) if hasattr(each, "dtype") or isinstance(each, float)]


_HOLE = object()


def _is_array(leaf: Any) -> bool:
    """Return whether a leaf is an input of the graph: an array or a float. An int is part of the function."""
    return isinstance(leaf, float | jax.Array | np.ndarray | np.generic)


def _check_size(array: Any, name: str) -> None:
    if array.size > limits.ELEMENTS or array.ndim > limits.RANK:
        message = f"{quoted(name)} has {array.size:,} elements on {array.ndim} axes."
        hint = f"At most {limits.ELEMENTS:,} elements on {limits.RANK} axes: call it with smaller arrays."
        raise GraphError(Problem("too-large", message, hint))


def _is_whole(array: Any) -> bool:
    """Return whether an argument holds whole numbers that floats hold exactly, or what is true or false."""
    if not isinstance(array.dtype, np.dtype) or array.dtype.kind not in "bi":
        return False
    return not array.size or int(np.abs(np.asarray(array, np.int64)).max()) <= EXACT


def _argument_names(function: Callable[..., Any], args: tuple, bound: bool) -> list[str]:
    """Return the names of positional arguments, with that of the module itself before them."""
    own = ["model"] if bound else []
    try:
        names = []
        for parameter in inspect.signature(function).parameters.values():
            if parameter.kind is parameter.VAR_POSITIONAL:
                names += [f"{parameter.name}_{i}" for i in range(len(args))]
                break
            names.append(parameter.name)
    except (TypeError, ValueError):
        names = []
    return [*own, *names, *[f"x_{i}" for i in range(len(names), len(args))]]


def _closure_names(function: Callable[..., Any]) -> dict[int, str]:
    """Return by identity of an object the name under which a function reads it from outside."""
    try:
        outside = inspect.getclosurevars(function)
    except (TypeError, ValueError):
        return {}
    return {id(each): name for names in (outside.globals, outside.nonlocals) for name, each in names.items()}


def _traced(given: _Given) -> Any:
    try:
        return jax.make_jaxpr(given)(*given.arrays)
    except (jax.errors.JAXTypeError, jax.errors.JAXIndexError) as error:
        reason = str(error).splitlines()[0][:200]
        hint = "JAX traces a function without its numbers: use jnp.where or lax.cond, or give a Python int."
        raise GraphError(Problem("not-traced", f"JAX cannot trace the function: {reason}", hint)) from error


def _check_reverse(given: _Given) -> None:
    """Check that JAX can differentiate the function, which has a loop without reverse mode.

    Raises:
      GraphError: it cannot.
    """

    def pulled(*arrays: Any) -> Any:
        floats = [i for i, each in enumerate(given.arrays) if jnp.issubdtype(each.dtype, jnp.floating)]

        def of_floats(*some: Any) -> list[Any]:
            merged = list(arrays)
            for i, each in zip(floats, some, strict=True):
                merged[i] = each
            return [each for each in given(*merged) if jnp.issubdtype(each.dtype, jnp.floating)][:1]

        value, pull = jax.vjp(of_floats, *[arrays[i] for i in floats])
        return pull([jnp.ones_like(each) for each in value])

    try:
        jax.eval_shape(pulled, *given.arrays)
    except ValueError as error:
        reason = str(error).splitlines()[0][:200]
        hint = "Write the loop with a fixed number of steps: lax.fori_loop or lax.scan."
        raise GraphError(
            Problem("no-reverse-mode", f"JAX cannot differentiate it: {reason}", hint)
        ) from error
