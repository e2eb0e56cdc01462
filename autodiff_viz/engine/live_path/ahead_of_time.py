"""Compile functions ahead of time, so that only their executables stay in memory.

`jax.jit` keeps what it has lowered as long as the function: about 1 MB a program, and a server has dozens.
Here the jaxpr and the lowered module go as soon as XLA has compiled them.

Source: https://docs.jax.dev/en/latest/aot.html
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import wraps
from typing import Any

import jax
import numpy as np


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
    @wraps(function)
    def once(*some: Any) -> Any:
        return function(*some)

    # JAX's caches refer weakly to `once`, so what they keep of it is freed at the end.
    return jax.jit(once, compiler_options=options and {**options}).lower(*arguments).compile()


def _signature(arguments: tuple) -> Hashable:
    """Return the structure of the arguments, with each leaf's type and shape."""
    leaves, structure = jax.tree.flatten(arguments)
    return structure, tuple((getattr(leaf, "dtype", type(leaf)), np.shape(leaf)) for leaf in leaves)
