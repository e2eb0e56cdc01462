"""Define `grad`, a derivative as a value: the engine computes it from the graph between its inputs."""

from __future__ import annotations

from dataclasses import dataclass, field

from jax import Array

from autodiff_viz.ops.op import Op, Refusal


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


@dataclass(frozen=True, slots=True)
class GradOf:
    """Name of the op of a grad node, which is none of the catalog: no text, so that no document can name one.

    Attributes:
      structure: identity of all that is compiled in.
      op: a function of the node's slots and of the numbers inside it; it follows from the structure.
    """

    structure: bytes
    op: Op = field(compare=False, repr=False)
