"""Multiply Jacobians: the other way through a chain of segments, with one Jacobian per segment.

Where the examples of a batch are independent, the Jacobian has a block for each example and zeros elsewhere.
The blocks are then counted, as in `batch_jacobian` of TensorFlow, and the full matrix beside them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import prod

import jax
import jax.numpy as jnp
import numpy as np

from autodiff_viz.engine.live_path.kernels import Shape
from autodiff_viz.engine.segments.chain import Arrays, Forward, Part, forward
from autodiff_viz.graph import limits
from autodiff_viz.graph.structure.segments import Segment

PROBED = 64  # largest batch whose examples are probed one by one
AT_ONCE = 8_000_000  # elements of values in one batched pullback
WORK = 40_000_000  # elements of values in all pullbacks of a segment


@dataclass(frozen=True, slots=True)
class Jacobian:
    """Size of the Jacobian d `of` / d `by`, where a segment gives `of` and reads `by`.

    Attributes:
      rows, columns: elements of `of` and of `by`.
      batch: the number of blocks, one per example; 1 where it is one full matrix.
    """

    of: str
    by: str
    rows: int
    columns: int
    batch: int = 1

    @property
    def full(self) -> int:
        """Number of elements of the full matrix."""
        return self.rows * self.columns

    @property
    def elements(self) -> int:
        """Number of elements of the blocks."""
        return self.full // self.batch

    @property
    def sides(self) -> tuple[int, ...]:
        """(rows, columns), or for blocks (number of blocks, rows, columns)."""
        blocks = (self.batch, self.rows // self.batch, self.columns // self.batch)
        return blocks if self.batch > 1 else (self.rows, self.columns)


def jacobians(
    segment: Segment, shapes: Mapping[str, Shape], wanted: Collection[str], alone: Mapping
) -> tuple[Jacobian, ...]:
    """Return the Jacobians of one segment.

    They are taken by the values of earlier segments, and by the `wanted` inputs that the segment reads.
    `alone` says where the examples of a batch are independent, as `independent` found it.
    """
    by = (*segment.takes, *(name for name in segment.inputs if name in wanted))
    return tuple(
        Jacobian(
            of, name, prod(shapes[of]), prod(shapes[name]), shapes[of][0] if alone.get((of, name)) else 1
        )
        for of in segment.gives
        for name in by
    )


def too_large(segments: Collection[Segment], shapes: Mapping[str, Shape], wanted: Collection[str]) -> str:
    """Return why the Jacobians are not computed; "" if they are small enough."""
    for segment in segments:
        rows = sum(prod(shapes[name]) for name in segment.gives)
        if rows * sum(prod(shapes[name]) for name in segment.nodes) > WORK:
            return f"{rows:,} rows through a segment of {len(segment.nodes)} nodes are too much work"
        count = sum(found.full for found in jacobians(segment, shapes, wanted, {}))
        if count > limits.JACOBIAN:
            return f"{count:,} elements in one segment; up to {limits.JACOBIAN:,} are worked out"
    return ""


def multiplied(
    parts: tuple[Part, ...], inputs: Arrays, dynamic: Mapping[str, dict], wanted: Collection[str]
) -> Arrays:
    """Return the cotangents of the `wanted` inputs as a product of Jacobians, with a seed of ones.

    An input at which no cotangent arrives is left out.
    """
    run = forward(parts, inputs, dynamic)
    output = parts[-1].segment.gives[-1]
    arriving = {output: jnp.ones(run.values[output].size, run.values[output].dtype)}
    for part in reversed(parts):
        for of in part.heard:
            units = jnp.eye(run.values[of].size, dtype=run.values[of].dtype)
            rows = _pulled(part, run, dynamic, of, units.reshape(-1, *run.values[of].shape))
            for by in sorted(part.answered & {*wanted, *part.segment.takes}):
                found = arriving[of] @ rows[by].reshape(len(units), -1)
                arriving[by] = arriving[by] + found if by in arriving else found
    return {name: arriving[name].reshape(inputs[name].shape) for name in wanted if name in arriving}


def independent(
    parts: tuple[Part, ...], run: Forward, dynamic: Mapping[str, dict]
) -> dict[tuple[str, str], jax.Array]:
    """Find where the examples of a batch are independent, for each value that a segment gives and takes.

    A random cotangent at one example alone is pulled back, and must reach that example alone.
    """
    found = {}
    for part in parts:
        for of in part.segment.gives:
            value = run.values[of]
            count = value.shape[0] if value.ndim else 1
            takes = [name for name in part.segment.takes if run.values[name].shape[:1] == (count,)]
            if not takes or not 1 < count <= PROBED:
                continue
            noise = np.random.default_rng(0).standard_normal(value.shape)
            alone = np.stack([np.where(np.arange(count) == i, noise.T, 0.0).T for i in range(count)])
            back = _pulled(part, run, dynamic, of, jnp.asarray(alone, value.dtype))
            others = ~np.eye(count, dtype=bool)
            found |= {(of, name): ~jnp.any(back[name][others] != 0) for name in takes}
    return found


def _pulled(part: Part, run: Forward, dynamic: Mapping[str, dict], of: str, cotangents: jax.Array) -> Arrays:
    """Pull many cotangents of `of` back through one segment, as many at once as memory allows.

    At the segment's other outputs nothing arrives, which is not the same as zeros.
    """
    given = {name: run.values[name] for name in part.reads}
    pull = jax.vjp(lambda given: part(given, dynamic)[of], given)[1]
    largest = max(run.values[name].size for name in (*part.reads, *part.segment.gives))
    step = max(1, AT_ONCE // (largest * len(part.segment.nodes)))
    pieces = [cotangents[first : first + step] for first in range(0, len(cotangents), step)]
    found = [jax.vmap(lambda v: pull(v)[0])(piece) for piece in pieces]
    return {name: jnp.concatenate([piece[name] for piece in found]) for name in part.reads}
