"""Read `input(...)`, set by the user, and `parameter(...)`, which training updates too.

Formulas and documents share the signatures.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Mapping
from typing import TYPE_CHECKING, Any

from autodiff_viz.graph.model import INPUT, PARAMETER, Params, params
from autodiff_viz.language.expressions.calls import bind
from autodiff_viz.language.expressions.fills import is_fill, read_fill
from autodiff_viz.language.expressions.literal import read_literal
from autodiff_viz.language.expressions.params import read_param
from autodiff_viz.language.expressions.tree import Applied
from autodiff_viz.ops.initializers import INITIALIZERS
from autodiff_viz.ops.record import Param

if TYPE_CHECKING:
    from autodiff_viz.language.expressions.expression import Reader

_SHAPE = Param("shape", "shape", doc="Shape of a random one.")
_INIT = Param("init", "choice", doc="How it begins.", choices=tuple(INITIALIZERS))
_SEED = Param("seed", "seed", doc="Whole number that decides the draw.")
_ENDS = (
    Param("low", "float", doc="Left end of the slider."),
    Param("high", "float", doc="Right end of the slider."),
)

SOURCES: Mapping[str, Mapping[str, Param]] = {
    INPUT: {param.name: param for param in (_SHAPE, _SEED, *_ENDS)},
    PARAMETER: {param.name: param for param in (_SHAPE, _INIT, _SEED, *_ENDS)},
}
"""Parameters of each function beside its value, by name."""

_NEED = {
    INPUT: (
        "An input has either a value, or a shape and a seed for a random one.",
        "Write input(10.0) or input(shape=(3, 4), seed=0).",
    ),
    PARAMETER: (
        "A parameter has either a value, or a shape, an init and a seed for a random one.",
        'Write parameter(0.5) or parameter(shape=(3, 4), init="glorot_uniform", seed=0).',
    ),
}


def source_fault(function: str, given: Container[str]) -> tuple[str, str] | None:
    """Return (message, hint) where an input cannot have exactly the parameters `given`, else None.

    Values are not checked.
    """
    drawn = "seed" in given or "init" in given
    if ("value" in given) == ("shape" in given) or (drawn and "shape" not in given):
        return _NEED[function]
    return None


def length_fault(shape: tuple[int, ...]) -> str:
    """Return why an input cannot have this shape, as the end of a sentence; "" when it can.

    Like a literal, a draw must not be empty.
    """
    return "" if all(length >= 1 for length in shape) else "has an axis that is shorter than 1"


def read_source(reader: Reader, function: str, call: ast.Call) -> Applied:
    """Read `input(10.0, low=-5.0, high=5.0)`, `input(shape=(3, 4), seed=0)`, or the same of a `parameter`.

    A value may be `zeros((3, 4))` too.

    Raises:
      GraphError: there is neither a value nor a shape, or both, or a parameter is invalid.
    """
    known = SOURCES[function]
    given = bind(reader, function, ("value", *known), call)
    if fault := source_fault(function, given):
        correction = None if call.args or call.keywords else f"{function}(1.0)"
        raise reader.error(call, "arity", *fault, correction)
    values: dict[str, Any] = {"seed": 0} if "shape" in given else {}
    if "value" in given:
        values |= _value(reader, function, given["value"])
    for name, param in known.items():
        if name in given:
            values[name] = read_param(reader.line, function, param, given[name])
    if fault := length_fault(values.get("shape", ())):
        raise reader.error(given["shape"], "parameter", f"This shape {fault}.", "Write (3, 4).")
    trainable = True if function == PARAMETER else None
    return Applied(INPUT, (), params(**values, trainable=trainable), reader.line.span(call), function)


def _value(reader: Reader, function: str, node: ast.expr) -> dict[str, Any]:
    """Return the parameters of a value: zeros and ones of a `parameter` are its initializer."""
    if not is_fill(node):
        return {"value": read_literal(reader.line, node)}
    fill = read_fill(reader, node)  # type: ignore[arg-type]
    init = node.func.id  # type: ignore[attr-defined]
    if function == PARAMETER and fill.shape and init in INITIALIZERS:
        return {"shape": fill.shape, "init": init, "seed": 0}
    return {"value": fill.literal}


def source_of(given: Params) -> tuple[str, Params]:
    """Return the function that makes an input with these parameters, and its arguments."""
    rest = tuple(pair for pair in given if pair[0] != "trainable")
    return (PARAMETER if dict(given).get("trainable") else INPUT), rest
