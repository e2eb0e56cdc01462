"""Check parameter values by `Param.kind`, for formulas, documents and the inspector alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from types import MappingProxyType
from typing import Any

from jax import Array
from jax.nn import initializers

from autodiff_viz.graph import limits
from autodiff_viz.graph.text import literal_fault, seed_fault
from autodiff_viz.ops import indexing
from autodiff_viz.ops.op import Param

# Register the initializers of parameters, with their names in `jax.nn.initializers`.


@dataclass(frozen=True, slots=True)
class Initializer:
    """One initializer.

    Attributes:
      name: in a formula, and in `jax.nn.initializers`.
      doc: one line, with a full stop.
      draw: JAX's initializer, a function of a key, a shape and a dtype.
      source: the same as an expression of `jax`.
      rank: least number of axes; initializers that count inputs and outputs need two.
    """

    name: str
    doc: str
    draw: Callable[..., Array]
    source: str
    rank: int = 0


def _fan(name: str, doc: str) -> Initializer:
    """Make the record of an initializer that depends on fan-in (rows) and fan-out (columns)."""
    return Initializer(name, doc, getattr(initializers, name)(), f"jax.nn.initializers.{name}()", rank=2)


_ALL = (
    Initializer("zeros", "All 0.", initializers.zeros, "jax.nn.initializers.zeros"),
    Initializer("ones", "All 1.", initializers.ones, "jax.nn.initializers.ones"),
    Initializer(
        "normal", "Bell curve, deviation 0.01.", initializers.normal(), "jax.nn.initializers.normal()"
    ),
    Initializer("uniform", "Evenly from 0 to 0.01.", initializers.uniform(), "jax.nn.initializers.uniform()"),
    _fan("lecun_normal", "Cut bell curve, variance 1/inputs: for selu and as Flax's default."),
    _fan("lecun_uniform", "Even, variance 1/inputs."),
    _fan("glorot_normal", "Cut bell curve, variance 2/(inputs + outputs): for tanh and sigmoid."),
    _fan("glorot_uniform", "Even, variance 2/(inputs + outputs); also named after Xavier Glorot."),
    _fan("he_normal", "Cut bell curve, variance 2/inputs: for relu; also named after Kaiming He."),
    _fan("he_uniform", "Even, variance 2/inputs: for relu."),
    _fan("orthogonal", "A rotation or a part of one: lengths are kept."),
)

INITIALIZERS: Mapping[str, Initializer] = MappingProxyType({one.name: one for one in _ALL})


def usual(shape: tuple[int, ...]) -> str:
    """Return the default initializer of a parameter's shape, by name.

    As in Flax, matrices and kernels have `lecun_normal`, biases `zeros`.
    """
    return "lecun_normal" if len(shape) >= 2 else "zeros"


_NEEDED = {
    "int": "a whole number, such as 0",
    "float": "a number, such as 0.5",
    "bool": "True or False",
    "axis": "a whole number, such as 0 or -1",
    "axes": "whole numbers in brackets, such as (1, 0)",
    "shape": "the lengths of the axes, such as (3, 4)",
    "new_shape": "the lengths of the axes, such as (3, 4) or (3, -1)",
    "seed": f"a whole number from 0 to {limits.SEED}",
    "index": 'an index, such as [0, [1, 3, null], "...", null]',
}
_LEAST = {"axes": -limits.RANK, "shape": 0, "new_shape": -1}


def needed(param: Param) -> str:
    """Describe the values that the parameter takes."""
    if param.kind == "choice":
        return f"one of {', '.join(repr(choice) for choice in param.choices)}".replace("'", '"')
    return _NEEDED[param.kind]


def fits(param: Param, value: Any) -> bool:
    """Return whether `value` is of the parameter's kind. A bool is no number, and 0.0 no axis."""
    kind = param.kind
    if kind == "choice":
        return type(value) is str and value in param.choices
    if kind == "bool":
        return type(value) is bool
    if kind == "float":
        return type(value) in (int, float) and not literal_fault(value)
    if kind == "seed":
        return not seed_fault(value)
    if kind == "index":
        return _is_index(value)
    if kind in ("int", "axis"):
        return type(value) is int and abs(value) <= limits.ELEMENTS
    return type(value) is tuple and all(
        type(n) is int and _LEAST[kind] <= n <= limits.ELEMENTS for n in value
    )


def size_fault(param: Param, value: Any) -> str:
    """Return why a shape is too large, as the end of a sentence; "" for anything else."""
    if "shape" not in param.kind or type(value) is not tuple or any(type(n) is not int for n in value):
        return ""
    if len(value) > limits.RANK:
        return f"has {len(value)} axes; the limit is {limits.RANK}"
    if any(n > limits.ELEMENTS for n in value):  # the product may have hundreds of digits
        return f"has an axis longer than {limits.ELEMENTS:,}"
    elements = abs(prod(value))
    return (
        f"has {elements:,} elements; the limit is {limits.ELEMENTS:,}" if elements > limits.ELEMENTS else ""
    )


def plain(param: Param, value: Any) -> Any:
    """Convert a value that `fits` to its form in a graph.

    A float parameter becomes a Python float, since JAX would take an int for an int32.
    """
    return float(value) if param.kind == "float" else value


def _is_index(value: Any) -> bool:
    try:
        parts = indexing.to_python(value)
    except ValueError:
        return False
    # A slice has three ends; an ellipsis and a new axis, which are no ints, have none to check.
    bounds = [n for p in parts for n in ((p.start, p.stop, p.step) if isinstance(p, slice) else (p,))]
    return all(abs(n) <= limits.ELEMENTS for n in bounds if type(n) is int)
