"""Make an op of the pullback of an op: the contribution that the op passes to one slot.

A grad node runs pullbacks forward, and differentiates them in turn. They are named by a `PullbackOf` and not
by a text, so that no document can name one.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Union

import jax
from jax import Array

from autodiff_viz.ops.record import Op


class PullbackOf(NamedTuple):
    """Name of the op that gives what `op` passes to its slot with number `slot`.

    Its slots are the arriving cotangent, then those of `op`; its parameters are those of `op`.
    """

    op: Union[str, PullbackOf]
    slot: int


def pullback_op(op: Op, slot: int) -> Op:
    """Return the op that gives what `op` passes to a slot: a function of the cotangent and all slots."""

    def apply(v: Array, *arrays: Array, **given: Any) -> Array:
        def of_slot(array: Array) -> Array:
            return op.apply(*arrays[:slot], array, *arrays[slot + 1 :], **given)

        return jax.vjp(of_slot, arrays[slot])[1](v)[0]

    return Op(
        name=f"pullback of {op.name}",
        group="",
        symbol="",
        doc="",
        apply=apply,
        source="",
        slots=("v", *op.slots),
        latex="",
        derivative=(),
        elementwise=False,
        params=op.params,
        variadic=op.variadic,
        prepared=op.prepared,
    )
