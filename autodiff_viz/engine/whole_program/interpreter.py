"""Interpret jaxprs: loop over the equations, for any meaning of values and operations."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from jax.extend import core

CALLS = {
    **dict.fromkeys(("jit", "pjit", "remat2", "checkpoint"), "jaxpr"),
    **dict.fromkeys(("closed_call", "core_call", "custom_jvp_call", "custom_vjp_call"), "call_jaxpr"),
}
"""By primitive, the parameter that holds the jaxpr of a call."""

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
