"""Make an op of the pullback of an op: the contribution that the op passes to one slot.

A grad node runs pullbacks forward, and differentiates them in turn. They are named by a `PullbackOf` and not
by a text, so that no document can name one.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Union

import jax
from jax import Array

from autodiff_viz.ops.op import Op, Refusal

# Define `grad`, a derivative as a value: the engine computes it from the graph between its inputs.


def grad(z: Array, x: Array) -> Array:
    """Refuse: of the arrays alone no derivative can be computed.

    Raises:
      Refusal: always.
    """
    raise Refusal("grad differentiates a graph; of numbers alone, as in a function, there is no derivative.")


OPS = (
    Op(
        name="grad",
        group="Derivatives",
        symbol="grad",
        doc=(
            "Derivative of <z> (of its sum) by <x>: the cotangent of <x> under the rules between <x> and <z>."
        ),
        aliases=(
            "gradient",
            "derivative",
            "hessian",
            "second derivative",
            "jax.grad",
            "autograd",
            "vjp",
            "nabla",
        ),
        apply=grad,
        source="grad(z, x)",
        slots=("z", "x"),
        words=("output", "input"),
        latex=r"\frac{\partial <z>}{\partial <x>}",
        derivative=(
            r"0",
            r"\frac{\partial}{\partial <x>} \left\langle \bar y, \frac{\partial <z>}{\partial <x>}"
            r" \right\rangle",
        ),
        elementwise=False,
        of_graph=True,
    ),
)


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
