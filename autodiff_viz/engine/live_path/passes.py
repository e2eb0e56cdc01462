"""Run the forward and backward pass of a prepared graph: values, then cotangents, one compiled op per node.

`prepare` has checked the graph, compiled its ops and chosen a pullback for each node, so the loops here ask
nothing. One call of a compiled op takes some microseconds; the loops keep Python's own share below that. An
op on numbers only writes a row, and all rows are computed when one is read: see `numbers`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any, NamedTuple

import jax
import numpy as np

from autodiff_viz.engine.live_path.kernels import Kernel, PullBack
from autodiff_viz.engine.live_path.numbers import Tape
from autodiff_viz.graph.model import Graph, Slot
from autodiff_viz.ops.misfits import Shape

Wire = tuple[str, int]
"""A wire as (consumer, slot): the node that reads and the slot that the wire ends in."""

ARRIVING = -1
"""Pseudo-slot: (node, ARRIVING) is the key of the cotangent that arrives at a node."""

Arguments = list[Any]
"""What a compiled op was called with: its residuals, which the pullback needs again."""


class Step(NamedTuple):
    """One node, ready to run.

    Attributes:
      run: the compiled op, of the arrays that `reads` names in `Prepared.known` and among the values.
      pull_back: the node's pullback under its rule; gives a contribution for each of the `wired` slots.
      slots: of the node; the wired ones hold the names of the nodes that the contributions go to.
    """

    name: str
    run: Callable[..., jax.Array]
    reads: list[Hashable]
    pull_back: PullBack
    wired: tuple[int, ...]
    slots: tuple[Slot, ...]


@dataclass(slots=True)
class Prepared:
    """A checked graph, ready to run. See `prepare`.

    Attributes:
      tape: of its numbers.
      known: arrays that need no op: values of inputs by name, constants of slots and run-time parameters.
      shapes: of all values, per sample, in topological order.
      steps: of all nodes but the inputs, in topological order.
      inputs: by name of an input, its pullback: that of an identity whose contribution is the gradient.
      elements: of the values of all steps together.
      kernels: those that have been looked up, by op, parameters, shapes and wired slots.
      swept: the inputs whose values carry a leading axis of samples. All that depends on them carries it too.
    """

    graph: Graph
    dtype: str
    swept: frozenset[str]
    tape: Tape
    known: dict[Hashable, Any] = field(default_factory=dict)
    shapes: dict[str, Shape] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    inputs: dict[str, PullBack] = field(default_factory=dict)
    elements: int = 0
    kernels: dict[Hashable, Kernel] = field(default_factory=dict)


class Cotangents(NamedTuple):
    """Result of a backward pass; None is a symbolic zero.

    `gradients` are, by input name, the arriving cotangents after the inputs' own rules.
    """

    arriving: dict[str, jax.Array | None]
    passed: dict[Wire, jax.Array | None]
    gradients: dict[str, jax.Array | None]


def forward(prepared: Prepared) -> tuple[dict[str, jax.Array], list[Arguments]]:
    """Return the value of every node, in topological order, and the arguments of every step."""
    values, called = dict(prepared.known), []
    for name, run, reads, _, _, _ in prepared.steps:
        arguments = [values[key] for key in reads]
        called.append(arguments)
        values[name] = run(*arguments)
    return {name: values[name] for name in prepared.shapes}, called


def backward(
    prepared: Prepared, values: dict[str, jax.Array], called: list[Arguments], seed: jax.Array
) -> Cotangents:
    """Pull `seed`, a cotangent of the output, back to every node and wire."""
    arriving, gradients = dict.fromkeys(reversed(prepared.shapes)), dict.fromkeys(prepared.inputs)
    if not prepared.shapes[prepared.graph.output]:
        seed = prepared.tape.put(np.asarray(seed))
    passed, waiting = {}, {prepared.graph.output: [seed]}  # a node's pullback sums what waits for it
    steps = zip(reversed(prepared.steps), reversed(called), strict=True)
    for (name, _, _, pull_back, wired, slots), arguments in steps:
        contributions = NOTHING
        if name in waiting:
            arriving[name], contributions = pull_back(waiting.pop(name), arguments, values[name])
        for slot, contribution in zip(wired, contributions, strict=False):
            passed[name, slot] = contribution
            if contribution is not None:
                read = slots[slot]
                if read in waiting:
                    waiting[read].append(contribution)
                else:
                    waiting[read] = [contribution]
    for name, parts in waiting.items():
        arriving[name], (gradients[name],) = prepared.inputs[name](parts, [], values[name])
    return Cotangents(arriving, passed, gradients)


NOTHING = repeat(None)
"""A symbolic zero for each wire of a node at which nothing arrives."""
