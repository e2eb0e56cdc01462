"""Walk of a prepared graph: forward for the values, backward for the cotangents, one compiled op per node.

`prepare` has checked the graph, compiled its ops and chosen a pullback for each node, so the loops here ask
nothing. One call of a compiled op takes some microseconds; the loops keep Python's own share below that.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import jax

from autodiff_viz.engine.live_path.pullbacks import PullBack
from autodiff_viz.graph.model import Graph
from autodiff_viz.ops.misfit import Shape

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
      pull_back: the node's pullback under its rule; gives one contribution for each of `wires`.
    """

    name: str
    run: Callable[..., jax.Array]
    reads: list[Hashable]
    pull_back: PullBack
    wires: Sequence[tuple[int, str]]


@dataclass(slots=True)
class Prepared:
    """A checked graph, ready to run. See `prepare`.

    Attributes:
      known: arrays that need no op: values of inputs by name, constants of slots and run-time parameters.
      shapes: of all values, per sample, in topological order.
      steps: of all nodes but the inputs, in topological order.
      inputs: by name of an input, its pullback: that of an identity whose contribution is the gradient.
      elements: of the values of all steps together.
      swept: the keys of the arrays that carry a leading axis of samples: node names for values, wires for
        contributions, (node, ARRIVING) for arriving cotangents.
    """

    graph: Graph
    dtype: str
    swept: set[str | Wire]
    known: dict[Hashable, Any] = field(default_factory=dict)
    shapes: dict[str, Shape] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    inputs: dict[str, PullBack] = field(default_factory=dict)
    elements: int = 0


class Cotangents(NamedTuple):
    """Result of a backward walk; None is a symbolic zero.

    `gradients` are, by input name, the arriving cotangents after the inputs' own rules.
    """

    arriving: dict[str, jax.Array | None]
    passed: dict[Wire, jax.Array | None]
    gradients: dict[str, jax.Array | None]


def forward(prepared: Prepared) -> tuple[dict[str, jax.Array], list[Arguments]]:
    """Return the value of every node, in topological order, and the arguments of every step."""
    values, called = dict(prepared.known), []
    for name, run, reads, _, _ in prepared.steps:
        arguments = [values[key] for key in reads]
        called.append(arguments)
        values[name] = run(*arguments)
    return {name: values[name] for name in prepared.shapes}, called


def backward(
    prepared: Prepared, values: dict[str, jax.Array], called: list[Arguments], seed: jax.Array
) -> Cotangents:
    """Pull `seed`, a cotangent of the output, back to every node and wire."""
    arriving, passed, gradients = _symbolic_zeros(prepared)
    waiting = {prepared.graph.output: [seed]}  # what arrives at a node; its pullback sums it
    steps = zip(reversed(prepared.steps), reversed(called), strict=True)
    for (name, _, _, pull_back, wires), arguments in steps:
        if name in waiting:
            arriving[name], contributions = pull_back(waiting.pop(name), arguments, values[name])
            for (slot, producer), contribution in zip(wires, contributions, strict=True):
                if contribution is not None:
                    passed[name, slot] = contribution
                    waiting.setdefault(producer, []).append(contribution)
    for name, parts in waiting.items():
        arriving[name], (gradients[name],) = prepared.inputs[name](parts, [], values[name])
    return Cotangents(arriving, passed, gradients)


def _symbolic_zeros(prepared: Prepared) -> Cotangents:
    """Return a symbolic zero for every node, wire and input, for whatever no contribution arrives at."""
    return Cotangents(
        arriving=dict.fromkeys(reversed(prepared.shapes)),
        passed={(step.name, slot): None for step in reversed(prepared.steps) for slot, _ in step.wires},
        gradients=dict.fromkeys(prepared.inputs),
    )
