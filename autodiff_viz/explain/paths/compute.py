"""Write the cotangent of a node as a sum over the paths from the node to the output.

A path brings what the seed becomes when it is pulled back along it alone, by pullbacks that are linear in
what arrives (`LinearPullback`); where a rule is not, each path has its share of what is passed. One walk from
the output back finds the largest paths.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from heapq import nlargest
from math import inf, isfinite
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from autodiff_viz.engine.linear_rules import is_linear
from autodiff_viz.engine.live_path.arrays import on_device
from autodiff_viz.engine.live_path.numbers import read
from autodiff_viz.engine.live_path.passes import Step, Wire, forward
from autodiff_viz.engine.live_path.prepare import prepare
from autodiff_viz.engine.op_derivative import changed_cotangent, own_contributions
from autodiff_viz.engine.tolerance import norm
from autodiff_viz.engine.trace import Trace, precision, with_output
from autodiff_viz.graph.grad_nodes import OF, reads_of
from autodiff_viz.graph.identity import identity, remembered
from autodiff_viz.graph.model import GRAD, INPUT, Node
from autodiff_viz.graph.order import ancestors, order
from autodiff_viz.graph.problem import GraphError, Problem, whole_number
from autodiff_viz.graph.rule_kinds import ARRIVING, KINDS
from autodiff_viz.graph.shown import Shown
from autodiff_viz.graph.text import listed_names, quoted, scalar

# Pullbacks of single nodes, as linear maps of what arrives


Pull = Callable[[np.ndarray], Mapping[int, np.ndarray | None]]
"""Return, by slot, what a node passes back of a part of the cotangent that arrives at it."""


@dataclass(frozen=True, slots=True)
class LinearPullback:
    """The pullback of a node, as it acts on a part of the cotangent that arrives.

    Attributes:
      pull: linear, so what it returns for the parts of a sum adds up to what it returns for the sum.
      open: the slots by which it ever passes something back of what arrives: not those of a stop, nor of an
        op without a derivative.
      added: by slot, what the node's rule passes back beside that, whatever the parts are.
      by_share: whether the rule is not linear, so that `pull` gives each part its share of what is passed.
    """

    pull: Pull
    open: frozenset[int]
    added: Mapping[int, np.ndarray]
    by_share: bool = False


def pulled_alone(found: Trace, names: list[str]) -> dict[str, LinearPullback]:
    """Return the pullbacks of these nodes at the numbers of the trace; none of them is an input.

    Each node passes back `pull` of what arrives, and `added`. A rule that is not linear in the cotangent
    passes, of each element that is not 0, the same multiple of all parts. Where 0 arrives and something is
    passed, and where a declared pullback that is not linear mixes elements, the rule adds it itself.
    """
    with precision(found.dtype):
        inputs = {name: on_device(np.asarray(value)) for name, value in found.inputs.items()}
        prepared = prepare(found.graph, inputs, found.dtype)
        values, called = forward(prepared)
        steps = {step.name: (step, [*map(read, called[i])]) for i, step in enumerate(prepared.steps)}
    return {name: _isolated(found, found.graph[name], *steps[name], read(values[name])) for name in names}


def _isolated(found: Trace, node: Node, step: Step, arguments: list[Any], value: Any) -> LinearPullback:
    """Return the pullback of one node: its own step's where that is linear, else shares of what it passed."""

    def pull(part: np.ndarray) -> dict[int, np.ndarray | None]:
        with precision(found.dtype):
            _, passed = step.pull_back([on_device(part.astype(found.dtype))], arguments, value)
        return {
            slot: None if each is None else np.asarray(each, np.float64)
            for slot, each in zip(step.wired, passed, strict=False)
        }

    passing = frozenset(s for s, _ in node.wires if not found.passed.is_symbolic_zero((node.name, s)))
    if is_linear(node.rule):
        return LinearPullback(pull, passing, {})
    if KINDS[node.rule.kind].function == ARRIVING:
        return _rewritten(found, node, passing)
    return _declared(found, node)


def _rewritten(found: Trace, node: Node, passing: frozenset[int]) -> LinearPullback:
    """Return the op's own pullback of each part's share of the changed cotangent."""
    arriving = found.cotangent[node.name].astype(np.float64)
    share, rest = _shares(changed_cotangent(found, node.name).astype(np.float64), arriving)

    def own(part: np.ndarray) -> dict[int, np.ndarray]:
        pulled = own_contributions(found, node.name, part.astype(found.dtype))
        return {slot: each.astype(np.float64) for slot, each in pulled.items()}

    # A rule at which nothing ever arrives does not run, so it adds nothing.
    adds = rest.any() and not found.cotangent.is_symbolic_zero(node.name)
    return LinearPullback(lambda part: own(part * share), passing, own(rest) if adds else {}, by_share=True)


def _declared(found: Trace, node: Node) -> LinearPullback:
    """Return each part's share of what a declared pullback passes, if each element passes to its own."""
    arriving = found.cotangent[node.name].astype(np.float64)
    shares, added = {}, {}
    for slot, _ in node.wires:
        passed = found.passed[node.name, slot].astype(np.float64)
        rest = passed  # where the shapes differ, elements are mixed: no part has a share of its own
        if passed.shape == arriving.shape:
            shares[slot], rest = _shares(passed, arriving)
        if rest.any():
            added[slot] = rest
    return LinearPullback(
        lambda part: {slot: part * share for slot, share in shares.items()},
        frozenset(shares),
        added,
        by_share=True,
    )


def _shares(passed: np.ndarray, arriving: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return passed / arriving, element by element, and what is passed where 0 arrives."""
    nothing = arriving == 0  # divided by 1 there, so that no share is 0 / 0
    with np.errstate(invalid="ignore", over="ignore"):
        share = np.where(nothing, 0.0, passed / np.where(nothing, 1.0, arriving))
    return share, np.where(nothing, passed, 0.0)


def size(part: np.ndarray) -> float:
    """Return the Euclidean norm; infinite if a number is not finite."""
    length = norm(part)
    return length if isfinite(length) else float("inf")


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
class Paths(Shown):
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
    with_output(found)
    if not isinstance(name, str) or name not in found.graph:
        message = f"The trace has no node {quoted(name)}."
        raise GraphError(Problem("unknown-node", message, f"It has {listed_names([*found.value])}."))
    most = whole_number("number of paths to list", most, 1, MOST)
    # The nodes on the paths, in topological order, with both ends.
    leading, reached = ancestors(found.graph, [found.output], reads_of), {name}
    for node in order(found.graph):
        reached |= {node.name} if any(read in reached for read in reads_of(node)) else set()
    between = [node for node in order(found.graph) if node.name in leading & reached]
    alone = pulled_alone(found, [node.name for node in between if node.name != name])
    numbers = found.seed.size == 1 and all(found.value[node.name].size == 1 for node in between)
    # Each node of the walk may hold `width` arrays of its size at once: fewer paths are followed where these
    # would not fit into memory.
    elements = sum(found.value[node.name].size for node in between)
    width = min(most, max(4, HELD // max(1, elements)))
    pulls = (_Numbers if numbers else _Tensors)(found, alone, width)
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

    def __init__(self, found: Trace, alone: Mapping[str, LinearPullback], width: int):
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

    def __init__(self, found: Trace, alone: Mapping[str, LinearPullback], width: int):
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
    on_path = {node.name for node in between}
    waiting: dict[str, list[_Part]] = {node.name: [] for node in between}
    rests: dict[str, Amount] = dict.fromkeys(on_path, 0.0)
    if between:
        output = between[-1].name
        waiting[output].append(_Part(pulls.size(pulls.seed), pulls.seed))
    for node in reversed(between):
        best = nlargest(pulls.width, waiting[node.name], key=attrgetter("size"))
        # What is not followed further is pulled back as one sum. At the node that was asked about that loses
        # nothing: its largest are the largest.
        if len(best) < len(waiting[node.name]):
            kept = {id(part) for part in best}
            others = (part.amount for part in waiting[node.name] if id(part) not in kept)
            rests[node.name] = sum(others, rests[node.name])
            pulls.dropped |= node.name != name
        if node.name == name:
            return best, rests[name]
        wires = [(slot, producer) for slot, producer in _wires(node) if producer in on_path]
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
            if (node.name, slot) in pulls.added:  # a path that begins here, by the rule
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
    found: Trace, name: str, between: list[Node], alone: Mapping[str, LinearPullback]
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


SHOWN = 50  # paths; the others are one band
KEPT = 32
ELEMENTS = 2_000  # of all values together
WRITTEN = 4  # elements of a vector that is written out
NONE = "There is no node with a path to the output."


def subject(trace: Trace, name: str | None) -> str | None:
    """Return the node whose paths are shown if `name` is None: a parameter, or else an input, that leads on.

    None if there is none.
    """
    if name is not None or trace.output is None:
        return name
    way = ancestors(trace.graph, [trace.output])
    inputs = [node for node in trace.graph.nodes if node.op == INPUT and node.name in way]
    inputs.sort(key=lambda node: not node.is_parameter)
    return inputs[0].name if inputs else trace.output


def takes_long(trace: Trace) -> bool:
    """Return whether the paths take more than moments: tensors of many elements are pulled back."""
    return sum(value.size for value in trace.value.values()) > ELEMENTS


@remembered(KEPT, lambda trace, name: identity((trace.identity, name)))
def paths_of(trace: Trace, name: str) -> Paths:
    """Return the largest paths of a node; memoised, since figure, text and list show the same."""
    return paths(trace, name, SHOWN)


def amount(product: Any, size: float) -> str:
    """Return what a path brings as text: a number, a short vector, or the norm of a tensor."""
    if product.size == 1:
        return scalar(product.item())
    if is_written(product):
        return f"[{', '.join(scalar(each) for each in product.tolist())}]"
    return f"norm {scalar(size)}"


def is_written(product: Any) -> bool:
    """Return whether the text of a product has each of its numbers, so that their signs are seen."""
    return product.size == 1 or (product.ndim == 1 and product.size <= WRITTEN)
