"""Trace JAX functions, and run their equations one by one without compilation.

Tracing is much cheaper than compiling, in time and in memory. A function that runs once or a few times
finishes before its compilation would: 2,000 nodes take a second or two instead of a minute.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
from jax.extend import core
from jax.extend.core import jaxpr_as_fun

from autodiff_viz.graph.problem import GraphError, Problem

# Interpret jaxprs: loop over the equations, for any meaning of values and operations.


CALLS = {
    **dict.fromkeys(("jit", "pjit", "remat2", "checkpoint", "RematTraced"), "jaxpr"),
    **dict.fromkeys(("closed_call", "core_call", "custom_jvp_call", "custom_vjp_call"), "call_jaxpr"),
}
"""By primitive, the parameter that holds the jaxpr of a call.

A checkpoint region is `remat2`, or with JAX_REMAT3=1 a `RematTraced`.
"""

MARKER = "debug_callback"  # of a program with marks: one in each run of a node

NAMES = ("name", "CheckpointName")
"""Primitives of `checkpoint_name`, without JAX_REMAT3 and with it."""

SAVED = "PrimalLeftTangentRight"
"""With JAX_REMAT3=1, of a value that a region saves: returns the first operand, not the recomputed one."""

UNKNOWN = "unknown-jaxpr"
"""Code of the problem of a program whose form is not known."""

Value = TypeVar("Value")
"""What stands for an array: numbers with their errors, the number of a computation, a use of an array."""


def interpret(
    jaxpr: Any,
    constants: Iterable[Value],
    arguments: Iterable[Value],
    literal: Callable[[Any], Value],
    apply: Callable[[Any, list[Value]], Iterable[Value]],
) -> list[Value]:
    """Return what stands for the results of an open jaxpr.

    Args:
      constants, arguments: what stands for its `constvars` and its `invars`.
      literal: returns what stands for a literal.
      apply: returns what stands for the results of an equation, given its operands. It opens calls itself.
    Source: https://docs.jax.dev/en/latest/notebooks/Writing_custom_interpreters_in_Jax.html
    """
    env = dict(zip([*jaxpr.constvars, *jaxpr.invars], [*constants, *arguments], strict=True))

    def read(atom: Any) -> Value:
        return literal(atom) if isinstance(atom, core.Literal) else env[atom]

    for equation in jaxpr.eqns:
        results = apply(equation, [read(atom) for atom in equation.invars])
        env.update(zip(equation.outvars, results, strict=True))
    return [read(atom) for atom in jaxpr.outvars]


def primitive_of(equation: Any) -> tuple[str, Mapping[str, Any]]:
    """Return the name of an equation's primitive, and its parameters.

    Of a high-level primitive, which JAX wraps in an equation `call_hi_primitive`, its class and its own.
    """
    high = equation.params.get("_prim")
    return (equation.primitive.name, equation.params) if high is None else (type(high).__name__, high.params)


def called(equation: Any) -> Any:
    """Return the jaxpr that an equation calls, open or closed; None if it calls none.

    Raises:
      GraphError: the equation could be a call, or pass a value on, in a form that is not known: it is a
        high-level primitive, or there are marks inside.
    """
    name, params = primitive_of(equation)
    if name in CALLS:
        return params[CALLS[name]]
    high = name != equation.primitive.name and name not in (*NAMES, SAVED)
    if high or (equation.effects and name != MARKER):
        raise uncounted(f"its programs have equations {name!r}, which are not known")
    return None


def opened(jaxpr: Any) -> Any:
    """Return the jaxpr of a closed jaxpr, and any other as it is."""
    return jaxpr.jaxpr if hasattr(jaxpr, "jaxpr") else jaxpr


def uncounted(why: str) -> GraphError:
    """Return the error of a program whose form is not known: what would be counted in it, is not."""
    message = f"Runs and residuals cannot be counted with JAX {jax.__version__}: {why}."
    hint = "The checkpoint regions of JAX 0.10.2 to 0.12 without JAX_REMAT3 are known."
    return GraphError(Problem(UNKNOWN, message, hint))


@dataclass(frozen=True, slots=True)
class Traced:
    """The equations of a function, and the tree structure of its results."""

    equations: Any
    tree: Any

    def __call__(self, *arguments: Any) -> Any:
        """Run the equations on arrays like those that they were traced with."""
        return jax.tree.unflatten(self.tree, jaxpr_as_fun(self.equations)(*self.leaves(arguments)))

    def leaves(self, arguments: tuple) -> list[jax.Array]:
        """Return the arrays of the arguments in the order in which the equations take them."""
        kinds = [value.dtype for value in self.equations.in_avals]
        return [jnp.asarray(*pair) for pair in zip(jax.tree.leaves(arguments), kinds, strict=True)]


def traced(function: Callable, *like: Any) -> Traced:
    """Trace a function with arguments like these: arrays, or their shapes.

    JAX sees a function of leaves that returns leaves: it would keep the names of arguments and results,
    20 KB a program, for its last 4,096 programs.
    """
    leaves, given = jax.tree.flatten(like)
    trees = []

    def flat(*leaves: Any) -> list[Any]:
        results, tree = jax.tree.flatten(function(*jax.tree.unflatten(given, leaves)))
        trees.append(tree)
        return results

    return Traced(jax.make_jaxpr(flat)(*leaves), trees[-1])
