"""List the steps of one forward and one backward pass, in the order in which JAX runs them.

The order is that of the graph's blocks (checkpoint regions); which arrays a step of the backward pass reads
is read off JAX's own program (`backward_program`). What is live after a step follows from what is read later.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np

from autodiff_viz.engine.live_path.check import diagnose
from autodiff_viz.engine.live_path.passes import Wire
from autodiff_viz.engine.trace import Trace, with_output
from autodiff_viz.engine.whole_program.jaxprs import uncounted
from autodiff_viz.explain.play.backward_program import BackwardProgram, Factor, backward_program
from autodiff_viz.graph.frames import Block, blocks
from autodiff_viz.graph.grad_nodes import BY
from autodiff_viz.graph.model import GRAD, INPUT, Graph, Node
from autodiff_viz.graph.order import array_sources, consumers
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.shown import Several

FORWARD, BACKWARD = "forward", "backward"

Array = str | Wire | Factor
"""An array of a step: a node's name, for its value; a wire as (node, slot), for its contribution to the
cotangent of the node that it comes from; or a `Factor`."""


@dataclass(frozen=True, slots=True)
class PlayStep:
    """One step of a pass: a node runs, or its pullback does.

    Attributes:
      phase: "forward" or "backward".
      node: the node.
      region: the checkpoint region that runs: the innermost one of the node, or in a step with `again` the
        one that runs again; None outside all.
      again: whether the node's forward computation is repeated in the backward pass.
      reads: the arrays that it reads. In the forward pass, and again: the values of the nodes that its op is
        wired to. A pullback: the contributions that arrive from the wires of the nodes that read this one,
        none if nothing of them reaches an input; and what it needs of values (a node's name) and of factors
        of derivatives that were computed early
        (`Factor`). The seed is given, so no step writes it.
      writes: the arrays that it computes. In the forward pass and again: the value, under the node's name,
        and factors that a pullback needs. A pullback: the contribution down each of its wires, as (node,
        slot). An identity, such as a stop, returns the array that it reads, and writes none. Empty too in a
        step with `again` that JAX drops, since no derivative needs it; the block runs nevertheless, as a
        print in it would show.
      live: elements that have been computed and are still to be read by a later step, after this one.
    """

    phase: str
    node: str
    region: str | None
    again: bool
    reads: tuple[Array, ...]
    writes: tuple[Array, ...]
    live: int

    @property
    def dropped(self) -> bool:
        """Whether JAX drops this run, since no derivative needs what it computes."""
        return self.again and not self.writes

    @property
    def slope_alone(self) -> bool:
        """Whether this run gives only what the slope is made of: JAX drops the value itself."""
        return self.again and bool(self.writes) and self.node not in self.writes


def play(trace: Trace) -> tuple[PlayStep, ...]:
    """Return the steps of the forward pass, then those of the backward pass, as JAX runs them.

    Inputs come first, and last in the backward pass. A checkpoint region runs again just before the first
    pullback inside it; the regions in it run with it, and once more before their own pullbacks. A node that
    never runs has no step; one to which no cotangent can come has no backward step. After the last forward
    step, `live` is the size of those of `trace.residuals` that have a consumer.

    Args:
      trace: has an output.
    Returns:
      The steps. Of a node, the steps with `again` are its `runs.backward`, those that write its value
      `runs.kept`.
    Raises:
      GraphError: no trace is given, it has no output, or a checkpoint region is not valid.
    Source: https://docs.jax.dev/en/latest/gradient-checkpointing.html
    """
    return Several(whole_pass(trace).steps)


@dataclass(frozen=True, slots=True)
class LiveArray:
    """An array that a later step reads: who computes it, when, and who reads it.

    Attributes:
      array: its name in the steps; a node's value that is recomputed has the same name as before.
      node: the node whose step writes it.
      written: index of that step.
      reads: indices of the steps that read it, in order. It is live from `written` until before the last one.
      elements, bytes: its size.
    """

    array: Array
    node: str
    written: int
    reads: tuple[int, ...]
    elements: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Pass:
    """The steps of a pass, and the arrays that live between them, in the order in which they are written."""

    steps: tuple[PlayStep, ...]
    arrays: tuple[LiveArray, ...]


def whole_pass(trace: Trace) -> Pass:
    """Return the steps of `play` with the arrays that are live between them.

    Raises:
      GraphError: as `play`.
    """
    graph = with_output(trace).graph
    shapes = {name: np.shape(value) for name, value in trace.inputs.items()}
    if problems := diagnose(graph, shapes):
        raise GraphError(problems)
    program = backward_program(graph, shapes, trace.dtype)
    steps = [*_forward(graph, program), *_needed([*_Backward(trace, program).steps()], graph)]
    arrays = tuple(_arrays(trace, steps, program))
    live = totals(len(steps), arrays, "elements")
    shown = []
    for step, elements in zip(steps, live, strict=True):
        reads, writes = _named(step.reads, program), _named(step.writes, program)
        shown.append(PlayStep(step.phase, step.node, step.region, step.again, reads, writes, elements))
    return Pass(tuple(shown), arrays)


def totals(steps: int, arrays: Iterable[LiveArray], size: str) -> tuple[int, ...]:
    """Return the live "elements" or "bytes" after each of so many steps."""
    changes = [0] * (steps + 1)
    for array in arrays:
        changes[array.written] += getattr(array, size)
        changes[array.reads[-1]] -= getattr(array, size)
    return tuple(accumulate(changes[:-1]))


Key = str | Wire | int
"""An array while steps are made: a value of the forward pass by its node's name, a contribution by its wire,
any other array by its number in the program."""


@dataclass(frozen=True, slots=True)
class _Step:
    phase: str
    node: str
    region: str | None
    reads: tuple[Key, ...]
    writes: tuple[Key, ...]
    again: bool = False


def _forward(graph: Graph, program: BackwardProgram) -> Iterator[_Step]:
    """Yield the forward pass; a node also writes the factors of its derivative that are kept."""
    nodes, region = blocks(graph).nodes(), dict(_regions(blocks(graph)))
    # The inputs are given, so they come before all; then the program runs block by block.
    nodes = [n for n in nodes if n.op == INPUT] + [n for n in nodes if n.op != INPUT]
    sources = array_sources(nodes)
    factors: dict[str, list[int]] = {}
    for array in sorted(program.residuals):
        name = program.arrays[array].name
        if isinstance(name, Factor):
            factors.setdefault(name.node, []).append(array)
    # JAX drops a region in a region if the outer one gives nothing that is read: its nodes have no step, and
    # of those around it, which JAX only marks then, nothing reads what they give.
    made: set[str] = set()
    for node in (n for n in nodes if n.op == INPUT or n.name in program.forward):
        own = node.op_slots[BY:] if node.op == GRAD else node.op_slots  # z runs once more, inside
        read = dict.fromkeys(sources.get(slot, slot) for slot in own if isinstance(slot, str))
        made.add(node.name)
        value = () if node.name in sources else (node.name,)  # an identity returns the array that it reads
        writes = (*value, *factors.get(node.name, ()))
        reads = tuple(each for each in read if each in made)
        yield _Step(FORWARD, node.name, region.get(node.name), reads, writes)


def _regions(block: Block) -> Iterator[tuple[str, str]]:
    """Yield (node, innermost region) for the nodes that run in a region."""
    for item in block.items:
        if isinstance(item, Block):
            yield from _regions(item)
        elif block.region and item.op != INPUT:
            yield item.name, block.region.name


def _needed(steps: list[_Step], graph: Graph) -> list[_Step]:
    """Return the backward pass in which pullbacks read contributions only on the way to an input.

    JAX computes no contribution that a stop discards, nor those from which it is made.
    """
    read: set[Key] = set()
    needed = []
    for step in reversed(steps):
        if not step.again and graph[step.node].op != INPUT and read.isdisjoint(step.writes):
            step = replace(step, reads=tuple(key for key in step.reads if not isinstance(key, tuple)))
        read.update(step.reads)
        needed.append(step)
    return needed[::-1]


class _Backward:
    """The backward pass: the program's blocks from the last to the first, as transposition visits them."""

    def __init__(self, trace: Trace, program: BackwardProgram):
        self.trace, self.program = trace, program
        self.uses = consumers(trace.graph)

    def steps(self) -> Iterator[_Step]:
        """Yield the steps; inputs are last."""
        heard = self.trace.cotangent
        for name, reads in self.program.pulls.items():
            if reads and (name not in heard or heard.is_symbolic_zero(name)):  # remat3 makes them numbers
                raise uncounted(f"it pulls back through {name!r}, at which nothing arrives")
        block = blocks(self.trace.graph)
        yield from self._block(block)
        for node in reversed(block.nodes()):
            if node.op == INPUT:
                yield from self._pullback(node, None)

    def _block(self, block: Block) -> Iterator[_Step]:
        region = block.region and block.region.name
        for item in reversed(block.items):
            if isinstance(item, Block):
                # A region runs again just before the first pullback inside it.
                if item.region is not None:
                    number = self.trace.graph.regions.index(item.region)
                    for rerun in self.program.reruns.get(number, ()):
                        reads, writes = self._keys(rerun.reads), self._keys(rerun.writes)
                        yield _Step(BACKWARD, rerun.node, item.region.name, reads, writes, again=True)
                yield from self._block(item)
            elif item.op != INPUT:
                yield from self._pullback(item, region)

    def _pullback(self, node: Node, region: str | None) -> Iterator[_Step]:
        trace = self.trace
        if trace.cotangent.is_symbolic_zero(node.name):
            return
        arriving = [wire for wire in self.uses[node.name] if not trace.passed.is_symbolic_zero(wire)]
        wires = [(node.name, slot) for slot, _ in node.wires]
        passed = [wire for wire in wires if not trace.passed.is_symbolic_zero(wire)]
        reads = (*arriving, *self._keys(self.program.pulls.get(node.name, ())))
        yield _Step(BACKWARD, node.name, region, reads, tuple(passed))

    def _keys(self, arrays: Iterable[int]) -> tuple[Key, ...]:
        """Return the arrays' keys: a value that the forward pass keeps is the forward pass's own array."""
        return tuple(self.program.key(array) for array in arrays)


def _arrays(trace: Trace, steps: list[_Step], program: BackwardProgram) -> Iterator[LiveArray]:
    """Yield the arrays that a later step reads."""
    graph, width = trace.graph, np.dtype(trace.dtype).itemsize
    reads: dict[Key, list[int]] = {}
    for i, step in enumerate(steps):
        for key in dict.fromkeys(step.reads):
            reads.setdefault(key, []).append(i)
    for i, step in enumerate(steps):
        for key in step.writes:
            later = tuple(j for j in reads.get(key, ()) if j > i)
            if later and isinstance(key, int):  # computed in the backward pass, or a factor that is kept
                stored = program.arrays[key]
                yield LiveArray(stored.name, step.node, i, later, stored.elements, stored.bytes)
            elif later:  # a value, or the contribution to one, which has its size
                of = key if isinstance(key, str) else graph[key[0]].slots[key[1]]
                elements = trace.value[of].size
                yield LiveArray(key, step.node, i, later, elements, elements * width)


def _named(keys: tuple[Key, ...], program: BackwardProgram) -> tuple[Array, ...]:
    """Return the arrays' names in place of their numbers in the program."""
    return tuple(program.arrays[key].name if isinstance(key, int) else key for key in keys)
