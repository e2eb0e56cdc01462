"""Compile functions ahead of time, so that only their executables stay in memory."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import wraps
from typing import Any

import jax
import jax.lib
import numpy as np

from autodiff_viz.engine.memo import admit
from autodiff_viz.graph.dtypes import DTYPES

JAXLIB = tuple(map(int, jax.lib.__version__.split(".")[:3]))

QUICK = {
    **({"xla_cpu_use_fusion_emitters": False} if JAXLIB < (0, 11, 1) else {}),
    "xla_cpu_parallel_codegen_split_count": 1,
    "xla_backend_optimization_level": 3,
}
"""Compiler options for ops on numbers: less compile time, less machine code, and the same bits.

Without fusion emitters XLA takes half of the time; from jaxlib 0.11.1 on there is nothing else, and XLA
refuses the option. On tensors some ops would run slower. The level is XLA's own, set so that numbers have
these bits whatever XLA_FLAGS says: with less, tanh(10) is not rounded to 1.
"""

ONCE = {**QUICK, "xla_backend_optimization_level": 0}
"""Compiler options for programs of one graph, which few others need: faster to compile, slower to run."""

ROUNDED = {"xla_allow_excess_precision": False}
"""Compiler options for 16-bit numbers: XLA rounds after each operation, as JAX does without compilation.

By default it computes a chain of operations in float32 and rounds only the result.
"""


def rounded(options: dict[str, Any], dtype: str) -> dict[str, Any]:
    """Return compiler options with what the dtype needs."""
    return {**options, **ROUNDED} if DTYPES[dtype].half else options


# Compile functions ahead of time, so that only their executables stay in memory. `jax.jit` keeps what it
# has lowered as long as the function: about 1 MB a program, and a server has dozens. Here the jaxpr and
# the lowered module go as soon as XLA has compiled them. Source: https://docs.jax.dev/en/latest/aot.html


def compiled(function: Callable, options: Mapping[str, Any] | None, fixed: bool = False) -> Callable:
    """Return `function` so that its first call compiles it, for the shapes and types of its arguments.

    The function must be pure. JAX cannot transform what is returned.

    Args:
      options: compiler options.
      fixed: whether each call has arguments of the same shapes and types; otherwise each new combination is
        compiled.
    """
    return _once(function, options) if fixed else _by_signature(function, options)


def _once(function: Callable, options: Mapping[str, Any] | None) -> Callable:
    program: Callable | None = None

    def call(*arguments: Any) -> Any:
        nonlocal program
        if program is None:
            program = _compile(function, options, arguments)
        return program(*arguments)

    return call


def _by_signature(function: Callable, options: Mapping[str, Any] | None) -> Callable:
    programs: dict[Hashable, Callable] = {}

    def call(*arguments: Any) -> Any:
        signature = _signature(arguments)
        program = programs.get(signature)
        if program is None:
            program = programs[signature] = _compile(function, options, arguments)
        return program(*arguments)

    return call


def _compile(function: Callable, options: Mapping[str, Any] | None, arguments: tuple) -> Callable:
    admit()

    @wraps(function)
    def once(*some: Any) -> Any:
        return function(*some)

    # JAX's caches refer weakly to `once`, so what they keep of it is freed at the end.
    return jax.jit(once, compiler_options=options and {**options}).lower(*arguments).compile()


def _signature(arguments: tuple) -> Hashable:
    """Return the structure of the arguments, with each leaf's type and shape."""
    leaves, structure = jax.tree.flatten(arguments)
    return structure, tuple((getattr(leaf, "dtype", type(leaf)), np.shape(leaf)) for leaf in leaves)
