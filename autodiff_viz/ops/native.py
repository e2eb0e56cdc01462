"""Name an op that is a function of this process: a primitive of JAX for which the catalog has no op."""

from __future__ import annotations

from dataclasses import dataclass, field

from autodiff_viz.ops.op import Op


@dataclass(frozen=True, slots=True)
class NativeOp:
    """Op of a native node, which is none of the catalog: no text, so that no document can name one.

    Attributes:
      label: name of the primitive.
      identity: of the function. It follows from what the function computes; where that cannot be read (the
        function of a user's own rule, say), no other op has it.
      op: JAX's own function, whose pullback is JAX's own too.
    """

    label: str
    identity: bytes
    op: Op = field(compare=False, repr=False)

    def __str__(self) -> str:
        return self.label
