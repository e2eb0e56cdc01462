"""Measure the arriving cotangent of each node, and the contributions that are summed at a fork."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite

import numpy as np

from autodiff_viz.engine.tolerance import norm
from autodiff_viz.engine.trace import Trace
from autodiff_viz.graph.model import Graph, Node
from autodiff_viz.graph.order import ancestors, consumers, order
from autodiff_viz.graph.rule_kinds import BACKWARD_AS, STOP

MOST_PARTS = 8  # wires of a fork that are drawn; the rest are added up
MOST_ZEROS = 2  # of these, wires that bring 0, as most do from the passes of a loop that was unrolled

SEED, BEHIND_STOP, PASSED_BY, APART = "seed", "behind a stop", "not on the way back", "not connected"


@dataclass(frozen=True, slots=True)
class Part:
    """Contribution of one wire at a fork: a number, or for an array its length along the sum.

    The sizes of all parts add up to the norm of the sum. The wire is named by its consumer node and slot;
    `consumer` is None for several wires together, of which there are `wires`. `twin`: whether the consumer
    has another wire from the same node.
    """

    consumer: str | None
    slot: int
    size: float
    stopped: bool = False
    twin: bool = False
    wires: int = 1


@dataclass(frozen=True, slots=True)
class Arrival:
    """The cotangent at one node.

    Attributes:
      size: the number itself, or the norm of an array; None where the output does not depend on the node.
      parts: at a fork, one per wire; else empty.
      place: one of the words above, or "".
      begins: "NaN begins here, forward" and the like, where a number that is not finite first appears.
    """

    node: Node
    shape: tuple[int, ...]
    size: float | None
    parts: tuple[Part, ...]
    place: str
    begins: str = ""

    @property
    def is_array(self) -> bool:
        """Whether the value has other than one element."""
        return int(np.prod(self.shape)) != 1

    @property
    def is_finite(self) -> bool:
        """Whether the size and all parts are finite."""
        return self.size is None or (isfinite(self.size) and all(isfinite(part.size) for part in self.parts))


def arrivals(trace: Trace) -> tuple[Arrival, ...]:
    """Return the arriving cotangent of each node, in graph order."""
    if not trace.graph.nodes:
        return ()
    graph, wires = trace.graph, consumers(trace.graph)
    # What the output depends on: without any rule, with stops, and with `backward_as` too, which passes to
    # its alternative alone.
    stopped = tuple(replace(n, slots=()) if n.rule.kind == STOP else n for n in graph.nodes)
    ruled = tuple(replace(n, slots=n.slots[-1:]) if n.rule.kind == BACKWARD_AS else n for n in stopped)
    connected, unstopped, reached = (
        ancestors(Graph(nodes), [trace.output]) for nodes in (graph.nodes, stopped, ruled)
    )
    arriving: list[Arrival] = []
    for node in order(graph):
        name, cotangent = node.name, trace.cotangent[node.name]
        if name not in connected:
            arriving.append(Arrival(node, cotangent.shape, None, (), APART))
            continue
        parts = _parts(trace, cotangent, [wire for wire in wires[name] if wire[0] in connected])
        place = SEED if name == trace.output else "" if name in reached else PASSED_BY
        place = place if name in unstopped else BEHIND_STOP
        arriving.append(Arrival(node, cotangent.shape, _size(cotangent), parts, place))
    if all(arrival.is_finite for arrival in arriving):
        return tuple(arriving)
    # Where numbers first stop being finite is said there; the forward pass comes first.
    begins: dict[str, str] = {}
    for origin in trace.nonfinite_origins:
        if not origin.carried:
            begins.setdefault(origin.node, f"{origin.kind} begins here, {origin.direction}")
    return tuple(replace(each, begins=begins.get(each.node.name, "")) for each in arriving)


def _size(array: np.ndarray) -> float:
    """Return a number as it is, or the norm of an array."""
    return float(array.item()) if array.size == 1 else norm(array)


def _parts(trace: Trace, total: np.ndarray, wires: Sequence[tuple[str, int]]) -> tuple[Part, ...]:
    """Return what each wire of a fork adds; nothing of a node with one reader."""
    if len(wires) < 2:
        return ()
    arrays = [trace.passed[wire] for wire in wires]
    sizes = [_size(array) for array in arrays] if total.size == 1 else _shares(arrays, total)
    uses = Counter(name for name, _ in wires)
    parts = [
        Part(name, slot, size, trace.graph[name].rule.kind == STOP, uses[name] > 1)
        for (name, slot), size in zip(wires, sizes, strict=True)
    ]
    # A wire at a stop is drawn before others that bring 0, since it says why.
    zeros = sorted((part for part in parts if part.size == 0), key=lambda part: not part.stopped)
    rest = zeros[MOST_ZEROS:] if len(zeros) > MOST_ZEROS + 1 else []
    parts = [part for part in parts if part not in rest]
    if len(parts) + bool(rest) > MOST_PARTS:
        rest = [*parts[MOST_PARTS - 1 :], *rest]
        parts = parts[: MOST_PARTS - 1]
    if rest:
        parts.append(Part(None, -1, sum(part.size for part in rest), wires=len(rest)))
    return tuple(parts)


def _shares(arrays: Sequence[np.ndarray], total: np.ndarray) -> list[float]:
    """Return the length of each array along their sum; along the first non-zero array if the sum is 0."""
    flat = [array.ravel().astype(np.float64) for array in (total, *arrays)]
    if not all(np.isfinite(array).all() for array in flat):
        return [_size(array) for array in arrays]
    along = next((array for array in flat if array.any()), flat[0])
    along = along / (np.abs(along).max(initial=0.0) or 1.0)  # first, so that its norm does not overflow
    direction = along / (norm(along) or 1.0)
    return [float(np.dot(array, direction)) for array in flat[1:]]
