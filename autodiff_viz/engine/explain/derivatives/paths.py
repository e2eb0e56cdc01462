"""Write the cotangent of a node as a sum over the paths from the node to the output."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from heapq import nlargest
from math import inf, isfinite
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from autodiff_viz.engine.explain.derivatives.pulled_alone import Alone, pulled_alone, size
from autodiff_viz.engine.live_path.passes import Wire
from autodiff_viz.engine.trace import Trace, known_trace
from autodiff_viz.graph.checks.argument_types import whole_number
from autodiff_viz.graph.model import GRAD, Node
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.structure.grad_nodes import OF, reads_of
from autodiff_viz.graph.structure.order import ancestors, order
from autodiff_viz.graph.text.names import listed_names, quoted

MOST = 1_000  # paths that can be asked for
HELD = 4_000_000  # elements of tensors that are held at a time, about


@dataclass(frozen=True, slots=True)
class Path:
    """One path, from a node to the output or to a node whose rule passes something back by itself.

    Attributes:
      nodes: from the node that was asked about to the end of the path.
      wires: between them, in the same order, as (node that reads, slot).
      factors: by wire, the local derivative, with the rule of the node that reads. Of tensors: by how much
        the norm of what this path pulls back changes there.
      product: what the path adds to the cotangent, of the cotangent's shape.
      start: what the path pulls back: the seed; of tensors its norm. |start| times all |factors| is `size`.
      of_rule: whether the path begins at its last node, whose rule passes `start` back although 0 arrives, or
        whatever arrives.
    """

    nodes: tuple[str, ...]
    wires: tuple[Wire, ...]
    factors: tuple[float, ...]
    product: np.ndarray
    start: float
    of_rule: bool = False

    @property
    def size(self) -> float:
        """The norm of `product`; infinite if it is not finite."""
        return size(self.product)


@dataclass(frozen=True, slots=True)
class Paths:
    """The cotangent of a node as a sum over paths.

    Attributes:
      name: the node.
      paths: largest first.
      rest: the sum of all other paths, of the cotangent's shape.
      count: how many paths pass something back, with these.
      closed: how many paths pass nothing, whatever the numbers are: they meet a stop, or an op without a
        derivative.
      exact: whether no other path is larger than these.
      norms: whether factors are ratios of norms, since a tensor is on some path.
      shared: nodes on the paths whose rule is not linear, so that each path has its share of what is passed:
        the factor is what was passed divided by what arrived.
    """

    name: str
    paths: tuple[Path, ...]
    rest: np.ndarray
    count: int
    closed: int
    exact: bool
    norms: bool
    shared: tuple[str, ...]


def paths(found: Trace, name: str, most: int = 50) -> Paths:
    """Return the paths from the node `name` to the output: the largest, and the rest as one sum.

    The products of the paths and the rest add up to the cotangent, to rounding. A factor is a local
    derivative with the rule of its node: `scale` and a linear rewrite are part of it. The rule of an input
    itself is not, since it acts on the cotangent. Checkpoint regions change nothing.

    Numbers: `count` is exact however large, and so are the largest paths, since a path that is larger
    before a factor is so after it. Tensors: a path's product is what the seed becomes when it is pulled back
    along this path alone; these add up, for pullbacks are linear. At each node the `most` largest are
    followed and the others summed; `exact` is then False, for a path that is small there may have grown.

    Args:
      found: has an output.
      name: a node of its graph.
      most: how many paths to list, up to 1,000.
    Returns:
      The paths; none where no path leads from the node to the output.
    Raises:
      GraphError: no trace is given, it has no output or no node of that name, or `most` is out of range.
    Source: Bauer, Computational graphs and rounding error (1974); the k largest by dynamic programming.
    """
    _check(known_trace(found), name)
    most = whole_number("number of paths to list", most, 1, MOST)
    between = _between(found, name)
    alone = pulled_alone(found, [node.name for node in between if node.name != name])
    numbers = found.seed.size == 1 and all(found.value[node.name].size == 1 for node in between)
    held = sum(found.value[node.name].size for node in between)
    pulls = (_Numbers if numbers else _Tensors)(found, alone, min(most, max(4, HELD // max(1, held))))
    best, rest = _largest(pulls, name, between)
    count, through, all_ways = _counted(found, name, between, alone)
    return Paths(
        name=name,
        paths=tuple(_path(pulls, name, part) for part in best),
        rest=pulls.array(rest, name),
        count=count,
        closed=all_ways - through,
        exact=numbers or not pulls.dropped,
        norms=not numbers,
        shared=tuple(node.name for node in between if node.name in alone and alone[node.name].by_share),
    )


def _check(found: Trace, name: str) -> None:
    if found.output is None:
        raise GraphError(Problem("no-output", "The trace has no output.", "Wire its open slots first."))
    if not isinstance(name, str) or name not in found.graph:
        message = f"The trace has no node {quoted(name)}."
        raise GraphError(Problem("unknown-node", message, f"It has {listed_names([*found.value])}."))


def _between(found: Trace, name: str) -> list[Node]:
    """Return the nodes on the paths from `name` to the output, in topological order, with both ends."""
    leading, reached = ancestors(found.graph, [found.output], reads_of), {name}
    for node in order(found.graph):
        reached |= {node.name} if any(read in reached for read in reads_of(node)) else set()
    return [node for node in order(found.graph) if node.name in leading & reached]


def _wires(node: Node) -> list[tuple[int, str]]:
    """Return (slot, producer) for each value that a node reads: that of the z of a grad node is not."""
    return [(slot, producer) for slot, producer in node.wires if node.op != GRAD or slot != OF]


Amount = Any  # what a path pulls back to a node: a number, or an array of the node's shape


class _Part(NamedTuple):
    """A path from a node on: what it pulls back to the node, and the path from the next node on.

    `wire` is the first one; None at the output. Without `before` the path begins here, by a rule.
    """

    size: float
    amount: Amount
    wire: Wire | None = None
    before: _Part | None = None


class _Numbers:
    """Follow paths through nodes of one element: a pullback is a multiplication."""

    def __init__(self, found: Trace, alone: Mapping[str, Alone], width: int):
        self.found, self.width, self.dropped = found, width, False
        ones = {name: np.ones(found.value[name].shape, found.dtype) for name in alone}
        self.factors = {
            (name, slot): float(each.item())
            for name, one in alone.items()
            for slot, each in one.pull(ones[name]).items()
            if each is not None and slot in one.open and each.size == 1  # a tensor is not on the way
        }
        self.added = {
            (name, s): float(array.item())
            for name, one in alone.items()
            for s, array in one.added.items()
            if array.size == 1
        }
        self.seed = float(found.seed.item())

    def pull(self, name: str, amount: float) -> dict[int, float]:
        wires = [(name, slot) for slot, _ in self.found.graph[name].wires]
        return {wire[1]: amount * self.factors[wire] for wire in wires if wire in self.factors}

    def size(self, amount: float) -> float:
        return abs(amount) if isfinite(amount) else inf

    def start(self, part: _Part) -> float:
        return part.amount

    def factor(self, part: _Part) -> float:
        return self.factors[part.wire]

    def array(self, amount: Amount, name: str) -> np.ndarray:
        return np.full(self.found.value[name].shape, amount, np.float64)


class _Tensors:
    """Follow paths through tensors, by the nodes' own pullbacks."""

    def __init__(self, found: Trace, alone: Mapping[str, Alone], width: int):
        self.found, self.alone, self.width, self.dropped = found, alone, width, False
        self.added = {(name, s): array for name, one in alone.items() for s, array in one.added.items()}
        self.seed = found.seed.astype(np.float64)

    def pull(self, name: str, amount: np.ndarray) -> dict[int, np.ndarray]:
        if type(amount) is float:
            return {}  # the rest, where there is none
        one = self.alone[name]
        return {s: each for s, each in one.pull(amount).items() if each is not None and s in one.open}

    def size(self, amount: np.ndarray) -> float:
        return size(amount)

    def start(self, part: _Part) -> float:
        return part.size

    def factor(self, part: _Part) -> float:
        before = part.before.size
        return part.size / before if before else inf if part.size else 0.0

    def array(self, amount: Amount, name: str) -> np.ndarray:
        return np.broadcast_to(np.asarray(amount, np.float64), self.found.value[name].shape)


_Pulls = _Numbers | _Tensors


def _largest(pulls: _Pulls, name: str, between: list[Node]) -> tuple[list[_Part], Amount]:
    """Return the largest paths from `name` on, and the sum of the others, from the output back."""
    here = {node.name for node in between}
    waiting: dict[str, list[_Part]] = {node.name: [] for node in between}
    rests: dict[str, Amount] = dict.fromkeys(here, 0.0)
    if between:
        output = between[-1].name
        waiting[output].append(_Part(pulls.size(pulls.seed), pulls.seed))
    for node in reversed(between):
        best = nlargest(pulls.width, waiting[node.name], key=attrgetter("size"))
        if len(best) < len(waiting[node.name]):
            kept = {id(part) for part in best}
            others = (part.amount for part in waiting[node.name] if id(part) not in kept)
            rests[node.name] = sum(others, rests[node.name])
            pulls.dropped |= node.name != name
        if node.name == name:
            return best, rests[name]
        wires = [(slot, producer) for slot, producer in _wires(node) if producer in here]
        for part in best:
            pulled = pulls.pull(node.name, part.amount)
            for slot, producer in wires:
                if slot in pulled:
                    amount = pulled[slot]
                    waiting[producer].append(_Part(pulls.size(amount), amount, (node.name, slot), part))
        pulled = pulls.pull(node.name, rests.pop(node.name))
        for slot, producer in wires:
            if slot in pulled:
                rests[producer] = rests[producer] + pulled[slot]
            if (node.name, slot) in pulls.added:
                amount = pulls.added[node.name, slot]
                waiting[producer].append(_Part(pulls.size(amount), amount, (node.name, slot)))
    return [], 0.0


def _path(pulls: _Pulls, name: str, part: _Part) -> Path:
    nodes, wires, factors, last = [name], [], [], part
    while last.wire is not None:
        nodes.append(last.wire[0])
        wires.append(last.wire)
        if last.before is None:
            break
        factors.append(pulls.factor(last))
        last = last.before
    if of_rule := last.wire is not None:
        factors.append(1.0)
    product = pulls.array(part.amount, name)
    return Path(tuple(nodes), tuple(wires), tuple(factors), product, pulls.start(last), of_rule)


def _counted(
    found: Trace, name: str, between: list[Node], alone: Mapping[str, Alone]
) -> tuple[int, int, int]:
    """Return how many paths pass something back, how many of them from the output, and how many there are."""
    passing, through, ways = ({node.name: 0 for node in between} for _ in range(3))
    if not between:
        return 0, 0, 0
    for counts in (passing, through, ways):
        counts[between[-1].name] = 1
    for node in reversed(between):
        for slot, producer in _wires(node) if node.name != name else ():
            if producer not in ways:
                continue
            ways[producer] += ways[node.name]
            if slot in alone[node.name].open:
                passing[producer] += passing[node.name]
                through[producer] += through[node.name]
            passing[producer] += slot in alone[node.name].added
    return passing[name], through[name], ways[name]
