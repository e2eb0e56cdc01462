"""A grad node as one op of its wires: forward and backward walks of the graph that it is written out as."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import jax
import numpy as np

from autodiff_viz.engine.live_path.kernels import Kernel
from autodiff_viz.engine.live_path.pullbacks import pass_nothing, pull_alone
from autodiff_viz.engine.live_path.walk import Prepared, backward, forward


def grad_kernel(
    inner: Prepared,
    names: Sequence[str],
    arriving: Mapping[str, bool],
    batched: tuple[bool, ...] | None,
    cotangent_batched: bool,
) -> Kernel:
    """Return the value and the pullback of a grad node.

    Args:
      inner: the written graph, without the values of its inputs.
      names: of its inputs: x, then the other nodes that are read.
      arriving: by name of a node at which something arrives in its backward walk, whether that is swept.
      batched, cotangent_batched: as for `kernel`; the slots are z, x and the others. Nothing is passed to z.
    """
    output, swept = inner.graph.output, any(batched or ())

    def with_values(arguments: Sequence[Any]) -> Prepared:
        return replace(inner, known={**inner.known, **dict(zip(names, arguments[1:], strict=True))})

    def run(*arguments: Any) -> jax.Array:
        value = forward(with_values(arguments))[0][output]
        return value if not swept or output in inner.swept else _along(value, arguments, batched)

    def pull(cotangent: jax.Array, *arguments: Any) -> tuple[jax.Array | None, ...]:
        here = with_values(arguments)
        values, called = forward(here)
        found = backward(here, values, called, cotangent).gradients
        if batched is not None and (swept or cotangent_batched):
            flags = (*batched, cotangent_batched)
            found = {
                name: array
                if array is None or arriving[name]
                else _along(array, (*arguments, cotangent), flags)
                for name, array in found.items()
            }
        return (None, *(found[name] for name in names))

    carried = (False, *(name in arriving for name in names))
    pull_back = pull_alone(pull) if any(carried) else pass_nothing(len(carried))
    return Kernel(run, pull, pull_back, inner.shapes[output], carried, hands_on=False)


def _along(array: Any, arrays: Sequence[Any], flags: Sequence[bool]) -> np.ndarray:
    """Return an array with the axis of samples that the flagged ones have."""
    samples = next(len(each) for each, flag in zip(arrays, flags, strict=True) if flag)
    return np.broadcast_to(np.asarray(array), (samples, *np.shape(array)))
