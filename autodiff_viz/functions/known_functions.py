"""Identify functions of JAX that an op calls: their equations are those of the op, compared as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jax.extend import core

from autodiff_viz.engine.whole_program.jaxprs import CALLS, opened, primitive_of
from autodiff_viz.graph.identity import remembered
from autodiff_viz.ops.catalog import OPS

CALLED = ("elu", "gelu", "leaky_relu", "log_softmax", "norm", "relu", "silu", "softplus")
"""Ops whose function JAX calls as one, by the name of that function."""

BEGUN_BY = {"mul": ("gelu",), "reduce_max": ("softmax", "logsumexp"), "reduce_sum": ("mean",)}
"""By first primitive, ops whose function JAX writes out in the program that calls it. The last operand is the
op's."""

OURS: dict[str, tuple[str, dict[str, Any]]] = {}
"""By the name of a call, the op with parameters that `op` has called."""


def op(name: str, *arrays: Any, **given: Any) -> Any:
    """Call an op of ours by a name under which a jaxpr shows it: it becomes one node.

    Args:
      name: of the op.
      arrays: of its slots.
      given: its parameters.
    """
    called = f"op {name} {sorted(given.items())!r}"
    OURS.setdefault(called, (name, given))

    def apply(*arrays: Any) -> Any:
        return OPS[name].apply(*arrays, **given)

    apply.__name__ = called
    return jax.jit(apply)(*arrays)


KEPT = 128  # jaxprs of ops, one for each shape and axis

Params = Mapping[str, Any]


@remembered(KEPT, lambda op, given, shape, dtype: (op, repr(given), shape, dtype))
def _template(op: str, given: tuple, shape: tuple[int, ...], dtype: str) -> Any:
    """Return the jaxpr of an op of one array."""
    return jax.make_jaxpr(lambda x: OPS[op].apply(x, **dict(given)))(jax.ShapeDtypeStruct(shape, dtype)).jaxpr


def op_called(equation: Any) -> tuple[str, dict[str, Any]] | None:
    """Return the op that a call of JAX is, with its parameters; None if it is none."""
    primitive, params = primitive_of(equation)
    op = _name(primitive, params) if primitive in CALLS else None
    if op not in CALLED:
        return None
    aval = equation.invars[0].aval
    for given in _parameters(op, len(aval.shape)):
        equations = _template(op, tuple(given.items()), tuple(aval.shape), str(aval.dtype)).eqns
        if len(equations) == 1 and _is_same_call(equation, equations[0]):
            return op, given
    return None


def _name(primitive: str, params: Params) -> str:
    return params.get("name") or getattr(opened(params[CALLS[primitive]]).debug_info, "func_name", "")


def _is_same_call(one: Any, other: Any) -> bool:
    (primitive, given), (same, wanted) = primitive_of(one), primitive_of(other)
    if (
        primitive != same
        or _name(primitive, given) != _name(same, wanted)
        or len(one.invars) != len(other.invars)
    ):
        return False
    operands = zip(one.invars[1:], other.invars[1:], strict=True)
    if not all(_same_literal(a, b) for a, b in operands):
        return False
    return str(opened(given[CALLS[primitive]])) == str(opened(wanted[CALLS[primitive]]))


def _same_literal(one: Any, other: Any) -> bool:
    both = isinstance(one, core.Literal) and isinstance(other, core.Literal)
    return both and one.aval.dtype == other.aval.dtype and np.array_equal(one.val, other.val)


def argsorted(source: Any) -> dict[str, Any] | None:
    """Return the parameters with which argsort is JAX's own function of this name; None where it is not."""
    equations = opened(source.params[CALLS[source.primitive.name]]).eqns
    names = {each.primitive.name for each in equations}
    sorts = [each.params for each in equations if each.primitive.name == "sort"]
    if len(sorts) != 1 or not names <= {"broadcast_in_dim", "iota", "rev", "sort"}:
        return None
    if not sorts[0]["is_stable"] or sorts[0]["num_keys"] != 1:
        return None
    last = sorts[0]["dimension"] == len(source.invars[0].aval.shape) - 1
    descending = "rev" in names
    return {
        **({} if last else {"axis": sorts[0]["dimension"]}),
        **({"descending": True} if descending else {}),
    }


def _parameters(op: str, rank: int) -> Iterator[dict[str, Any]]:
    """Yield the parameters that an op's function may have been called with, the default first."""
    yield {}
    names = [param.name for param in OPS[op].params]
    for axis in range(rank) if "axis" in names else ():
        yield {"axis": axis}
        if "keepdims" in names:
            yield {"axis": axis, "keepdims": True}


def op_begun(equations: Sequence[Any], at: int, ends: set[Any]) -> tuple[str, dict[str, Any], int] | None:
    """Return the op that the equations from `at` on are, with its parameters, and how many they are.

    Args:
      ends: variables that are results of the whole program.
    """
    first = equations[at]
    if first.primitive.name == "mul":
        if not isinstance(first.invars[0], core.Literal) or first.invars[0].val != 0.5:
            return None
        aval = first.invars[1].aval
        template = _template("gelu", (), tuple(aval.shape), str(aval.dtype))
        same = _is_same(equations, at, len(template.eqns), template, ends)
        return ("gelu", {}, len(template.eqns)) if same else None
    aval, axes = first.invars[0].aval, first.params["axes"]
    if len(axes) not in (1, len(aval.shape)) or not axes:
        return None
    alone = len(axes) == len(aval.shape) > 1
    along = {} if alone else {"axis": int(axes[0])}
    for op in BEGUN_BY[first.primitive.name]:
        if op != "softmax" and len(aval.shape) == 1:
            along = {}  # of the one axis there is
        options = [along] if op == "softmax" else [along, {**along, "keepdims": True}]
        for given in options:
            if op == "softmax" and alone:
                continue
            template = _template(op, tuple(given.items()), tuple(aval.shape), str(aval.dtype))
            count = len(template.eqns)
            if _is_same(equations, at, count, template, ends):
                if op == "softmax" and given["axis"] == len(aval.shape) - 1:
                    given = {}
                return op, given, count
    return None


def _is_same(equations: Sequence[Any], at: int, count: int, template: Any, ends: set[Any]) -> bool:
    """Return whether equations are those of a template, and nothing else reads what is within them."""
    if at + count > len(equations):
        return False
    stands_for = {template.invars[0]: equations[at].invars[-1]}
    ours = equations[at : at + count]
    for one, other in zip(ours, template.eqns, strict=True):
        if one.primitive is not other.primitive or len(one.invars) != len(other.invars):
            return False
        for a, b in zip(one.invars, other.invars, strict=True):
            if isinstance(b, core.Literal) != isinstance(a, core.Literal):
                return False
            if not (_same_literal(a, b) if isinstance(b, core.Literal) else stands_for.get(b) is a):
                return False
        if str(one.params) != str(other.params):
            return False
        stands_for.update(zip(other.outvars, one.outvars, strict=True))
    result = stands_for.get(template.outvars[0])
    inner = {variable for one in ours for variable in one.outvars} - {result}
    if result is None or inner & ends:
        return False
    return not any(
        not isinstance(atom, core.Literal) and atom in inner
        for later in equations[at + count :]
        for atom in later.invars
    )
